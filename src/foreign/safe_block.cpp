// SPDX-License-Identifier: Apache-2.0
// Calls of blocks in a process of their own.
#include "foreign/safe_block.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "fmi/guard.h"

namespace orrery::foreign {
namespace {

constexpr int longest_call_ms = 60'000;

}  // namespace

void SafeBlock::serve(int requests, int answers, const std::function<Invoke()>& make) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  fmi::forget_ends();
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
  ::signal(SIGINT, SIG_IGN);  // the run decides what an interrupt means
  const Invoke invoke = make();
  signed char flag = 0;
  while (read(requests, &flag, 1) == 1) {
    if (invoke) invoke(flag);
    const char done = invoke ? 1 : 0;
    if (write(answers, &done, 1) != 1) break;
  }
  std::fflush(nullptr);
  _exit(0);
}

bool SafeBlock::start(const std::function<Invoke()>& make) {
  int to_child[2], to_parent[2];
  if (pipe(to_child) != 0) return false;
  if (pipe(to_parent) != 0) {
    close(to_child[0]);
    close(to_child[1]);
    return false;
  }
  std::fflush(nullptr);  // what is buffered is written once
  child_ = fork();
  if (child_ == 0) {
    close(to_child[1]);
    close(to_parent[0]);
    serve(to_child[0], to_parent[1], make);
  }
  close(to_child[0]);
  close(to_parent[1]);
  requests_ = to_child[1];
  answers_ = to_parent[0];
  return child_ > 0;
}

bool SafeBlock::call(int flag, std::string& death) {
  if (child_ <= 0) {
    death = "the process of the block has ended";
    return false;
  }
  const auto byte = static_cast<signed char>(flag);
  struct sigaction ignore = {}, before = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  const bool sent = write(requests_, &byte, 1) == 1;
  sigaction(SIGPIPE, &before, nullptr);
  pollfd answer{answers_, POLLIN, 0};
  int ready = 0;
  do {
    ready = sent ? poll(&answer, 1, longest_call_ms) : 1;
  } while (ready < 0 && errno == EINTR);
  char done = 0;
  if (sent && ready > 0 && read(answers_, &done, 1) == 1 && done == 1) return true;
  if (ready == 0) {
    death = fmt::format("a call of the block has not come back within {} s", longest_call_ms / 1000);
  } else {
    int status = 0;
    waitpid(child_, &status, 0);
    death = WIFSIGNALED(status) ? fmt::format("the block crashed: {}", strsignal(WTERMSIG(status)))
                                : fmt::format("the block ended its process with exit code {}", WEXITSTATUS(status));
    child_ = -1;
  }
  stop();
  return false;
}

void SafeBlock::stop() {
  if (requests_ >= 0) close(requests_);
  if (answers_ >= 0) close(answers_);
  requests_ = answers_ = -1;
  if (child_ <= 0) return;
  // It ends when its pipe does, unless it hangs.
  for (int k = 0; k < 20; ++k) {
    if (waitpid(child_, nullptr, WNOHANG) != 0) {
      child_ = -1;
      return;
    }
    usleep(5000);
  }
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
  child_ = -1;
}

SafeBlock::~SafeBlock() { stop(); }

}  // namespace orrery::foreign
