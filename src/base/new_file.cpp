// SPDX-License-Identifier: Apache-2.0
// O_EXCL and O_NOFOLLOW, and a second attempt.
#include "base/new_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>

namespace orrery {
namespace {

namespace fs = std::filesystem;

bool is_planted(const fs::path& link, const struct stat& status) {
  struct stat folder = {};
  if (::stat(link.parent_path().c_str(), &folder) != 0) return false;
  const bool shared = (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0;
  return shared && status.st_uid != ::geteuid() && status.st_uid != folder.st_uid;
}

// Follows all links of an absolute path as the kernel does.
bool meets_planted_link(const fs::path& path) {
  constexpr int most_links = 40;
  fs::path rest = path;
  for (int links = 0; links < most_links; ++links) {
    fs::path walked;
    bool led = false;
    for (auto part = rest.begin(); part != rest.end(); ++part) {
      walked /= *part;
      struct stat status = {};
      if (::lstat(walked.c_str(), &status) != 0) return false;  // nothing is there, so nothing leads on
      if (!S_ISLNK(status.st_mode)) continue;
      if (is_planted(walked, status)) return true;
      std::error_code error;
      fs::path next = walked.parent_path() / fs::read_symlink(walked, error);
      for (++part; part != rest.end(); ++part) next /= *part;
      rest = std::move(next);
      led = true;
      break;
    }
    if (!led) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> final_target(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  if (error) return path;
  if (meets_planted_link(whole)) return std::nullopt;
  const fs::path resolved = fs::canonical(whole, error);
  return error ? whole.string() : resolved.string();
}

int open_new(const std::string& path, mode_t mode) {
  constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const int descriptor = ::open(path.c_str(), flags, mode);
  if (descriptor >= 0 || errno != EEXIST || ::unlink(path.c_str()) != 0) return descriptor;
  return ::open(path.c_str(), flags, mode);
}

void remove_stale_parts(const std::string& target) {
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
