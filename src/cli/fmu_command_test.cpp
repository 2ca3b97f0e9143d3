// SPDX-License-Identifier: Apache-2.0
// The commands for FMUs, from what is typed to exit code, files and output.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/folders_for_tests.h"
#include "cli/commands.h"
#include "io/csv.h"

namespace orrery::cli {
namespace {

std::string fmu(const std::string& name) { return test_fmu_folder() + "/" + name + ".fmu"; }

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
    code = arguments->command == Command::fmu_info     ? fmu_info_command(*arguments)
           : arguments->command == Command::fmu_check  ? fmu_check_command(*arguments)
           : arguments->command == Command::fmu_replay ? fmu_replay_command(*arguments)
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

TEST_F(FmuCommand, LogsWhatIsAskedFor) {
  const auto log = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"run", fmu("quirk_talkative_2"), "--kind", "cs", "--log", "-", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = orrery(words);
    EXPECT_EQ(outcome.code, exit_ok);
    return outcome.err;
  };
  EXPECT_NE(log({}).find("warning [chatter] step to 0.1 with x"), std::string::npos);
  EXPECT_NE(log({"--log-level", "warning", "--log-categories", "events,chatter"}).find("[chatter]"), std::string::npos);
  EXPECT_EQ(log({"--log-level", "error"}), "");
  EXPECT_EQ(log({"--log-categories", "events"}), "");
  EXPECT_EQ(orrery({"run", fmu("dahlquist_2"), "--log-level", "error"}).code, exit_failed);
  EXPECT_EQ(orrery({"run", fmu("dahlquist_2"), "--log", "-", "--log-level", "loud"}).code, exit_usage);
}

TEST_F(FmuCommand, ChecksBehaviour) {
  EXPECT_EQ(orrery({"fmu", "check", fmu("dahlquist_2"), "--run"}).code, exit_ok);
  const Outcome outcome = orrery({"fmu", "check", fmu("quirk_no_reset_2"), "--run"});
  EXPECT_EQ(outcome.code, exit_failed);
  EXPECT_NE(outcome.err.find("after a reset"), std::string::npos) << outcome.err;
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
  EXPECT_EQ(orrery({"run", "model.orr", "--safe"}).code, exit_usage);
  EXPECT_EQ(orrery({"run", fmu("dahlquist_2"), "--stop", "2*T"}).code, exit_failed);
  const Outcome outcome = orrery({"run", fmu("dahlquist_2"), "--events", out_});
  EXPECT_EQ(outcome.code, exit_failed);
  EXPECT_NE(outcome.err.find("error[fmi-bad-option]"), std::string::npos) << outcome.err;
  EXPECT_EQ(orrery({"run", fmu("none")}).code, exit_failed);
  // Settings of models that mean nothing to an FMU.
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--sliding"}, {"--algebraic", "newton"}}) {
    std::vector<std::string> all{"run", fmu("dahlquist_2")};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_NE(orrery(all).err.find(words[0] + ": there is no such setting of an FMU"), std::string::npos);
  }
}

TEST_F(FmuCommand, NamesAreTakenWholeOrCutAtCommas) {
  const Outcome outcome = orrery({"run", fmu("names_2"), "--kind", "me", "--var", "body.a[1,2]", "--var",
                                  "the \"input\", <u> & 'more'", "--vars", "k@x/y", "--out", out_});
  EXPECT_EQ(outcome.code, exit_ok) << outcome.err;
  Diagnostics diagnostics;
  const auto table = io::read_csv(out_, diagnostics);
  ASSERT_TRUE(table) << to_text(diagnostics);
  EXPECT_EQ(table->names, (std::vector<std::string>{"k@x/y", "body.a[1,2]", "the \"input\", <u> & 'more'"}));
  // Also where the list is cut in the middle of names.
  const Outcome listed = orrery({"run", fmu("names_2"), "--kind", "me", "--vars", "\"body.a[1,2]\",k@x/y", "--vars",
                                 "the \"input\", <u> & 'more'", "--out", out_});
  EXPECT_EQ(listed.code, exit_ok) << listed.err;
  const auto same = io::read_csv(out_, diagnostics);
  ASSERT_TRUE(same) << to_text(diagnostics);
  EXPECT_EQ(same->names, (std::vector<std::string>{"body.a[1,2]", "k@x/y", "the \"input\", <u> & 'more'"}));
}

TEST_F(FmuCommand, SafeRunsSurviveTheFmu) {
  const Outcome outcome =
      orrery({"run", fmu("hang_2"), "--kind", "cs", "--safe", "--time-limit", "0.2", "--out", out_});
  EXPECT_EQ(outcome.code, exit_failed);
  EXPECT_NE(outcome.err.find("error[fmi-hang]"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("fmi2DoStep"), std::string::npos) << outcome.err;
  Diagnostics diagnostics;
  const auto table = io::read_csv(out_, diagnostics);
  ASSERT_TRUE(table) << to_text(diagnostics);
  EXPECT_NEAR(table->time.back(), 0.5, 1e-12);  // the rows before the hang are kept
  EXPECT_EQ(orrery({"run", fmu("dahlquist_2"), "--time-limit", "2"}).code, exit_failed);
  EXPECT_EQ(orrery({"run", fmu("dahlquist_2"), "--safe", "--memory-limit", "500"}).code, exit_ok);
}

TEST_F(FmuCommand, RecordingsAreReplayed) {
  const std::string calls = out_ + ".calls";
  EXPECT_EQ(orrery({"run", fmu("bouncing_ball_2"), "--record", calls, "--quiet"}).code, exit_ok);
  const Outcome again = orrery({"fmu", "replay", calls, "--out", out_});
  EXPECT_EQ(again.code, exit_ok) << again.err;
  Diagnostics diagnostics;
  const auto table = io::read_csv(out_, diagnostics);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->time.back(), 3);
  EXPECT_EQ(orrery({"fmu", "replay", calls, fmu("bouncing_ball_2")}).code, exit_ok);
  EXPECT_EQ(orrery({"fmu", "replay", calls, fmu("van_der_pol_2")}).code, exit_failed);
  const Outcome printed = orrery({"fmu", "replay", calls, "--print"});
  EXPECT_NE(printed.out.find("exit_initialization"), std::string::npos);
  std::remove(calls.c_str());
}

TEST_F(FmuCommand, WordsOfTheFmuStayOutOfTheResults) {
  const Outcome outcome = orrery({"run", fmu("quirk_shouting_2"), "--out", "-"});
  EXPECT_EQ(outcome.code, exit_ok) << outcome.err;
  EXPECT_EQ(outcome.out.substr(0, 7), "time,x\n") << outcome.out.substr(0, 40);
  EXPECT_NE(outcome.err.find("FMUs print"), std::string::npos);
}

TEST_F(FmuCommand, WideIntegersKeepTheirDigits) {
  const Outcome outcome = orrery({"run", fmu("feedthrough_3"), "--set", "Int64_input=-9007199254740993", "--set",
                                  "UInt64_input=18446744073709551615", "--vars", "Int64_output,UInt64_output", "--out",
                                  "-", "--stop", "0"});
  EXPECT_EQ(outcome.code, exit_ok) << outcome.err;
  EXPECT_NE(outcome.out.find("0,-9007199254740993,18446744073709551615\n"), std::string::npos) << outcome.out;
}

TEST_F(FmuCommand, InfoIsTextOrJson) {
  const Outcome text = orrery({"fmu", "info", fmu("feedthrough_3")});
  EXPECT_EQ(text.code, exit_ok) << text.err;
  EXPECT_NE(text.out.find("Float64_input"), std::string::npos);
  EXPECT_NE(text.out.find("Choice: 1 = Option 1, 2 = Option 2"), std::string::npos) << text.out;
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
