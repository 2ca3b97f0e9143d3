// SPDX-License-Identifier: Apache-2.0
// Conditions of states with fixed steps: they are what they are at each stage, and no method gives up where they jump.
#include "hybrid_runs.h"

namespace orrery::tests::fixed_step_conditions_test {
namespace {

class FixedStepConditions : public testing::TestWithParam<std::string> {
 protected:
  static HybridRun run(double step, const std::string& model) {
    return run_hybrid(fmt::format("solver {}\nstep {}\n{}", GetParam(), step, model));
  }
};

INSTANTIATE_TEST_SUITE_P(Solvers, FixedStepConditions, testing::ValuesIn(names_of_fixed_step_solvers()),
                         name_of_solver);

// x' = -sign(x) comes to zero at t = 1 and stays within a step of it.
TEST_P(FixedStepConditions, ARelayStaysAtItsSurface) {
  for (const double step : {0.03, 0.003}) {
    const auto result = run(step, R"(
      stop 3
      x: Integral x0=1
      s: MathExpression expression='-sign(u1)'
      S: Scope
      x:1 -> s:1 S:1
      s:1 -> x:1)");
    ASSERT_FALSE(result.diagnostics.has_errors()) << to_text(result.diagnostics);
    const auto x = column_of(result, "/S.1");
    for (std::size_t row = 0; row < x.size(); ++row)
      EXPECT_NEAR(x[row], std::max(1 - result.recording.time[row], 0.0), 1.01 * step);
  }
}

// x'' = -sign(x): parabolas, |v| = sqrt(2) where x = 0, period 4 sqrt(2).
TEST_P(FixedStepConditions, ABangBangOscillatorKeepsItsAmplitude) {
  const auto result = run(0.001, R"(
    stop 20
    v: Integral
    x: Integral x0=1
    s: MathExpression expression='-2*(u1>0)+1'
    z: ZeroCross direction='down'
    n: Counter
    x:1 -> s:1 z:1
    s:1 -> v:1
    v:1 -> x:1
    z:1 => n:1)");
  ASSERT_FALSE(result.diagnostics.has_errors()) << to_text(result.diagnostics);
  std::vector<double> expected;
  for (double t = std::sqrt(2); t < 20; t += 4 * std::sqrt(2)) expected.push_back(t);
  const bool first_order = solve::find_solver(GetParam())->order == 1;  // gains or loses energy
  EXPECT_EQ(compare_times(result.fired("z"), expected, first_order ? 0.1 : 0.01), "");
}

// Dry friction and a spring, pulled: m v' = k (t/2 - x) - sign(v) F. It sticks until the spring has F.
TEST_P(FixedStepConditions, FrictionHoldsAMass) {
  const auto result = run(0.002, R"(
    stop 1.9
    t: Time
    v: Integral
    x: Integral
    f: MathExpression inputs=3 expression='0.5*u3-u2-sign(u1)'
    S: Scope inputs=2
    v:1 -> f:1 x:1 S:1
    x:1 -> f:2 S:2
    t:1 -> f:3
    f:1 -> v:1)");
  ASSERT_FALSE(result.diagnostics.has_errors()) << to_text(result.diagnostics);
  EXPECT_NEAR(last(result, "/S.1"), 0, 0.01);
  EXPECT_NEAR(last(result, "/S.2"), 0, 0.01);
}

// Where no condition jumps, an iteration that does not converge is still said: x' = x^2 beyond its pole.
TEST(FixedStepFailures, OfSmoothModelsAreSaid) {
  for (const char* solver : {"euler-implicit", "trapezoidal-implicit"}) {
    const auto result = run_hybrid(fmt::format("solver {}\nstep 0.3\n", solver) + R"(
      stop 3
      x: Integral x0=1
      s: MathExpression expression='u1^2+1'
      x:1 -> s:1
      s:1 -> x:1)");
    EXPECT_TRUE(result.diagnostics.has_errors());
  }
}

}  // namespace
}  // namespace orrery::tests::fixed_step_conditions_test
