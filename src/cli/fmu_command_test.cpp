// SPDX-License-Identifier: Apache-2.0
// The commands for FMUs, from what is typed to exit code, files and output.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "io/csv.h"

namespace orrery::cli {
namespace {

std::string fmu(const std::string& name) { return std::string(ORRERY_TEST_FMUS) + "/" + name + ".fmu"; }

struct Outcome {
  int code;
  std::string out, err;
};

Outcome orrery(const std::vector<std::string>& words) {
  std::vector<const char*> argv{"orrery"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  int code = 0;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const auto arguments = parse_command_line(static_cast<int>(argv.size()), argv.data(), code);
  if (arguments) {
    code = arguments->command == Command::fmu_info    ? fmu_info_command(*arguments)
           : arguments->command == Command::fmu_check ? fmu_check_command(*arguments)
                                                      : run_fmu_command(*arguments);
  }
  std::fflush(stdout);
  std::string out = testing::internal::GetCapturedStdout();
  return {code, std::move(out), testing::internal::GetCapturedStderr()};
}

class FmuCommand : public testing::Test {
 protected:
  ~FmuCommand() override { std::remove(out_.c_str()); }
  std::string out_ = testing::TempDir() + "orrery_fmu_" + std::to_string(getpid()) + ".csv";
};

TEST_F(FmuCommand, RunsWithoutAnyOption) {
  const Outcome outcome = orrery({"run", fmu("bouncing_ball_2")});
  EXPECT_EQ(outcome.code, exit_ok) << outcome.err;
  EXPECT_NE(outcome.out.find("variable"), std::string::npos);
  EXPECT_EQ(outcome.err, "");
}

TEST_F(FmuCommand, WritesRowsAtTheIntervalAndAtEvents) {
  const Outcome outcome = orrery({"run", fmu("bouncing_ball_3"), "--kind", "me", "--set", "e=0.5", "--stop", "1",
                                  "--step", "0.1", "--tol", "1e-8", "--vars", "h,v", "--out", out_, "--stats"});
  EXPECT_EQ(outcome.code, exit_ok) << outcome.err;
  Diagnostics diagnostics;
  const auto table = io::read_csv(out_, diagnostics);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->names, (std::vector<std::string>{"h", "v"}));
  const double bounce = std::sqrt(2 / 9.81);
  int sides = 0;
  for (const double t : table->time) sides += std::fabs(t - bounce) < 1e-7 ? 1 : 0;
  EXPECT_EQ(sides, 2);
  EXPECT_EQ(table->time.back(), 1);
}

TEST_F(FmuCommand, MistakesHaveExitCodes) {
  EXPECT_EQ(orrery({"run", fmu("dahlquist_2"), "--set", "k"}).code, exit_usage);
  EXPECT_EQ(orrery({"run", fmu("dahlquist_2"), "--kind", "xx"}).code, exit_usage);
  EXPECT_EQ(orrery({"run", "model.orr", "--kind", "me"}).code, exit_usage);
  EXPECT_EQ(orrery({"run", fmu("dahlquist_2"), "--stop", "2*T"}).code, exit_failed);
  EXPECT_EQ(orrery({"run", fmu("dahlquist_2"), "--events", out_}).code, exit_failed);
  EXPECT_EQ(orrery({"run", fmu("none")}).code, exit_failed);
}

TEST_F(FmuCommand, InfoIsTextOrJson) {
  const Outcome text = orrery({"fmu", "info", fmu("feedthrough_3")});
  EXPECT_EQ(text.code, exit_ok) << text.err;
  EXPECT_NE(text.out.find("Float64_input"), std::string::npos);
  const Outcome json = orrery({"fmu", "info", fmu("dahlquist_2"), "--json"});
  const nlohmann::json root = nlohmann::json::parse(json.out);
  EXPECT_EQ(root["states"], 1);
  EXPECT_EQ(root["variables"][1]["derivative_of"], "x");
}

TEST_F(FmuCommand, CheckListsViolations) {
  EXPECT_EQ(orrery({"fmu", "check", fmu("dahlquist_2")}).code, exit_ok);
  const Outcome outcome = orrery({"fmu", "check", fmu("quirk_description_2")});
  EXPECT_EQ(outcome.code, exit_failed);
  EXPECT_NE(outcome.err.find("FMI 2.0, 2.2.8"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace orrery::cli
