// SPDX-License-Identifier: Apache-2.0
// Linear models against closed forms and complex steps: whole models, super blocks, opened loops, refusals.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <complex>
#include <fstream>
#include <functional>
#include <random>

#include "api/linearise.h"
#include "api/oml_evaluator.h"
#include "base/folders_for_tests.h"
#include "command_line.h"
#include "notation.h"

namespace orrery::tests::linear {
namespace {

api::LinearisedModel linearised(model::Model model, const api::LinearisationRequest& request = {}) {
  Diagnostics diagnostics;
  auto result = api::linearise(std::move(model), request, std::make_shared<api::OmlEvaluator>(), diagnostics);
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == Severity::error) ADD_FAILURE() << to_text(d);
  return result.value_or(api::LinearisedModel{});
}

std::string first_code(model::Model model, const api::LinearisationRequest& request = {}) {
  Diagnostics diagnostics;
  (void)api::linearise(std::move(model), request, std::make_shared<api::OmlEvaluator>(), diagnostics);
  return diagnostics.all().empty() ? "" : diagnostics.all()[0].code;
}

// z'' and theta'' of the pendulum on a ramp come from two coupled equations (an algebraic loop); order z, v, theta,
// omega.
model::Model pendulum() {
  return diagram(R"(
u: Input port=1
z: Integral
v: Integral
th: Integral
om: Integral
acc: MathExpression inputs=4 expression='(u3-0.35*(u1*cos(u2)-u4^2*sin(u2)))/5'
ang: MathExpression inputs=2 expression='(0.5*0.7*9.8*sin(u2)-0.35*u1*cos(u2))/(0.49/3)'
Z: Output port=1
T: Output port=2
v:1 -> z:1
acc:1 -> v:1 ang:1
om:1 -> th:1 acc:4
ang:1 -> om:1 acc:1
th:1 -> acc:2 ang:2 T:1
u:1 -> acc:3
z:1 -> Z:1
)");
}

TEST(Linearisation, OfAPendulumThroughItsLoopIsExact) {
  const api::LinearisedModel m = linearised(pendulum());
  ASSERT_EQ(m.states, (std::vector<std::string>{"/z.x", "/v.x", "/th.x", "/om.x"}));
  EXPECT_TRUE(m.exact);
  const double a[4][4] = {{0, 1, 0, 0}, {0, 0, -147.0 / 85, 0}, {0, 0, 0, 1}, {0, 0, 420.0 / 17, 0}};
  const double b[4] = {0, 4.0 / 17, 0, -60.0 / 119};
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 4; ++c) EXPECT_NEAR(m.a(r, c), a[r][c], 1e-12) << r << ' ' << c;
    EXPECT_NEAR(m.b(r, 0), b[r], 1e-13);
  }
  EXPECT_EQ(m.c(0, 0), 1);
  EXPECT_EQ(m.c(1, 2), 1);
  EXPECT_EQ(m.d(0, 0), 0);
}

// x' = -x^3 + 2 u, y = x + u, driven by u = -3 y + r: the static loop around the super block.
model::Model plant_in_a_loop() {
  model::Model model = diagram(R"(
stop 20
r: Constant value=4
sum: Sum signs='+-'
k: Gain k=3
r:1 -> sum:1
sum:1 -> P:1
P:1 -> k:1
k:1 -> sum:2
P: Gain
)");
  model::Model inner = diagram(R"(
in: Input port=1
x: Integral x0=0.5
f: MathExpression inputs=2 expression='-u1^3+2*u2'
y: Sum signs='++'
out: Output port=1
in:1 -> f:2 y:2
x:1 -> f:1 y:1
f:1 -> x:1
y:1 -> out:1
)");
  model::BlockInstance& block = model.root.blocks.back();
  block.type = "SuperBlock";
  block.diagram = std::make_unique<model::Diagram>(std::move(inner.root));
  return model;
}

TEST(Linearisation, OfASuperBlockLeavesOutWhatIsAroundIt) {
  api::LinearisationRequest request;
  request.block = "/P";
  const api::LinearisedModel m = linearised(plant_in_a_loop(), request);
  ASSERT_EQ(m.states.size(), 1u);
  EXPECT_NEAR(m.a(0, 0), -3 * 0.25, 1e-13);
  EXPECT_NEAR(m.b(0, 0), 2, 1e-13);
  EXPECT_NEAR(m.c(0, 0), 1, 1e-13);
  EXPECT_NEAR(m.d(0, 0), 1, 1e-13);
  EXPECT_NEAR(m.input_values[0], (4 - 3 * 0.5) / 4, 1e-12);  // u = 4 - 3 (x + u)
  // At rest, u = (4 - 3 x)/4 and x^3 = 2 u.
  request.at = 20;
  double x = 1;
  for (int k = 0; k < 50; ++k) x -= (x * x * x - 2 + 1.5 * x) / (3 * x * x + 1.5);
  EXPECT_NEAR(linearised(plant_in_a_loop(), request).a(0, 0), -3 * x * x, 1e-5);
}

class LinearisationCommandLine : public CommandLine {};

TEST_F(LinearisationCommandLine, InScripts) {
  const std::string file = write("loop.orr", model::write(plant_in_a_loop()));
  const Outcome outcome = orrery({"oml", "-e",
                                  "[A, B, C, D, states] = vssLinearizeSuperBlock('" + file +
                                      "', 'P', 1, 1, 0); printf('%g ', A, B, C, D); disp(states{1});"});
  EXPECT_EQ(outcome.out, "-0.75 2 1 1 \n/P/x.x\n") << outcome.err;
}

TEST(Linearisation, APointOpensTheLoop) {
  const auto model = [] {
    return diagram(R"(
p: LinearisationPoint
x: Integral x0=2
k: Gain k=-5
f: MathExpression inputs=1 expression='u1^2'
p:1 -> x:1
x:1 -> f:1
f:1 -> k:1
k:1 -> p:1
)");
  };
  api::LinearisationRequest request;
  request.inputs = {"p"};
  request.outputs = {"/k", "/x"};
  const api::LinearisedModel open = linearised(model(), request);
  EXPECT_EQ(open.a(0, 0), 0);
  EXPECT_EQ(open.b(0, 0), 1);
  EXPECT_EQ(open.c(0, 0), -20);
  EXPECT_EQ(open.c(1, 0), 1);
  EXPECT_EQ(open.input_values[0], -20);
  request.inputs.clear();
  EXPECT_EQ(linearised(model(), request).a(0, 0), -20);  // closed
}

TEST(Linearisation, RefusesWhatItWouldLose) {
  const char* sampled = R"(
c: SampleClock period=0.1
u: Input port=1
s: SampleHold
x: Integral
y: Output port=1
u:1 -> s:1
s:1 -> x:1
x:1 -> y:1
c:1 => s:1
)";
  // A second clock of its own: no period in common.
  const std::string two_clocks = std::string(sampled) + R"(
d: EventClock period=0.07
s2: SampleHold
x2: Integral
x:1 -> s2:1
s2:1 -> x2:1
d:1 => s2:1
)";
  EXPECT_EQ(first_code(diagram(two_clocks)), "discrete-part");
  // The time of the event follows from the state.
  EXPECT_EQ(first_code(diagram(R"(
u: Input port=1
x: Integral
z: ZeroCross
b: Bias bias=-1
s: SampleHold
i: Integral
y: Output port=1
u:1 -> x:1
x:1 -> b:1 s:1
b:1 -> z:1
z:1 => s:1
s:1 -> i:1
i:1 -> y:1
)")),
            "discrete-part");
  api::LinearisationRequest hold;
  hold.hold = true;
  EXPECT_EQ(linearised(diagram(sampled), hold).b(0, 0), 0);
  api::LinearisationRequest request;
  request.block = "/Plant";
  EXPECT_EQ(first_code(diagram(sampled), request), "no-such-block");
  request = {};
  request.inputs = {"v"};
  EXPECT_EQ(first_code(pendulum(), request), "no-such-input");
  request.inputs = {};
  request.outputs = {"nothing"};
  EXPECT_EQ(first_code(pendulum(), request), "no-such-output");
  request = {};
  request.block = "P";
  request.inputs = {"2"};
  EXPECT_EQ(first_code(plant_in_a_loop(), request), "no-such-port");
  request = {};
  request.at = -1;
  EXPECT_EQ(first_code(pendulum(), request), "not-linearisable");
}

// The integrator outside reaches into the super block by a signal tag, not by a port.
TEST(Linearisation, WarnsOfStatesOutside) {
  model::Model model = diagram(R"(
w: Integral x0=1
s: SetSignal tag='w'
w:1 -> s:1
P:1 -> w:1
P: Gain
)");
  model::Model inner = diagram(R"(
g: GetSignal tag='w'
x: Integral
out: Output port=1
g:1 -> x:1
x:1 -> out:1
)");
  model::BlockInstance& block = model.root.blocks.back();
  block.type = "SuperBlock";
  block.diagram = std::make_unique<model::Diagram>(std::move(inner.root));
  api::LinearisationRequest request;
  request.block = "P";
  EXPECT_EQ(first_code(std::move(model), request), "linearised-outside");
}

TEST(Linearisation, SaysWhenThePointIsACorner) {
  EXPECT_EQ(first_code(diagram(R"(
x: Integral
a: Abs
x:1 -> a:1
a:1 -> x:1
)")),
            "linearised-at-corner");
}

// Random formulas of three states and an input, as text for the model and as a function of complex numbers for the
// judge: the imaginary part of f(x + ih)/h is the derivative to the last digits.
struct Formula {
  using Complex = std::complex<double>;
  std::string text;
  std::function<Complex(const Complex*)> value;
};

Formula random_formula(std::mt19937& random, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  if (depth == 0) {
    const int k = pick(5);
    if (k == 4) return {"0.7", [](const Formula::Complex*) { return Formula::Complex(0.7); }};
    return {"u" + std::to_string(k + 1), [k](const Formula::Complex* u) { return u[k]; }};
  }
  const Formula a = random_formula(random, depth - 1), b = random_formula(random, depth - 1);
  switch (pick(6)) {
    case 0: return {"(" + a.text + "+" + b.text + ")", [=](const auto* u) { return a.value(u) + b.value(u); }};
    case 1: return {"(" + a.text + "*" + b.text + ")", [=](const auto* u) { return a.value(u) * b.value(u); }};
    case 2: return {"sin(" + a.text + ")", [=](const auto* u) { return std::sin(a.value(u)); }};
    case 3:
      return {"(" + a.text + "/(2+(" + b.text + ")^2))",
              [=](const auto* u) { return a.value(u) / (2.0 + b.value(u) * b.value(u)); }};
    case 4: return {"exp(-(" + a.text + ")^2)", [=](const auto* u) { return std::exp(-a.value(u) * a.value(u)); }};
    default: return {"(" + a.text + "-" + b.text + ")", [=](const auto* u) { return a.value(u) - b.value(u); }};
  }
}

TEST(Linearisation, OfThirtyRandomModelsEqualsComplexSteps) {
  std::mt19937 random(7);
  for (int run = 0; run < 30; ++run) {
    std::string text = "u: Input port=1\ny: Output port=1\ng: MathExpression inputs=4 expression='";
    Formula f[4];
    for (Formula& formula : f) formula = random_formula(random, 4);
    text += f[3].text + "'\ng:1 -> y:1\n";
    const double x0[4] = {0.3, -0.8, 1.1, 0};
    for (int k = 0; k < 3; ++k) {
      const std::string n = std::to_string(k);
      text += "x" + n + ": Integral x0=" + std::to_string(x0[k]) + "\nf" + n +
              ": MathExpression inputs=4 expression='" + f[k].text + "'\nf" + n + ":1 -> x" + n + ":1\n";
    }
    for (int k = 0; k < 4; ++k) {
      text += (k < 3 ? "x" + std::to_string(k) : std::string("u")) + ":1 ->";
      for (const char* target : {"f0", "f1", "f2", "g"})
        text += " " + std::string(target) + ":" + std::to_string(k + 1);
      text += "\n";
    }
    const api::LinearisedModel m = linearised(diagram(text));
    ASSERT_EQ(m.states.size(), 3u) << text;
    for (int c = 0; c < 4; ++c) {
      Formula::Complex u[4] = {x0[0], x0[1], x0[2], x0[3]};
      u[c] += Formula::Complex(0, 1e-30);
      for (int r = 0; r < 4; ++r) {
        const double judge = f[r].value(u).imag() / 1e-30;
        const double ours = r < 3 ? (c < 3 ? m.a(r, c) : m.b(r, 0)) : (c < 3 ? m.c(0, c) : m.d(0, 0));
        EXPECT_NEAR(ours, judge, 1e-12 * (1 + std::abs(judge))) << text << " row " << r << " column " << c;
      }
    }
  }
}

// x' = -2 x + z, 0 = z^3 + z - x - u: dz/dx = dz/du = 1 / (3 z^2 + 1).
TEST(Linearisation, OfDifferentialAlgebraicEquations) {
  const api::LinearisedModel m = linearised(diagram(R"(
u: Input port=1
x: Integral x0=1
z: Constraint
r: MathExpression inputs=3 expression='u2^3+u2-u1-u3'
f: MathExpression inputs=2 expression='-2*u1+u2'
y: Output port=1
x:1 -> r:1 f:1
z:1 -> r:2 f:2 y:1
u:1 -> r:3
r:1 -> z:1
f:1 -> x:1
)"));
  ASSERT_EQ(m.states.size(), 1u);
  const double z = 0.68232780382801932737, slope = 1 / (3 * z * z + 1);
  EXPECT_TRUE(m.exact);
  EXPECT_NEAR(m.output_values[0], z, 1e-9);
  EXPECT_NEAR(m.a(0, 0), -2 + slope, 1e-9);
  EXPECT_NEAR(m.b(0, 0), slope, 1e-9);
  EXPECT_NEAR(m.c(0, 0), slope, 1e-9);
  EXPECT_NEAR(m.d(0, 0), slope, 1e-9);
}

// x0' = x1, x1' = (1 - x0^2) x1 - x0 from (2, 0), with and without directional derivatives; the one of version 2 gives
// nonsense for its output, which is noticed.
TEST(Linearisation, OfAnFmu) {
  for (const std::string version : {"2", "3"}) {
    api::LinearisationRequest request;
    request.run.file = fmt::format("{}orrery_linear_fmu_{}.orr", testing::TempDir(), ::getpid());
    request.run.allow = Capabilities::all();
    std::ofstream(request.run.file) << R"({"orrery": 2, "name": "fmu", "simulation": {"stop": "1"}, "blocks": [
      {"name": "F", "type": "FMU", "parameters": {"fmu": "')" +
                                           test_fmu_folder() + "/van_der_pol_" + version +
                                           R"(.fmu'"}}, {"name": "S", "type": "Scope"}],
      "links": [{"from": "F:1", "to": ["S:1"]}]})";
    request.outputs = {"/F"};
    request.hold = true;
    Diagnostics diagnostics;
    const auto m = api::linearise(request, diagnostics);
    ASSERT_TRUE(m) << to_text(diagnostics);
    const double a[4] = {0, 1, -1, -3}, c[2] = {1, 0};
    for (int r = 0; r < 2; ++r)
      for (int k = 0; k < 2; ++k) EXPECT_NEAR(m->a(r, k), a[2 * r + k], version == "2" ? 1e-12 : 2e-5) << version;
    for (int k = 0; k < 2; ++k) EXPECT_NEAR(m->c(0, k), c[k], 1e-6) << version;
  }
}

TEST_F(CommandLine, LinearModelsAsMatFilesAndPictures) {
  const std::string model = write("m.orr", R"({"orrery": 2, "name": "m", "simulation": {"stop": "1"}, "blocks": [
    {"name": "u", "type": "Input"}, {"name": "P", "type": "ContTransFunc", "parameters": {"num": "2", "den": "[1 0.4 1]"}},
    {"name": "y", "type": "Output"}], "links": [{"from": "u:1", "to": ["P:1"]}, {"from": "P:1", "to": ["y:1"]}]})");
  const auto outcome = orrery({"linearise", model, "--out", file("m.mat"), "--plot", file("m.svg")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(read(file("m.svg")), "Nyquist"));
  const auto read_back =
      orrery({"oml", "-e", "load('" + file("m.mat") + "'); printf('%.10g ', dcgain(A, B, C, D), size(states, 1))"});
  EXPECT_TRUE(contains(read_back.out, "2 2")) << read_back.out << read_back.err;
}

}  // namespace
}  // namespace orrery::tests::linear
