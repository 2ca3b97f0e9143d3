// SPDX-License-Identifier: Apache-2.0
// Corners and jumps of formulas in continuous time: located wherever they are written, against closed forms.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>

#include "inside.h"
#include "notation.h"

namespace orrery::tests::corners_test {
namespace {

ModelRun simulate(const std::string& text, const std::vector<std::string>& context = {}) {
  model::Model model = diagram(text);
  model.root.context = context;
  return run_model(model, {});
}

// The integral of a formula of time from 0 to `stop`.
double integral_of(const std::string& block, const std::string& stop, const std::string& more = "",
                   const std::vector<std::string>& context = {}) {
  const auto run = simulate("stop " + stop + "\nrtol 1e-8\nt: Time\nf: " + block +
                                "\nx: Integral\nout: Scope\nt:1 -> f:1\nf:1 -> x:1\nx:1 -> out:1\n" + more,
                            context);
  EXPECT_EQ(run.report.state, api::RunState::reached_stop) << to_text(run.diagnostics) << block;
  return last(run, "/out.1");
}

struct CornerCase {
  const char* formula;  // of u1
  double integral;      // from 0 to 10.25
};

const std::vector<CornerCase> cases = {
    {"mod(u1,1)", 5 + 0.25 * 0.25 / 2},
    {"mod(-u1,2)", 10 + 0.25 * (2 - 0.125)},
    {"rem(u1-5,2)", -5 + 5 + 0.25 * 1.125},
    {"floor(u1)", 45 + 2.5},
    {"ceil(u1)", 55 + 0.25 * 11},
    {"round(u1)", 50 + 2.5},
    {"fix(u1-5.5)", -(0.5 * 5 + 4 + 3 + 2 + 1) + (1 + 2 + 3 + 0.75 * 4)},
    {"sign(u1-4)", 2.25},
    {"abs(u1-4)", 8 + 6.25 * 6.25 / 2},
    {"max(u1,4)", 16 + (10.25 * 10.25 - 16) / 2},
    {"min(u1,4)", 8 + 6.25 * 4},
    {"(u1>=4)*2", 12.5},
    {"(u1<4)*2+(u1~=3)", 8 + 10.25},
    {"If_exp(u1>4,u1,-1)", -4 + (10.25 * 10.25 - 16) / 2},
    {"double(int8(u1-5.5))", -15 + 10 + 0.25 * 5},
    {"abs(floor(u1)-4.5)", 12.5 + 12.5 + 0.25 * 5.5},
};

TEST(Corners, OfFormulasAreLocated) {
  for (const CornerCase& c : cases) {
    for (const char* block : {"MathExpression", "MatrixExpression"}) {
      const double value = integral_of(std::string(block) + " expression='" + c.formula + "'", "10.25");
      EXPECT_NEAR(value, c.integral, 1e-7) << block << ": " << c.formula;
    }
  }
}

TEST(Corners, ALongSawtoothHasItsArea) {
  EXPECT_NEAR(integral_of("MathExpression expression='mod(u1,1)'", "1000"), 500, 1e-6);
}

TEST(Corners, OfBlocksAreLocated) {
  const auto math = [](const std::string& function, const std::string& more = "") {
    return integral_of("MathFunc function='" + function + "'", "10.25", more);
  };
  EXPECT_NEAR(math("floor"), 47.5, 1e-7);
  EXPECT_NEAR(math("ceil"), 57.75, 1e-7);
  EXPECT_NEAR(math("round"), 52.5, 1e-7);
  EXPECT_NEAR(math("trunc"), 47.5, 1e-7);
  EXPECT_NEAR(math("mod", "c: Constant value=2\nc:1 -> f:2\n"), 10 + 0.25 * 0.125, 1e-7);
  EXPECT_NEAR(math("rem", "c: Constant value=2\nc:1 -> f:2\n"), 10 + 0.25 * 0.125, 1e-7);
  EXPECT_NEAR(integral_of("Saturation upper=4", "10.25"), 8 + 25, 1e-7);
}

// A conversion to integers and back.
TEST(Corners, OfConversionsAreLocated) {
  const auto run = simulate(R"(
    stop 10.25
    rtol 1e-8
    t: Time
    n: DataTypeConversion type='int8'
    u: DataTypeConversion type='uint8'
    b: DataTypeConversion type='boolean'
    dn: DataTypeConversion
    du: DataTypeConversion
    db: DataTypeConversion
    shift: Bias bias=-5.5
    m: Mux inputs=3
    x: Integral x0=[0;0;0]
    out: Scope
    t:1 -> shift:1
    shift:1 -> n:1 u:1
    t:1 -> b:1
    n:1 -> dn:1
    u:1 -> du:1
    b:1 -> db:1
    dn:1 -> m:1
    du:1 -> m:2
    db:1 -> m:3
    m:1 -> x:1
    x:1 -> out:1)");
  EXPECT_NEAR(last(run, "/out.1[1]"), -(0.5 * 5 + 4 + 3 + 2 + 1) + (1 + 2 + 3 + 0.75 * 4), 1e-7);
  EXPECT_NEAR(last(run, "/out.1[2]"), 1 + 2 + 3 + 0.75 * 4, 1e-7);
  EXPECT_NEAR(last(run, "/out.1[3]"), 10.25, 1e-7);
}

TEST(Corners, OfPCustomBlocksAreLocated) {
  const double value = integral_of("PCustomBlock code=F", "10.25", "",
                                   {"function block=F(block,flag)", "  if flag==1",
                                    "    block.io{2}=mod(block.io{1},1)+floor(block.io{1});", "  end", "end"});
  EXPECT_NEAR(value, 10.25 * 10.25 / 2, 1e-7);
}

// Cut by its limits at 1 after one second, back below them when the input has been negative long enough.
TEST(Corners, OfALimitedIntegralAreLocated) {
  const auto run = simulate(R"(
    stop 10
    rtol 1e-8
    sin: SineWaveGenerator
    x: Integral upper=1
    y: Integral
    out: Scope
    sin:1 -> x:1
    x:1 -> y:1
    y:1 -> out:1)");
  // x = 1 - cos t up to pi/2, 1 up to pi, where the sine changes its sign, then 1 + (-1 - cos t) = -cos t up to 2 pi +
  // ... at 2 pi it is -1 and rises as -1 + (1 - cos t): 1 would be reached at t = 3 pi only, where the sine is zero.
  const double pi = M_PI;
  const double rise = pi / 2 - 1;
  const double flat = pi / 2;
  const auto after = [&](double t) { return -(std::sin(t) - std::sin(pi)); };  // of -cos from pi to t
  EXPECT_NEAR(last(run, "/out.1"), rise + flat + after(10), 2e-8);
}

TEST(Corners, InSurfacesAndConditionsAreLocated) {
  const auto run = simulate(R"(
    stop 5
    rtol 1e-8
    t: Time
    f: MathExpression expression='floor(u1)-2.5'
    if: IfThenElse
    on: SampleClock period=0
    g: Gain k=1
    x: Integral
    z: ZeroCross
    count: Counter
    out: Scope inputs=2
    t:1 -> f:1 g:1
    f:1 -> if:1 z:1
    on:1 => if:1
    if:1 => g:1
    g:1 -> x:1
    z:1 => count:1
    x:1 -> out:1
    count:1 -> out:2)");
  EXPECT_NEAR(last(run, "/out.1"), 8, 1e-7) << to_text(run.diagnostics);  // of t from 3 to 5
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// y = f(t - y), shown and nothing else.
double loop_through(const std::string& block, const std::string& links = "s:1 -> f:1") {
  double value = 0;
  const double seconds = seconds_of([&] {
    const auto run = simulate("start 2\nstop 5\nt: Time\ns: Sum signs='+-'\nf: " + block +
                              "\nout: Scope\nt:1 -> s:1\n" + links + "\nf:1 -> s:2\nf:1 -> out:1\n");
    EXPECT_TRUE(run.compiled) << to_text(run.diagnostics);
    value = last(run, "/out.1");
  });
  EXPECT_LT(seconds, 5) << block;
  return value;
}

TEST(Corners, LoopsThroughThemThatAreOnlyShownCompileAtOnce) {
  EXPECT_NEAR(loop_through("Abs"), 2.5, 1e-12);
  EXPECT_NEAR(loop_through("Saturation"), 1, 1e-12);
  EXPECT_NEAR(loop_through("Deadzone"), 2, 1e-12);
  EXPECT_NEAR(loop_through("Sign"), 1, 1e-12);
  EXPECT_NEAR(loop_through("MaxMin function='min'", "c: Constant value=2\ns:1 -> f:1\nc:1 -> f:2"), 2, 1e-12);
  EXPECT_NEAR(loop_through("Switch2 threshold=1", "c: Constant value=0\ns:1 -> f:1\ns:1 -> f:2\nc:1 -> f:3"), 2.5,
              1e-12);
}

// A signal that is only shown has both sides of its jumps in the results, and the steps are what they are without.
TEST(Modes, ThatAreOnlyShownAreLocatedAndLeaveTheStepsAlone) {
  const std::string rest = R"(
    stop 10
    t: Time
    sin: SineWaveGenerator
    x: Integral
    out: Scope
    sin:1 -> x:1
    x:1 -> out:1
)";
  const auto without = simulate(rest);
  const auto with =
      simulate(rest + "    f: MathExpression expression='floor(u1/3)'\n    jump: Scope\n    t:1 -> f:1\n" +
               "    f:1 -> jump:1\n");
  EXPECT_EQ(with.report.steps, without.report.steps);
  EXPECT_EQ(last(with, "/out.1"), last(without, "/out.1"));
  EXPECT_EQ(last(with, "/jump.1"), 3);
}

TEST(Modes, OfWhatOnlyEventsChangeDoNotExist) {
  Diagnostics diagnostics;
  const auto program = program_of(diagram(R"(
    stop 10
    sin: SineWaveGenerator
    clock: SampleClock period=0.5
    hold: SampleHold
    abs: Abs @always
    f: MathExpression expression='mod(u1,0.3)+floor(u1)' @always
    x: Integral x0=[0;0]
    m: Mux inputs=2
    out: Scope
    sin:1 -> hold:1
    clock:1 => hold:1
    hold:1 -> abs:1 f:1
    abs:1 -> m:1
    f:1 -> m:2
    m:1 -> x:1
    x:1 -> out:1)"),
                                  {}, diagnostics);
  ASSERT_TRUE(program) << to_text(diagnostics);
  EXPECT_TRUE(program->surfaces.empty());
}

// What is not activated at the start is not computed there, nor is what inherits from it.
TEST(Inheritance, KeepsTheGuardOfTheStart) {
  const auto run = simulate(R"(
    stop 1
    c: Constant value=2
    if: IfThenElse
    n: Counter from=5
    z: DiscreteDelay z0=1
    g: Gain k=3
    sum: Sum
    t: Time
    out: Scope inputs=2
    c:1 -> if:1
    if:2 => n:1
    n:1 -> z:1
    z:1 -> g:1
    t:1 -> sum:1
    g:1 -> sum:2
    z:1 -> out:1
    sum:1 -> out:2)");
  EXPECT_EQ(last(run, "/out.1"), 0) << to_text(run.diagnostics);
  EXPECT_EQ(last(run, "/out.2"), 1);
}

// One rule for integers, in blocks as in formulas.
TEST(Integers, SaturateInBlocksAsInFormulas) {
  const auto run = simulate(R"(
    stop 1
    t: Time
    c: Constant value=int8(100)
    g: Gain k=2
    s: Sum
    n: Gain k=-2
    out: Scope inputs=3
    c:1 -> g:1 n:1
    c:1 -> s:1 s:2
    g:1 -> out:1
    s:1 -> out:2
    n:1 -> out:3)");
  EXPECT_EQ(last(run, "/out.1"), 127) << to_text(run.diagnostics);
  EXPECT_EQ(last(run, "/out.2"), 127);
  EXPECT_EQ(last(run, "/out.3"), -128);
}

// Operators are operations, and so are the sums and products of many: in blocks, formulas and scripts alike.
TEST(Integers, OneOperationIsFittedOnce) {
  const auto run = simulate(R"(
    stop 1
    c: Constant value=int8(100)
    d: Constant value=int8(-100)
    two: Constant value=int8(2)
    v: Constant value=int8([100,100,-100])
    w: Constant value=int8([100,3,-100;1,2,3])
    s: Sum signs='++-'
    m: Sum signs='--+'
    e: Sum signs=1
    p: Product signs='**/'
    q: Product signs='*//'
    o: Product signs=1
    cd: Constant value=100
    vd: Constant value=[100,100,-100]
    wd: Constant value=[100,3,-100;1,2,3]
    f: MatrixExpression expression='double(int8(u1)+int8(u1)-int8(u1))'
    g: MatrixExpression expression='double(sum(int8(u1)))'
    h: MatrixExpression expression='double(prod(int8(u1)))'
    a: MatrixExpression expression='double(mean(int8(u1)))'
    r: SumElements along='rows'
    out: Scope inputs=11
    c:1 -> s:1 s:2 s:3 m:1 m:2 p:1 q:1
    cd:1 -> f:1
    vd:1 -> g:1 a:1
    wd:1 -> h:1
    d:1 -> m:3
    two:1 -> p:2 p:3 q:2 q:3
    v:1 -> e:1
    w:1 -> r:1 o:1
    s:1 -> out:1
    m:1 -> out:2
    e:1 -> out:3
    p:1 -> out:4
    q:1 -> out:5
    o:1 -> out:6
    f:1 -> out:7
    g:1 -> out:8
    a:1 -> out:9
    r:1 -> out:10
    h:1 -> out:11)");
  const double expected[] = {100, -128, 100, 100, 25, -128, 27, 100, 100.0 / 3};
  for (int k = 0; k < 9; ++k) {
    EXPECT_EQ(last(run, "/out." + std::to_string(k + 1)), expected[k]) << k + 1 << to_text(run.diagnostics);
  }
  EXPECT_EQ(last(run, "/out.10[1]"), 3) << to_text(run.diagnostics);
  EXPECT_EQ(last(run, "/out.10[2]"), 6);
  const double products[] = {100, 6, -128};  // along columns
  for (int k = 0; k < 3; ++k) EXPECT_EQ(last(run, "/out.11[" + std::to_string(k + 1) + "]"), products[k]) << k;
}

}  // namespace
}  // namespace orrery::tests::corners_test
