// SPDX-License-Identifier: Apache-2.0
// For tests of the executable: starts it, waits for it, reads what it leaves.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/folders_for_tests.h"
#include "io/csv.h"

namespace orrery::tests {

namespace fs = std::filesystem;

inline const std::string examples = source_folder() + "/examples/";

inline std::string example(const std::string& name) { return examples + name + ".orr"; }

// A folder of its own for each test, gone afterwards.
class CommandLine : public testing::Test {
 protected:
  struct Outcome {
    int code = -1;
    std::string out, err;
  };

  void SetUp() override {
    folder_ = testing::TempDir() + "orrery_cli_" + std::to_string(::getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file(const std::string& name) const { return folder_ + "/" + name; }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name)) << text;
    return file(name);
  }

  static std::string read(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  pid_t start(const std::vector<std::string>& arguments) const {
    std::vector<char*> argv{const_cast<char*>(orrery_binary().c_str())};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    const std::string out = file("stdout.txt"), err = file("stderr.txt"), cache = file("cache"),
                      config = file("config");
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("ORRERY_CACHE", cache.c_str(), 1);
      ::setenv("XDG_CONFIG_HOME", config.c_str(), 1);
      // Whoever started the tests may ignore some (nohup), and what is ignored stays so.
      for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
      if (!std::freopen(out.c_str(), "w", stdout) || !std::freopen(err.c_str(), "w", stderr)) ::_exit(127);
      ::execv(orrery_binary().c_str(), argv.data());
      ::_exit(127);
    }
    return child;
  }

  // Seconds of a processor that a child has used; infinite when it has ended.
  static double seconds_computed(pid_t child) {
    clockid_t clock{};
    timespec used{};
    siginfo_t ended{};
    if (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid != 0)
      return INFINITY;
    if (::clock_getcpuclockid(child, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return INFINITY;
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
  }

  // Waits until a child has used this much time of a processor, however slow the machine, or has ended. A child that
  // waits for something for ever uses none: it is reported with what its threads wait for, and killed.
  static void let_compute(pid_t child, double seconds) {
    double used = -1;
    auto since = std::chrono::steady_clock::now();
    for (double now = 0; (now = seconds_computed(child)) < seconds;) {
      if (now > used) {
        used = now;
        since = std::chrono::steady_clock::now();
      } else if (std::chrono::steady_clock::now() - since > std::chrono::minutes(2)) {
        ADD_FAILURE() << "no progress after " << used << " s of a processor:" << threads_of(child);
        ::kill(child, SIGKILL);
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  static std::string threads_of(pid_t child) {
    std::string text;
    std::error_code error;
    for (const auto& thread : fs::directory_iterator(fs::path("/proc") / std::to_string(child) / "task", error)) {
      text += "\n" + read(thread.path() / "stat") + read(thread.path() / "syscall");
    }
    return text;
  }

  // Sends the signal. A child that goes on computing regardless is killed: no test waits for ever.
  Outcome terminate(pid_t child, int signal) const {
    const double before = seconds_computed(child);
    ::kill(child, signal);
    let_compute(child, before + 60);
    if (seconds_computed(child) < INFINITY) ::kill(child, SIGKILL);
    return finish(child);
  }

  Outcome finish(pid_t child) const {
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), read(file("stdout.txt")),
            read(file("stderr.txt"))};
  }

  Outcome orrery(const std::vector<std::string>& arguments) const { return finish(start(arguments)); }

  io::TimeSeries series(const std::string& name) const {
    Diagnostics diagnostics;
    auto result = io::read_csv(file(name), diagnostics, {.gaps = true, .cell = {}});
    EXPECT_TRUE(result) << to_text(diagnostics);
    return result.value_or(io::TimeSeries{});
  }

  // Times of the ledger's lines with this cause and block.
  std::vector<double> event_times(const std::string& name, const std::string& cause, const std::string& block) const {
    std::vector<double> times;
    std::ifstream lines(file(name));
    for (std::string line; std::getline(lines, line);) {
      const std::size_t comma = line.find(',');
      if (line.substr(comma + 1).starts_with(cause + "," + block + ",")) times.push_back(std::stod(line));
    }
    return times;
  }

  // The last value of the only signal that is recorded.
  double final_value(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--quiet", "--out", file("final.csv")});
    const Outcome outcome = orrery(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto result = series("final.csv");
    return result.columns.empty() || result.columns[0].empty() ? NAN : result.columns[0].back();
  }

  std::string folder_;
};

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace orrery::tests
