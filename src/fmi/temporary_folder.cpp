// SPDX-License-Identifier: Apache-2.0
// Temporary folders that are removed on every way out of the process: destructor, exit(), fatal signal.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

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

void watch_ends() {
  static const bool done = [] {
    std::atexit(remove_at_exit);
    at_end(remove_on_signal);
    watch_signals();
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace

TemporaryFolder::TemporaryFolder(std::string path) : path_(std::move(path)), owner_(getpid()) {
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
  const char* base = std::getenv("TMPDIR");
  std::string path = std::string(base != nullptr && *base != '\0' ? base : "/tmp") + "/orrery-fmu-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    diagnostics.error("fmi-no-folder", {path, 0, 0, {}, {}},
                      fmt::format("no temporary folder can be made: {}", std::strerror(errno)),
                      "set TMPDIR to a folder that can be written");
    return nullptr;
  }
  return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(std::filesystem::absolute(path).string()));
}

TemporaryFolder::~TemporaryFolder() {
  if (getpid() != owner_) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  for (int k = 0; k < most_folders; ++k) {
    if (used[k] && path_ == folders[k]) used[k] = false;
  }
}

}  // namespace orrery::fmi
