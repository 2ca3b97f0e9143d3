// SPDX-License-Identifier: Apache-2.0
// Recordings of calls: played without the FMU, compared with others, printed, damaged.
#include "fmi/replay.h"

#include <random>

#include "api/fmu_run_for_tests.h"

namespace orrery::fmi {
namespace {

TEST(Replay, RepeatsTheRunWithoutTheFmu) {
  const ScratchFile calls("calls"), table("replay.csv");
  for (const char* name : {"bouncing_ball_1_me", "bouncing_ball_2", "bouncing_ball_3", "stairs_1_cs", "feedthrough_3",
                           "van_der_pol_2", "state_space_3", "clocks_3", "quirk_description_2"}) {
    RunOptions options;
    options.record = calls.path();
    const RunResult original = simulate(fmu(name), options);
    EXPECT_RUNS(original);
    const RunResult again = api::replay_fmu(calls.path());
    EXPECT_RUNS(again);
    EXPECT_EQ(original.recording.time, again.recording.time) << name;
    EXPECT_EQ(original.recording.numbers, again.recording.numbers) << name;
    EXPECT_EQ(original.recording.texts, again.recording.texts) << name;
  }
  RunOptions options = exchange(1e-5);
  options.record = calls.path();
  options.input = table.write("time,u,k\n0,0,0\n1,1,0\n1,-2,0\n1.5,-2,7\n2,-2,7\n");
  options.set = {{"x", "2"}};
  options.solver = "dopri";
  const RunResult original = simulate(fmu("input_integral_2"), options);
  EXPECT_RUNS(original);
  const RunResult again = api::replay_fmu(calls.path());
  EXPECT_RUNS(again);
  EXPECT_EQ(original.recording.numbers, again.recording.numbers);
}

TEST(Replay, AsksOtherFmusTheSame) {
  const ScratchFile calls("calls");
  RunOptions options = exchange();
  options.record = calls.path();
  EXPECT_RUNS(simulate(fmu("van_der_pol_2"), options));
  Comparison same = compare_with(calls.path(), fmu("van_der_pol_2"), {});
  EXPECT_GT(same.calls, 100);
  EXPECT_EQ(same.differing, 0) << to_text(same.diagnostics);
  same = compare_with(calls.path(), fmu("van_der_pol_2"), {1e-9, true});
  EXPECT_EQ(same.differing, 0) << to_text(same.diagnostics);
  const Comparison other = compare_with(calls.path(), fmu("oscillator_2"), {});
  EXPECT_GT(other.differing, 10);
  EXPECT_NE(find_code(other.diagnostics, "fmi-replay-differs"), nullptr);
  EXPECT_LE(other.diagnostics.all().size(), 25u);
}

TEST(Replay, AFileEndsWithTheCallThatKilled) {
  if (under_sanitizer) GTEST_SKIP();
  const ScratchFile calls("calls");
  RunOptions options = exchange();
  options.record = calls.path();
  EXPECT_TRUE(simulate(fmu("crash_2"), options).failed());
  std::string last_line;
  const Diagnostics diagnostics = print_calls(calls.path(), [&](const std::string& line) { last_line = line; });
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_NE(last_line.find("get_derivatives"), std::string::npos) << last_line;
  EXPECT_NE(last_line.find("fatal"), std::string::npos) << last_line;
}

TEST(Replay, DamagedFilesAreErrors) {
  const ScratchFile calls("calls"), damaged("damaged");
  RunOptions options = co_simulation();
  options.record = calls.path();
  EXPECT_RUNS(simulate(fmu("feedthrough_3"), options));
  std::ifstream file(calls.path(), std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(has_code(api::replay_fmu(damaged.write("something else")), "fmi-bad-recording"));
  EXPECT_TRUE(has_code(api::replay_fmu(damaged.path() + "none"), "fmi-no-file"));
  EXPECT_TRUE(has_code(api::replay_fmu(damaged.write(good.substr(0, good.size() / 2))), "fmi-replay-differs"));
  std::mt19937 random(5);
  const std::size_t header = good.find("\n}");
  for (int k = 0; k < 25; ++k) {
    std::string text = good;
    for (int count = 0; count < 3; ++count) {
      text[header + random() % (text.size() - header)] = static_cast<char>(random());
    }
    damaged.write(text);
    static_cast<void>(api::replay_fmu(damaged.path()));
    static_cast<void>(print_calls(damaged.path(), [](const std::string&) {}));
    static_cast<void>(compare_with(damaged.path(), fmu("feedthrough_3"), {1e-9, true}));
  }
}

}  // namespace
}  // namespace orrery::fmi
