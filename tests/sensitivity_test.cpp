// SPDX-License-Identifier: Apache-2.0
// Sensitivities through smooth motion, jumps, programmed events and modes, against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "api/session.h"

namespace orrery::tests {
namespace {

api::RunResult run_with(const std::string& text, const std::vector<std::string>& names) {
  const auto file = std::filesystem::temp_directory_path() / "orrery-sensitivity.orr";
  std::ofstream(file) << text;
  api::RunRequest request;
  request.file = file.string();
  request.sensitivities = names;
  api::RunResult result = api::run(request);
  EXPECT_FALSE(result.failed()) << to_text(result.diagnostics);
  std::filesystem::remove(file);
  return result;
}

double last(const api::RunResult& run, const std::string& column) {
  for (std::size_t c = 0; c < run.recording.columns.size(); ++c) {
    if (run.recording.columns[c].name == column) return run.recording.value(run.recording.rows() - 1, c);
  }
  ADD_FAILURE() << "no column " << column;
  return NAN;
}

// x' = -a x, x(0) = b: dx/da = -t x, dx/db = x / b.
TEST(Sensitivity, OfAnExponentialDecay) {
  const auto run = run_with(R"({"orrery": 1, "name": "decay", "simulation": {"stop": "2", "rtol": "1e-10"},
    "context": ["a = 0.7;", "b = 3;"],
    "blocks": [{"name": "X", "type": "Integral", "parameters": {"x0": "b"}},
               {"name": "K", "type": "MathExpression", "parameters": {"expression": "'-a*u1'"}},
               {"name": "S", "type": "Scope"}],
    "links": [{"from": "X:1", "to": ["K:1", "S:1"]}, {"from": "K:1", "to": ["X:1"]}]})",
                            {"a", "b"});
  const double x = 3 * std::exp(-1.4);
  EXPECT_NEAR(last(run, "/S.1"), x, 1e-9);
  EXPECT_NEAR(last(run, "d(/S.1)/d(a)"), -2 * x, 1e-8);
  EXPECT_NEAR(last(run, "d(/S.1)/d(b)"), x / 3, 1e-9);
}

// Impact n of a ball is at t = sqrt(2 h / g) (1 + 2 e + 2 e^2 + ... + 2 e^(n-1)).
TEST(Sensitivity, OfTheFifthImpactOfABouncingBall) {
  const double g = 9.81, h = 10, e = 0.9;
  const auto run = run_with(R"({"orrery": 1, "name": "ball", "simulation": {"stop": "10.5", "rtol": "1e-11"},
    "context": ["g = 9.81;", "h0 = 10;", "e = 0.9;"],
    "blocks": [{"name": "G", "type": "Constant", "parameters": {"value": "-g"}},
      {"name": "Ball", "type": "JumpStateSpace",
       "parameters": {"A": "[0 1; 0 0]", "B": "[0; 1]", "C": "[1 0; 0 1]", "x0": "[h0; 0]"}},
      {"name": "Split", "type": "Demux", "parameters": {"sizes": "[1 1]"}},
      {"name": "Ground", "type": "ZeroCross", "parameters": {"direction": "'down'"}},
      {"name": "Bounce", "type": "MatrixGain", "parameters": {"K": "[0 0; 0 -e]"}},
      {"name": "T", "type": "Time"}, {"name": "Impact", "type": "SampleHold"},
      {"name": "Count", "type": "Counter"},
      {"name": "Height", "type": "Scope"}, {"name": "When", "type": "Scope"}],
    "links": [{"from": "G:1", "to": ["Ball:1"]}, {"from": "Ball:1", "to": ["Split:1", "Bounce:1"]},
      {"from": "Bounce:1", "to": ["Ball:2"]}, {"from": "Split:1", "to": ["Ground:1", "Height:1"]},
      {"from": "T:1", "to": ["Impact:1"]}, {"from": "Impact:1", "to": ["When:1"]},
      {"event": "Ground:1", "to": ["Ball:1", "Impact:1", "Count:1"]}]})",
                            {"g", "h0", "e"});
  const double t0 = std::sqrt(2 * h / g);
  const double sum = 1 + 2 * (e + e * e + e * e * e + e * e * e * e);
  const double slope = 2 * (1 + 2 * e + 3 * e * e + 4 * e * e * e);
  ASSERT_LT(t0 * sum, 10.5);
  ASSERT_GT(t0 * (sum + 2 * std::pow(e, 5)), 10.5) << "the run must end between impacts 5 and 6";
  EXPECT_NEAR(last(run, "/When.1"), t0 * sum, 1e-9);
  EXPECT_NEAR(last(run, "d(/When.1)/d(g)"), -0.5 * t0 * sum / g, 1e-7);
  EXPECT_NEAR(last(run, "d(/When.1)/d(h0)"), 0.5 * t0 * sum / h, 1e-7);
  EXPECT_NEAR(last(run, "d(/When.1)/d(e)"), t0 * slope, 1e-7);
  // The height after the fifth impact: v s - g s^2 / 2 with s = t - impact and v = e^5 sqrt(2 g h).
  const double s = 10.5 - t0 * sum, v = std::pow(e, 5) * std::sqrt(2 * g * h);
  const double by_e = 5 * v / e * s - (v - g * s) * t0 * slope;
  EXPECT_NEAR(last(run, "d(/Height.1)/d(e)"), by_e, 1e-6);
}

// A mode: x' = 1 until x = c, then x' = -k (x - c) + 2. Arrival at t = c.
TEST(Sensitivity, AcrossAModeChange) {
  const auto run = run_with(R"({"orrery": 1, "name": "mode", "simulation": {"stop": "3", "rtol": "1e-10"},
    "context": ["c = 1;", "k = 0.5;"],
    "blocks": [{"name": "X", "type": "Integral"},
      {"name": "F", "type": "MathExpression", "parameters": {"expression": "'If_exp(u1 >= c, 2 - k*(u1 - c), 1)'"}},
      {"name": "S", "type": "Scope"}],
    "links": [{"from": "X:1", "to": ["F:1", "S:1"]}, {"from": "F:1", "to": ["X:1"]}]})",
                            {"c", "k"});
  // x = c + 2 / k (1 - exp(-k (t - c)))
  const double decay = std::exp(-0.5 * 2);
  EXPECT_NEAR(last(run, "/S.1"), 1 + 4 * (1 - decay), 1e-8);
  EXPECT_NEAR(last(run, "d(/S.1)/d(c)"), 1 - 2 * decay, 1e-7);
  EXPECT_NEAR(last(run, "d(/S.1)/d(k)"), -8 * (1 - decay) + 4 * 2 * decay, 1e-7);
}

// An event programmed after a delay d doubles x = a t at t = d: afterwards x = a t + a d.
TEST(Sensitivity, OfAProgrammedEvent) {
  const auto run = run_with(R"({"orrery": 1, "name": "delay", "simulation": {"stop": "3", "rtol": "1e-10"},
    "context": ["d = 1.25;", "a = 2;"],
    "blocks": [{"name": "A", "type": "Constant", "parameters": {"value": "a"}},
      {"name": "X", "type": "Integral", "parameters": {"reset": "'activation'"}},
      {"name": "Two", "type": "Gain", "parameters": {"k": "2"}},
      {"name": "Start", "type": "InitialEvent"},
      {"name": "Later", "type": "EventDelay", "parameters": {"delay": "d"}},
      {"name": "S", "type": "Scope"}],
    "links": [{"from": "A:1", "to": ["X:1"]}, {"from": "X:1", "to": ["Two:1", "S:1"]},
      {"from": "Two:1", "to": ["X:2"]}, {"event": "Start:1", "to": ["Later:1"]}, {"event": "Later:1", "to": ["X:1"]}]})",
                            {"d", "a"});
  EXPECT_NEAR(last(run, "/S.1"), 2 * 3 + 2 * 1.25, 1e-9);
  EXPECT_NEAR(last(run, "d(/S.1)/d(d)"), 2, 1e-8);
  EXPECT_NEAR(last(run, "d(/S.1)/d(a)"), 4.25, 1e-8);
}

}  // namespace
}  // namespace orrery::tests
