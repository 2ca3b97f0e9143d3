// SPDX-License-Identifier: Apache-2.0
// A file in which long work keeps what it has found so far: it stays when the process is killed, and the same work goes
// on from it. One process writes it at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace orrery {

// Writes all, however many pieces that takes: at the current position, or at a place of its own. 0, or the errno of
// what stands in the way.
int write_all(int descriptor, std::string_view bytes);
int write_all_at(int descriptor, std::string_view bytes, std::int64_t at);

class KeptFile {
 public:
  // Opens what is there, or makes it. Nothing, and a diagnostic, where it cannot be written, belongs to another user
  // (in a folder that others can write, somebody may have made it to see the results or to give us his). Nothing, and
  // busy, where another process writes it right now: whoever asks says of what.
  static std::optional<KeptFile> open(const std::string& path, bool& busy, Diagnostics& diagnostics);
  KeptFile(KeptFile&& other) noexcept;
  KeptFile& operator=(KeptFile&&) = delete;
  ~KeptFile();

  const std::string& path() const { return path_; }
  // Bytes that are there, up to `most`.
  std::string read(std::int64_t at, std::size_t most) const;
  std::string read_all() const;
  // 0, or the errno. Threads, and processes that share the file, may write different places at the same time.
  [[nodiscard]] int write(std::string_view bytes, std::int64_t at) const { return write_all_at(file_, bytes, at); }
  // What lies behind is gone.
  [[nodiscard]] int cut(std::int64_t size) const;
  // The work is done: the file goes.
  void remove() const;

 private:
  KeptFile() = default;
  std::string path_;
  int file_ = -1;
};

}  // namespace orrery
