// SPDX-License-Identifier: Apache-2.0
// O_EXCL and O_NOFOLLOW, and a second attempt.
#include "base/new_file.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>

namespace orrery {

int open_new(const std::string& path, mode_t mode) {
  constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const int descriptor = ::open(path.c_str(), flags, mode);
  if (descriptor >= 0 || errno != EEXIST || ::unlink(path.c_str()) != 0) return descriptor;
  return ::open(path.c_str(), flags, mode);
}

void remove_stale_parts(const std::string& target) {
  namespace fs = std::filesystem;
  const fs::path path(target);
  const std::string before = path.filename().string() + ".", after = ".part";
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path.has_parent_path() ? path.parent_path() : fs::path("."), error)) {
    const std::string name = entry.path().filename().string();
    if (name.size() <= before.size() + after.size() || !name.starts_with(before) || !name.ends_with(after)) continue;
    long pid = 0;
    const char* const end = name.data() + name.size() - after.size();
    const auto [stop, problem] = std::from_chars(name.data() + before.size(), end, pid);
    if (problem != std::errc() || stop != end || pid <= 0) continue;
    if (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) ::unlink(entry.path().c_str());
  }
}

}  // namespace orrery
