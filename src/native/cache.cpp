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
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

namespace orrery::native {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view seal_mark = "\norrery-seal ";
constexpr std::size_t seal_size = seal_mark.size() + 16 + 1 + 32 + 1;

std::string seal_text(std::string_view content) {
  return fmt::format("{}{:016x} {}\n", seal_mark, content.size(), content_hash(content));
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
  if (const char* own = std::getenv("ORRERY_CACHE"); own != nullptr && *own != '\0')
    return std::string(own) + "/native";
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg == '/') {
    return fs::path(xdg) / "orrery" / "native";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return fs::path(home) / ".cache" / "orrery" / "native";
  }
  return {};
}

bool prepare_cache(const fs::path& directory) {
  if (directory.empty()) return false;
  std::error_code error;
  if (fs::create_directories(directory, error)) {
    fs::permissions(directory, fs::perms::owner_all, error);  // code is loaded from here: nobody else writes
  }
  return fs::is_directory(directory, error) && ::access(directory.c_str(), W_OK | X_OK) == 0;
}

bool seal(const fs::path& file) {
  std::string content;
  if (!read_all(file, content)) return false;
  std::ofstream out(file, std::ios::binary | std::ios::app);
  out << seal_text(content);
  out.close();
  return !out.fail();
}

bool is_intact(const fs::path& file) {
  struct stat facts = {};
  if (::stat(file.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_uid != ::geteuid()) return false;
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
