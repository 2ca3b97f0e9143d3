// SPDX-License-Identifier: Apache-2.0
// Sensitivities through smooth motion, jumps, programmed events and modes, against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "base/folders_for_tests.h"
#include "run_model.h"

namespace orrery::tests::sensitivity_test {
namespace {

api::RunResult sensitivities_with(const std::string& text, const std::vector<std::string>& names) {
  api::RunRequest request;
  request.sensitivities = names;
  api::RunResult result = run_text(text, request);
  EXPECT_FALSE(result.failed()) << to_text(result.diagnostics);
  return result;
}

// x' = -a x, x(0) = b: dx/da = -t x, dx/db = x / b.
TEST(Sensitivity, OfAnExponentialDecay) {
  const auto run = sensitivities_with(R"({"orrery": 1, "name": "decay", "simulation": {"stop": "2", "rtol": "1e-10"},
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

// x' = y(u), where u jumps at T and y is a spline through points of a cubic, so the cubic itself: the event moves to
// another piece of it. dx/dT = y(0.5) - y(4.5).
TEST(Sensitivity, OfAnEventThatMovesToAnotherPieceOfASpline) {
  const auto run = sensitivities_with(R"({"orrery": 2, "name": "pieces", "simulation": {"stop": "2", "rtol": "1e-10"},
    "context": ["T = 0.7;"],
    "blocks": [{"name": "Start", "type": "InitialEvent"},
               {"name": "Later", "type": "EventDelay", "parameters": {"delay": "T"}},
               {"name": "N", "type": "Counter"},
               {"name": "U", "type": "MathExpression", "parameters": {"expression": "'0.5+4*u1'"}},
               {"name": "Y", "type": "LookupTable", "parameters": {"x": "0:5", "y": "(0:5).^3", "method": "'not_a_knot'"}},
               {"name": "X", "type": "Integral"}, {"name": "S", "type": "Scope"}],
    "links": [{"event": "Start:1", "to": ["Later:1", "N:1"]}, {"event": "Later:1", "to": ["N:1"]},
              {"from": "N:1", "to": ["U:1"]}, {"from": "U:1", "to": ["Y:1"]}, {"from": "Y:1", "to": ["X:1"]},
              {"from": "X:1", "to": ["S:1"]}]})",
                                      {"T"});
  EXPECT_NEAR(last(run, "/S.1"), 0.125 * 0.7 + 91.125 * 1.3, 1e-7);
  EXPECT_NEAR(last(run, "d(/S.1)/d(T)"), 0.125 - 91.125, 1e-7);
}

// Impact n of a ball is at t = sqrt(2 h / g) (1 + 2 e + 2 e^2 + ... + 2 e^(n-1)).
TEST(Sensitivity, OfTheFifthImpactOfABouncingBall) {
  const double g = 9.81, h = 10, e = 0.9;
  const auto run = sensitivities_with(R"({"orrery": 1, "name": "ball", "simulation": {"stop": "10.5", "rtol": "1e-11"},
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
  const auto run = sensitivities_with(R"({"orrery": 1, "name": "mode", "simulation": {"stop": "3", "rtol": "1e-10"},
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

// The integral of a play of sin t: up - half from asin(half) to pi / 2, held, down + half from pi on, and so on.
TEST(Sensitivity, OfAPlay) {
  const auto run = sensitivities_with(R"({"orrery": 1, "name": "play", "simulation": {"stop": "7", "rtol": "1e-10"},
    "context": ["g = 1;", "w = 1;"],
    "blocks": [{"name": "U", "type": "Integral"}, {"name": "V", "type": "Integral", "parameters": {"x0": "1"}},
      {"name": "M", "type": "Gain", "parameters": {"k": "-w*w"}},
      {"name": "B", "type": "Backlash", "parameters": {"gap": "g"}},
      {"name": "X", "type": "Integral"}, {"name": "S", "type": "Scope"}],
    "links": [{"from": "V:1", "to": ["U:1"]}, {"from": "U:1", "to": ["M:1", "B:1"]}, {"from": "M:1", "to": ["V:1"]},
      {"from": "B:1", "to": ["X:1"]}, {"from": "X:1", "to": ["S:1"]}]})",
                                      {"g", "w"});
  const double pi = std::acos(-1.0), begins = std::asin(0.5);
  EXPECT_NEAR(last(run, "d(/S.1)/d(g)"), -0.5 * (pi - begins) + 0.5 * pi - 0.5 * (7 - 2 * pi), 1e-7);
  // u = sin(w t) / w: du/dw = t cos t - sin t at w = 1, at each peak -1 and at the trough 1.
  const auto pushed = [](double t) { return t * std::sin(t) + 2 * std::cos(t); };  // the integral of t cos t - sin t
  const double by_w =
      pushed(pi / 2) - pushed(begins) - pi / 2 + pushed(3 * pi / 2) - pushed(pi) + pi / 2 + pushed(7) - pushed(2 * pi);
  EXPECT_NEAR(last(run, "d(/S.1)/d(w)"), by_w, 1e-6);
}

// An event programmed after a delay d doubles x = a t at t = d: afterwards x = a t + a d.
TEST(Sensitivity, OfAProgrammedEvent) {
  const auto run = sensitivities_with(R"({"orrery": 1, "name": "delay", "simulation": {"stop": "3", "rtol": "1e-10"},
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

std::string with_context(const std::string& settings, const std::string& context, const std::string& blocks,
                         const std::string& links) {
  return R"({"orrery": 1, "name": "loop", "simulation": {)" + settings + R"(}, "context": [)" + context +
         R"(], "blocks": [)" + blocks + R"(], "links": [)" + links + "]}";
}

// x' = -z with z^3 + p z = x = 2 at first: (3 z^2 + p) z' = -z, so 1.5 z^2 + p ln z = 1.5 z0^2 + p ln z0 - t. At p = 1
// z0 = 1 and dz0/dp = -1/4; differentiated by p: (3 z + 1 / z) dz/dp + ln z = -1.
TEST(Sensitivity, ThroughANonlinearEquation) {
  for (const char* solver : {"dopri", "radau", "ida", "cvode-bdf-newton"}) {
    const auto run = sensitivities_with(
        with_context(std::string(R"("stop": "0.5", "rtol": "1e-10", "solver": ")") + solver + "\"", R"("p = 1;")",
                     R"({"name": "X", "type": "Integral", "parameters": {"x0": "2"}},
          {"name": "Z", "type": "Constraint", "parameters": {"guess": "1"}},
          {"name": "F", "type": "MathExpression", "parameters": {"expression": "'u1^3+p*u1-u2'", "inputs": "2"}},
          {"name": "N", "type": "Gain", "parameters": {"k": "-1"}},
          {"name": "S", "type": "Scope", "parameters": {"inputs": "2"}})",
                     R"({"from": "X:1", "to": ["F:2", "S:1"]}, {"from": "Z:1", "to": ["F:1", "N:1", "S:2"]},
          {"from": "F:1", "to": ["Z:1"]}, {"from": "N:1", "to": ["X:1"]})"),
        {"p"});
    const double z = last(run, "/S.2"), dz = (-1 - std::log(z)) / (3 * z + 1 / z);
    EXPECT_NEAR(1.5 * z * z + std::log(z), 1, 1e-8) << solver;
    EXPECT_NEAR(last(run, "d(/S.2)/d(p)"), dz, 1e-8) << solver;
    EXPECT_NEAR(last(run, "d(/S.1)/d(p)"), (3 * z * z + 1) * dz + z, 1e-8) << solver;
  }
}

// z1 z2 = 2 + p t, z1 - z2 = 1: two unknowns together. z2 = (sqrt(9 + 4 p t) - 1) / 2.
TEST(Sensitivity, ThroughTwoEquationsTogether) {
  const auto run = sensitivities_with(
      with_context(
          R"("stop": "1")", R"("p = 3;")",
          R"({"name": "T", "type": "Time"}, {"name": "Z", "type": "Constraint", "parameters": {"guess": "[1; 1]"}},
        {"name": "F", "type": "MatrixExpression",
         "parameters": {"expression": "'[u1(1)*u1(2) - 2 - p*u2; u1(1) - u1(2) - 1]'", "inputs": "2"}},
        {"name": "S", "type": "Scope"})",
          R"({"from": "T:1", "to": ["F:2"]}, {"from": "Z:1", "to": ["F:1", "S:1"]},
        {"from": "F:1", "to": ["Z:1"]})"),
      {"p"});
  EXPECT_NEAR(last(run, "/S.1[2]"), (std::sqrt(21.0) - 1) / 2, 1e-12);
  EXPECT_NEAR(last(run, "d(/S.1)/d(p)[2]"), 1 / std::sqrt(21.0), 1e-10);
  EXPECT_NEAR(last(run, "d(/S.1)/d(p)[1]"), 1 / std::sqrt(21.0), 1e-10);
}

// z^3 + p z = t reaches c at t = c^3 + p c: the instant of a crossing that an equation decides.
TEST(Sensitivity, OfACrossingThatAnEquationDecides) {
  const auto run = sensitivities_with(
      with_context(R"("stop": "3", "rtol": "1e-10")", R"("p = 0.5;", "c = 1.25;")",
                   R"({"name": "T", "type": "Time"}, {"name": "Z", "type": "Constraint"},
        {"name": "F", "type": "MathExpression", "parameters": {"expression": "'u1^3+p*u1-u2'", "inputs": "2"}},
        {"name": "Level", "type": "MathExpression", "parameters": {"expression": "'u1-c'"}},
        {"name": "Cross", "type": "ZeroCross"}, {"name": "Hold", "type": "SampleHold"},
        {"name": "S", "type": "Scope"})",
                   R"({"from": "T:1", "to": ["F:2", "Hold:1"]}, {"from": "Z:1", "to": ["F:1", "Level:1"]},
        {"from": "F:1", "to": ["Z:1"]}, {"from": "Level:1", "to": ["Cross:1"]}, {"from": "Hold:1", "to": ["S:1"]},
        {"event": "Cross:1", "to": ["Hold:1"]})"),
      {"p", "c"});
  EXPECT_NEAR(last(run, "/S.1"), 1.25 * 1.25 * 1.25 + 0.5 * 1.25, 1e-9);
  EXPECT_NEAR(last(run, "d(/S.1)/d(p)"), 1.25, 1e-7);
  EXPECT_NEAR(last(run, "d(/S.1)/d(c)"), 3 * 1.25 * 1.25 + 0.5, 1e-7);
}

// The FMU integrates its input, 1 - k x: x = (1 - exp(-k t)) / k. Its derivatives are its own or differences.
TEST(Sensitivity, ThroughForeignCode) {
  const auto blocks = [](const std::string& version, const std::string& start) {
    return R"({"name": "F", "type": "FMU", "parameters": {"fmu": "')" +
           (test_fmu_folder() + "/input_integral_" + version) + R"(.fmu'", "start": ")" + start + R"("}},
      {"name": "U", "type": "MathExpression", "parameters": {"expression": "'1-k*u1'"}},
      {"name": "Zero", "type": "Constant", "parameters": {"value": "int32(0) "}}, {"name": "S", "type": "Scope"})";
  };
  const std::string links = R"({"from": "F:1", "to": ["U:1", "S:1"]}, {"from": "U:1", "to": ["F:1"]},
      {"from": "Zero:1", "to": ["F:2"]})";
  const double k = 0.7, t = 2, e = std::exp(-k * t);
  for (const std::string version : {"2", "3"}) {
    for (const char* solver : {"dopri", "cvode-bdf-newton"}) {
      const auto run =
          sensitivities_with(with_context(std::string(R"("stop": "2", "rtol": "1e-10", "solver": ")") + solver + "\"",
                                          R"("k = 0.7;")", blocks(version, "{}"), links),
                             {"k"});
      EXPECT_NEAR(last(run, "/S.1"), (1 - e) / k, 1e-8) << solver;
      EXPECT_NEAR(last(run, "d(/S.1)/d(k)"), (t * e * k - (1 - e)) / (k * k), 1e-6) << solver;
    }
  }
}

// x' = -a x(t - T), x = c before 0. By the method of steps x = c (1 - a t + a^2 (t - T)^2 / 2 - a^3 (t - 2T)^3 / 6)
// from 2T to 3T.
TEST(Sensitivity, ThroughADelayInALoop) {
  const auto run = sensitivities_with(R"({"orrery": 1, "name": "dde", "simulation": {"stop": "2.5", "rtol": "1e-10"},
    "context": ["a = 0.7;", "tau = 1;", "c = 2;"],
    "blocks": [{"name": "X", "type": "Integral", "parameters": {"x0": "c"}},
               {"name": "D", "type": "FixedDelay", "parameters": {"T": "tau", "init": "c"}},
               {"name": "K", "type": "MathExpression", "parameters": {"expression": "'-a*u1'"}},
               {"name": "S", "type": "Scope"}],
    "links": [{"from": "X:1", "to": ["D:1", "S:1"]}, {"from": "D:1", "to": ["K:1"]}, {"from": "K:1", "to": ["X:1"]}]})",
                                      {"a", "tau", "c"});
  const double a = 0.7, t = 2.5, u = t - 1, v = t - 2;
  const double x = 1 - a * t + a * a * u * u / 2 - a * a * a * v * v * v / 6;
  EXPECT_NEAR(last(run, "/S.1"), 2 * x, 1e-8);
  EXPECT_NEAR(last(run, "d(/S.1)/d(a)"), 2 * (-t + a * u * u - a * a * v * v * v / 2), 1e-7);
  EXPECT_NEAR(last(run, "d(/S.1)/d(tau)"), 2 * (-a * a * u + a * a * a * v * v), 1e-7);
  EXPECT_NEAR(last(run, "d(/S.1)/d(c)"), x, 1e-8);
}

// A jump at s arrives at s + tau: the integral of what arrives changes by -2 with each of both, its square wave copy
// too.
TEST(Sensitivity, OfAJumpThatADelayHolds) {
  const auto run = sensitivities_with(R"({"orrery": 1, "name": "jump", "simulation": {"stop": "4", "rtol": "1e-10"},
    "context": ["s = 1;", "tau = 0.8;"],
    "blocks": [{"name": "T", "type": "Time"},
               {"name": "U", "type": "MathExpression", "parameters": {"expression": "'2*(u1>s)'"}},
               {"name": "D", "type": "FixedDelay", "parameters": {"T": "tau"}},
               {"name": "E", "type": "FixedDelay", "parameters": {"T": "2*tau"}},
               {"name": "I", "type": "Integral"}, {"name": "J", "type": "Integral"}, {"name": "S", "type": "Scope", "parameters": {"inputs": "2"}}],
    "links": [{"from": "T:1", "to": ["U:1"]}, {"from": "U:1", "to": ["D:1"]}, {"from": "D:1", "to": ["I:1", "E:1"]},
              {"from": "E:1", "to": ["J:1"]}, {"from": "I:1", "to": ["S:1"]}, {"from": "J:1", "to": ["S:2"]}]})",
                                      {"s", "tau"});
  EXPECT_NEAR(last(run, "/S.1"), 2 * (4 - 1.8), 1e-8);
  EXPECT_NEAR(last(run, "d(/S.1)/d(s)"), -2, 1e-8);
  EXPECT_NEAR(last(run, "d(/S.1)/d(tau)"), -2, 1e-8);
  EXPECT_NEAR(last(run, "d(/S.2)/d(s)"), -2, 1e-8);
  EXPECT_NEAR(last(run, "d(/S.2)/d(tau)"), -6, 1e-8);
}

}  // namespace
}  // namespace orrery::tests::sensitivity_test
