// SPDX-License-Identifier: Apache-2.0
// A sweep as a job array of Slurm: a script beside the table, its job number in a file, and waiting.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "api/sweep_parts.h"
#include "base/shell_quoted.h"
#include "io/output_file.h"

namespace orrery::api {
namespace {

struct ProgramEnd {
  int code = -1;     // -1: it could not be started
  std::string said;  // on both outputs
};

ProgramEnd run_program(const std::vector<std::string>& words) {
  ProgramEnd end;
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return end;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = -1;
  const bool started = ::posix_spawnp(&child, words[0].c_str(), &actions, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[1]);
  char buffer[4096];
  for (ssize_t count; started && ((count = ::read(pipe[0], buffer, sizeof buffer)) > 0 || errno == EINTR);) {
    if (count > 0) end.said.append(buffer, static_cast<std::size_t>(count));
    if (end.said.size() > 1 << 16) break;
  }
  ::close(pipe[0]);
  int status = 0;
  while (started && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (started) end.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  while (!end.said.empty() && end.said.back() == '\n') end.said.pop_back();
  return end;
}

std::string script_of(const SweepRequest& request) {
  // The program by its path: nodes may find another one.
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  std::string line = shell_quoted(error ? request.command[0] : self.string());
  for (std::size_t k = 1; k < request.command.size(); ++k) {
    const std::string& word = request.command[k];
    if (word == "--slurm") {
      ++k;
    } else if (!word.starts_with("--slurm=") && word != "--fresh") {
      line += " " + shell_quoted(word);
    }
  }
  // Tasks do not know of each other. One that is lost with its node is queued again, and goes on where it stopped.
  return fmt::format(
      "#!/bin/bash\n"
      "#SBATCH --job-name=orrery-sweep\n"
      "#SBATCH --array=0-{}\n"
      "#SBATCH --requeue\n"
      "#SBATCH --open-mode=append\n"
      "#SBATCH --output={}.slurm.%a.log\n"
      "exec {} --quiet --part \"$SLURM_ARRAY_TASK_ID/{}\"\n",
      request.slurm - 1, request.out, line, request.slurm);
}

std::string script_path(const SweepRequest& request) { return request.out + ".slurm.sh"; }
std::string job_path(const SweepRequest& request) { return request.out + ".slurm.job"; }

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The job of an earlier call, if Slurm still knows of tasks of it that have not ended.
bool is_there(const std::string& job) {
  if (!is_number(job)) return false;
  const ProgramEnd end = run_program({"squeue", "--noheader", "--jobs", job, "--format", "%T"});
  return end.code == 0 && !end.said.empty();
}

std::string remembered_job(const SweepRequest& request) {
  std::error_code error;
  if (!std::filesystem::exists(job_path(request), error)) return {};
  Diagnostics ignored;
  std::string job = io::read_file(job_path(request), ignored).value_or("");
  while (!job.empty() && job.back() == '\n') job.pop_back();
  return job;
}

}  // namespace

bool submit_and_wait(const SweepRequest& request, Diagnostics& diagnostics) {
  std::string job = remembered_job(request);
  if (!is_there(job)) {
    if (!io::write_file(script_path(request), script_of(request), diagnostics)) return false;
    const ProgramEnd end = run_program({"sbatch", "--parsable", script_path(request)});
    job = end.said.substr(0, end.said.find(';'));  // behind it comes the name of the cluster
    if (end.code != 0 || !is_number(job)) {
      diagnostics.error("no-slurm", {script_path(request), 0, 0, {}, {}},
                        end.code < 0 || end.code == 127 ? std::string("there is no program sbatch")
                                                        : "Slurm does not take the job: " + end.said,
                        "install slurm-wlm or ask who runs the cluster; variables as SBATCH_PARTITION set what it "
                        "needs to know");
      return false;
    }
    if (!io::write_file(job_path(request), job + "\n", diagnostics)) return false;
  }
  const auto interrupted = [&] { return request.run.interrupt != nullptr && request.run.interrupt->load(); };
  while (is_there(job)) {
    for (int k = 0; k < 10 && !interrupted(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (interrupted()) return false;  // the job goes on, and so does the next call
  }
  return true;
}

void forget_job(const SweepRequest& request) {
  ::unlink(job_path(request).c_str());
  ::unlink(script_path(request).c_str());
  for (int task = 0; task < request.slurm; ++task) ::unlink(fmt::format("{}.slurm.{}.log", request.out, task).c_str());
}

}  // namespace orrery::api
