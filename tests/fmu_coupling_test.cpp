// SPDX-License-Identifier: Apache-2.0
// Several FMUs together: a motor drive of Model Exchange and of Co-Simulation; communication points and coupling.
#include "base/folders_for_tests.h"
#include "fmu_block.h"

namespace orrery::tests::fmu_coupling_test {
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
  for (const char* version : {"1_me", "2", "3"}) {
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
  request.file = source_folder() + "/examples/fmu/motor_drive_blocks.orr";
  const auto blocks = api::run(request);
  ASSERT_FALSE(blocks.failed()) << to_text(blocks.diagnostics);
  request.file = source_folder() + "/examples/fmu/motor_drive.orr";
  request.overrides = {{"parts", "'" + test_fmu_folder() + "'"}};
  request.allow = Capability::native;
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

// a' = -b, b' = a in two FMUs: with the mean of the inputs every step turns (a, b) by 2 atan(h / 2).
TEST(CoSimulationBlocks, AllCouplingsFindTheSameOutputs) {
  const auto parts = [](const std::string& coupling) {
    const std::string file = fmu("input_integral_2") + " kind='cs' step=0.1 inputs={'u'} outputs={'x'} " + coupling;
    return "stop 2.05\nA: FMU start={'x',1} " + file + "\nB: FMU " + file +
           "\nK: Gain k=-1\nS: Scope inputs=2\nA:1 -> B:1 S:1\nB:1 -> K:1 S:2\nK:1 -> A:1\n";
  };
  const double angle = 20 * 2 * std::atan(0.05);
  for (const char* coupling : {"iterations=40 iteration_tolerance=1e-10", "coupling='newton'",
                               "iterations=40 iteration_tolerance=1e-10 coupling='jacobi'"}) {
    const auto result = good_run(parts(coupling));
    EXPECT_NEAR(last(result, "/S.1"), std::cos(angle), 1e-8) << coupling;
    EXPECT_NEAR(last(result, "/S.2"), std::sin(angle), 1e-8) << coupling;
  }
}

// x' = u, u = -100 x, with the mean of u over a step of 0.1: x is (1 - 5) / (1 + 5) of what it was. Repeating the step
// multiplies the error by 5.
TEST(CoSimulationBlocks, NewtonConvergesWhereIterationsDoNot) {
  const std::string parts =
      "stop 0.55\nK: Gain k=-100\nS: Scope\nF:1 -> K:1 S:1\nK:1 -> F:1\nF: FMU start={'x',1} "
      "inputs={'u'} outputs={'x'} kind='cs' step=0.1 " +
      fmu("input_integral_2");
  for (const char* more : {"", " extrapolate=0 iteration_tolerance=1e-9"}) {
    const auto result = good_run(parts + " coupling='newton'" + more + "\n");
    EXPECT_NEAR(last(result, "/S.1"), std::pow(-2.0 / 3, 5), 1e-8);
  }
  EXPECT_GT(std::fabs(last(run(parts + " iterations=5\n"), "/S.1")), 10);
}

TEST(CoSimulationBlocks, CouplingsThatCannotBeAreRefused) {
  const auto message = [](const std::string& more) {
    const auto result = run("stop 1\nF: FMU kind='cs' step=0.1 " + more + "\nS: Scope\nF:1 -> S:1\n");
    EXPECT_TRUE(result.failed());
    return to_text(result.diagnostics);
  };
  EXPECT_NE(message("coupling='jacobi' " + fmu("dahlquist_2")).find("iterations is 0"), std::string::npos);
  EXPECT_NE(message("coupling='newton' " + fmu("dahlquist_1_cs")).find("cannot go back"), std::string::npos);
  EXPECT_NE(message("coupling='secant' " + fmu("dahlquist_2")).find("coupling"), std::string::npos);
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
  // With the slope between the points: the trapezoidal rule.
  const auto slopes = good_run("stop 2\nF: FMU kind='cs' step=0.01 interpolate=1 " + fmu("input_integral_2") + rest);
  double trapezoids = 0;
  for (int k = 0; k < 200; ++k) trapezoids += 0.005 * (std::sin(0.01 * k) + std::sin(0.01 * (k + 1)));
  EXPECT_NEAR(last(slopes, "/S.1"), trapezoids, 1e-9);
}

// Between points the output goes on with its slope -x: the integral over a step is x (h - h^2 / 2) instead of x h.
TEST(CoSimulationBlocks, OutputsAreHeldOrGoOn) {
  const double h = 0.1;
  double held = 0, going_on = 0;
  for (int k = 0; k < 20; ++k) {
    held += std::exp(-h * k) * h;
    going_on += std::exp(-h * k) * (h - h * h / 2);
  }
  going_on += h * h / 2;  // the derivative is known from the first step on
  const std::string rest = "\nI: Integral\nS: Scope\nF:1 -> I:1\nI:1 -> S:1\n";
  const std::string parts = "stop 2\nrtol 1e-9\nF: FMU kind='cs' step=0.1 " + fmu("extrapolating_2");
  EXPECT_NEAR(last(good_run(parts + rest), "/S.1"), held, 1e-7);
  EXPECT_NEAR(last(good_run(parts + " extrapolate=1" + rest), "/S.1"), going_on, 1e-7);
  EXPECT_TRUE(run(parts + " extrapolate=2" + rest).failed());
}

TEST(CoSimulationBlocks, TheEndOfAnFmuEndsTheRun) {
  const auto result = good_run("stop 20\nF: FMU kind='cs' step=0.5 " + fmu("stairs_2") + "\nS: Scope\nF:1 -> S:1\n");
  EXPECT_EQ(result.report.end, sim::End::stopped);
  EXPECT_NEAR(result.report.time, 9, 1e-9);
}

}  // namespace
}  // namespace orrery::tests::fmu_coupling_test
