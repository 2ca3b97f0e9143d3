// SPDX-License-Identifier: Apache-2.0
// A file that appears whole or not at all: written beside its place, renamed when complete.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace orrery::io {

// Opening tells at once whether the place can be written, so that a long run does not end in a disappointment. "-" is
// the standard output; devices and pipes are written directly. Without commit() nothing is left behind.
class OutputFile {
 public:
  static std::optional<OutputFile> open(const std::string& path, Diagnostics& diagnostics);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  void write(std::string_view text);
  // Makes the file appear. False, and a diagnostic, when that or any write before it failed.
  bool commit(Diagnostics& diagnostics);
  const std::string& path() const { return path_; }

 private:
  OutputFile() = default;
  void flush();

  std::string path_;       // as the user wrote it
  std::string target_;     // behind symbolic links
  std::string temporary_;  // empty: written directly
  std::string buffer_;
  int descriptor_ = -1;
  int error_ = 0;  // errno of the first failure
};

// The whole text at once.
bool write_file(const std::string& path, std::string_view text, Diagnostics& diagnostics);
// The whole file; nothing, and a diagnostic, when it cannot be read.
std::optional<std::string> read_file(const std::string& path, Diagnostics& diagnostics);

}  // namespace orrery::io
