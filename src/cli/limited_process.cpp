// SPDX-License-Identifier: Apache-2.0
// Limits are set between fork and exec; between the two only what is safe after a fork is called.
#include "cli/limited_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>

namespace orrery::cli {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool address_space_is_reserved = true;  // terabytes of it, for the shadow
#else
constexpr bool address_space_is_reserved = false;
#endif

void limit(int what, rlim_t value) {
  const rlimit both{value, value};
  static_cast<void>(setrlimit(static_cast<__rlimit_resource>(what), &both));
}

constexpr int no_exec = 127;

}  // namespace

LimitedProcess::LimitedProcess(const std::vector<std::string>& words, const std::string& folder,
                               const std::string& output, const ProcessLimits& limits)
    : limit_(limits.seconds) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const auto cpu = static_cast<rlim_t>(std::ceil(limits.seconds) + 1);
  child_ = fork();
  if (child_ < 0) {
    end_ = {ProcessEnd::Kind::not_started, 0};
    return;
  }
  if (child_ > 0) {
    setpgid(child_, child_);  // here and there: whoever comes first
    return;
  }
  setpgid(0, 0);
  const int to = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const int from = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (to < 0 || from < 0 || chdir(folder.c_str()) != 0) _exit(no_exec);
  dup2(from, STDIN_FILENO);
  dup2(to, STDOUT_FILENO);
  dup2(to, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, cpu);
  if (limits.memory_bytes > 0 && !address_space_is_reserved) limit(RLIMIT_AS, limits.memory_bytes);
  execv(arguments[0], arguments.data());
  _exit(no_exec);
}

LimitedProcess::~LimitedProcess() {
  if (child_ <= 0) return;
  end_group();
  if (end_.kind == ProcessEnd::Kind::running) waitpid(child_, nullptr, 0);
}

void LimitedProcess::end_group() const { kill(-child_, SIGKILL); }

double LimitedProcess::seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

ProcessEnd LimitedProcess::look() {
  if (end_.kind != ProcessEnd::Kind::running) return end_;
  int status = 0;
  const bool late = seconds() > limit_;
  if (late) end_group();
  const pid_t got = waitpid(child_, &status, late ? 0 : WNOHANG);
  if (got == 0) return end_;
  const bool by_signal = got == child_ && WIFSIGNALED(status);
  if (late || (by_signal && WTERMSIG(status) == SIGXCPU)) {
    end_ = {ProcessEnd::Kind::out_of_time, SIGKILL};
  } else if (by_signal) {
    end_ = {ProcessEnd::Kind::killed, WTERMSIG(status)};
  } else if (got == child_ && WIFEXITED(status)) {
    end_ = {ProcessEnd::Kind::exited, WEXITSTATUS(status)};
  } else {
    end_ = {ProcessEnd::Kind::not_started, 0};
  }
  return end_;
}

}  // namespace orrery::cli
