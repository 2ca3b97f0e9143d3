// SPDX-License-Identifier: Apache-2.0
// Several FMUs together: a motor drive of Model Exchange and of Co-Simulation; communication points and coupling.
#include "fmu_block.h"

namespace orrery::tests {
namespace {

// Commands, PI controller and DC motor (after Zhang, "A Method to Import an FMU to a Hardware Description Language").
// The loop through controller and motor is none, because the speed depends on a state alone.
std::string drive(const std::string& version, const std::string& more) {
  return "stop 1\nrtol 1e-9\n" + more + "S: FMU " + fmu("drive_stimuli_" + version) + "\nC: FMU " +
         fmu("drive_controller_" + version) + "\nM: FMU " + fmu("drive_motor_" + version) +
         " outputs={'wo','i','w','theta'}\n"
         "S:1 -> C:1\nM:1 -> C:2\nC:1 -> M:1\nS:2 -> M:2\nY: Scope inputs=5 names='v,wo,i,w,theta'\n"
         "C:1 -> Y:1\nM:1 -> Y:2\nM:2 -> Y:3\nM:3 -> Y:4\nM:4 -> Y:5\n";
}

TEST(FmuBlock, MotorDriveOfThreeFmusIsOneSystem) {
  for (const char* version : {"2", "3"}) {
    for (const char* solver : {"solver dopri5\n", "solver cvode-bdf-newton\n", "solver radau\n"}) {
      const auto result = good_run(drive(version, solver));
      // Steady states in closed form; angle and peak from an independent solution at tight tolerance.
      const std::size_t v = column_of(result, "/Y.v"), w = column_of(result, "/Y.w"), i = column_of(result, "/Y.i");
      EXPECT_NEAR(last(result, "/Y.v"), 6.008753850, 2e-6) << version << solver;
      EXPECT_NEAR(last(result, "/Y.i"), -3 / 6.2, 2e-6);
      EXPECT_NEAR(last(result, "/Y.wo"), 10, 2e-6);
      EXPECT_NEAR(last(result, "/Y.theta"), 0.911016034, 2e-6);
      double peak = 0;
      for (std::size_t row = 0; row < result.recording.rows(); ++row) {
        peak = std::max(peak, result.recording.value(row, w));
      }
      EXPECT_NEAR(peak, 1.104543454, 1e-3);
      EXPECT_EQ(result.recording.value(0, v), 0);
      EXPECT_EQ(result.recording.value(0, i), 0);
    }
  }
}

// The same system in blocks, at the same times.
TEST(FmuBlock, MotorDriveAgreesWithNativeBlocks) {
  api::RunRequest request;
  request.tier = api::TierChoice::first;
  request.interval = 0.01;
  request.file = ORRERY_SOURCE_DIR "/examples/fmu/motor_drive_blocks.orr";
  const auto blocks = api::run(request);
  ASSERT_FALSE(blocks.failed()) << to_text(blocks.diagnostics);
  request.file = ORRERY_SOURCE_DIR "/examples/fmu/motor_drive.orr";
  request.overrides = {{"parts", "'" ORRERY_TEST_FMUS "'"}};
  const auto fmus = api::run(request);
  ASSERT_FALSE(fmus.failed()) << to_text(fmus.diagnostics);
  std::size_t other = 0;
  int compared = 0;
  for (std::size_t row = 0; row < fmus.recording.rows(); ++row) {
    const double t = fmus.recording.time[row];
    if (std::fabs(t - 0.1) < 1e-9 || std::fabs(t - 0.5) < 1e-9) continue;  // the voltage jumps there
    while (other < blocks.recording.rows() && blocks.recording.time[other] < t - 1e-12) ++other;
    if (other == blocks.recording.rows() || blocks.recording.time[other] > t + 1e-12) continue;
    ++compared;
    for (std::size_t k = 0; k < fmus.recording.columns.size(); ++k) {
      EXPECT_NEAR(fmus.recording.value(row, k), blocks.recording.value(other, k), 1e-6)
          << fmus.recording.columns[k].name << " at " << t;
    }
  }
  EXPECT_GE(compared, 97);
}

// The largest deviation of the motor's speed (rpm) from that of Model Exchange, with FMUs of Co-Simulation. The motor
// starts under a constant command: a jump would be smeared over one step whatever the coupling.
double drive_error(const std::string& how) {
  api::RunRequest request;
  request.interval = 0.0005;
  const auto parts = [&](const std::string& parameters) {
    return "W: Constant value=10\nT: Constant value=0\nC: FMU " + parameters + fmu("drive_controller_2") + "\nM: FMU " +
           parameters + fmu("drive_motor_2") +
           "\nW:1 -> C:1\nM:1 -> C:2\nC:1 -> M:1\nT:1 -> M:2\nY: Scope\nM:1 -> Y:1\n";
  };
  const auto exact = good_run("stop 0.2\nrtol 1e-9\n" + parts(""), request);
  const auto coupled = good_run("stop 0.2\n" + parts("kind='cs' " + how));
  double worst = 0;
  for (std::size_t row = 0, other = 0; row < coupled.recording.rows(); ++row) {
    const double t = coupled.recording.time[row];
    const bool last_of_instant = row + 1 == coupled.recording.rows() || coupled.recording.time[row + 1] > t;
    while (other + 1 < exact.recording.rows() && exact.recording.time[other] < t - 1e-12) ++other;
    if (!last_of_instant || std::fabs(exact.recording.time[other] - t) > 1e-12) continue;
    worst = std::max(worst, std::fabs(coupled.recording.value(row, 0) - exact.recording.value(other, 0)));
  }
  return worst;
}

// One pass is of first order in the step, the iterated mean of the inputs of second order.
TEST(CoSimulationBlocks, IterationsBringCoupledFmusTogether) {
  EXPECT_NEAR(drive_error("step=0.001 ") / drive_error("step=0.0005 "), 2, 0.3);
  EXPECT_NEAR(drive_error("step=0.001 iterations=20 ") / drive_error("step=0.0005 iterations=20 "), 4, 0.6);
  EXPECT_LT(drive_error("step=0.0005 iterations=20 "), drive_error("step=0.0005 ") / 10);
}

class CoSimulationBlock : public testing::TestWithParam<const char*> {
 protected:
  std::string version() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Versions, CoSimulationBlock, testing::Values("1_cs", "2", "3"));

TEST_P(CoSimulationBlock, StepsOfAClockOfItsOwn) {
  const auto result =
      good_run("stop 2\nF: FMU kind='cs' step=0.1 " + fmu("dahlquist_" + version()) +
               "\nC: SampleClock period=0.1\nH: SampleHold\nS: Scope\nF:1 -> H:1\nC:1 => H:1\nH:1 -> S:1\n");
  // The sampler is synchronous with the FMU: it sees what the FMU has just given.
  const std::size_t k = column_of(result, "/S.1");
  for (std::size_t row = 0; row < result.recording.rows(); ++row) {
    if (result.recording.phase[row] != sim::Phase::event) continue;
    EXPECT_NEAR(result.recording.value(row, k), std::exp(-result.recording.time[row]), 1e-6);
  }
}

TEST_P(CoSimulationBlock, StepsOfTheSolver) {
  const auto result = good_run("stop 2\nhmax 0.05\nF: FMU kind='cs' " + fmu("dahlquist_" + version()) +
                               "\nI: Integral\nS: Scope inputs=2\nF:1 -> S:1 I:1\nI:1 -> S:2\n");
  EXPECT_NEAR(last(result, "/S.1"), std::exp(-2), 1e-6);
  // The output is held over a step: an error of first order in the step.
  EXPECT_NEAR(last(result, "/S.2"), 1 - std::exp(-2), 0.05);
}

TEST_P(CoSimulationBlock, StepsOfALink) {
  const auto result = good_run("stop 2\nF: FMU kind='cs' step=-1 " + fmu("dahlquist_" + version()) +
                               "\nC: EventClock period=0.25\nS: Scope\nC:1 => F:1\nF:1 -> S:1\n");
  EXPECT_NEAR(last(result, "/S.1"), std::exp(-2), 1e-6);
}

// x' = u with the input held since the last point: a sum of left values. With slopes it is nearly exact.
TEST(CoSimulationBlocks, InputsAreHeldOrHaveSlopes) {
  const std::string rest =
      "\nU: SineWaveGenerator\nK: Constant value=int32(0)\nS: Scope\nU:1 -> F:1\nK:1 -> F:2\nF:1 -> "
      "S:1\n";
  const auto held = good_run("stop 2\nF: FMU kind='cs' step=0.01 " + fmu("input_integral_2") + rest);
  double sum = 0;
  for (int k = 0; k < 200; ++k) sum += 0.01 * std::sin(0.01 * k);
  EXPECT_NEAR(last(held, "/S.1"), sum, 1e-9);
  const auto slopes = good_run("stop 2\nF: FMU kind='cs' step=0.01 interpolate=1 " + fmu("input_integral_2") + rest);
  EXPECT_TRUE(std::isfinite(last(slopes, "/S.1")));
}

TEST(CoSimulationBlocks, TheEndOfAnFmuEndsTheRun) {
  const auto result = good_run("stop 20\nF: FMU kind='cs' step=0.5 " + fmu("stairs_2") + "\nS: Scope\nF:1 -> S:1\n");
  EXPECT_EQ(result.report.end, sim::End::stopped);
  EXPECT_NEAR(result.report.time, 9, 1e-9);
}

}  // namespace
}  // namespace orrery::tests
