// SPDX-License-Identifier: Apache-2.0
// FMUs that return ok and write nothing: what they are asked again, what has no value, what ends the run. A process of
// its own changes nothing about it.
#include "api/fmu_run_for_tests.h"

namespace orrery::fmi {
namespace {

std::vector<RunOptions> here_and_apart(RunOptions options) {
  options.safe = false;
  std::vector<RunOptions> both(2, options);
  both[1].safe = true;
  return both;
}

// The first time event is known after an event update only (FMI 1.0: 2.9, fmiInitialize).
TEST(SilentFmus, AStartWithoutAWordIsFollowedByAnEventUpdate) {
  for (const RunOptions& options : here_and_apart(exchange())) {
    const RunResult result = simulate(fmu("quirk_silent_start_1_me"), options);
    EXPECT_RUNS(result);
    EXPECT_EQ(result.end, End::terminated);  // by itself, at 10
    EXPECT_EQ(last(result, "counter"), 10);
    EXPECT_NEAR(result.time, 9, 1e-12);
    EXPECT_EQ(result.counts.time_events, simulate(fmu("stairs_1_me"), exchange()).counts.time_events);
  }
}

TEST(SilentFmus, OutputsThatAreNotWrittenHaveNoValue) {
  for (const RunOptions& options : here_and_apart(exchange())) {
    const RunResult result = simulate(fmu("quirk_silent_output_2"), options);
    EXPECT_RUNS(result);
    EXPECT_TRUE(has_code(result, "fmi-no-value"));
    const auto y = static_cast<std::size_t>(result.recording.find("y"));
    const auto x = static_cast<std::size_t>(result.recording.find("x"));
    int missing = 0;
    for (std::size_t row = 0; row < result.recording.rows(); ++row) {
      const double t = result.recording.time[row];
      EXPECT_EQ(std::isnan(result.recording.number(row, y)), t > 3.05 && t < 5.05) << t;
      EXPECT_FALSE(std::isnan(result.recording.number(row, x)));
      missing += std::isnan(result.recording.number(row, y)) ? 1 : 0;
    }
    EXPECT_EQ(missing, 20);
  }
}

TEST(SilentFmus, DerivativesThatAreNotWrittenEndTheRun) {
  for (const RunOptions& options : here_and_apart(exchange())) {
    const RunResult result = simulate(fmu("quirk_silent_derivatives_2"), options);
    EXPECT_TRUE(result.failed());
    EXPECT_TRUE(has_code(result, "nan-derivative")) << to_text(result.diagnostics);
  }
}

// A step of FMI 3.0 of which nothing is said has been made, without events.
TEST(SilentFmus, StepsWithoutAnswersAreWhole) {
  RunOptions options = co_simulation();
  options.step = 0.1;
  for (const RunOptions& either : here_and_apart(options)) {
    const RunResult result = simulate(fmu("quirk_silent_step_3"), either);
    EXPECT_RUNS(result);
    EXPECT_EQ(result.end, End::reached_stop);
    EXPECT_EQ(result.counts.communication_steps, 100);
    EXPECT_EQ(last(result, "x"), last(simulate(fmu("dahlquist_3"), options), "x"));
  }
}

TEST(SilentFmus, AStepThatIsPendingForEverIsAnError) {
  for (const RunOptions& options : here_and_apart(co_simulation())) {
    const RunResult result = simulate(fmu("quirk_silent_pending_2"), options);
    EXPECT_TRUE(result.failed());
  }
}

}  // namespace
}  // namespace orrery::fmi
