// SPDX-License-Identifier: Apache-2.0
// Parameters keep their names: exact sensitivities, values set without compiling, scripts that run once.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "run_model.h"

namespace orrery::tests::parameter_test {
namespace {

std::string ball(const std::string& context, const std::string& stop) {
  return R"({"orrery": 1, "name": "ball", "simulation": {"stop": ")" + stop + R"(", "rtol": "1e-12", "atol": "1e-12"},
    "context": [)" +
         context + R"(],
    "blocks": [{"name": "G", "type": "Constant", "parameters": {"value": "-g"}},
      {"name": "Ball", "type": "JumpStateSpace",
       "parameters": {"A": "[0 1; 0 0]", "B": "[0; 1]", "C": "[1 0; 0 1]", "x0": "[h0; 0]"}},
      {"name": "Split", "type": "Demux", "parameters": {"sizes": "[1 1]"}},
      {"name": "Ground", "type": "ZeroCross", "parameters": {"direction": "'down'"}},
      {"name": "Bounce", "type": "MatrixGain", "parameters": {"K": "[0 0; 0 -e]"}},
      {"name": "T", "type": "Time"}, {"name": "Impact", "type": "SampleHold"},
      {"name": "Height", "type": "Scope"}, {"name": "When", "type": "Scope"}],
    "links": [{"from": "G:1", "to": ["Ball:1"]}, {"from": "Ball:1", "to": ["Split:1", "Bounce:1"]},
      {"from": "Bounce:1", "to": ["Ball:2"]}, {"from": "Split:1", "to": ["Ground:1", "Height:1"]},
      {"from": "T:1", "to": ["Impact:1"]}, {"from": "Impact:1", "to": ["When:1"]},
      {"event": "Ground:1", "to": ["Ball:1", "Impact:1"]}]})";
}

std::string in_own_folder(const std::string& name) {
  std::filesystem::create_directories(cache_of_this_process());
  return (std::filesystem::path(cache_of_this_process()) / name).string();
}

const std::string ball_numbers = R"("g = 9.81;", "h0 = 10;", "e = 0.9;")";

void expect_relative(double value, double exact, double tolerance) {
  EXPECT_LE(std::fabs(value - exact), tolerance * std::fabs(exact)) << value << " instead of " << exact;
}

api::RunResult run_with(const std::string& text, const std::vector<std::string>& names) {
  api::RunRequest request;
  request.sensitivities = names;
  return run_text(text, request);
}

// Impact n is at t = sqrt(2 h / g) (1 + 2 e + ... + 2 e^(n-1)).
TEST(Parameters, TheSensitivityOfABallIsExact) {
  const double g = 9.81, h = 10, e = 0.9, t0 = std::sqrt(2 * h / g);
  const auto run = run_with(ball(ball_numbers, "10.5"), {"e", "g", "h0"});
  ASSERT_FALSE(run.failed()) << to_text(run.diagnostics);
  const double sum = 1 + 2 * (e + e * e + e * e * e + e * e * e * e);
  const double slope = 2 * (1 + 2 * e + 3 * e * e + 4 * e * e * e);
  expect_relative(last(run, "d(/When.1)/d(e)"), t0 * slope, 1e-10);
  expect_relative(last(run, "d(/When.1)/d(g)"), -0.5 * t0 * sum / g, 1e-10);
  expect_relative(last(run, "d(/When.1)/d(h0)"), 0.5 * t0 * sum / h, 1e-10);
  const double s = 10.5 - t0 * sum, v = std::pow(e, 5) * std::sqrt(2 * g * h);
  expect_relative(last(run, "d(/Height.1)/d(e)"), 5 * v / e * s - (v - g * s) * t0 * slope, 1e-10);
  EXPECT_TRUE(run.program().sensitivities.differenced.empty());
}

// x' = -x - K(a) x_k: the gain is computed from a discretised model with another pole than the plant has. After n
// samples x = q^n x0 with q = phi - gamma K.
std::string sampled_control(const std::string& design) {
  return R"({"orrery": 1, "name": "control", "simulation": {"stop": "2", "rtol": "1e-12", "atol": "1e-13"},
    "context": ["a = 0.8;", "T = 0.25;", )" +
         design + R"(],
    "blocks": [{"name": "X", "type": "Integral", "parameters": {"x0": "2"}},
      {"name": "K", "type": "Gain", "parameters": {"k": "K"}},
      {"name": "Hold", "type": "SampleHold"},
      {"name": "Clock", "type": "SampleClock", "parameters": {"period": "T"}},
      {"name": "F", "type": "MathExpression", "parameters": {"expression": "'-u1-u2'", "inputs": "2"}},
      {"name": "S", "type": "Scope"}],
    "links": [{"from": "X:1", "to": ["K:1", "F:1", "S:1"]}, {"from": "K:1", "to": ["Hold:1"]},
      {"from": "Hold:1", "to": ["F:2"]}, {"from": "F:1", "to": ["X:1"]}, {"event": "Clock:1", "to": ["Hold:1"]}]})";
}

struct SampledControl {
  double x, by_a;
  explicit SampledControl(double a) {
    const double t = 0.25, ad = std::exp(-a * t), phi = std::exp(-t), gamma = 1 - phi;
    const double bd = (1 - ad) / a, k = (ad - 0.5) / bd;
    const double bd_slope = (t * ad * a - (1 - ad)) / (a * a);
    const double slope = (-t * ad * bd - (ad - 0.5) * bd_slope) / (bd * bd);
    const double q = phi - gamma * k;
    x = 2 * std::pow(q, 8);
    by_a = 2 * 8 * std::pow(q, 7) * -gamma * slope;
  }
};

TEST(Parameters, ThroughAControllerThatTheContextDiscretises) {
  const SampledControl exact(0.8);
  const auto run = run_with(sampled_control(R"("M = expm([-a 1; 0 0] * T);", "K = (M(1,1) - 0.5) / M(1,2);")"), {"a"});
  ASSERT_FALSE(run.failed()) << to_text(run.diagnostics);
  expect_relative(last(run, "/S.1"), exact.x, 1e-10);
  expect_relative(last(run, "d(/S.1)/d(a)"), exact.by_a, 1e-10);
  EXPECT_TRUE(run.program().sensitivities.differenced.empty());
  // The same by functions that have no formula: they are run when the run starts, and differenced.
  const auto other = run_with(
      sampled_control(R"("m = c2d(ss(-a, 1, 1, 0), T);", "[Ad, Bd] = ssdata(m); K = place(Ad, Bd, 0.5);")"), {"a"});
  ASSERT_FALSE(other.failed()) << to_text(other.diagnostics);
  expect_relative(last(other, "/S.1"), exact.x, 1e-10);
  expect_relative(last(other, "d(/S.1)/d(a)"), exact.by_a, 1e-9);
  EXPECT_FALSE(other.program().sensitivities.differenced.empty());
  bool noted = false;
  for (const Diagnostic& d : other.diagnostics.all()) noted = noted || d.code == "sensitivity-by-differences";
  EXPECT_TRUE(noted) << to_text(other.diagnostics);
}

TEST(Parameters, AContextRunsOnce) {
  const std::string file = in_own_folder("appended.txt");
  const std::string context =
      R"("f = fopen(')" + file +
      R"(', 'a'); fprintf(f, 'x'); fclose(f);", "e = exposable('e', 0.9);", "g = 9.81;", "h0 = 10;")";
  for (const std::vector<std::string>& names : {std::vector<std::string>{}, {"e"}, {"e", "g"}}) {
    std::filesystem::remove(file);
    const auto run = run_with(ball(context, "3"), names);
    ASSERT_FALSE(run.failed()) << to_text(run.diagnostics);
    EXPECT_EQ(std::filesystem::file_size(file), 1u);
  }
}

// What the structure of the model needs is refused, with the place and the reason.
TEST(Parameters, WhatStructureNeedsCannotBeVaried) {
  const auto refusal = [](const std::string& context, const std::string& x0, const std::string& period) {
    const std::string text = R"({"orrery": 1, "name": "fixed",
"context": ["p = 2;", )" + context +
                             R"(],
"blocks": [{"name": "X", "type": "Integral", "parameters": {"x0": ")" +
                             x0 + R"("}},
{"name": "C", "type": "SampleClock", "parameters": {"period": ")" +
                             period + R"("}}, {"name": "N", "type": "Counter"}, {"name": "S", "type": "Scope"}],
"links": [{"from": "X:1", "to": ["S:1"]}, {"event": "C:1", "to": ["N:1"]}]})";
    const auto run = run_with(text, {"p"});
    for (const Diagnostic& d : run.diagnostics.all()) {
      if (d.code == "no-sensitivity") return to_text(d);
    }
    ADD_FAILURE() << "not refused: " << to_text(run.diagnostics);
    return std::string();
  };
  std::string text = refusal("\"if p > 1, q = 1; else q = 2; end\"", "q", "1");
  EXPECT_NE(text.find(":3:"), std::string::npos) << text;
  EXPECT_NE(text.find("a condition decides by its number"), std::string::npos) << text;
  text = refusal("\"n = p;\"", "zeros(n, 1)", "1");
  EXPECT_NE(text.find("/X"), std::string::npos) << text;
  EXPECT_NE(text.find("zeros works with its number"), std::string::npos) << text;
  text = refusal("\"q = 1;\"", "q", "p/4");
  EXPECT_NE(text.find("/C"), std::string::npos) << text;
  EXPECT_NE(text.find("the SampleClock is built with its number"), std::string::npos) << text;
  text = refusal("\"v = [1 2 3]; q = v(p);\"", "q", "1");
  EXPECT_NE(text.find("it is an index"), std::string::npos) << text;
}

class Compiled {
 public:
  Compiled(const std::string& text, const std::vector<std::string>& vary) {
    api::RunRequest request;
    request.file = in_own_folder("varied.orr");
    request.vary = vary;
    std::ofstream(request.file) << text;
    prepared_ = api::prepare(request, diagnostics);
    if (!prepared_) return;
    options_ = api::options_of(prepared_->settings);
    options_.open_foreign = prepared_->open_foreign;
    options_.native.second_tier = false;
  }

  // The last value of a column; nan where the run is refused.
  double operator()(const std::vector<sim::ParameterSetting>& parameters, const std::string& column) {
    options_.parameters = parameters;
    if (!compiled_) compiled_ = sim::CompiledProgram::create(prepared_->program, options_.native, diagnostics);
    const auto run = sim::Simulation::create(compiled_, options_, diagnostics);
    if (!run) return NAN;
    run->run();
    return last(run->recording(), diagnostics, column);
  }

  Diagnostics diagnostics;

 private:
  std::optional<api::Prepared> prepared_;
  sim::RunOptions options_;
  std::shared_ptr<const sim::CompiledProgram> compiled_;
};

// One compiled model, many runs: to the last bit what a model compiled for the value gives.
TEST(Parameters, AreSetWithoutCompiling) {
  Compiled compiled(ball(ball_numbers, "3"), {"e", "h0"});
  for (const double e : {0.9, 0.7, 0.75}) {
    api::RunRequest request;
    request.overrides = {{"e", std::to_string(e)}, {"h0", "8"}};
    request.vary = {"e", "h0"};
    const auto single = run_text(ball(ball_numbers, "3"), request);
    EXPECT_EQ(compiled({{"e", {e}}, {"h0", {8}}}, "/When.1"), last(single, "/When.1")) << e;
    expect_relative(last(single, "/When.1"), std::sqrt(2 * 8 / 9.81), 1e-10);
    EXPECT_EQ(compiled({{"e", {e}}, {"h0", {8}}}, "/Height.1"), last(single, "/Height.1")) << e;
  }
  EXPECT_FALSE(compiled.diagnostics.has_errors()) << to_text(compiled.diagnostics);
}

TEST(Parameters, DerivedCoefficientsFollow) {
  Compiled compiled(
      sampled_control(R"("m = c2d(ss(-a, 1, 1, 0), T);", "[Ad, Bd] = ssdata(m); K = place(Ad, Bd, 0.5);")"), {"a"});
  for (const double a : {0.8, 0.3, 1.7}) expect_relative(compiled({{"a", {a}}}, "/S.1"), SampledControl(a).x, 1e-10);
  EXPECT_FALSE(compiled.diagnostics.has_errors()) << to_text(compiled.diagnostics);
}

// b follows a unless it is set itself: d/da goes through b, d/db does not.
TEST(Parameters, AParameterMayFollowAnother) {
  const std::string text = R"({"orrery": 1, "name": "follow", "simulation": {"stop": "1", "rtol": "1e-12"},
    "context": ["a = 3;", "b = a^2;", "c = a + b;"],
    "blocks": [{"name": "C", "type": "Constant", "parameters": {"value": "c"}}, {"name": "X", "type": "Integral"},
               {"name": "S", "type": "Scope"}],
    "links": [{"from": "C:1", "to": ["X:1"]}, {"from": "X:1", "to": ["S:1"]}]})";
  const auto run = run_with(text, {"a", "b"});
  ASSERT_FALSE(run.failed()) << to_text(run.diagnostics);
  EXPECT_NEAR(last(run, "/S.1"), 12, 1e-10);
  EXPECT_NEAR(last(run, "d(/S.1)/d(a)"), 7, 1e-10);
  EXPECT_NEAR(last(run, "d(/S.1)/d(b)"), 1, 1e-10);
  Compiled compiled(text, {"a", "b"});
  EXPECT_NEAR(compiled({{"a", {2}}}, "/S.1"), 6, 1e-10);
  EXPECT_NEAR(compiled({{"a", {2}}, {"b", {1}}}, "/S.1"), 3, 1e-10);
}

// What was computed with an earlier value of a variable keeps it.
TEST(Parameters, AVariableThatIsAssignedAgain) {
  const std::string text = R"({"orrery": 1, "name": "again", "simulation": {"stop": "1", "rtol": "1e-12"},
    "context": ["a = 3;", "b = 10*a;", "a = 5;", "c = a + b;"],
    "blocks": [{"name": "C", "type": "Constant", "parameters": {"value": "c"}}, {"name": "X", "type": "Integral"},
               {"name": "S", "type": "Scope"}],
    "links": [{"from": "C:1", "to": ["X:1"]}, {"from": "X:1", "to": ["S:1"]}]})";
  const auto run = run_with(text, {"a"});
  ASSERT_FALSE(run.failed()) << to_text(run.diagnostics);
  EXPECT_NEAR(last(run, "/S.1"), 35, 1e-10);
  EXPECT_NEAR(last(run, "d(/S.1)/d(a)"), 1, 1e-10);
}

// Blocks that used to see numbers: generators, limits, linear systems, delays.
TEST(Parameters, ReachEveryKindOfBlock) {
  const std::string text = R"({"orrery": 1, "name": "blocks", "simulation": {"stop": "3", "rtol": "1e-11"},
    "context": ["p = 1.5;"],
    "blocks": [{"name": "Wave", "type": "SineWaveGenerator", "parameters": {"amplitude": "p", "frequency": "p"}},
      {"name": "Step", "type": "StepGenerator", "parameters": {"time": "p", "after": "p"}},
      {"name": "Lag", "type": "ContTransFunc", "parameters": {"num": "[1]", "den": "[p 1]"}},
      {"name": "Cut", "type": "Saturation", "parameters": {"lower": "-p/3", "upper": "p/3"}},
      {"name": "I", "type": "Integral", "parameters": {"upper": "p", "x0": "p/10"}},
      {"name": "One", "type": "Constant", "parameters": {"value": "1"}},
      {"name": "S", "type": "Scope", "parameters": {"inputs": "4"}}],
    "links": [{"from": "Wave:1", "to": ["Cut:1", "S:1"]}, {"from": "Step:1", "to": ["Lag:1"]},
      {"from": "Lag:1", "to": ["S:2"]}, {"from": "Cut:1", "to": ["S:3"]}, {"from": "One:1", "to": ["I:1"]},
      {"from": "I:1", "to": ["S:4"]}]})";
  const auto run = run_with(text, {"p"});
  ASSERT_FALSE(run.failed()) << to_text(run.diagnostics);
  const double p = 1.5, t = 3;
  EXPECT_NEAR(last(run, "d(/S.1)/d(p)"), std::sin(p * t) + p * t * std::cos(p * t), 1e-9);
  // y = p (1 - exp(-(t - p) / p))
  const double decay = std::exp(-(t - p) / p);
  EXPECT_NEAR(last(run, "d(/S.2)/d(p)"), 1 - decay - p * decay * (t / (p * p)), 1e-8);
  EXPECT_NEAR(last(run, "d(/S.3)/d(p)"), -1.0 / 3, 1e-9);
  EXPECT_NEAR(last(run, "d(/S.4)/d(p)"), 1, 1e-8);
}

}  // namespace
}  // namespace orrery::tests::parameter_test
