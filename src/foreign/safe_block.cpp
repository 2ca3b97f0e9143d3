// SPDX-License-Identifier: Apache-2.0
// Calls of blocks in a process of their own.
#include "foreign/safe_block.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/confine.h"
#include "base/environment.h"
#include "fmi/guard.h"

namespace orrery::foreign {
namespace {

constexpr int longest_call_ms = 60'000, farewell_ms = 500;
constexpr signed char end_of_calls = -128;  // no flag has this number

// Where the kernel can: it writes below the working folder and the temporary one only, and ends nobody else.
void limit_reach(pid_t simulator, pid_t keeper) {
  Confinement limits;
  const char* temporary = environment_variable("TMPDIR");
  limits.writable = {".", temporary != nullptr && *temporary != '\0' ? temporary : "/tmp"};
  limits.protect = {simulator, keeper, getpgid(simulator)};
  confine(limits);
}

}  // namespace

void SafeBlock::serve(int requests, int answers, const std::function<Invoke()>& make) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  fmi::forget_ends();
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
  ::signal(SIGINT, SIG_IGN);  // the run decides what an interrupt means
  const Invoke invoke = make();
  signed char flag = 0;
  while (read(requests, &flag, 1) == 1 && flag != end_of_calls) {
    if (invoke) invoke(flag);
    const char done = invoke ? 1 : 0;
    if (write(answers, &done, 1) != 1) break;
  }
  std::fflush(nullptr);
  _exit(0);
}

bool SafeBlock::start(const std::function<Invoke()>& make) {
  int to_child[2], to_parent[2];
  if (pipe2(to_child, O_CLOEXEC) != 0) return false;
  if (pipe2(to_parent, O_CLOEXEC) != 0) {
    close(to_child[0]);
    close(to_child[1]);
    return false;
  }
  std::fflush(nullptr);  // what is buffered is written once
  const pid_t simulator = getpid();
  const bool started = process_.start([&](pid_t keeper) {
    setpgid(0, 0);
    close(to_child[1]);
    close(to_parent[0]);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    limit_memory(half_of_memory());
    limit_reach(simulator, keeper);
    serve(to_child[0], to_parent[1], make);
  });
  close(to_child[0]);
  close(to_parent[1]);
  requests_ = to_child[1];
  answers_ = to_parent[0];
  return started;
}

bool SafeBlock::call(int flag, std::string& death) {
  if (requests_ < 0) {
    death = "the process of the block has ended";
    return false;
  }
  const auto byte = static_cast<signed char>(flag);
  struct sigaction ignore = {}, before = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  const bool sent = write(requests_, &byte, 1) == 1;
  sigaction(SIGPIPE, &before, nullptr);
  // Its keeper has the other end too, and ends with it.
  pollfd answer{answers_, POLLIN, 0};
  int ready = 0;
  do {
    ready = sent ? poll(&answer, 1, longest_call_ms) : 1;
  } while (ready < 0 && errno == EINTR);
  char done = 0;
  const bool answered = sent && ready > 0 && read(answers_, &done, 1) == 1;
  if (answered && done == 1) return true;
  stop();
  const int status = process_.status();
  if (ready == 0) {
    death = fmt::format("a call of the block has not come back within {} s", longest_call_ms / 1000);
  } else if (answered) {
    death = "the process of the block cannot load its code";
  } else {
    death = WIFSIGNALED(status) ? fmt::format("the block crashed: {}", strsignal(WTERMSIG(status)))
                                : fmt::format("the block ended its process with exit code {}", WEXITSTATUS(status));
  }
  return false;
}

void SafeBlock::stop() {
  if (requests_ < 0) return;
  struct sigaction ignore = {}, before = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  const bool told = write(requests_, &end_of_calls, 1) == 1;
  sigaction(SIGPIPE, &before, nullptr);
  for (int k = 0; told && k < farewell_ms && !process_.has_ended(); ++k) usleep(1000);  // unless it hangs
  process_.end();
  close(requests_);
  close(answers_);
  requests_ = answers_ = -1;
}

SafeBlock::~SafeBlock() { stop(); }

}  // namespace orrery::foreign
