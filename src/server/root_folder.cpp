// SPDX-License-Identifier: Apache-2.0
// openat2(2) with RESOLVE_BENEATH; files are replaced by rename within the folder that was opened.
#include "server/root_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "server/guard.h"

namespace orrery::server {
namespace {

// Closes what it holds.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return descriptor_; }
  bool good() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

void complain_of_file(const std::string& file, const char* what, int number, Diagnostics& diagnostics) {
  Place place;
  place.file = file;
  const bool escapes = number == EXDEV || number == ELOOP;
  diagnostics.error(escapes ? "outside-root" : what, std::move(place),
                    escapes ? "the path leads out of the folder that is served"
                            : "the file cannot be used: " + std::generic_category().message(number),
                    escapes ? "start `orrery serve` in the folder that holds the file" : "");
}

bool write_everything(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool has_end(std::string_view name, std::initializer_list<std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(),
                     [&](std::string_view end) { return name.size() > end.size() && name.ends_with(end); });
}

// No part of the path may be hidden: journals of version control and keys are nobody's business.
bool sensible_path(std::string_view path) {
  if (path.empty() || path.size() > 1000 || path.front() == '/' || path.find('\0') != std::string_view::npos)
    return false;
  std::size_t from = 0;
  while (from <= path.size()) {
    const std::size_t to = std::min(path.find('/', from), path.size());
    const std::string_view part = path.substr(from, to - from);
    if (part.empty() || part.front() == '.') return false;
    if (std::any_of(part.begin(), part.end(), [](char c) { return static_cast<unsigned char>(c) < 32; })) return false;
    from = to + 1;
  }
  return true;
}

}  // namespace

bool is_model_name(std::string_view name) { return has_end(name, {".orr"}); }

bool is_upload_name(std::string_view name) {
  return has_end(name, {".fmu", ".csv", ".mat", ".orr", ".oml", ".opt", ".h5", ".mtsf"});
}

bool is_result_name(std::string_view name) {
  return is_upload_name(name) || has_end(name, {".svg", ".png", ".json", ".txt", ".c", ".h", ".py", ".zip", ".html"});
}

RootFolder::RootFolder(const std::string& path) {
  std::error_code error;
  path_ = std::filesystem::canonical(path, error).string();
  if (!error) descriptor_ = ::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
}

RootFolder::~RootFolder() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string RootFolder::name() const { return std::filesystem::path(path_).filename().string(); }

int RootFolder::open_beneath(const std::string& inside, int flags) const {
  if (!inside.empty() && !sensible_path(inside)) {
    errno = EXDEV;
    return -1;
  }
  open_how how{};
  how.flags = static_cast<__u64>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const std::string path = inside.empty() ? "." : inside;
  for (int tries = 0; tries < 8; ++tries) {
    const long got = ::syscall(SYS_openat2, descriptor_, path.c_str(), &how, sizeof how);
    if (got >= 0) return static_cast<int>(got);
    if (errno != EAGAIN && errno != EINTR) break;  // EAGAIN: something was renamed meanwhile
  }
  return -1;
}

std::optional<std::string> RootFolder::read(const std::string& inside, std::size_t most,
                                            Diagnostics& diagnostics) const {
  const File file(open_beneath(inside, O_RDONLY | O_NONBLOCK));
  struct stat about {};
  if (!file.good() || ::fstat(file.get(), &about) != 0) {
    complain_of_file(inside, "file-unreadable", errno, diagnostics);
    return std::nullopt;
  }
  if (!S_ISREG(about.st_mode) || static_cast<std::uint64_t>(about.st_size) > most) {
    complain_of_file(inside, "file-unreadable", S_ISREG(about.st_mode) ? EFBIG : EINVAL, diagnostics);
    return std::nullopt;
  }
  std::string text;
  std::array<char, 65536> part;
  for (;;) {
    const ssize_t count = ::read(file.get(), part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 || text.size() > most) {
      complain_of_file(inside, "file-unreadable", count < 0 ? errno : EFBIG, diagnostics);
      return std::nullopt;
    }
    if (count == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

bool RootFolder::write(const std::string& inside, std::string_view text, bool create, Diagnostics& diagnostics) const {
  const auto refuse = [&](int number) {
    complain_of_file(inside, number == EEXIST ? "file-exists" : "file-unwritable", number, diagnostics);
    return false;
  };
  if (!sensible_path(inside)) return refuse(EXDEV);
  const std::size_t slash = inside.rfind('/');
  const File folder(
      open_beneath(slash == std::string::npos ? std::string() : inside.substr(0, slash), O_RDONLY | O_DIRECTORY));
  if (!folder.good()) return refuse(errno);
  const std::string name = slash == std::string::npos ? inside : inside.substr(slash + 1);
  mode_t mode = 0644;
  struct stat about {};
  if (::fstatat(folder.get(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0) {
    if (create) return refuse(EEXIST);
    // A link is never written through, and nothing but a file is replaced.
    if (!S_ISREG(about.st_mode)) return refuse(S_ISLNK(about.st_mode) ? ELOOP : EISDIR);
    mode = about.st_mode & 0777;
    if (::faccessat(folder.get(), name.c_str(), W_OK, 0) != 0) return refuse(errno);
  }
  const std::string part = "." + name.substr(0, 100) + "." + random_hex(6) + ".part";
  const File file(::openat(folder.get(), part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.good()) return refuse(errno);
  bool good = write_everything(file.get(), text) && ::fchmod(file.get(), mode) == 0 && ::fsync(file.get()) == 0;
  if (good && create) {
    good = ::renameat2(folder.get(), part.c_str(), folder.get(), name.c_str(), RENAME_NOREPLACE) == 0;
  } else if (good) {
    good = ::renameat(folder.get(), part.c_str(), folder.get(), name.c_str()) == 0;
  }
  const int number = errno;
  if (!good) ::unlinkat(folder.get(), part.c_str(), 0);
  if (good) ::fsync(folder.get());
  return good || refuse(number);
}

bool RootFolder::exists(const std::string& inside) const { return File(open_beneath(inside, O_PATH)).good(); }

bool RootFolder::writable(const std::string& inside) const {
  const File file(open_beneath(inside, O_PATH));
  return file.good() && ::access(("/proc/self/fd/" + std::to_string(file.get())).c_str(), W_OK) == 0;
}

std::optional<std::vector<FolderItem>> RootFolder::list(const std::string& inside, Diagnostics& diagnostics) const {
  const int descriptor = open_beneath(inside, O_RDONLY | O_DIRECTORY);
  DIR* folder = descriptor < 0 ? nullptr : ::fdopendir(descriptor);
  if (folder == nullptr) {
    complain_of_file(inside, "file-unreadable", errno, diagnostics);
    if (descriptor >= 0) ::close(descriptor);
    return std::nullopt;
  }
  std::vector<FolderItem> items;
  constexpr std::size_t most_items = 5000;
  while (const dirent* entry = ::readdir(folder)) {
    FolderItem item;
    item.name = entry->d_name;
    struct stat about {};
    if (item.name.starts_with('.') || ::fstatat(descriptor, entry->d_name, &about, 0) != 0) continue;
    item.folder = S_ISDIR(about.st_mode);
    if (!item.folder && !S_ISREG(about.st_mode)) continue;
    item.size = static_cast<std::uint64_t>(about.st_size);
    item.modified = about.st_mtime;
    items.push_back(std::move(item));
    if (items.size() == most_items) break;
  }
  ::closedir(folder);
  std::sort(items.begin(), items.end(), [](const FolderItem& a, const FolderItem& b) { return a.name < b.name; });
  return items;
}

std::string RootFolder::absolute(const std::string& inside) const {
  return inside.empty() ? path_ : path_ + (path_ == "/" ? "" : "/") + inside;
}

std::optional<std::string> RootFolder::inside(const std::string& absolute) const {
  const std::filesystem::path below = std::filesystem::path(absolute).lexically_relative(path_);
  if (below.empty() || *below.begin() == "..") return std::nullopt;
  return below.string();
}

}  // namespace orrery::server
