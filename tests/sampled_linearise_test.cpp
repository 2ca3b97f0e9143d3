// SPDX-License-Identifier: Apache-2.0
// Models with clocks as sampled systems: against closed forms, and against runs of the models themselves.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "api/linearise.h"
#include "api/model.h"
#include "api/oml_evaluator.h"
#include "api/run.h"
#include "command_line.h"
#include "notation.h"

namespace orrery::tests::sampled_linear {
namespace {

using math::Index;

std::optional<api::LinearisedModel> linearised(model::Model model, const api::LinearisationRequest& request = {}) {
  Diagnostics diagnostics;
  auto result = api::linearise(std::move(model), request, std::make_shared<api::OmlEvaluator>(), diagnostics);
  for (const Diagnostic& d : diagnostics.all()) ADD_FAILURE() << to_text(d);
  return result;
}

TEST(SampledLinearisation, AHeldInputIsSampledExactly) {
  const auto m = linearised(diagram(R"(
c: SampleClock period=0.1
u: Input port=1
s: SampleHold
f: MathExpression inputs=2 expression='-3*u1+u2'
x: Integral x0=1
y: Output port=1
u:1 -> s:1
s:1 -> f:2
x:1 -> f:1 y:1
f:1 -> x:1
c:1 => s:1
)"));
  ASSERT_TRUE(m);
  EXPECT_EQ(m->period, 0.1);
  ASSERT_EQ(m->states, (std::vector<std::string>{"/x.x"}));  // what is held is written before it is read
  EXPECT_NEAR(m->a(0, 0), std::exp(-0.3), 1e-15);
  EXPECT_NEAR(m->b(0, 0), (1 - std::exp(-0.3)) / 3, 1e-15);
  EXPECT_EQ(m->c(0, 0), 1);
  EXPECT_EQ(m->d(0, 0), 0);
}

TEST(SampledLinearisation, ADiscreteTransferFunctionIsItsOwn) {
  // y(k) = 0.5 y(k-1) + 2 u(k) + 3 u(k-1), by a clock that programs itself.
  const auto m = linearised(diagram(R"(
c: EventClock period=0.25
u: Input port=1
g: DiscrTransFunc num=[2,3] den=[1,-0.5]
y: Output port=1
u:1 -> g:1
g:1 -> y:1
c:1 => g:1
)"));
  ASSERT_TRUE(m);
  EXPECT_EQ(m->period, 0.25);
  ASSERT_EQ(m->a.rows, 1);
  EXPECT_NEAR(m->a(0, 0), 0.5, 1e-15);
  EXPECT_NEAR(m->d(0, 0), 2, 1e-15);
  EXPECT_NEAR(m->c(0, 0) * m->b(0, 0), 4, 1e-14);  // 3 + 0.5 2
}

// A digital PI controller and a motor: x' = -2 x + c; at a tick e = r - 2 x, c = 0.4 z + 2.4 e, z+ = z + e.
TEST(SampledLinearisation, AClosedLoopHasThePolesOfTheTheory) {
  api::LinearisationRequest request;
  request.run.file = examples + "sampled_controller.orr";
  request.outputs = {"/Motor"};
  Diagnostics diagnostics;
  const auto m = api::linearise(request, diagnostics);
  ASSERT_TRUE(m) << to_text(diagnostics.all()[0]);
  ASSERT_EQ(m->states, (std::vector<std::string>{"/Motor.x", "/Controller.x"}));
  const double phi = std::exp(-0.2), gamma = (1 - phi) / 2;
  EXPECT_NEAR(m->a(0, 0), phi - 4.8 * gamma, 1e-14);
  EXPECT_NEAR(m->a(0, 1), 0.4 * gamma, 1e-14);
  EXPECT_NEAR(m->a(1, 0), -2, 1e-14);
  EXPECT_NEAR(m->a(1, 1), 1, 1e-14);
  EXPECT_NEAR(m->c(0, 0), 2, 1e-14);
}

// Random linear loops with one or two rates: from other start values the run ends where the powers of A say.
TEST(SampledLinearisation, PowersOfAAreRunsOfTheModel) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-0.6, 0.6);
  for (int seed = 0; seed < 12; ++seed) {
    const bool two = seed % 2 == 1;
    const double first = 0.1, second = two ? (seed % 4 == 1 ? 0.3 : 0.15) : 0.1;
    const auto text =
        fmt::format(R"(
stop 0.6
solver dopri
rtol 1e-12
atol 1e-14
c: SampleClock period={}
d: SampleClock period={}
s1: SampleHold
g1: DiscrTransFunc num=[{},{}] den=[1,{}]
s2: SampleHold
g2: DiscrTransFunc num=[{}] den=[1,{}]
f: MathExpression inputs=4 expression='{}*u1+{}*u2+{}*u3+{}*u4'
h: MathExpression inputs=2 expression='{}*u1+{}*u2'
x: Integral x0=1
v: Integral x0=0
y: Output port=1
x:1 -> f:1 h:1 s1:1 y:1
v:1 -> f:2 h:2 s2:1
f:1 -> x:1
h:1 -> v:1
s1:1 -> g1:1
s2:1 -> g2:1
g1:1 -> f:3
g2:1 -> f:4
c:1 => s1:1
d:1 => s2:1
)",
                    first, second, number(random), number(random), number(random), number(random), number(random),
                    number(random), number(random), number(random), number(random), number(random), number(random));
    const model::Model model = diagram(text.c_str());
    const auto m = linearised(diagram(text.c_str()));
    ASSERT_TRUE(m) << text;
    EXPECT_NEAR(m->period, two ? 0.3 : 0.1, 1e-15) << seed;
    EXPECT_EQ(m->instants.empty(), !two);
    const auto at = std::find(m->states.begin(), m->states.end(), "/x.x");
    ASSERT_NE(at, m->states.end());
    math::RealMatrix state(m->a.rows, 1);
    state(at - m->states.begin(), 0) = 1;
    for (int k = 0; k < (two ? 2 : 6); ++k) state = m->a * state;
    Diagnostics diagnostics;
    auto whole = api::Model::read(model::write(model), "built.orr", diagnostics);
    ASSERT_TRUE(whole);
    const auto compiled = whole->compile(diagnostics);
    ASSERT_TRUE(compiled);
    api::Run run = compiled->start();
    run.run();
    const api::Results results = run.results();
    const double ends = results.value(results.rows() - 1, 0);
    EXPECT_NEAR(state(at - m->states.begin(), 0), ends, 1e-9) << text;
  }
}

// Steps and other signals that follow from time alone do not answer to deviations: they hide nothing.
TEST(SampledLinearisation, GeneratorsAreNoDiscretePart) {
  const auto m = linearised(diagram(R"(
w: StepGenerator time=1
u: Input port=1
f: MathExpression inputs=3 expression='-2*u1+u2+u3'
x: Integral
y: Output port=1
w:1 -> f:3
u:1 -> f:2
x:1 -> f:1 y:1
f:1 -> x:1
)"));
  ASSERT_TRUE(m);
  EXPECT_EQ(m->period, 0);
  EXPECT_EQ(m->a(0, 0), -2);
  EXPECT_EQ(m->b(0, 0), 1);
}

// The controller in a super block, closed over a plant: alone it is z / (z - 1) times a gain, whatever is around it.
model::Model loop_with_a_controller() {
  model::Model model = diagram(R"(
stop 5
c: SampleClock period=0.2
r: Constant value=1
sum: Sum signs='+-'
p: ContTransFunc num=1 den=[1,1]
r:1 -> sum:1
sum:1 -> K:1
K:1 -> p:1
p:1 -> sum:2
c:1 => K:1
K: Gain
)");
  model::Model inner = diagram(R"(
in: Input port=1
go: EventInput port=1
s: SampleHold
g: DiscrTransFunc num=[0.5,0] den=[1,-1]
out: Output port=1
in:1 -> s:1
s:1 -> g:1
g:1 -> out:1
go:1 => s:1
)");
  model::BlockInstance& block = model.root.blocks.back();
  block.type = "SuperBlock";
  block.diagram = std::make_unique<model::Diagram>(std::move(inner.root));
  return model;
}

TEST(SampledLinearisation, OfASuperBlockLeavesOutThePlant) {
  api::LinearisationRequest request;
  request.block = "/K";
  request.at = 1.1;
  const auto m = linearised(loop_with_a_controller(), request);
  ASSERT_TRUE(m);
  EXPECT_NEAR(m->period, 0.2, 1e-15);
  ASSERT_EQ(m->a.rows, 1);
  EXPECT_NEAR(m->a(0, 0), 1, 1e-14);
  EXPECT_NEAR(m->d(0, 0), 0.5, 1e-14);
  EXPECT_NEAR(m->c(0, 0) * m->b(0, 0), 0.5, 1e-14);
}

class SampledLinearisationCommands : public CommandLine {};

TEST_F(SampledLinearisationCommands, SayThatTheSystemIsSampled) {
  const Outcome said = orrery({"linearise", example("sampled_controller"), "--outputs", "/Motor"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("sampled every 0.1"), std::string::npos) << said.out;
  const Outcome rest = orrery({"linearise", example("sampled_controller"), "--outputs", "/Motor", "--equilibrium"});
  EXPECT_EQ(rest.code, 1);
  EXPECT_NE(rest.err.find("discrete-part"), std::string::npos) << rest.err;
}

TEST_F(SampledLinearisationCommands, ReturnTheSampleTimeToScripts) {
  const std::string model = write("loop.orr", model::write(loop_with_a_controller()));
  const std::string script = write("s.oml", "[A,B,C,D,names,Ts] = vssLinearizeSuperBlock('" + model +
                                                "', '/K', [], [], 0);\nprintf('%g %g %g', A, D, Ts)\n");
  const Outcome said = orrery({"oml", script});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out, "1 0.5 0.2");
}

}  // namespace
}  // namespace orrery::tests::sampled_linear
