// SPDX-License-Identifier: Apache-2.0
// What comes to rest on a surface: it does so within a number of steps, or the run ends with an error that names it.
#include <numbers>

#include "hybrid_runs.h"

namespace orrery::tests::coming_to_rest_test {
namespace {

class ComingToRest : public WithEverySolver {};

INSTANTIATE_TEST_SUITE_P(Solvers, ComingToRest, testing::ValuesIn(variable_step_solvers()), name_of_solver);

// A ball as an automaton of one mode, which is entered again at each impact: with restitution 0 it cannot stay there,
// and with 1/2 not beyond three times the time of the first impact, whatever becomes of the height.
TEST_P(ComingToRest, ABallWithoutAModeForItIsNamed) {
  const double fall = std::sqrt(2 / 9.81);
  for (const char* height : {"0", "u1(1)", "max(u1(1),0)"}) {
    for (const auto& [restitution, end] : {std::pair(0.0, fall), std::pair(0.5, 3 * fall)}) {
      const auto run = run_hybrid(settings("stop 10") + fmt::format(R"(
        a: Automaton modes=1 x0=[1;0] jumps=[1]
        m: MatrixExpression expression='[u1(3)-u1(2);u1(4)+9.81;{};-{}*u1(2);-u1(1)]'
        a:2 -> m:1
        m:1 -> a:1)",
                                                                    height, restitution));
      EXPECT_TRUE(has_code(run, "jump-cycle") || has_code(run, "zeno")) << height << to_text(run.diagnostics);
      EXPECT_NEAR(run.report.time, end, 1e-6) << height << " " << restitution;
    }
  }
}

// h' = -k sign(h) sqrt(|h|): empty after 2 / k, where the slope of the root is infinite. Two vessels, as well.
TEST_P(ComingToRest, AnOrificeTakesLongStepsAtRest) {
  for (const double k : {1.0, 10.0}) {
    for (const char* tolerances : {"rtol 1e-6\natol 1e-10\n", "rtol 1e-9\natol 1e-12\n"}) {
      const auto run = run_hybrid(settings("stop 10") + tolerances +
                                  fmt::format(R"(
        h: Integral x0=1
        f: MathExpression expression='-{}*sign(u1)*sqrt(abs(u1))'
        S: Scope
        h:1 -> f:1 S:1
        f:1 -> h:1)",
                                              k));
      EXPECT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
      const auto h = column_of(run, "/S.1");
      for (std::size_t row = 0; row < h.size(); ++row) {
        const double s = std::max(0.0, 1 - k * run.recording.time[row] / 2);
        ASSERT_NEAR(h[row], s * s, 1e-5) << run.recording.time[row];
      }
      EXPECT_LT(run.report.points, 20'000) << k << " " << tolerances;
    }
  }
}

// y' = (x > y) with x = -cos t: for 0 < x' < 1 both laws lead back to x = y, from the very start and by little at
// first.
TEST_P(ComingToRest, AConditionThatBothSidesLeadBackToIsNamed) {
  for (const char* tolerances : {"rtol 1e-3\natol 1e-6\n", "rtol 1e-10\natol 1e-13\n"}) {
    const auto run = run_hybrid(fmt::format("solver {}\nstop 10\n{}", GetParam(), tolerances) + R"(
      t: Time
      x: MathExpression expression='-cos(u1)'
      c: RelationalOp operator='>'
      d: DataTypeConversion type='double'
      y: Integral x0=-1
      t:1 -> x:1
      x:1 -> c:1
      y:1 -> c:2
      c:1 -> d:1
      d:1 -> y:1)");
    EXPECT_TRUE(has_code(run, "chattering")) << to_text(run.diagnostics);
    EXPECT_LT(run.report.time, 1e-3);
    EXPECT_LT(run.report.restarts, 2'000);
  }
}

// Differences that are zero but for the errors of the solver, in all that looks at signs.
TEST_P(ComingToRest, WhatIsZeroButForErrorsDoesNotCross) {
  const auto run = run_hybrid(settings("stop 4") + R"(
    t: Time
    rates: Constant value=[0.3;0.7]
    x: Integral x0=[0.5;0.5]
    gap: MatrixExpression expression='u1(1)+u1(2)-1-u2' inputs=2
    less: Gain k=-1
    any: ZeroCross
    up: EdgeTrigger edge='rising'
    down: EdgeTrigger edge='rising'
    size: Abs
    step: Sign
    sum: Integral
    counts: Counter
    rates:1 -> x:1
    x:1 -> gap:1
    t:1 -> gap:2
    gap:1 -> any:1 up:1 less:1 size:1 step:1
    less:1 -> down:1
    size:1 -> sum:1
    any:1 => counts:1
    up:1 => counts:1
    down:1 => counts:1)",
                              {"/sum", "/step"});
  EXPECT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
  EXPECT_TRUE(fired_blocks(run, EventCause::programmed).empty());
  EXPECT_EQ(run.report.mode_changes, 0);
  EXPECT_LT(std::abs(last(run, "/sum")), 1e-9);
}

// … but what an event lifts from zero, by however little, is above it.
TEST_P(ComingToRest, WhatAnEventLiftsFromZeroIsPositive) {
  const auto run = run_hybrid(settings("stop 4") + R"(
    none: Constant value=0
    x: Integral reset='activation'
    little: Constant value=1e-12
    at: EventGenerate times=2
    up: EdgeTrigger edge='rising'
    count: Counter
    none:1 -> x:1
    little:1 -> x:2
    at:1 => x:1
    x:1 -> up:1
    up:1 => count:1)");
  EXPECT_EQ(compare_times(run.fired("up"), {2}, 0), "");
}

// Surfaces that leave zero with one, two, three rates of zero, and products of them, cross nothing there.
TEST_P(ComingToRest, ContactsAtTheStartAreNoCrossings) {
  const auto run = run_hybrid(settings("stop 2") + R"(
    f: MatrixExpression expression='[u1(2);u1(3);-1]'
    x: Integral x0=[0;0;0]
    g: MatrixExpression expression='[u1(1);u1(2);u1(3);u1(2)*u1(3);u1(1)+u1(3);u1(1)*u1(3);u1(2)^2+u1(1)^2]'
    z: ZeroCross
    count: Counter
    f:1 -> x:1
    x:1 -> f:1 g:1
    g:1 -> z:1
    z:1 => count:1)");
  EXPECT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
  EXPECT_EQ(compare_times(run.fired("z"), {}, 0), "");
}

// … nor do functions of time, of whatever order: the start has no side before it, and sin^3 is located at pi to the
// tolerance of time.
TEST_P(ComingToRest, NoSideComesBeforeTheStart) {
  for (const char* formula : {"u1^5", "u1-sin(u1)", "sin(u1)^3", "-u1^3", "u1^2"}) {
    const auto run = run_hybrid(settings("stop 4") + fmt::format(R"(
      t: Time
      f: MathExpression expression='{}'
      z: ZeroCross
      e: EdgeTrigger edge='both'
      n: Counter
      m: Counter
      t:1 -> f:1
      f:1 -> z:1 e:1
      z:1 => n:1
      e:1 => m:1)",
                                                                 formula));
    const bool returns = std::string(formula) == "sin(u1)^3";
    const std::vector<double> expected = returns ? std::vector<double>{std::numbers::pi} : std::vector<double>{};
    EXPECT_EQ(compare_times(run.fired("z"), expected, 1e-12), "") << formula;
    EXPECT_EQ(compare_times(run.fired("e"), expected, 1e-12), "") << formula;
  }
}

// x' = sin 2 t through the loop of an automaton, from 0: its second rate is that of just after the start, so the
// condition x > 0 of the limited integral does not come and go. y = 1/2 + the integral of sin(t)^2, up to 1.
TEST_P(ComingToRest, ContactsBehindLoopsAreNoCrossings) {
  for (const char* sliding : {"false", "true"}) {
    const auto run = run_hybrid(settings("stop 4") + fmt::format("sliding {}\n", sliding) + R"(
      w: SineWaveGenerator frequency=2
      a: Automaton
      m: MatrixExpression inputs=2 expression='[u1(2)-u2;u1(1)]'
      x: MatrixExpression expression='u1(1)'
      y: Integral x0=0.5 lower=-0.5 upper=1
      S: Scope
      a:2 -> m:1 x:1
      w:1 -> m:2
      m:1 -> a:1
      x:1 -> y:1
      y:1 -> S:1)");
    EXPECT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
    const auto y = column_of(run, "/S.1");
    for (std::size_t row = 0; row < y.size(); ++row) {
      const double t = run.recording.time[row];
      ASSERT_NEAR(y[row], std::min(1.0, 0.5 + t / 2 - std::sin(2 * t) / 4), 1e-6) << t;
    }
  }
}

}  // namespace
}  // namespace orrery::tests::coming_to_rest_test
