// SPDX-License-Identifier: Apache-2.0
// Jumps of automata within an instant, jumps of continuous signals that ticks read, and formulas that only a corner
// keeps from having no value. Everything against closed forms.
#include "hybrid_runs.h"

namespace orrery::tests::instant_values_test {
namespace {

class InstantValues : public WithEverySolver {};

INSTANTIATE_TEST_SUITE_P(Solvers, InstantValues, testing::ValuesIn(variable_step_solvers()), name_of_solver);

// An automaton with one state and two modes: the derivative, the value on entry and the jump function of each.
std::string automaton(const std::string& one, const std::string& two, const std::string& others) {
  return fmt::format(R"(
    a: Automaton modes=2 x0=0 jumps=[2;1]
    m: MatrixExpression expression='[u1(2)-{}]'
    n: MatrixExpression expression='[u1(2)-{}]'
    mode: Scope
    x: Scope
    a:2 -> m:1 n:1 x:1
    a:1 -> mode:1
    m:1 -> a:1
    n:1 -> a:2
    {})",
                     one, two, others);
}

TEST_P(InstantValues, GuardsThatLeadToEachOtherAreACycle) {
  const char* cycles[][2] = {
      {"1;u1(1);u1(1)-1", "1;u1(1);u1(1)-1"},     // both true from 1 on
      {"1;u1(1);u1(1)-1", "(-1);u1(1);1-u1(1)"},  // each drives to the other
      {"1;u1(1);u1(1)-1", "(-1);2;u1(1)-1.5"},    // true on entry, and again
      {"1;u1(1);u1(1)+1", "1;u1(1);u1(1)+1"},     // from the start
  };
  for (const auto& [one, two] : cycles) {
    const auto run = run_hybrid(settings("stop 3") + automaton(one, two, ""));
    EXPECT_TRUE(has_code(run, "jump-cycle")) << one << " and " << two << to_text(run.diagnostics);
    EXPECT_LE(run.report.time, 1 + 1e-6);
  }
}

TEST_P(InstantValues, PositiveJumpFunctionsAreFollowedAtOnce) {
  struct Case {
    const char *what, *one, *two;
    std::vector<double> jumps;
    double x;  // at t = 2.5
  };
  const Case cases[] = {
      {"a triangle", "1;u1(1);u1(1)-1", "(-1);u1(1);0.5-u1(1)", {1, 1.5, 2, 2.5}, 0.5},
      {"positive at the start", "1;u1(1);u1(1)+1", "(-1);u1(1);-1", {0}, -2.5},
      {"positive on entry", "1;0;u1(1)-1", "(-1);u1(1);u1(1)-0.5", {1, 1, 2, 2}, 0.5},
      {"a reset onto zero, then falling", "1;1;u1(1)-1", "(-1);1;u1(1)-1", {1}, -0.5},
      {"a reset onto zero, then rising", "1;0;u1(1)-1", "1;1;u1(1)-1", {1, 1, 2, 2}, 0.5},
  };
  for (const Case& c : cases) {
    const auto run = run_hybrid(settings("stop 2.5") + automaton(c.one, c.two, ""));
    EXPECT_FALSE(run.diagnostics.has_errors()) << c.what << to_text(run.diagnostics);
    EXPECT_EQ(compare_times(run.crossings("a"), c.jumps, 1e-7), "") << c.what;
    EXPECT_NEAR(last(run, "/x.1[1]"), c.x, 1e-6) << c.what;
  }
}

TEST_P(InstantValues, AJumpFunctionThatTouchesZeroIsNotPositive) {
  const auto run = run_hybrid(settings("stop 3") + R"(
    a: Automaton modes=2 x0=0 jumps=[2;1]
    t: Time
    m: MatrixExpression inputs=2 expression='[u1(2)-1;u1(1);-(u2-1)^2]'
    n: MatrixExpression expression='[u1(2);u1(1);-1]'
    a:2 -> m:1 n:1
    t:1 -> m:2
    m:1 -> a:1
    n:1 -> a:2)");
  EXPECT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
  EXPECT_TRUE(run.crossings("a").empty());
}

TEST_P(InstantValues, OfTwoPositiveJumpFunctionsTheFirstCounts) {
  const auto run = run_hybrid(settings("stop 2") + R"(
    a: Automaton modes=3 x0=0 jumps=[2,3;0,0;0,0]
    m: MatrixExpression expression='[u1(2)-1;u1(1);u1(1)-1;u1(1)-1]'
    n: MatrixExpression expression='[u1(2);5]'
    o: MatrixExpression expression='[u1(2);7]'
    x: Scope
    a:2 -> m:1 n:1 o:1 x:1
    m:1 -> a:1
    n:1 -> a:2
    o:1 -> a:3)");
  EXPECT_EQ(last(run, "/x.1[1]"), 5) << to_text(run.diagnostics);
}

// A state x0 + rate t, a formula of it, and what a clock of one second sees of the formula.
struct Sample {
  const char *formula, *x0, *rate;
  std::vector<double> values;  // at 1, 2, …
};

const Sample samples[] = {
    {"floor(u1)", "0", "1", {1, 2, 3, 4}},
    {"floor(u1)", "4", "-1", {2, 1, 0, -1}},
    {"ceil(u1)", "0", "1", {2, 3, 4, 5}},
    {"round(u1)", "0.5", "1", {2, 3, 4, 5}},
    {"fix(u1)", "-2", "1", {0, 0, 1, 2}},
    {"mod(u1,1)", "0", "1", {0, 0, 0, 0}},
    {"rem(u1,1)", "0", "1", {0, 0, 0, 0}},
    {"sign(u1-2)", "0", "1", {-1, 1, 1, 1}},
    {"(u1>=2)*1", "0", "1", {0, 1, 1, 1}},
    {"(u1>2)*1", "0", "1", {0, 1, 1, 1}},
    {"(u1<=2)*1", "0", "1", {1, 0, 0, 0}},
    {"floor(u1)", "1000-1e-6", "1e-6", {1000, 1000, 1000, 1000}},
    {"sqrt(max(u1-2,0))", "0", "1", {0, 0, 1, std::sqrt(2.0)}},
};

void expect_samples(const std::string& settings, const Sample& sample) {
  for (const char* reader : {"", "d: Integral\nf:1 -> d:1\n"}) {  // nothing continuous reads it, or something does
    const auto run = run_hybrid(settings + fmt::format(R"(
      r: Constant value={}
      x: Integral x0={}
      f: MathExpression expression='{}'
      k: SampleClock period=1 offset=1
      o: Scope
      r:1 -> x:1
      x:1 -> f:1
      f:1 -> o:1
      k:1 => o:1
      {})",
                                                       sample.rate, sample.x0, sample.formula, reader));
    std::vector<double> seen(sample.values.size(), NAN);  // the last row of each instant counts
    const std::vector<double> shown = column_of(run, "/o.1");
    for (std::size_t r = 0; r < shown.size(); ++r) {
      const double at = std::round(run.recording.time[r]);
      if (at >= 1 && at <= static_cast<double>(seen.size())) seen[static_cast<std::size_t>(at) - 1] = shown[r];
    }
    for (std::size_t k = 0; k < seen.size(); ++k) {
      EXPECT_NEAR(seen[k], sample.values[k], 1e-6)
          << sample.formula << " at " << k + 1 << " " << reader << to_text(run.diagnostics);
    }
  }
}

TEST_P(InstantValues, TicksReadJumpsAsTheyAreJustAfterTheInstant) {
  for (const Sample& sample : samples) expect_samples(settings("stop 4"), sample);
}

TEST(FixedStepInstantValues, TicksReadJumpsAsTheyAreJustAfterTheInstant) {
  for (const char* solver : {"euler", "rk4", "rk5"}) {
    for (const Sample& sample : samples) expect_samples(fmt::format("solver {}\nstep 0.1\nstop 4\n", solver), sample);
  }
}

// h' = q - sqrt(max(h, 0)).
double tank(const std::string& settings, double q, double h0, Diagnostics& diagnostics) {
  const auto run = run_hybrid(settings + fmt::format(R"(
    q: Constant value={}
    f: MathExpression expression='sqrt(max(u1,0))'
    s: Sum signs='+-'
    h: Integral x0={}
    o: Scope
    q:1 -> s:1
    f:1 -> s:2
    s:1 -> h:1
    h:1 -> f:1 o:1)",
                                                     q, h0));
  diagnostics = run.diagnostics;
  return last(run, "/o.1");
}

TEST_P(InstantValues, ATankEmptiesAndFills) {
  Diagnostics diagnostics;
  // sqrt(h) falls by 1/2 a second.
  EXPECT_NEAR(tank(settings("stop 1.5"), 0, 1, diagnostics), 0.0625, 1e-6) << to_text(diagnostics);
  EXPECT_NEAR(tank(settings("stop 5"), 0, 1, diagnostics), 0, 1e-6) << to_text(diagnostics);
  EXPECT_NEAR(tank(settings("stop 40"), 0.5, 0, diagnostics), 0.25, 1e-6) << to_text(diagnostics);
  EXPECT_NEAR(tank(settings("stop 40"), 0.5, -1, diagnostics), 0.25, 1e-6) << to_text(diagnostics);
  // Empty after 2 - log(3), from s' = -(0.5 + s) / (2 s) for s = sqrt(h).
  EXPECT_NEAR(tank(settings("stop 6"), -0.5, 1, diagnostics), -0.5 * (6 - (2 - std::log(3.0))), 1e-6)
      << to_text(diagnostics);
}

// The integral of a formula of x0 + rate t over three seconds.
TEST_P(InstantValues, ProtectedFormulasHaveTheirIntegrals) {
  const double cut = std::log(1e-3);
  struct Case {
    const char *formula, *x0, *rate;
    double integral;
  };
  const Case cases[] = {
      {"sqrt(max(u1,0))", "1", "-1", 2.0 / 3},
      {"sqrt(max(u1,0))", "-1", "1", 2.0 / 3 * std::pow(2, 1.5)},
      {"max(u1,0)^0.5", "1", "-1", 2.0 / 3},
      {"max(u1,0)^1.5", "-1", "1", 0.4 * std::pow(2, 2.5)},
      {"log(max(u1,1e-3))", "1", "-1", -1 + 1e-3 - 1e-3 * cut + 2.001 * cut},
      {"1/max(u1,0.01)", "1", "-1", std::log(100.0) + 201},
      {"sqrt(abs(u1))", "1", "-1", 2.0 / 3 * (1 + std::pow(2, 1.5))},
      {"sign(u1)*sqrt(abs(u1))", "1", "-1", 2.0 / 3 * (1 - std::pow(2, 1.5))},
  };
  for (const Case& c : cases) {
    const auto run = run_hybrid(settings("stop 3") + fmt::format(R"(
      r: Constant value={}
      x: Integral x0={}
      f: MathExpression expression='{}'
      y: Integral
      o: Scope
      r:1 -> x:1
      x:1 -> f:1
      f:1 -> y:1
      y:1 -> o:1)",
                                                                 c.rate, c.x0, c.formula));
    EXPECT_NEAR(last(run, "/o.1"), c.integral, 1e-5) << c.formula << to_text(run.diagnostics);
  }
}

// Two tanks come to the same level in finite time and stay there; one that a wave fills and empties.
TEST_P(InstantValues, OrificesLetLevelsMeet) {
  const auto run = run_hybrid(settings("stop 3") + R"(
    f: MathExpression inputs=2 expression='sign(u1-u2)*sqrt(abs(u1-u2))'
    n: Gain k=-1
    a: Integral x0=1
    b: Integral x0=0
    o: Scope
    a:1 -> f:1 o:1
    b:1 -> f:2
    f:1 -> n:1 b:1
    n:1 -> a:1)");
  EXPECT_NEAR(last(run, "/o.1"), 0.5, 1e-5) << to_text(run.diagnostics);
}

// An automaton whose state is put on zero, and leaves the mode in which it would fall at once for one in which it
// rises: whichever crossings are wanted, there is one at most in an instant, and none upwards after that downwards.
TEST_P(InstantValues, WhatJumpsToZeroIsAtZero) {
  for (const char* direction : {"up", "down", "both"}) {
    const auto run = run_hybrid(settings("stop 0.9") + fmt::format(R"(
      a: Automaton modes=2 x0=0 jumps=[2;1]
      rises: MatrixExpression expression='[u1(2)-1;u1(1);u1(1)-0.25]'
      falls: MatrixExpression expression='[u1(2)+1;0*u1(1);0.125-u1(1)]'
      x: MatrixExpression expression='u1(1)'
      z: ZeroCross direction='{}'
      n: Counter
      a:2 -> rises:1 falls:1 x:1
      rises:1 -> a:1
      falls:1 -> a:2
      x:1 -> z:1
      z:1 => n:1)",
                                                                   direction));
    EXPECT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
    const bool falling = std::string(direction) != "up";
    const std::vector<double> expected = falling ? std::vector<double>{0.25, 0.5, 0.75} : std::vector<double>{};
    EXPECT_EQ(compare_times(run.fired("z"), expected, 1e-9), "") << direction;
  }
}

}  // namespace
}  // namespace orrery::tests::instant_values_test
