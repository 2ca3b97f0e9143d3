// SPDX-License-Identifier: Apache-2.0
// Temporary folders that are removed on every way out of the process: destructor, exit(), signals; and, after a kill
// that no process survives, by the next one.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/environment.h"
#include "base/signals.h"
#include "fmi/guard.h"
#include "fmi/unpack.h"

namespace orrery::fmi {
namespace {

// A signal handler may only look at plain memory: a fixed table of paths. Folders beyond it are removed by their owners
// alone.
constexpr int most_folders = 16;
constexpr std::size_t most_path = 256;
char folders[most_folders][most_path];
std::atomic<bool> used[most_folders];
pid_t owners[most_folders];  // a fork of the owner leaves the folder alone

// vfork and execve may be called in a signal handler; removing a tree by hand may not.
[[gnu::noinline]] void remove_tree(char* path) {
  const pid_t child = vfork();
  if (child == 0) {
    char program[] = "/bin/rm", option[] = "-rf", end[] = "--";
    char* arguments[] = {program, option, end, path, nullptr};
    execve(program, arguments, nullptr);
    _exit(127);
  }
  int status = 0;
  if (child > 0) waitpid(child, &status, 0);
}

void remove_on_signal() {
  for (int k = 0; k < most_folders; ++k) {
    if (used[k] && owners[k] == getpid() && used[k].exchange(false)) remove_tree(folders[k]);
  }
}

void remove_at_exit() {
  for (int k = 0; k < most_folders; ++k) {
    if (owners[k] != getpid() || !used[k].exchange(false)) continue;
    std::error_code ignored;
    std::filesystem::remove_all(folders[k], ignored);
  }
}

constexpr std::string_view name_start = "orrery-fmu-";

std::string folder_of_folders() {
  const char* base = environment_variable("TMPDIR");
  return base != nullptr && *base != '\0' ? base : "/tmp";
}

// A lock that lasts as long as a process that has it open: the owner, or a child that lives in the folder. -1: another
// one has it.
int lock_folder(const char* path, int kind) {
  const int descriptor = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0 || flock(descriptor, kind | LOCK_NB) == 0) return descriptor;
  close(descriptor);
  return -1;
}

// "orrery-fmu-1234-Ab3dEf": the process that made it; 0: the name is another one.
pid_t maker_of(const char* name) {
  if (!std::string_view(name).starts_with(name_start)) return 0;
  char* end = nullptr;
  const long number = std::strtol(name + name_start.size(), &end, 10);
  return *end == '-' && number > 0 ? static_cast<pid_t>(number) : 0;
}

void watch_ends() {
  static const bool done = [] {
    std::atexit(remove_at_exit);
    at_end(remove_on_signal);
    before_sudden_end(remove_on_signal);
    watch_signals();
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace

TemporaryFolder::TemporaryFolder(std::string path)
    : path_(std::move(path)), owner_(getpid()), lock_(lock_folder(path_.c_str(), LOCK_SH)) {
  watch_ends();
  if (path_.size() >= most_path) return;
  for (int k = 0; k < most_folders; ++k) {
    if (used[k]) continue;
    std::memcpy(folders[k], path_.c_str(), path_.size() + 1);
    owners[k] = getpid();
    used[k] = true;
    return;
  }
}

std::unique_ptr<TemporaryFolder> TemporaryFolder::create(Diagnostics& diagnostics) {
  std::string path = fmt::format("{}/{}{}-XXXXXX", folder_of_folders(), name_start, getpid());
  if (mkdtemp(path.data()) == nullptr) {
    diagnostics.error("fmi-no-folder", {path, 0, 0, {}, {}},
                      fmt::format("no temporary folder can be made: {}", std::strerror(errno)),
                      "set TMPDIR to a folder that can be written");
    return nullptr;
  }
  return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(std::filesystem::absolute(path).string()));
}

TemporaryFolder::~TemporaryFolder() {
  if (lock_ >= 0) close(lock_);
  if (getpid() != owner_) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  for (int k = 0; k < most_folders; ++k) {
    if (used[k] && path_ == folders[k]) used[k] = false;
  }
}

// Its process is gone, and nobody holds its lock, also none in another container that shares the folder.
void remove_abandoned_folders() {
  const std::string base = folder_of_folders();
  DIR* folder = opendir(base.c_str());
  if (folder == nullptr) return;
  std::vector<std::string> found;
  while (const dirent* entry = readdir(folder)) {
    const pid_t maker = maker_of(entry->d_name);
    if (maker > 0 && kill(maker, 0) != 0 && errno == ESRCH) found.push_back(base + "/" + entry->d_name);
  }
  closedir(folder);
  for (const std::string& path : found) {
    struct stat facts = {};
    if (lstat(path.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode) || facts.st_uid != geteuid()) continue;
    const int lock = lock_folder(path.c_str(), LOCK_EX);
    if (lock < 0) continue;
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
    close(lock);
  }
}

}  // namespace orrery::fmi
