// SPDX-License-Identifier: Apache-2.0
// How diagrams begin: states that are free or at rest, initial equations, starts that constraints do not allow; and
// conditions inside the equations of event tables.
#include "inside.h"
#include "semantics.h"

namespace orrery::tests::start_test {
namespace {

ModelRun begin(const std::string& text, std::vector<model::InitialChoice> initial) {
  model::Model model = diagram(text);
  model.settings.initial = std::move(initial);
  return run_model(model, {});
}

// Two tanks, one behind the other: q = sqrt(h1) = sqrt(h2) at rest.
constexpr const char* tanks = R"(
    stop 5
    q: Constant value=3
    o1: MathExpression expression='sqrt(u1)' inputs=1
    o2: MathExpression expression='2*sqrt(u1)' inputs=1
    d1: Sum signs='+-'
    d2: Sum signs='+-'
    h1: Integral x0=1
    h2: Integral x0=1
    out: Scope inputs=2
    q:1 -> d1:1
    o1:1 -> d1:2 d2:1
    o2:1 -> d2:2
    d1:1 -> h1:1
    d2:1 -> h2:1
    h1:1 -> o1:1 out:1
    h2:1 -> o2:1 out:2)";

TEST(InitialConditions, AllStatesBeginAtRest) {
  const auto run = begin(tanks, {{"/", "rest"}});
  ASSERT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
  for (std::size_t row = 0; row < run.recording.rows(); ++row) {
    EXPECT_NEAR(run.recording.value(row, 0), 9, 1e-8);
    EXPECT_NEAR(run.recording.value(row, 1), 2.25, 1e-8);
  }
  ASSERT_EQ(run.report.start.size(), 2u);  // one tank after the other
  EXPECT_EQ(run.report.start[0].names.at(0), "/h1.x");
}

TEST(InitialConditions, TheLongestPathDecides) {
  const auto run = begin(tanks, {{"/", "rest"}, {"/h1", "given"}});
  ASSERT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
  EXPECT_NEAR(run.recording.value(0, 0), 1, 1e-15);
  EXPECT_NEAR(run.recording.value(0, 1), 0.25, 1e-12);
}

// The state is free, and an equation between signals determines it: x + x^3 = 10 is x = 2.
TEST(InitialConditions, AnEquationDeterminesAFreeState) {
  const auto run = begin(R"(
    stop 1
    i: Integral x0=1
    g: Gain k=-1
    e: MathExpression expression='u1+u1^3-10' inputs=1
    s: InitialEquation
    out: Scope
    i:1 -> g:1 e:1 out:1
    g:1 -> i:1
    e:1 -> s:1)",
                         {{"/i", "free"}});
  ASSERT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
  EXPECT_NEAR(run.recording.value(0, 0), 2, 1e-12);
  EXPECT_NEAR(last(run, "/out.1"), 2 * std::exp(-1), 1e-5);
}

// Through a Constraint block, whose unknown is found together with the state: z^3 = x, z = 2.
TEST(InitialConditions, ReachThroughConstraints) {
  const auto run = begin(R"(
    stop 1
    i: Integral x0=1
    z: Constraint guess=1
    r: MathExpression expression='u1^3-u2' inputs=2
    zero: Constant value=0
    e: MathExpression expression='u1-2' inputs=1
    s: InitialEquation
    out: Scope inputs=2
    zero:1 -> i:1
    i:1 -> r:2 out:1
    z:1 -> r:1 e:1 out:2
    r:1 -> z:1
    e:1 -> s:1)",
                         {{"/i", "free"}});
  ASSERT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
  EXPECT_NEAR(last(run, "/out.1"), 8, 1e-11);
  EXPECT_NEAR(last(run, "/out.2"), 2, 1e-12);
}

TEST(InitialConditions, AnEquationWithoutAFreeStateIsChecked) {
  const auto run = begin(R"(
    stop 1
    i: Integral x0=1
    e: MathExpression expression='u1-2' inputs=1
    s: InitialEquation
    i:1 -> i:1 e:1
    e:1 -> s:1)",
                         {});
  ASSERT_TRUE(has_code(run, "start-contradiction")) << to_text(run.diagnostics);
  EXPECT_NE(to_text(run.diagnostics).find("/s"), std::string::npos);
}

TEST(InitialConditions, MistakesAreNamed) {
  EXPECT_TRUE(has_code(begin(tanks, {{"/q", "rest"}}), "unknown-state"));
  EXPECT_TRUE(has_code(begin(tanks, {{"/h1", "asleep"}}), "bad-setting"));
  // No level of the tank keeps sqrt(h) = -1.
  const auto run = begin(R"(
    stop 1
    o: MathExpression expression='-1-sqrt(u1)' inputs=1
    h: Integral x0=1
    h:1 -> o:1
    o:1 -> h:1)",
                         {{"/h", "rest"}});
  EXPECT_TRUE(has_code(run, "start-not-found")) << to_text(run.diagnostics);
  EXPECT_NE(to_text(run.diagnostics).find("/h.x"), std::string::npos) << to_text(run.diagnostics);
}

// The length of a pendulum from a Constraint block; it begins 0.1 too far out.
TEST(InitialConditions, WhatConstraintsDoNotAllowIsMovedAndTold) {
  const auto run = run_model(diagram(R"(
    stop 0.1
    f: Constraint
    ax: MathExpression expression='-u1*u2' inputs=2
    ay: MathExpression expression='-u1*u2-9.81' inputs=2
    vx: Integral
    vy: Integral
    x: Integral x0=1.1
    y: Integral
    c: MathExpression expression='u1^2+u2^2-1' inputs=2
    out: Scope inputs=2
    f:1 -> ax:1 ay:1
    ax:1 -> vx:1
    ay:1 -> vy:1
    vx:1 -> x:1
    vy:1 -> y:1
    x:1 -> ax:2 c:1 out:1
    y:1 -> ay:2 c:2 out:2
    c:1 -> f:1)"),
                             {});
  ASSERT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
  ASSERT_TRUE(has_code(run, "start-moved")) << to_text(run.diagnostics);
  EXPECT_NE(to_text(run.diagnostics).find("/x.x: from 1.1 to 1"), std::string::npos) << to_text(run.diagnostics);
  EXPECT_NEAR(run.recording.value(0, 0), 1, 1e-6);
}

// tanh(50 (z - 30)) is flat to the last bit where the search begins: z - 20 leads there. Later the formula is the
// actual one to the last bit, though the simple one has no value any more.
TEST(InitialConditions, LoopsAreContinuedFromASimplerProblem) {
  const auto solve = [](const std::string& formula) {
    return run_model(diagram("stop 1\nt: Time\nc: Constraint\ne: MathExpression inputs=2 expression='" + formula +
                             "'\nout: Scope\nc:1 -> e:1 out:1\nt:1 -> e:2\ne:1 -> c:1"),
                     {});
  };
  EXPECT_TRUE(has_code(solve("tanh(50*(u1-30))-0.5"), "loop-not-solved"));
  const auto run = solve("homotopy(tanh(50*(u1-30))-0.5,(u1-20)/(u2<1/2))");
  ASSERT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
  EXPECT_NEAR(last(run, "/out.1"), 30 + std::atanh(0.5) / 50, 1e-12);
}

TEST(InitialConditions, RestIsContinuedFromASimplerProblem) {
  for (const bool helped : {false, true}) {
    const auto run = begin(std::string(R"(
    stop 1
    x: Integral
    e: MathExpression expression=')") +
                               (helped ? "homotopy(0.5-tanh(50*(u1-30)),20-u1)" : "0.5-tanh(50*(u1-30))") + R"('
    out: Scope
    x:1 -> e:1 out:1
    e:1 -> x:1)",
                           {{"/", "rest"}});
    EXPECT_EQ(has_code(run, "start-not-found"), !helped) << to_text(run.diagnostics);
    if (!helped) continue;
    EXPECT_NEAR(last(run, "/out.1"), 30 + std::atanh(0.5) / 50, 1e-12);
  }
}

// Where x = 0 the equation of y has no value: there is no rest, and the message says what is in the way.
TEST(InitialConditions, ARestWithoutAValueIsToldWithWhatItReads) {
  const auto run = begin(R"(
    stop 1
    x: Integral x0=1
    y: Integral x0=1
    m: Gain k=-1
    e: MathExpression expression='u1-1/u2' inputs=2
    x:1 -> m:1 e:2
    m:1 -> x:1
    y:1 -> e:1
    e:1 -> y:1)",
                         {{"/", "rest"}});
  const std::string text = to_text(run.diagnostics);
  EXPECT_NE(text.find("start-not-found"), std::string::npos) << text;
  EXPECT_NE(text.find("no finite value"), std::string::npos) << text;
  EXPECT_NE(text.find("where /x.x = 0"), std::string::npos) << text;
}

// w = n - 2 - 4 max(w, 0) is solved at each tick; its condition belongs to the loop.
constexpr const char* limited = R"(
    stop 6.5
    clk: SampleClock period=1
    n: Counter
    w: MathExpression expression='u2-2-4*max(u1,0)' inputs=2
    out: Scope inputs=2
    n:1 -> w:2 out:2
    w:1 -> w:1 out:1
    clk:1 => n:1)";

TEST(ConditionsInTables, BelongToTheirLoops) {
  Diagnostics diagnostics;
  const auto program = program_of(diagram(limited), {}, diagnostics);
  ASSERT_TRUE(program);
  std::size_t own = 0;
  for (const program::Loop& loop : program->loops) own += loop.source >= 0 ? loop.modes.size() : 0;
  EXPECT_GT(own, 0u);
  const auto run = simulate(limited);
  for (std::size_t row = 0; row < run.recording.rows(); ++row) {
    const double w = run.recording.value(row, 0), n = run.recording.value(row, 1);
    if (std::isnan(w)) continue;
    EXPECT_NEAR(w + 4 * std::max(w, 0.0), n - 2, 1e-12) << n;
  }
  EXPECT_GT(last(run, "/out.1"), 0);
}

// w = 1 where w <= 0 and -1 where w > 0: no value agrees with itself, and the condition is named with its sides.
TEST(ConditionsInTables, ContradictionsAreNamed) {
  const auto run = run_model(diagram(R"(
    stop 2.5
    clk: SampleClock period=1
    n: Counter
    w: MathExpression expression='1-2*(u1>0)+0*u2' inputs=2
    out: Scope
    n:1 -> w:2
    w:1 -> w:1 out:1
    clk:1 => n:1)"),
                             {});
  ASSERT_TRUE(has_code(run, "modes-do-not-settle")) << to_text(run.diagnostics);
  EXPECT_NE(to_text(run.diagnostics).find("apart the other way"), std::string::npos) << to_text(run.diagnostics);
}

}  // namespace
}  // namespace orrery::tests::start_test
