// SPDX-License-Identifier: Apache-2.0
// The keeper: waits for its worker and for us, and leaves nothing alive.
#include "base/keeper.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "base/signals.h"

namespace orrery {
namespace {

constexpr int look_milliseconds = 200;  // how often it looks whether we are still there
constexpr int most_rounds = 1000;       // against what forks faster than it is killed

// The parent of a process; -1: there is no such process. The name in the file may hold any character.
pid_t parent_of(const char* process) {
  char path[64], text[1024];
  std::snprintf(path, sizeof path, "/proc/%.20s/stat", process);
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t got = ::read(file, text, sizeof text - 1);
  ::close(file);
  if (got <= 0) return -1;
  text[got] = 0;
  const char* end = nullptr;
  for (const char* at = text; *at != 0; ++at) end = *at == ')' ? at : end;
  int parent = -1;
  char state = 0;
  return end != nullptr && std::sscanf(end + 1, " %c %d", &state, &parent) == 2 ? parent : -1;
}

void kill_children() {
  DIR* processes = opendir("/proc");
  if (processes == nullptr) return;
  const pid_t self = getpid();
  while (const dirent* entry = readdir(processes)) {
    const pid_t process = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    if (process > 1 && parent_of(entry->d_name) == self) kill(process, SIGKILL);
  }
  closedir(processes);
}

// Until nobody is left: what a killed one has started becomes ours.
void kill_all(pid_t worker) {
  kill(worker, SIGKILL);
  kill(-worker, SIGKILL);
  for (int round = 0; round < most_rounds; ++round) {
    kill_children();
    pid_t ended = 0;
    while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (ended < 0 && errno == ECHILD) return;
    const timespec moment{0, 1'000'000};
    nanosleep(&moment, nullptr);
  }
}

[[noreturn]] void end_as(int status) {
  if (WIFSIGNALED(status)) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    ::signal(WTERMSIG(status), SIG_DFL);
    kill(getpid(), WTERMSIG(status));
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

[[noreturn]] void keep(pid_t worker, pid_t owner, int words) {
  const int watched = static_cast<int>(syscall(SYS_pidfd_open, worker, 0));  // -1 on old kernels: it only looks later
  int status = 0;
  for (;;) {
    pollfd events[2] = {{words, POLLIN, 0}, {watched, POLLIN, 0}};
    poll(events, watched >= 0 ? 2 : 1, watched >= 0 ? look_milliseconds : 5);
    pid_t ended = 0;
    int other = 0;
    while ((ended = waitpid(-1, &other, WNOHANG)) > 0 && ended != worker) {
    }
    if (ended == worker) status = other;
    if (ended == worker) break;
    if ((events[0].revents & (POLLHUP | POLLIN | POLLERR)) == 0 && getppid() == owner) continue;
    kill(worker, SIGKILL);
    while (waitpid(worker, &status, 0) < 0 && errno == EINTR) {
    }
    break;
  }
  kill_all(worker);
  end_as(status);
}

}  // namespace

bool KeptProcess::start(const std::function<void(pid_t keeper)>& work) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  const pid_t owner = getpid();
  keeper_ = fork();
  if (keeper_ != 0) {
    close(ends[0]);
    words_ = ends[1];
    if (keeper_ > 0) return true;
    keeper_ = 0;
    close(std::exchange(words_, -1));
    return false;
  }
  close(ends[1]);
  forget_sudden_ends();
  setpgid(0, 0);  // Ctrl-C at the terminal is for us to decide
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  const pid_t self = getpid();
  const pid_t worker = fork();
  if (worker == 0) {
    close(ends[0]);
    work(self);
    _exit(1);
  }
  if (worker < 0) _exit(1);
  keep(worker, owner, ends[0]);
}

bool KeptProcess::has_ended() {
  if (keeper_ <= 0) return true;
  if (waitpid(keeper_, &status_, WNOHANG) != keeper_) return false;
  keeper_ = 0;
  return true;
}

void KeptProcess::end() {
  if (words_ >= 0) close(std::exchange(words_, -1));
  if (keeper_ <= 0) return;
  // The keeper has seen that the other end is closed; it needs a moment to end all. One that was stopped needs a kill.
  for (int k = 0; k < 2000 && !has_ended(); ++k) {
    const timespec moment{0, 1'000'000};
    nanosleep(&moment, nullptr);
  }
  if (keeper_ <= 0) return;
  kill(keeper_, SIGKILL);
  while (waitpid(keeper_, &status_, 0) < 0 && errno == EINTR) {
  }
  keeper_ = 0;
}

}  // namespace orrery
