// SPDX-License-Identifier: Apache-2.0
// Clocks of all kinds in all kinds of runs, and arrays whose size is a parameter.
#include "api/fmu_run_for_tests.h"
#include "fmi/clock_calendar.h"

namespace orrery::fmi {
namespace {

// Clock 1 ticks at 0, 1, ..., 10; clock 2 as the table says; clock 3 half a second after t = 4; clock 4 at 0.25 and
// then after 1, 2 and 4 seconds.
TEST(Clocks, TickInEveryKindOfRun) {
  const ScratchFile table("clocks.csv");
  RunOptions options;
  options.input = table.write("time,clock_2,input\n0,1,3\n1,0,3\n2.5,1,4\n8,1,5\n");
  for (const Kind kind : {Kind::model_exchange, Kind::co_simulation, Kind::scheduled_execution}) {
    options.kind = kind;
    const RunResult result = simulate(fmu("clocks_3"), options);
    EXPECT_RUNS(result);
    EXPECT_EQ(last(result, "ticks_1"), 11) << name_of(kind);
    EXPECT_EQ(last(result, "ticks_2"), 3) << name_of(kind);
    EXPECT_EQ(last(result, "result"), 3 + 4 + 5) << name_of(kind);
    EXPECT_EQ(last(result, "ticks_3"), 1) << name_of(kind);
    EXPECT_EQ(last(result, "ticks_4"), 4) << name_of(kind);
    EXPECT_EQ(last(result, "total"), 19) << name_of(kind);
    if (kind == Kind::scheduled_execution) {
      EXPECT_EQ(result.counts.output_ticks, 3);
    }
    const auto place = static_cast<std::size_t>(result.recording.find("ticks_3"));
    for (std::size_t row = 0; row < result.recording.rows(); ++row) {
      const double t = result.recording.time[row];
      if (t == 4.5) continue;
      EXPECT_EQ(result.recording.number(row, place), t < 4.5 ? 0 : 1) << name_of(kind) << " at " << t;
    }
  }
}

TEST(Clocks, TheMostImportantTicksFirst) {
  Description description;
  const auto add = [&](ValueReference reference, int priority) {
    Variable clock;
    clock.type = Type::clock;
    clock.causality = Causality::input;
    clock.reference = reference;
    clock.clock = ClockInfo{"constant", 0.5, std::nullopt, false, priority};
    description.variables.push_back(clock);
  };
  add(1, 7), add(2, 0), add(3, 7);
  ClockCalendar calendar(description, 10);
  EXPECT_EQ(calendar.next(), 10);
  EXPECT_EQ(calendar.take_due(10, 1e-12), (std::vector<ValueReference>{2, 1, 3}));
  EXPECT_EQ(calendar.next(), 10.5);
  EXPECT_TRUE(calendar.take_due(10.4, 1e-12).empty());
}

TEST(StructuralParameters, SetTheSizesOfArrays) {
  for (const int n : {1, 2, 5, 8}) {
    RunOptions options = exchange(1e-8);
    options.set = {{"n", std::to_string(n)}};
    const RunResult result = simulate(fmu("resizable_3"), options);
    EXPECT_RUNS(result);
    EXPECT_EQ(result.states, static_cast<std::size_t>(n));
    ASSERT_EQ(result.recording.columns.size(), static_cast<std::size_t>(n));
    for (int k = 1; k <= n; ++k) {
      const std::string name = "y[" + std::to_string(k) + "]";
      EXPECT_NEAR(last(result, name), std::exp(-k), 1e-7) << name << " of " << n;
    }
  }
}

}  // namespace
}  // namespace orrery::fmi
