// SPDX-License-Identifier: Apache-2.0
// Names, seals and limits of the cache of shared objects.
#include "native/cache.h"

#define XXH_INLINE_ALL  // the header alone: no library at run time
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/environment.h"

namespace orrery::native {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view seal_mark = "\norrery-seal ";
constexpr std::size_t seal_size = seal_mark.size() + 16 + 1 + 32 + 1;

std::string seal_text(std::string_view content) {
  return fmt::format("{}{:016x} {}\n", seal_mark, content.size(), content_hash(content));
}

// Whether somebody else could put another folder in the place of one in here: in folders that all may write, such as
// /tmp, the sticky bit keeps them from that.
bool others_may_rename(const fs::path& folder) {
  struct stat facts = {};
  if (::stat(folder.c_str(), &facts) != 0) return true;
  return (facts.st_mode & 022) != 0 && (facts.st_mode & S_ISVTX) == 0;
}

bool read_all(const fs::path& file, std::string& content) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return false;
  content.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  return !in.bad();
}

}  // namespace

std::string content_hash(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

fs::path default_cache_directory() {
  if (const char* own = environment_variable("ORRERY_CACHE"); own != nullptr && *own != '\0')
    return std::string(own) + "/native";
  if (const char* xdg = environment_variable("XDG_CACHE_HOME"); xdg != nullptr && *xdg == '/') {
    return fs::path(xdg) / "orrery" / "native";
  }
  if (const char* home = environment_variable("HOME"); home != nullptr && *home == '/') {
    return fs::path(home) / ".cache" / "orrery" / "native";
  }
  return {};
}

bool prepare_cache(const fs::path& directory, std::string& why) {
  if (directory.empty()) return false;
  std::error_code error;
  const fs::path whole = fs::absolute(directory, error);
  fs::create_directories(whole.parent_path(), error);
  ::mkdir(whole.c_str(), 0700);
  struct stat facts = {};
  if (::lstat(whole.c_str(), &facts) != 0 || ::access(whole.c_str(), W_OK | X_OK) != 0) return false;
  if (S_ISLNK(facts.st_mode)) why = "it is a link";
  if (!S_ISLNK(facts.st_mode) && facts.st_uid != ::geteuid()) why = "it belongs to another user";
  if (!S_ISLNK(facts.st_mode) && (facts.st_mode & 022) != 0) why = "others can write there";
  if (!S_ISDIR(facts.st_mode) || !why.empty()) return false;
  // What others could only see is closed now, and was never open to them.
  if ((facts.st_mode & 077) != 0 && ::chmod(whole.c_str(), 0700) != 0) return false;
  for (fs::path above = whole.parent_path(); !others_may_rename(above);) {
    if (!above.has_relative_path()) return true;
    above = above.parent_path();
  }
  why = "others can rename folders above it";
  return false;
}

bool seal(const fs::path& file) {
  std::string content;
  if (!read_all(file, content)) return false;
  std::ofstream out(file, std::ios::binary | std::ios::app);
  out << seal_text(content);
  out.close();
  return !out.fail() && ::chmod(file.c_str(), 0700) == 0;  // whatever the umask says
}

bool is_intact(const fs::path& file) {
  struct stat facts = {};
  if (::lstat(file.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_uid != ::geteuid()) return false;
  if ((facts.st_mode & 022) != 0 || facts.st_nlink != 1) return false;
  std::string content;
  if (!read_all(file, content) || content.size() < seal_size) return false;
  std::string_view all = content;
  std::string_view body = all.substr(0, all.size() - seal_size);
  return all.substr(body.size()) == seal_text(body);
}

void prune_cache(const fs::path& directory, std::size_t max_files, std::uintmax_t max_bytes) {
  struct Entry {
    fs::path path;
    fs::file_time_type time;
    std::uintmax_t bytes;
  };
  std::error_code error;
  std::vector<Entry> entries;
  std::uintmax_t bytes = 0;
  auto abandoned = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    std::error_code gone;  // another process may delete it while we look
    if (!entry.is_regular_file(gone)) continue;
    auto time = entry.last_write_time(gone);
    auto size = entry.file_size(gone);
    if (gone) continue;
    fs::path extension = entry.path().extension();
    if (extension == ".so") {
      entries.push_back({entry.path(), time, size});
      bytes += size;
    } else if ((extension == ".part" || extension == ".c" || extension == ".log") && time < abandoned) {
      fs::remove(entry.path(), gone);
    }
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.time < b.time; });
  std::size_t left = entries.size();
  for (const Entry& entry : entries) {
    if (left <= max_files && bytes <= max_bytes) break;
    fs::remove(entry.path, error);
    --left;
    bytes -= entry.bytes;
  }
}

void prune_cache_once(const fs::path& directory) {
  static std::atomic_flag done = ATOMIC_FLAG_INIT;
  if (!done.test_and_set()) prune_cache(directory, 500, std::uintmax_t{512} << 20);
}

}  // namespace orrery::native
