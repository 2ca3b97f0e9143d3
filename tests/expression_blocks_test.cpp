// SPDX-License-Identifier: Apache-2.0
// OML formulas on signals: the same numbers as blocks and closed forms, with located instants where they are not
// smooth.
#include <gtest/gtest.h>

#include <cmath>

#include "notation.h"
#include "run_model.h"

namespace orrery::tests::expression_blocks_test {
namespace {

ModelRun simulate(const std::string& text, const std::vector<std::string>& context = {}) {
  model::Model model = diagram(text);
  model.root.context = context;
  return run_model(model, {});
}

TEST(ExpressionBlocks, AFormulaOfScalars) {
  const auto run = simulate(R"(
    stop 2
    t: Time
    c: Constant value=3
    e: MathExpression expression='k*sin(u1)+u2^2' inputs=2
    out: Scope
    t:1 -> e:1
    c:1 -> e:2
    e:1 -> out:1)",
                            {"k = 2;"});
  EXPECT_DOUBLE_EQ(last(run, "/out.1"), 2 * std::sin(2.0) + 9);
}

TEST(ExpressionBlocks, NonSmoothFormulasAreLocated) {
  const auto run = simulate(R"(
    stop 100
    rtol 1e-10
    sin: SineWaveGenerator
    e: MathExpression expression='abs(u1)'
    x: Integral
    out: Scope
    sin:1 -> e:1
    e:1 -> x:1
    x:1 -> out:1)");
  EXPECT_EQ(run.report.mode_changes, 31);
  EXPECT_NEAR(last(run, "/out.1"), 63 - std::cos(100 - 31 * M_PI), 1e-9);
}

// Integrals of tables over time: areas by hand. Corners, jumps and steps are located, so they are exact.
TEST(ExpressionBlocks, TablesAtSignals) {
  const auto run = simulate(R"(
    stop 6
    rtol 1e-9
    t: Time
    line: MathExpression expression='interp1([4,0,1],[0,0,3],u1,"extrap")'
    jump: MathExpression expression='interp1([0,2,2,6],[0,2,-1,-1],u1)'
    near: MathExpression expression='interp1([1,2,5],[10,20,50],u1,"nearest","extrap")'
    last: MathExpression expression='interp1([1,2,5],[10,20,50],u1,"previous",7)'
    next: MathExpression expression='interp1([10,20,50],u1,"next","extrap")'
    curve: MathExpression expression='interp1(0:6,(0:6).^3,u1,"spline")'
    all: Mux inputs=6
    x: Integral x0=zeros(6,1)
    out: Scope
    t:1 -> line:1 jump:1 near:1 last:1 next:1 curve:1
    line:1 -> all:1
    jump:1 -> all:2
    near:1 -> all:3
    last:1 -> all:4
    next:1 -> all:5
    curve:1 -> all:6
    all:1 -> x:1
    x:1 -> out:1)");
  const double areas[] = {1.5 + 4.5 - 2, 2 - 4, 15 + 40 + 125, 7 + 10 + 60 + 7, 10 + 20 + 200, 324};
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(last(run, "/out.1[" + std::to_string(k + 1) + "]"), areas[k], 1e-7) << k;
}

TEST(ExpressionBlocks, ATableThatIsLeftEndsTheRun) {
  const auto run = simulate(R"(
    stop 3
    t: Time
    e: MathExpression expression='interp1([0,2],[1,5],u1)'
    x: Integral
    t:1 -> e:1
    e:1 -> x:1)");
  EXPECT_NE(to_text(run.diagnostics).find("assertion-failed"), std::string::npos) << to_text(run.diagnostics);
}

TEST(ExpressionBlocks, ConditionalExpressions) {
  const auto run = simulate(R"(
    stop 3
    t: Time
    a: MathExpression expression='If_exp(u1>1,mod(u1,4),0)'
    b: MathExpression expression='.if(u1>1).then(u1).else(-1).end'
    out: Scope inputs=2
    t:1 -> a:1 b:1
    a:1 -> out:1
    b:1 -> out:2)");
  EXPECT_DOUBLE_EQ(last(run, "/out.1"), 3);
  EXPECT_DOUBLE_EQ(last(run, "/out.2"), 3);
}

TEST(ExpressionBlocks, MatricesPartsAndFunctionsOfTheContext) {
  const auto run = simulate(R"(
    stop 1
    u: Constant value=[1;2;3]
    m: MatrixExpression expression='[A*u1;f(u1(2:end))]'
    out: Scope
    u:1 -> m:1
    m:1 -> out:1)",
                            {"A = [1 0 1; 0 2 0];", "f = @(x) sum(x.^2);"});
  EXPECT_DOUBLE_EQ(last(run, "/out.1[1]"), 4);
  EXPECT_DOUBLE_EQ(last(run, "/out.1[2]"), 4);
  EXPECT_DOUBLE_EQ(last(run, "/out.1[3]"), 13);
}

TEST(ExpressionBlocks, SizesThatWouldDependOnASignalAreAnError) {
  const auto run = simulate(R"(
    t: Time
    m: MatrixExpression expression='1:u1'
    t:1 -> m:1)");
  ASSERT_TRUE(run.diagnostics.has_errors());
  const Diagnostic& d = run.diagnostics.all().front();
  EXPECT_EQ(d.code, "bad-parameter");
  EXPECT_NE(d.message.find("depends on a signal"), std::string::npos) << d.message;
}

// The hormone model of Activate, 1.1.3: the same derivative as its hand-written form.
TEST(ExpressionBlocks, ALongFormulaEqualsItsHandWrittenForm) {
  const auto run = simulate(R"(
    stop 1
    solver rk4
    step 0.125
    x: Integral x0=0.3
    e: MathExpression expression='s*(-u1*(u1-c)*(u1-1)-k/(1+exp(-3*(u1-0.2))))'
    out: Scope
    x:1 -> e:1 out:1
    e:1 -> x:1)",
                            {"s = 2; c = 0.1; k = 0.7;"});
  double x = 0.3;
  const auto f = [](double v) { return 2 * (-v * (v - 0.1) * (v - 1) - 0.7 / (1 + std::exp(-3 * (v - 0.2)))); };
  for (int step = 0; step < 8; ++step) {
    const double h = 0.125, k1 = f(x), k2 = f(x + h / 2 * k1), k3 = f(x + h / 2 * k2), k4 = f(x + h * k3);
    x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  EXPECT_NEAR(last(run, "/out.1"), x, 1e-14);
}

}  // namespace
}  // namespace orrery::tests::expression_blocks_test
