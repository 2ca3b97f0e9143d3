// SPDX-License-Identifier: Apache-2.0
// Clocks of FMI 3.0 as activation ports, Scheduled Execution, and nominal values that change.
#include "fmu_block.h"

namespace orrery::tests::fmu_clock_test {
namespace {

// Clock 1 ticks at 0, 1, 2, ...; clock 3 half a second after t = 4; clock 4 at 0.25 and then after 1, 2 and 4 seconds.
// Clock 2 is activation input 3: an event clock ticks it at 0.6, 1.6, ... 9.6, and each tick adds the input to the
// result. Output clock 5, activation output 3, ticks with every fifth tick of all: 10 + 10 + 1 + 4 ticks until t = 9.9.
std::string clocked(const std::string& kind) {
  return "stop 9.9\nF: FMU inputs={'input'} outputs={'ticks_1','ticks_2','ticks_3','ticks_4','result','total'} " +
         kind +
         "\nE: EventClock period=1 offset=0.6\nT: Time\nG: Gain k=10\nI: DataTypeConversion type='int32'\nX: "
         "EventScope\n"
         "T:1 -> G:1\nG:1 -> I:1\nI:1 -> F:1\nE:1 => F:3\nF:3 => X:1\n"
         "S: Scope inputs=6\nF:1 -> S:1\nF:2 -> S:2\nF:3 -> S:3\nF:4 -> S:4\nF:5 -> S:5\nF:6 -> S:6\n";
}

TEST(FmuClocks, AreActivationPorts) {
  for (const char* name : {"clocks_3", "quirk_strict_clocks_3"}) {
    for (const char* kind : {"kind='me' ", "kind='cs' step=0.5 ", "kind='se' "}) {
      // Partitions have their inputs before they run; nothing is active then.
      if (std::string(name) != "clocks_3" && std::string(kind) == "kind='se' ") continue;
      const auto result = good_run(clocked(kind + fmu(name)));
      EXPECT_EQ(last(result, "/S.1"), 10) << kind << name;
      EXPECT_EQ(last(result, "/S.2"), 10) << kind << name;
      EXPECT_EQ(last(result, "/S.3"), 1) << kind << name;
      EXPECT_EQ(last(result, "/S.4"), 4) << kind << name;
      // 6 + 16 + ... + 96
      EXPECT_EQ(last(result, "/S.5"), 510) << kind << name;
      EXPECT_EQ(last(result, "/S.6"), 25) << kind << name;
      long ticks = 0;
      for (const auto& entry : result.ledger.entries) ticks += entry.cause == sim::Cause::programmed && entry.port == 3;
      EXPECT_EQ(ticks, 5) << kind << name;
    }
  }
}

// The fifth, tenth, ... tick of all.
TEST(FmuClocks, OutputClocksFireWhenTheyTick) {
  // 1: 0 1 2 3 4 5 6 7 8 9, 2: 0.6 1.6 ... 9.6, 3: 4.5, 4: 0.25 1.25 3.25 7.25, in order: 0 0.25 0.6 1 1.25 | 1.6 2 2.6
  // 3 3.25 | 3.6 4 4.5 4.6 5 | 5.6 6 6.6 7 7.25 | 7.6 8 8.6 9 9.6
  for (const char* kind : {"kind='me' ", "kind='se' "}) {
    const auto result = good_run(clocked(kind + fmu("clocks_3")));
    std::vector<double> when;
    for (const auto& entry : result.ledger.entries) {
      if (entry.cause == sim::Cause::programmed && entry.port == 3) when.push_back(entry.time);
    }
    ASSERT_EQ(when.size(), 5u) << kind;
    const double expected[] = {1.25, 3.25, 5, 7.25, 9.6};
    for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(when[k], expected[k], 1e-9) << kind;
  }
}

TEST(FmuClocks, StepsOfClockedFmusAreNotRepeated) {
  const auto result = run(clocked("kind='cs' step=0.5 iterations=3 " + fmu("clocks_3")));
  EXPECT_TRUE(result.failed());
  EXPECT_NE(to_text(result.diagnostics).find("cannot be repeated"), std::string::npos);
}

// The copy of a discrete input follows in the instant in which it changes, without waiting for another step.
TEST(CoSimulationEvents, DiscreteInputsActAtOnce) {
  const auto result =
      good_run("stop 3.05\nF: FMU kind='cs' step=0.1 inputs={'k'} outputs={'k_copy'} " + fmu("input_integral_3") +
               "\nC: SampleClock period=1\nN: Counter\nI: DataTypeConversion type='int32'\n"
               "S: Scope inputs=2\nC:1 => N:1\nN:1 -> I:1\nI:1 -> F:1 S:2\nF:1 -> S:1\n");
  EXPECT_EQ(last(result, "/S.1"), last(result, "/S.2"));
  EXPECT_GE(last(result, "/S.2"), 3);
}

TEST(FmuClocks, AreNoSignals) {
  const auto result = run("stop 1\nF: FMU outputs={'clock_5'} " + fmu("clocks_3") + "\nS: Scope\nF:1 -> S:1\n");
  EXPECT_NE(to_text(result.diagnostics).find("clocks are activation ports"), std::string::npos);
}

// x = 1e-6 cos(t - 1) from t = 1 on. With states of size 1 nothing would tell the solver that this is not 0.
TEST(FmuNominals, FollowTheFmu) {
  for (const char* version : {"2", "3"}) {
    for (const char* solver : {"dopri5", "cvode-bdf-newton"}) {
      const auto result = good_run(fmt::format("stop 100\nrtol 1e-7\nsolver {}\nF: FMU {}\nS: Scope\nF:1 -> S:1\n",
                                               solver, fmu(std::string("scaled_") + version)));
      const double worst = error(result, "/S.1", [&](double t) { return t < 1 ? 0 : 1e-6 * std::cos(t - 1); });
      // At t = 1 the left side is 0.
      EXPECT_LT(worst, 1.0000001e-6);
      EXPECT_NEAR(last(result, "/S.1"), 1e-6 * std::cos(99.0), 1e-6 * 3e-3) << version << solver;
    }
  }
}

}  // namespace
}  // namespace orrery::tests::fmu_clock_test
