// SPDX-License-Identifier: Apache-2.0
// The one folder whose files a page may name. Paths are opened beneath it by the kernel: "..", absolute paths and links
// that lead out fail, whoever changes the folder meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace orrery::server {

struct FolderItem {
  std::string name;
  bool folder = false;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // seconds since 1970
};

class RootFolder {
 public:
  // The descriptor stays open as long as this lives.
  explicit RootFolder(const std::string& path);
  ~RootFolder();
  RootFolder(const RootFolder&) = delete;
  RootFolder& operator=(const RootFolder&) = delete;

  bool good() const { return descriptor_ >= 0; }
  const std::string& path() const { return path_; }
  std::string name() const;

  // Nothing, and a diagnostic, when it cannot be read or is more than `most` bytes.
  std::optional<std::string> read(const std::string& inside, std::size_t most, Diagnostics& diagnostics) const;
  // Replaces the file in one step. `create`: there must be none yet.
  bool write(const std::string& inside, std::string_view text, bool create, Diagnostics& diagnostics) const;
  bool exists(const std::string& inside) const;
  bool writable(const std::string& inside) const;
  // Sorted by name; hidden ones left out.
  std::optional<std::vector<FolderItem>> list(const std::string& inside, Diagnostics& diagnostics) const;
  // For messages and for what takes paths: the absolute path.
  std::string absolute(const std::string& inside) const;
  // The part below the root of an absolute path; nothing: it is elsewhere.
  std::optional<std::string> inside(const std::string& absolute) const;

 private:
  int open_beneath(const std::string& inside, int flags) const;
  std::string path_;
  int descriptor_ = -1;
};

// Whether a page may save, upload or open files with this name: models, data and results.
bool is_model_name(std::string_view name);
bool is_upload_name(std::string_view name);
// … may read, because tools write such files.
bool is_result_name(std::string_view name);

}  // namespace orrery::server
