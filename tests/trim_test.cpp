// SPDX-License-Identifier: Apache-2.0
// Points of rest against closed forms: the pendulum on a ramp, masks, bounds, least squares, scripts.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "api/linearise.h"
#include "api/model_functions.h"
#include "api/trim.h"
#include "command_line.h"
#include "oml/convert.h"
#include "oml/interpreter.h"

namespace orrery::tests::trimming {
namespace {

// The pendulum of Activate, 7.1, on a ramp of angle phi: it rests at theta = 0 with the force 49 sin phi.
const char* const pendulum = R"({
  "orrery": 2, "name": "ramp",
  "initialization": ["phi = 0.001;", "U = 0;", "z0 = 0;", "th0 = 0;"],
  "simulation": {"stop": "1"},
  "blocks": [
    {"name": "u", "type": "Input", "parameters": {"port": "1"}},
    {"name": "force", "type": "Constant", "parameters": {"value": "U"}},
    {"name": "sum", "type": "Sum"},
    {"name": "Plant", "type": "SuperBlock", "diagram": {
      "blocks": [
        {"name": "f", "type": "Input", "parameters": {"port": "1"}},
        {"name": "z", "type": "Integral", "parameters": {"x0": "z0"}},
        {"name": "v", "type": "Integral"},
        {"name": "th", "type": "Integral", "parameters": {"x0": "th0"}},
        {"name": "om", "type": "Integral"},
        {"name": "acc", "type": "MathExpression", "parameters": {"inputs": "4",
          "expression": "'(u3-49*sin(phi)-0.35*(u1*cos(u2-phi)-u4^2*sin(u2-phi)))/5'"}},
        {"name": "ang", "type": "MathExpression", "parameters": {"inputs": "2",
          "expression": "'(0.5*0.7*9.8*sin(u2)-0.35*u1*cos(u2-phi))/(0.49/3)'"}},
        {"name": "Z", "type": "Output", "parameters": {"port": "1"}},
        {"name": "T", "type": "Output", "parameters": {"port": "2"}}],
      "links": [
        {"from": "v:1", "to": ["z:1"]}, {"from": "acc:1", "to": ["v:1", "ang:1"]},
        {"from": "om:1", "to": ["th:1", "acc:4"]}, {"from": "ang:1", "to": ["om:1", "acc:1"]},
        {"from": "th:1", "to": ["acc:2", "ang:2", "T:1"]}, {"from": "f:1", "to": ["acc:3"]},
        {"from": "z:1", "to": ["Z:1"]}]}},
    {"name": "y", "type": "Output", "parameters": {"port": "1"}}
  ],
  "links": [
    {"from": "u:1", "to": ["sum:1"]}, {"from": "force:1", "to": ["sum:2"]}, {"from": "sum:1", "to": ["Plant:1"]},
    {"from": "Plant:2", "to": ["y:1"]}]
})";

class Trim : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    model_ = write("ramp.orr", pendulum);
  }
  api::TrimResult trimmed(api::TrimRequest request) {
    if (request.where.run.file.empty()) request.where.run.file = model_;
    diagnostics_ = {};
    const auto result = api::trim(request, diagnostics_);
    EXPECT_TRUE(result) << to_text(diagnostics_);
    return result.value_or(api::TrimResult{});
  }

  std::string model_;
  Diagnostics diagnostics_;
};

// x' = c - 2 x rests at x = 10 with c = 20, wherever a run with another c would begin.
TEST_F(Trim, FixedValuesStayWhileVariablesChange) {
  api::TrimRequest request;
  request.where.run.file = write("line.orr", R"({"orrery": 2, "name": "line", "context": ["c = 1;"],
    "simulation": {"stop": "1"},
    "blocks": [{"name": "C", "type": "Constant", "parameters": {"value": "c"}},
               {"name": "X", "type": "Integral", "parameters": {"x0": "0.5"}},
               {"name": "D", "type": "MathExpression", "parameters": {"inputs": "2", "expression": "'u1-2*u2'"}}],
    "links": [{"from": "C:1", "to": ["D:1"]}, {"from": "X:1", "to": ["D:2"]}, {"from": "D:1", "to": ["X:1"]}]})");
  request.free = {"c"};
  request.fixed = {"/X=10"};
  const api::TrimResult result = trimmed(request);
  ASSERT_EQ(result.variables.size(), 1u);
  EXPECT_NEAR(result.variables[0].value, 20, 1e-9);
  EXPECT_EQ(result.states[0].value, 10);
}

TEST_F(Trim, TheInputThatHoldsAPendulumOnARamp) {
  api::TrimRequest request;
  request.free = {"u"};
  const auto result = trimmed(request);
  ASSERT_TRUE(result.reached) << api::trim_text(result);
  EXPECT_NEAR(result.inputs[0].value, 49 * std::sin(0.001), 1e-12);
  EXPECT_NEAR(result.states[2].value, 0, 1e-10);
}

TEST_F(Trim, AVariableInsteadOfAnInput) {
  api::TrimRequest request;
  request.free = {"U=3"};
  request.where.run.overrides = {{"phi", "0.3"}};
  const auto result = trimmed(request);
  ASSERT_TRUE(result.reached) << api::trim_text(result);
  EXPECT_NEAR(result.variables[0].value, 49 * std::sin(0.3), 1e-9);
}

TEST_F(Trim, OutputsAndFixedStates) {
  // With theta held at 0.1 the pendulum cannot rest, but it can fall without moving its cart … and the other way round.
  api::TrimRequest request;
  request.free = {"u"};
  request.fixed = {"/Plant/th=0.1", "/Plant/om", "/Plant/v"};
  request.moving = {"/Plant/om"};
  const auto result = trimmed(request);
  ASSERT_TRUE(result.reached) << api::trim_text(result);
  // v' = 0: u = 49 sin phi + 0.35 omega' cos(0.1 - phi), omega' = 3.43 sin(0.1) / (0.49 / 3).
  const double omega = 3.43 * std::sin(0.1) / (0.49 / 3);
  EXPECT_NEAR(result.inputs[0].value, 49 * std::sin(0.001) + 0.35 * omega * std::cos(0.1 - 0.001), 1e-9);
  EXPECT_NEAR(result.states[3].left, omega, 1e-9);
  EXPECT_DOUBLE_EQ(result.states[2].value, 0.1);
}

TEST_F(Trim, SaysWhatDoesNotRest) {
  const auto outcome = orrery({"trim", model_, "--fix", "/Plant/th=0.2", "--free", "u"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "no-equilibrium")) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "moves with")) << outcome.out;
  EXPECT_TRUE(contains(orrery({"trim", model_, "--free", "w"}).err, "bad-option"));
  EXPECT_TRUE(contains(orrery({"trim", model_, "--free", "u=x y"}).err, "bad-option"));
  EXPECT_TRUE(contains(orrery({"trim", model_, "--fix", "/Plant/q"}).err, "bad-option"));
}

TEST_F(Trim, KeepsBoundsAndGoesThroughCorners) {
  // x' = u - |x| x - 1 rests at x = sqrt(u - 1); u wanted so that x = 3 would be 10, but it may not exceed 5.
  const std::string model = write("corner.orr", R"({"orrery": 2, "name": "corner", "simulation": {"stop": "1"},
    "blocks": [{"name": "u", "type": "Input", "parameters": {"port": "1"}},
      {"name": "x", "type": "Integral", "parameters": {"x0": "-2"}},
      {"name": "f", "type": "MathExpression", "parameters": {"inputs": "2", "expression": "'u1-abs(u2)*u2-1'"}},
      {"name": "y", "type": "Output", "parameters": {"port": "1"}}],
    "links": [{"from": "u:1", "to": ["f:1"]}, {"from": "x:1", "to": ["f:2", "y:1"]}, {"from": "f:1", "to": ["x:1"]}]})");
  api::TrimRequest request;
  request.where.run.file = model;
  request.free = {"u"};
  request.wanted = {"y=3"};
  auto result = trimmed(request);
  EXPECT_TRUE(result.reached) << api::trim_text(result);
  EXPECT_NEAR(result.inputs[0].value, 10, 1e-9);
  EXPECT_NEAR(result.states[0].value, 3, 1e-9);
  request.between = {"u=0:5"};
  result = trimmed(request);
  EXPECT_FALSE(result.reached);
  EXPECT_NEAR(result.inputs[0].value, 5, 1e-9);
}

TEST_F(Trim, LinearModelsAtThePointOfRest) {
  api::LinearisationRequest request;
  request.run.file = write("pool.orr", R"({"orrery": 2, "name": "pool", "simulation": {"stop": "1"},
    "blocks": [{"name": "x", "type": "Integral", "parameters": {"x0": "1"}},
      {"name": "f", "type": "MathExpression", "parameters": {"expression": "'8-u1^3'"}}],
    "links": [{"from": "x:1", "to": ["f:1"]}, {"from": "f:1", "to": ["x:1"]}]})");
  request.equilibrium = true;
  Diagnostics diagnostics;
  const auto model = api::linearise(request, diagnostics);
  ASSERT_TRUE(model) << to_text(diagnostics);
  EXPECT_NEAR(model->state_values[0], 2, 1e-10);
  EXPECT_NEAR(model->a(0, 0), -12, 1e-8);
}

TEST_F(Trim, InScripts) {
  oml::InterpreterOptions options;
  std::string output;
  options.consent.allowed = Capabilities::all();
  options.output = [&](std::string_view text) { output += text; };
  options.families = api::model_families();
  oml::Interpreter interpreter(options);
  const auto run = interpreter.run_text(
      "ctx.U = 0; ctx.phi = 0.001;\n"
      "[ctx, err] = vssEquilibriumPointSuperBlock('" +
      model_ +
      "', 'Plant', ctx, {'U'}, [], [], 1, [], 'v');\n"
      "U = ctx.U; left = norm(err);\n"
      "[A, B, C, D, names] = vssLinearizeSuperBlock('" +
      model_ + "', 'Plant', 1, [1 2], 0, ctx);\n");
  ASSERT_TRUE(run.ok) << to_text(run.diagnostics);
  EXPECT_NEAR(oml::to_double(*interpreter.base()->get("U")), 0.04899999183333374, 1e-13);
  EXPECT_LT(oml::to_double(*interpreter.base()->get("left")), 1e-12);
  const std::vector<double> a = oml::to_vector(*interpreter.base()->get("A"));
  EXPECT_NEAR(a[2 * 4 + 1], -1.72941059481, 1e-10);
  EXPECT_NEAR(a[2 * 4 + 3], 24.705877993082, 1e-10);
  EXPECT_TRUE(contains(output, "->")) << output;
}

}  // namespace
}  // namespace orrery::tests::trimming
