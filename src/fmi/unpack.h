// SPDX-License-Identifier: Apache-2.0
// The archive of an FMU: reading single files, unpacking into a temporary folder, safe against hostile archives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

struct zip;

namespace orrery::fmi {

// An archive beyond these is refused. Bytes are counted as they come out, whatever the archive claims.
struct UnpackLimits {
  std::uint64_t files = 100'000;
  std::uint64_t bytes = std::uint64_t{8} << 30;
  std::uint64_t description_bytes = std::uint64_t{512} << 20;
  // A file may grow to this many times its packed size, or to the free size, whichever is more.
  std::uint64_t ratio = 1000;
  std::uint64_t free_bytes = std::uint64_t{64} << 20;
};

// A folder that vanishes with its owner, at exit(), and when a signal ends the process.
class TemporaryFolder {
 public:
  static std::unique_ptr<TemporaryFolder> create(Diagnostics& diagnostics);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path);
  std::string path_;
  int owner_;  // process
  int lock_;   // a descriptor; those who live in the folder share it
};
// Removes what processes that were killed have left. The executable does it when it starts.
void remove_abandoned_folders();

class Archive {
 public:
  static std::unique_ptr<Archive> open(const std::string& path, Diagnostics& diagnostics, UnpackLimits limits = {});
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  // Names of the files that may be unpacked, '/' between folders; harmful ones are left out, see `refused`.
  const std::vector<std::string>& files() const { return files_; }
  // Entries that would leave the folder, or are symbolic links: never written.
  const std::vector<std::string>& refused() const { return refused_; }
  bool has(std::string_view name) const;
  std::optional<std::string> read(const std::string& name, Diagnostics& diagnostics);
  // Writes the files that `wanted` accepts below the folder.
  bool unpack(const std::string& folder, const std::function<bool(std::string_view)>& wanted, Diagnostics& diagnostics);
  const std::string& path() const { return path_; }

 private:
  explicit Archive(std::string path, UnpackLimits limits) : path_(std::move(path)), limits_(limits) {}
  [[nodiscard]] bool list(Diagnostics& diagnostics);
  void leave_folder(Diagnostics& diagnostics);
  // Calls sink for each piece of the file; false, and a diagnostic, when it cannot be read whole.
  bool inflate(std::size_t file, std::uint64_t most, const std::function<bool(std::string_view)>& sink,
               Diagnostics& diagnostics);

  std::string path_;
  UnpackLimits limits_;
  zip* zip_ = nullptr;
  std::vector<std::string> files_, refused_;
  std::vector<std::uint64_t> entry_;  // of each file in the archive
  std::uint64_t unpacked_ = 0;
};

// The name with '/' between folders and without "./", or nothing when it would lead out of the folder.
std::optional<std::string> safe_name(std::string_view name);

}  // namespace orrery::fmi
