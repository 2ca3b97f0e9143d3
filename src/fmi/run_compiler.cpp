// SPDX-License-Identifier: Apache-2.0
// A compiler and all it starts, kept together and within limits.
#include "fmi/run_compiler.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string_view>
#include <thread>

#include "base/environment.h"
#include "base/keeper.h"
#include "base/signals.h"
#include "fmi/unpack.h"

namespace orrery::fmi {
namespace {

void limit_to(int what, std::uint64_t most) {
  rlimit limit = {};
  getrlimit(static_cast<__rlimit_resource>(what), &limit);
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < most) return;
  limit = {most, most};
  setrlimit(static_cast<__rlimit_resource>(what), &limit);
}

}  // namespace

CompilerEnd run_compiler(const std::vector<std::string>& words, const std::string& output,
                         const CompilerLimits& limits) {
  const std::string program = find_program(words.at(0));
  if (program.empty()) return CompilerEnd::missing;
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  // What it leaves when it is killed lies where the next start looks for it.
  Diagnostics ignored;
  const auto folder = TemporaryFolder::create(ignored);
  std::string temporary = folder ? "TMPDIR=" + folder->path() : std::string();
  std::vector<char*> variables;
  for (char* const* variable = environment_for_programs(); *variable != nullptr; ++variable) {
    if (!folder || !std::string_view(*variable).starts_with("TMPDIR=")) variables.push_back(*variable);
  }
  if (folder) variables.push_back(temporary.data());
  variables.push_back(nullptr);
  KeptProcess compiler;
  const bool started = compiler.start([&](pid_t) {
    setpgid(0, 0);
    const int out = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
    const int in = ::open("/dev/null", O_RDONLY);
    if (out >= 0) {
      dup2(out, STDOUT_FILENO);
      dup2(out, STDERR_FILENO);
    }
    if (in >= 0) dup2(in, STDIN_FILENO);
    limit_to(RLIMIT_AS, limits.memory_bytes);
    limit_to(RLIMIT_FSIZE, limits.file_bytes);
    limit_to(RLIMIT_CPU, static_cast<std::uint64_t>(limits.seconds) + 1);
    limit_to(RLIMIT_CORE, 0);
    execve(program.c_str(), arguments.data(), variables.data());
    _exit(127);
  });
  if (!started) return CompilerEnd::failed;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(limits.seconds);
  while (!compiler.has_ended()) {
    if (std::chrono::steady_clock::now() > end) return CompilerEnd::late;  // all of it ends with the keeper
    if (end_requested().load()) return CompilerEnd::killed;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  const int status = compiler.status();
  if (WIFSIGNALED(status)) return CompilerEnd::killed;
  return WEXITSTATUS(status) == 0     ? CompilerEnd::good
         : WEXITSTATUS(status) == 127 ? CompilerEnd::missing
                                      : CompilerEnd::failed;
}

}  // namespace orrery::fmi
