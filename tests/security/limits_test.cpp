// SPDX-License-Identifier: Apache-2.0
// Time and memory: scripts that do not end, tables and descriptions of any size, devices for files.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>

#include "hostile_model.h"

namespace orrery::tests::limits_test {
namespace {

class Limits : public HostileModel {
 protected:
  using Clock = std::chrono::steady_clock;
  // Ends with an error that says so, without a crash and within the memory.
  void expect_refused(const std::vector<std::string>& words, const std::string& part) {
    const pid_t child = start(words);
    int status = 0;
    rusage used = {};
    ::wait4(child, &status, 0, &used);
    const std::string err = read(file("stderr.txt")) + read(file("stdout.txt"));
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << words.back() << ": " << status << err;
    EXPECT_TRUE(contains(err, part)) << err;
    EXPECT_LT(used.ru_maxrss, 3'000'000) << words.back() << ": kB";
  }
};

TEST_F(Limits, ScriptsOfModelsEnd) {
  for (const std::string line :
       {"while 1, end", "for k = 1:1e12, x = k; end", "f = @(g) g(g); while true, x = sin(1); end",
        "try, while 1, end, catch e, end", "x = cellfun(@(k) endless(k), {1});", "pause(1e9);",
        "x = 1; while true, x = eval('x + 1'); end"}) {
    const std::vector<std::string> lines = {"function y = endless(k)", "y = 0; while true, y = y + 1; end", "end",
                                            line};
    const auto begin = Clock::now();
    const Outcome outcome = orrery({"check", model(lines), "--script-time", "0.5"});
    EXPECT_EQ(outcome.code, 1) << line;
    EXPECT_TRUE(contains(outcome.err, "error[script-limit]")) << line << outcome.err;
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(20)) << line;
  }
}

TEST_F(Limits, CtrlCEndsScriptsOfModels) {
  for (const char* command : {"check", "run"}) {
    const pid_t child = start({command, model({"while 1, end"})});
    let_compute(child, 0.3);
    const auto begin = Clock::now();
    EXPECT_EQ(terminate(child, SIGINT).code, 130) << command;
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5)) << command;
  }
}

TEST_F(Limits, TextsAndFilesObeyTheMemoryOfScripts) {
  for (const std::string line : {"x = repmat('a', 1, 3e9);", "x = ones(1e5, 1e5);"}) {
    expect_refused({"oml", "-e", line}, "memory");
  }
  expect_refused({"oml", "-e", "x = fileread('/dev/zero');"}, "memory");
}

TEST_F(Limits, DevicesForFiles) {
  expect_refused({"run", example("bouncing_ball"), "--quiet", "--input", "/dev/zero"}, "file-too-large");
  expect_refused({"oml", "/dev/zero"}, "cannot read");
  expect_refused({"run", test_fmu_folder() + "/input_integral_2.fmu", "--quiet", "--input", "/dev/zero"},
                 "file-too-large");
  expect_refused({"fmu", "info", "/dev/zero"}, "fmi-bad-archive");
  expect_refused({"fmu", "replay", "/dev/zero"}, "fmi-bad-recording");
}

TEST_F(Limits, TablesOfAnyWidth) {
  write("wide.csv", "time" + std::string(100'000'000, ',') + "\n");
  expect_refused({"run", example("bouncing_ball"), "--quiet", "--input", file("wide.csv")}, "csv-columns");
}

}  // namespace
}  // namespace orrery::tests::limits_test
