// SPDX-License-Identifier: Apache-2.0
// Delayed signals: jumps and corners at their instants, delay differential equations against closed forms and
// independent computations, delays that vary, vanish and last longer than the run.
#include <numeric>

#include "hybrid_runs.h"

namespace orrery::tests::delay_test {
namespace {

class Delays : public WithEverySolver {};
INSTANTIATE_TEST_SUITE_P(Solvers, Delays, testing::ValuesIn(variable_step_solvers()), name_of_solver);

HybridRun run_well(const std::string& text, std::vector<std::string> watch = {}) {
  HybridRun run = run_hybrid(text, std::move(watch));
  EXPECT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics) << text;
  EXPECT_TRUE(run.compiled);
  return run;
}

// The largest distance of a column from a function of time. At the times of jumps the function is not asked.
double largest_error(const ModelRun& run, const std::string& column, const std::function<double(double)>& expected,
                     const std::vector<double>& jumps = {}) {
  const std::vector<double> values = column_of(run, column);
  EXPECT_FALSE(values.empty()) << column;
  double worst = 0;
  for (std::size_t r = 0; r < values.size(); ++r) {
    const double t = run.recording.time[r];
    if (std::ranges::any_of(jumps, [t](double at) { return std::abs(t - at) < 1e-9; })) continue;
    const double error = std::abs(values[r] - expected(t));
    worst = std::isnan(error) ? INFINITY : std::max(worst, error);
  }
  return worst;
}

// The values of a column in the rows of one instant, in order.
std::vector<double> values_at(const ModelRun& run, const std::string& column, double t) {
  std::vector<double> found;
  const std::vector<double> values = column_of(run, column);
  for (std::size_t r = 0; r < values.size(); ++r) {
    if (std::abs(run.recording.time[r] - t) < 1e-10) found.push_back(values[r]);
  }
  return found;
}

// u jumps at 1 and bends at 2 (a saw of period 1 that begins there); so does y, 0.7 later.
TEST_P(Delays, KeepJumpsAndCornersSharp) {
  const HybridRun run = run_well(settings("stop 6") + R"(
    step: StepGenerator time=1 before=0 after=2
    ramp: Ramp slope=3 start=2
    wave: SineWaveGenerator frequency=3
    u: Sum signs='+++'
    D: FixedDelay T=0.7
    I: Integral
    S: Scope inputs=2
    step:1 -> u:1
    ramp:1 -> u:2
    wave:1 -> u:3
    u:1 -> D:1
    D:1 -> I:1 S:1
    I:1 -> S:2
  )");
  const auto u = [](double t) { return t < 0 ? 0 : (t < 1 ? 0 : 2) + 3 * std::max(t - 2, 0.0) + std::sin(3 * t); };
  EXPECT_LT(largest_error(run, "/S.1", [&](double t) { return u(t - 0.7); }, {1.7}), 1e-7);
  const auto integral = [](double t) {
    const double s = t - 0.7;
    if (s <= 0) return 0.0;
    return 2 * std::max(s - 1, 0.0) + 1.5 * std::pow(std::max(s - 2, 0.0), 2) + (1 - std::cos(3 * s)) / 3;
  };
  EXPECT_LT(largest_error(run, "/S.2", integral), 1e-7);
  const std::vector<double> sides = values_at(run, "/S.1", 1.7);
  ASSERT_GE(sides.size(), 2u);
  EXPECT_NEAR(sides.front(), u(1 - 1e-15), 1e-7);
  EXPECT_NEAR(sides.back(), u(1), 1e-7);
}

// x' = -x(t - 1), x = 1 before 0. By the method of steps x(t) is the sum over k <= t + 1 of (-1)^k (t - k + 1)^k / k!.
double pure_delay_solution(double t) {
  double sum = 0, factorial = 1;
  for (int k = 0; k <= t + 1; ++k) {
    factorial *= std::max(k, 1);
    sum += (k % 2 == 0 ? 1 : -1) * std::pow(t - k + 1, k) / factorial;
  }
  return sum;
}

TEST_P(Delays, InALoopAgreeWithTheMethodOfSteps) {
  const HybridRun run = run_well(settings("stop 9.5") + R"(
    I: Integral x0=1
    D: FixedDelay T=1 init=1
    minus: Gain k=-1
    S: Scope
    I:1 -> D:1 S:1
    D:1 -> minus:1
    minus:1 -> I:1
  )");
  EXPECT_LT(largest_error(run, "/S.1", pure_delay_solution), 1e-7);
  // A break at k is one of the k-th derivative: after the order of the method nothing is left of it.
  EXPECT_LE(run.report.restarts, 13);
  EXPECT_GE(run.report.restarts, 4);
}

// Mackey and Glass: x' = 0.2 x(t-17) / (1 + x(t-17)^10) - 0.1 x, x = 1.2 before 0. The numbers come from the method of
// steps with Taylor series of order 24 in arithmetic of 30 digits: the step divides the delay, so that the past over a
// step is one polynomial p; p^10 and the quotient follow from recurrences of their coefficients. Orders 18 and 24 with
// steps of 17/85 and 17/68 agree to 28 digits.
TEST_P(Delays, OfMackeyAndGlass) {
  const std::pair<double, double> known[] = {{17, 0.4919720967103560364},   {34, 1.0323271882947026366},
                                             {51, 1.0419791974968031265},   {85, 1.1884540241384605246},
                                             {136, 0.97474363215961583395}, {204, 0.9732850219744781477}};
  for (const auto& [stop, expected] : known) {
    const HybridRun run = run_well(fmt::format("solver {}\nrtol 1e-9\natol 1e-13\nstop {}\n", GetParam(), stop) + R"(
      I: Integral x0=1.2
      D: FixedDelay T=17 init=1.2
      rate: MathExpression expression='0.2*u1/(1+u1^10)-0.1*u2' inputs=2
      S: Scope
      I:1 -> D:1 S:1 rate:2
      D:1 -> rate:1
      rate:1 -> I:1
    )");
    EXPECT_NEAR(last(run, "/S.1"), expected, 1e-7) << stop;
  }
}

// x' = -sign(x(t - 1)), x = 0.5 before 0: from 0.5 down to -1 at 1.5, then a triangle of period 4 between -1 and 1.
TEST_P(Delays, OfARelay) {
  const HybridRun run = run_well(settings("stop 20.25") + R"(
    I: Integral x0=0.5
    D: FixedDelay T=1 init=0.5
    relay: Sign
    minus: Gain k=-1
    S: Scope
    I:1 -> D:1 S:1
    D:1 -> relay:1
    relay:1 -> minus:1
    minus:1 -> I:1
  )");
  const auto expected = [](double t) {
    if (t < 1.5) return 0.5 - t;
    const double phase = std::fmod(t - 1.5, 4);
    return phase < 2 ? phase - 1 : 3 - phase;
  };
  EXPECT_LT(largest_error(run, "/S.1", expected), 1e-7);
}

// y = 1 + y(t - 1) / 2: a staircase, without any state.
TEST_P(Delays, EchoInALoopOfSignalsAlone) {
  const HybridRun run = run_well(settings("stop 6.5") + R"(
    one: Constant value=1
    y: Sum
    D: FixedDelay T=1
    half: Gain k=0.5
    S: Scope
    one:1 -> y:1
    half:1 -> y:2
    y:1 -> D:1 S:1
    D:1 -> half:1
  )");
  const auto expected = [](double t) { return 2 - std::pow(0.5, std::floor(t)); };
  EXPECT_EQ(largest_error(run, "/S.1", expected, {1, 2, 3, 4, 5, 6}), 0);
  for (double t = 1; t < 6.5; ++t) {
    const std::vector<double> sides = values_at(run, "/S.1", t);
    ASSERT_GE(sides.size(), 2u) << t;
    EXPECT_EQ(sides.front(), expected(t - 0.5));
    EXPECT_EQ(sides.back(), expected(t + 0.5));
  }
}

// A delay that grows from nothing: x' = x(t / 2), x(0) = 1, is the sum of t^n / (n! 2^(n (n - 1) / 2)).
TEST_P(Delays, ThatBeginWithNothing) {
  const HybridRun run = run_well(settings("stop 4") + R"(
    I: Integral x0=1
    t: Time
    half: Gain k=0.5
    D: VariableDelay max=3 init=7
    S: Scope
    I:1 -> D:1 S:1
    t:1 -> half:1
    half:1 -> D:2
    D:1 -> I:1
  )");
  const auto expected = [](double t) {
    double sum = 0, term = 1;
    for (int n = 0; n < 60; ++n) {
      sum += term;
      term *= t / ((n + 1) * std::pow(2, n));
    }
    return sum;
  };
  EXPECT_LT(largest_error(run, "/S.1", expected), 1e-7);
}

// The delay 1 + 0.8 sin(2 t) shrinks and grows faster than time goes on: a jump of u at 2 is passed where
// t - 1 - 0.8 sin(2 t) = 2, forwards and backwards.
TEST_P(Delays, ThatVaryPassAJumpForwardsAndBackwards) {
  const HybridRun run = run_well(settings("stop 6") + R"(
    step: StepGenerator time=2 before=0 after=1
    d: SineWaveGenerator amplitude=0.8 frequency=2 bias=1
    D: VariableDelay min=0.1 max=2
    I: Integral
    S: Scope inputs=2
    step:1 -> D:1
    d:1 -> D:2
    D:1 -> I:1 S:1
    I:1 -> S:2
  )");
  const auto looked = [](double t) { return t - 1 - 0.8 * std::sin(2 * t); };
  std::vector<double> crossings;
  for (double t = 0; t < 6; t += 1e-3) {
    if ((looked(t) < 2) == (looked(t + 1e-3) < 2)) continue;
    double low = t, high = t + 1e-3;
    for (int k = 0; k < 60; ++k)
      ((looked(0.5 * (low + high)) < 2) == (looked(low) < 2) ? low : high) = 0.5 * (low + high);
    crossings.push_back(low);
  }
  ASSERT_EQ(crossings.size(), 3u);
  EXPECT_LT(largest_error(
                run, "/S.1", [&](double t) { return looked(t) < 2 ? 0.0 : 1.0; }, crossings),
            1e-9);
  const auto integral = [&](double t) {
    double sum = 0;
    for (std::size_t k = 0; k < crossings.size(); ++k) {
      if (t > crossings[k]) sum += (k % 2 == 0 ? 1 : -1) * (t - crossings[k]);
    }
    return sum;
  };
  EXPECT_LT(largest_error(run, "/S.2", integral), 1e-7);
}

// The delay 1 - t/2 ends with nothing; then the output is the input.
TEST_P(Delays, ThatShrinkToNothing) {
  const HybridRun run = run_well(fmt::format("solver {}\nrtol 1e-9\natol 1e-13\nstop 4\n", GetParam()) + R"(
    u: SineWaveGenerator frequency=2
    t: Time
    d: MathExpression expression='max(1-u1/2,0)'
    D: VariableDelay max=1 init=0
    I: Integral
    S: Scope inputs=2
    u:1 -> D:1
    t:1 -> d:1
    d:1 -> D:2
    D:1 -> I:1 S:1
    I:1 -> S:2
  )");
  const auto y = [](double t) {
    const double s = t - std::max(1 - t / 2, 0.0);
    return s < 0 ? 0 : std::sin(2 * s);
  };
  EXPECT_LT(largest_error(run, "/S.1", y), 1e-7);
  const auto integral = [](double t) {  // s = 3t/2 - 1 until t = 2
    const double from = 2.0 / 3;
    if (t <= from) return 0.0;
    const double first = (1 - std::cos(2 * (1.5 * std::min(t, 2.0) - 1))) / 3;
    return t <= 2 ? first : first + (std::cos(4.0) - std::cos(2 * t)) / 2;
  };
  EXPECT_LT(largest_error(run, "/S.2", integral), 1e-7);
}

// Delays of polynomials up to the order of the solver lose nothing: u = t^3, from three integrals.
TEST_P(Delays, OfPolynomialsAreExact) {
  const HybridRun run = run_well(settings("stop 5") + R"(
    six: Constant value=6
    a: Integral
    v: Integral
    x: Integral
    D: FixedDelay T=0.3
    S: Scope inputs=2
    six:1 -> a:1
    a:1 -> v:1
    v:1 -> x:1
    x:1 -> D:1 S:2
    D:1 -> S:1
  )");
  const double own = largest_error(run, "/S.2", [](double t) { return t * t * t; });
  const double delayed = largest_error(run, "/S.1", [](double t) { return std::pow(std::max(t - 0.3, 0.0), 3); });
  EXPECT_LE(delayed, 1.5 * own + 1e-10) << own;
}

}  // namespace
}  // namespace orrery::tests::delay_test
