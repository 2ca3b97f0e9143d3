// SPDX-License-Identifier: Apache-2.0
// Inputs of fuzz targets as text, and as a file for readers that want a path.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace orrery {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// A file in memory that has a path while the object lives.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
    if (::write(descriptor_, data, size) != static_cast<ssize_t>(size)) ::_exit(1);
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

// A folder in memory for readers that look for a file by its name, or change it.
class FuzzFolder {
 public:
  FuzzFolder() {
    static int made = 0;
    path_ = "/dev/shm/orrery-fuzz-" + std::to_string(::getpid()) + "-" + std::to_string(++made);
    ::mkdir(path_.c_str(), 0700);
  }
  ~FuzzFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  FuzzFolder(const FuzzFolder&) = delete;
  FuzzFolder& operator=(const FuzzFolder&) = delete;
  const std::string& path() const { return path_; }
  // Whatever the last input has left.
  void clear() const {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(path_, ignored))
      std::filesystem::remove_all(entry.path(), ignored);
  }
  void write(const std::string& name, const std::uint8_t* data, std::size_t size) const {
    const int file = ::open((path_ + "/" + name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (::write(file, data, size) != static_cast<ssize_t>(size)) ::_exit(1);
    ::close(file);
  }

 private:
  std::string path_;
};

}  // namespace orrery
