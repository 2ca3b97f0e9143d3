// SPDX-License-Identifier: Apache-2.0
// Jumps at the ends of fixed steps: nothing from before a jump is used after it, so methods keep their order.
#include <fmt/format.h>

#include <cmath>

#include "semantics.h"
#include "solve/integrator.h"

namespace orrery::tests::fixed_step_jumps_test {
namespace {

std::vector<solve::SolverInfo> fixed_step_solvers() {
  std::vector<solve::SolverInfo> found;
  for (const solve::SolverInfo& info : solve::solvers()) {
    if (info.fixed_step) found.push_back(info);
  }
  return found;
}

class FixedStepJumps : public testing::TestWithParam<solve::SolverInfo> {
 protected:
  static double error(const std::string& model, double step, double exact) {
    const auto run = simulate(fmt::format("solver {}\nstep {}\n{}", GetParam().name, step, model));
    return std::fabs(run.recording.value(run.recording.rows() - 1, 0) - exact);
  }
  // With half the step the error is that of the order, and small.
  static void keeps_its_order(const std::string& model, double exact) {
    const double coarse = error(model, 0.0625, exact), fine = error(model, 0.03125, exact);
    EXPECT_GT(std::log2(coarse / fine), GetParam().order - 0.2) << coarse << " " << fine;
    EXPECT_LT(fine, std::pow(0.6, GetParam().order) * 0.05);
  }
};

// x' = n - x where n counts 0, 1, 2, 3 at t = 0, 0.5, 1, 1.5.
TEST_P(FixedStepJumps, OfAnInputThatAClockChanges) {
  double x = 1;
  for (int n = 0; n < 4; ++n) x = n + (x - n) * std::exp(-0.5);
  keeps_its_order(R"(
    stop 2
    c: SampleClock period=0.5
    n: Counter
    a: MathExpression inputs=2 expression='u2-u1'
    x: Integral x0=1
    S: Scope
    c:1 => n:1
    n:1 -> a:2
    x:1 -> a:1 S:1
    a:1 -> x:1)",
                  x);
}

// x' = -(n + 1) x^2: 1 / x grows with n + 1.
TEST_P(FixedStepJumps, OfANonlinearModel) {
  keeps_its_order(R"(
    stop 2
    c: SampleClock period=0.5
    n: Counter
    a: MathExpression inputs=2 expression='-(u2+1)*u1^2'
    x: Integral x0=1
    S: Scope
    c:1 => n:1
    n:1 -> a:2
    x:1 -> a:1 S:1
    a:1 -> x:1)",
                  1 / (1 + 0.5 * (1 + 2 + 3 + 4)));
}

// x' = -x, set to 2 at t = 0.5, 1, 1.5.
TEST_P(FixedStepJumps, OfAStateThatIsSet) {
  keeps_its_order(R"(
    stop 1.75
    at: EventClock period=0.5 offset=0.5
    k: Constant value=2
    g: Gain k=-1
    x: Integral reset='activation' x0=1
    S: Scope
    k:1 -> x:2
    x:1 -> g:1 S:1
    g:1 -> x:1
    at:1 => x:1)",
                  2 * std::exp(-0.25));
}

TEST_P(FixedStepJumps, OfAStepGenerator) {
  keeps_its_order(R"(
    stop 2
    u: StepGenerator time=1 after=3
    a: MathExpression inputs=2 expression='u1-u2'
    x: Integral x0=1
    S: Scope
    u:1 -> a:1
    x:1 -> a:2 S:1
    a:1 -> x:1)",
                  3 + (std::exp(-1) - 3) * std::exp(-1));
}

// x' = -50 (x - n), stiff for these steps: backward Euler multiplies what is left of a jump by 1 / (1 + 50 h) in each
// step, the trapezoidal rule by (1 - 25 h) / (1 + 25 h); nothing else, whatever was before.
TEST_P(FixedStepJumps, OfAStiffModelAreWhatTheMethodMakesOfThem) {
  if (!GetParam().implicit) return;
  const double h = 0.125, factor = GetParam().order == 1 ? 1 / (1 + 50 * h) : (1 - 25 * h) / (1 + 25 * h);
  double x = 1;
  for (int n = 0; n < 4; ++n) x = n + (x - n) * std::pow(factor, 4);
  EXPECT_NEAR(error(R"(
    stop 2
    rtol 1e-10
    c: SampleClock period=0.5
    n: Counter
    a: MathExpression inputs=2 expression='-50*(u1-u2)'
    x: Integral x0=1
    S: Scope
    c:1 => n:1
    n:1 -> a:2
    x:1 -> a:1 S:1
    a:1 -> x:1)",
                    h, x),
              0, 1e-9);
}

std::string name_of(const testing::TestParamInfo<solve::SolverInfo>& info) {
  std::string name = info.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Solvers, FixedStepJumps, testing::ValuesIn(fixed_step_solvers()), name_of);

}  // namespace
}  // namespace orrery::tests::fixed_step_jumps_test
