// SPDX-License-Identifier: Apache-2.0
// The executable when things go wrong around it: signals, full disks, runs without end.

#include "base/folders_for_tests.h"
#include "command_line.h"

namespace orrery::tests::surroundings_test {
namespace {

TEST_F(CommandLine, KeepsResultsWhenItIsTerminated) {
  for (const int signal : {SIGTERM, SIGHUP}) {
    const pid_t child = start({"run", example("lorenz"), "--stop", "1e9", "--interval", "100", "--out", file("l.csv")});
    let_compute(child, 1);
    const Outcome outcome = terminate(child, signal);
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_GT(series("l.csv").time.size(), 2U);
    fs::remove(file("l.csv"));
  }
}

TEST_F(CommandLine, RemovesWhatAKilledProcessLeft) {
  const pid_t child = start({"run", example("lorenz"), "--stop", "1e9", "--interval", "100", "--out", file("l.csv")});
  let_compute(child, 0.5);
  ::kill(child, SIGKILL);
  finish(child);
  const std::string left = file("l.csv." + std::to_string(child) + ".part");
  EXPECT_TRUE(fs::exists(left));
  EXPECT_EQ(orrery({"run", example("lorenz"), "--quiet", "--out", file("l.csv")}).code, 0);
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(CommandLine, SaysWhenTheDiskIsFull) {
  const Outcome full = orrery({"run", example("lorenz"), "--out", "/dev/full"});
  EXPECT_EQ(full.code, 1);
  EXPECT_TRUE(contains(full.err, "output-unwritable")) << full.err;
  EXPECT_FALSE(contains(full.out, "rows of")) << full.out;
  for (const std::string& words : {std::string("run ") + example("lorenz"), std::string("run --help"),
                                   std::string("show blocks"), std::string("run --out - ") + example("lorenz")}) {
    const std::string command = orrery_binary() + " " + words + " > /dev/full 2> " + file("err.txt");
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 1) << words;
    EXPECT_TRUE(contains(read(file("err.txt")), "output-unwritable")) << words << read(file("err.txt"));
  }
}

TEST_F(CommandLine, LeavesCellsEmptyBeforeTheFirstActivation) {
  const std::string model = write("late.orr", R"({"orrery": 1, "simulation": {"stop": "2"}, "blocks": [
      {"name": "clock", "type": "SampleClock", "parameters": {"offset": "1"}},
      {"name": "n", "type": "Counter", "parameters": {"from": "3"}}],
      "links": [{"event": "clock:1", "to": ["n:1"]}]})");
  const Outcome outcome = orrery({"run", model, "--out", "-"});
  EXPECT_EQ(outcome.out, "time,/n\n0,\n1,\n1,3\n2,3\n2,4\n") << outcome.out;
}

TEST_F(CommandLine, EndsEndlessRestarts) {
  const std::string model = write("again.orr", R"({"orrery": 1, "blocks": [
      {"name": "start", "type": "InitialEvent"},
      {"name": "end", "type": "End", "parameters": {"action": "'restart'"}}],
      "links": [{"event": "start:1", "to": ["end:1"]}]})");
  const Outcome few = orrery({"run", model, "--runs", "30"});
  EXPECT_EQ(few.code, 1);
  EXPECT_TRUE(contains(few.err, "too-many-runs")) << few.err;
  const pid_t child = start({"run", model, "--runs", "1000000000"});
  let_compute(child, 0.5);
  EXPECT_EQ(terminate(child, SIGTERM).code, 130);
}

TEST_F(CommandLine, TellsWhyThereIsNoSecondTier) {
  write("blocked", "a file where the cache would be");
  const std::string command = "ORRERY_CACHE=" + file("blocked") + " " + orrery_binary() + " run " +
                              example("bouncing_ball") + " --tier second --quiet 2> " + file("err.txt");
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0);
  const std::string text = read(file("err.txt"));
  EXPECT_TRUE(contains(text, "the cache folder")) << text;
  EXPECT_TRUE(contains(text, "ORRERY_CACHE")) << text;
  EXPECT_FALSE(contains(text, "install a C compiler")) << text;
}

}  // namespace
}  // namespace orrery::tests::surroundings_test
