// SPDX-License-Identifier: Apache-2.0
// Inputs of Co-Simulation that jump at communication points: a step ends with the value before the jump, and the next
// one begins with the value after it (Activate, 12.7).
#include "fmu_block.h"

namespace orrery::tests::fmu_jump_test {
namespace {

constexpr const char* modes[] = {"interpolate=1", "iterations=20", "iterations=20 coupling='jacobi'",
                                 "coupling='newton'"};

// x' = t + 2 (t >= 1), so x = t^2 / 2 + 2 max(t - 1, 0): a ramp over each step, which the mean of its ends integrates
// exactly too.
double exact(double t) { return t * t / 2 + 2 * std::max(t - 1, 0.0); }

void expect_exact(const std::string& jump, const std::string& step, const std::string& mode, double stop = 2) {
  const std::string file =
      "F: FMU kind='cs' inputs={'u'} outputs={'x'} " + step + " " + mode + " " + fmu("input_integral_2") + "\n";
  const std::string rest = "R: Ramp\nS: Sum\nY: Scope\nJ:1 -> S:1\nR:1 -> S:2\nS:1 -> F:1\nF:1 -> Y:1\n";
  // What stands first in the file has no say in it.
  for (const std::string& text : {file + jump + rest, jump + rest + file}) {
    const auto result = good_run(fmt::format("stop {}\n", stop) + text);
    EXPECT_NEAR(last(result, "/Y.1"), exact(stop), 1e-12) << jump << step << mode;
  }
}

TEST(CoSimulationJumps, AnEventAtACommunicationPoint) {
  for (const char* mode : modes) expect_exact("J: StepGenerator after=2\n", "step=0.1", mode);
}

TEST(CoSimulationJumps, TheTickOfASampledBlock) {
  // The sampler ticks together with the FMU: 0 until t = 1, where it takes the 2.
  for (const char* mode : modes) {
    expect_exact(
        "P: StepGenerator time=0.95 after=2\nC: SampleClock period=0.1\nJ: SampleHold\nP:1 -> J:1\nC:1 => J:1\n",
        "step=0.1", mode);
  }
}

TEST(CoSimulationJumps, AConditionOfContinuousTime) {
  for (const char* mode : modes) {
    expect_exact(
        "T: Time\nK: Constant value=2\nZ: Constant value=0\nJ: Switch2 threshold=1\n"
        "K:1 -> J:1\nT:1 -> J:2\nZ:1 -> J:3\n",
        "step=0.1", mode);
  }
}

TEST(CoSimulationJumps, StepsOfTheSolver) {
  for (const char* mode : modes) {
    expect_exact("J: StepGenerator after=2\n", "", mode);
    // Not at a multiple of any step: a crossing ends one.
    expect_exact(
        "T: Time\nK: Constant value=2\nZ: Constant value=0\nJ: Switch2 threshold=1\n"
        "K:1 -> J:1\nT:1 -> J:2\nZ:1 -> J:3\n",
        "", mode, 3.14159);
  }
}

// v = wi - wo depends on both inputs, so the step can be made as soon as they are known, and what v drives sees it in
// the same point: x = t^2 / 2 without delay (Activate, 12.7: the last case of calling doStep with the outputs).
TEST(CoSimulationJumps, OutputsThatNeedAllInputsAreNotLate) {
  const auto result = good_run(
      "stop 2\nR: Ramp\nZ: Constant value=0\nA: FMU kind='cs' step=0.1 interpolate=1 "
      "start={'Kp',1,'Ki',0} " +
      fmu("drive_controller_2") + "\nB: FMU kind='cs' step=0.1 interpolate=1 inputs={'u'} outputs={'x'} " +
      fmu("input_integral_2") + "\nY: Scope inputs=2\nR:1 -> A:1\nZ:1 -> A:2\nA:1 -> B:1 Y:1\nB:1 -> Y:2\n");
  EXPECT_NEAR(last(result, "/Y.2"), 2, 1e-9);
}

// FMI 3.0: the FMU asks for its inputs ten times in a step and holds them between: the sum of 0.01 u over left ends.
TEST(CoSimulationJumps, InputsThatTheFmuAsksFor) {
  const std::string parts =
      "J: StepGenerator after=2\nR: Ramp\nS: Sum\nY: Scope\nJ:1 -> S:1\nR:1 -> S:2\nS:1 -> F:1\n"
      "F:1 -> Y:1\nF: FMU kind='cs' inputs={'u'} outputs={'x'} step=0.1 interpolate=1 ";
  const auto result = good_run("stop 2\n" + parts + fmu("intermediate_3") + "\n");
  double sum = 0;
  for (int k = 0; k < 200; ++k) sum += 0.01 * (0.01 * k + (k >= 100 ? 2 : 0));
  EXPECT_NEAR(last(result, "/Y.1"), sum, 1e-12);
  EXPECT_NE(to_text(run("stop 2\n" + parts + "safe=1 " + fmu("intermediate_3") + "\n").diagnostics)
                .find("set interpolate or safe to 0"),
            std::string::npos);
  EXPECT_NE(to_text(run("stop 2\n" + parts + fmu("plain_cs_3") + "\n").diagnostics).find("canInterpolateInputs"),
            std::string::npos);
}

// Held inputs act from the point on as well, whichever event comes first in the file: x = sum of h u.
TEST(CoSimulationJumps, HeldInputs) {
  for (const char* first : {"J: StepGenerator after=2\n", ""}) {
    const auto result =
        good_run(std::string("stop 2\n") + first + "F: FMU kind='cs' inputs={'u'} outputs={'x'} step=0.1 " +
                 fmu("input_integral_2") + "\nY: Scope\nJ:1 -> F:1\nF:1 -> Y:1\n" +
                 (*first == '\0' ? "J: StepGenerator after=2\n" : ""));
    EXPECT_NEAR(last(result, "/Y.1"), 2, 1e-12);
  }
}

// An FMU that drives another one makes no jump: both ends of the step are what it gave there. x1 = t^2 / 2 exactly at
// the points, and x2' is the line between these.
TEST(CoSimulationJumps, OutputsOfFmusAreNone) {
  const std::string part = "kind='cs' inputs={'u'} outputs={'x'} step=0.1 " + fmu("input_integral_2");
  const auto result = good_run("stop 2\nR: Ramp\nA: FMU interpolate=0 " + part + "\nB: FMU interpolate=1 " + part +
                               "\nY: Scope inputs=2\nR:1 -> A:1\nA:1 -> B:1 Y:1\nB:1 -> Y:2\n");
  double a = 0, b = 0;
  for (int k = 0; k < 20; ++k) {
    const double next = a + 0.1 * 0.1 * k;
    b += 0.05 * (a + next);
    a = next;
  }
  EXPECT_NEAR(last(result, "/Y.1"), a, 1e-12);
  EXPECT_NEAR(last(result, "/Y.2"), b, 1e-12);
}

}  // namespace
}  // namespace orrery::tests::fmu_jump_test
