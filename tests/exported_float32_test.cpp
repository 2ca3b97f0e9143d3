// SPDX-License-Identifier: Apache-2.0
// Exported C with floats: against the same computations written by hand in floats, and what is refused.
#include <fmt/format.h>

#include <cmath>
#include <regex>

#include "command_line.h"
#include "output_of.h"

namespace orrery::tests::exported_float32_test {
namespace {

constexpr const char* flags = "-std=c99 -O1 -Wall -Wextra -Wconversion -pedantic -Werror -ffp-contract=off";

// x'' = (1 - x^2) x' - x with a filter of its speed that ticks.
const char* const oscillator =
    R"({"orrery": 1, "name": "osc", "simulation": {"stop": "8", "solver": "rk4", "step": "1/64"},
  "blocks": [{"name": "X", "type": "Integral", "parameters": {"x0": "2"}}, {"name": "V", "type": "Integral"},
    {"name": "F", "type": "MathExpression", "parameters": {"expression": "'(1 - u1*u1)*u2 - u1'", "inputs": "2"}},
    {"name": "S", "type": "Scope", "parameters": {"inputs": "2"}}],
  "links": [{"from": "V:1", "to": ["X:1", "F:2", "S:2"]}, {"from": "X:1", "to": ["F:1", "S:1"]},
    {"from": "F:1", "to": ["V:1"]}]})";

template <class Real>
std::pair<double, double> oscillate() {
  Real x = 2, v = 0;
  const Real h = Real(1) / 64, third = Real(1.0 / 3), sixth = Real(1.0 / 6);
  const auto force = [](Real a, Real b) { return (1 - a * a) * b - a; };
  for (int k = 0; k < 512; ++k) {
    const Real a1 = v, b1 = force(x, v);
    const Real a2 = v + h * (Real(0.5) * b1), b2 = force(x + h * (Real(0.5) * a1), a2);
    const Real a3 = v + h * (Real(0.5) * b2), b3 = force(x + h * (Real(0.5) * a2), a3);
    const Real a4 = v + h * b3, b4 = force(x + h * a3, a4);
    x = x + h * (sixth * a1 + third * a2 + third * a3 + sixth * a4);
    v = v + h * (sixth * b1 + third * b2 + third * b3 + sixth * b4);
  }
  return {x, v};
}

class ExportedFloat32 : public CommandLine {
 protected:
  io::TimeSeries run(const std::string& model, const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments{"export", "c", model, "--float32", "--name", "made", "--out", file("made")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome made = orrery(arguments);
    EXPECT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(output_of(fmt::format("cd {} && cc {} -Wdouble-promotion -c made.c && "
                                    "cc {} -o made main.c made.c orrery_rt.c -lm && ./made > ../made.csv",
                                    file("made"), flags, flags)),
              "");
    return series("made.csv");
  }

  // What is said for a model of these blocks and links.
  std::string refusal(const std::string& blocks, const std::string& links, std::vector<std::string> options) {
    const std::string model =
        write("no.orr", fmt::format(R"({{"orrery": 1, "name": "no", "blocks": [{}], "links": [{}]}})", blocks, links));
    options.insert(options.begin(), {"export", "c", model, "--float32", "--out", file("no")});
    const Outcome outcome = orrery(options);
    EXPECT_EQ(outcome.code, 1) << outcome.out;
    EXPECT_NE(outcome.err.find("not-exportable"), std::string::npos) << outcome.err;
    return outcome.err;
  }
};

TEST_F(ExportedFloat32, HasTheBitsOfFloatsByHand) {
  const io::TimeSeries rows = run(write("osc.orr", oscillator));
  const auto [x, v] = oscillate<float>();
  EXPECT_EQ(rows.columns[0].back(), x);
  EXPECT_EQ(rows.columns[1].back(), v);
  // The digits of floats, and no more.
  const auto [exact, speed] = oscillate<double>();
  EXPECT_NEAR(x, exact, 1e-5);
  EXPECT_GT(std::abs(x - exact), 1e-9);
}

TEST_F(ExportedFloat32, HasNoDoubleLeft) {
  run(write("osc.orr", oscillator));
  for (const char* name : {"made.c", "made.h", "orrery_rt.h", "orrery_rt.c"}) {
    std::string text = read(file("made/") + name);
    text = std::regex_replace(text, std::regex("/\\*[^*]*(\\*[^/][^*]*)*\\*/"), "");
    EXPECT_FALSE(std::regex_search(text, std::regex("\\bdouble\\b"))) << name;
    EXPECT_FALSE(std::regex_search(text, std::regex("[0-9]\\.[0-9]+[^0-9ef\"]"))) << name;
  }
}

// Clocks, memories and whole numbers: y(k) = 0.875 y(k - 1) + 0.125 u with a square wave, by hand in floats.
TEST_F(ExportedFloat32, OfASampledFilterToo) {
  const std::string model = write(
      "filter.orr", R"({"orrery": 1, "name": "filter", "simulation": {"stop": "10", "solver": "euler", "step": "0.25"},
    "blocks": [{"name": "C", "type": "SampleClock", "parameters": {"period": "0.25"}},
      {"name": "N", "type": "Counter"}, {"name": "P", "type": "MathExpression", "parameters": {"expression": "'sin(u1)'"}},
      {"name": "Y", "type": "DiscreteDelay"}, {"name": "A", "type": "Gain", "parameters": {"k": "0.9"}},
      {"name": "B", "type": "Gain", "parameters": {"k": "0.1"}}, {"name": "Sum", "type": "Sum"},
      {"name": "S", "type": "Scope"}],
    "links": [{"from": "N:1", "to": ["P:1"]}, {"from": "P:1", "to": ["B:1"]}, {"from": "Y:1", "to": ["A:1", "S:1"]},
      {"from": "A:1", "to": ["Sum:1"]}, {"from": "B:1", "to": ["Sum:2"]}, {"from": "Sum:1", "to": ["Y:1"]},
      {"event": "C:1", "to": ["N:1", "Y:1"]}]})");
  const io::TimeSeries rows = run(model);
  const Outcome doubles = orrery({"run", model, "--out", file("doubles.csv"), "--quiet"});
  ASSERT_EQ(doubles.code, 0) << doubles.err;
  const io::TimeSeries wanted = series("doubles.csv");
  ASSERT_EQ(rows.time.size(), wanted.time.size());
  for (std::size_t k = 0; k < rows.time.size(); ++k) {
    EXPECT_EQ(rows.time[k], wanted.time[k]);
    if (std::isnan(wanted.columns[0][k])) continue;
    EXPECT_NEAR(rows.columns[0][k], wanted.columns[0][k], 1e-6);
  }
}

TEST_F(ExportedFloat32, RefusesByBlockAndReason) {
  const std::string scope = R"(, {"name": "S", "type": "Scope"})", integral = R"({"name": "X", "type": "Integral"})";
  const std::string loop = R"({"from": "X:1", "to": ["X:1", "S:1"]})";
  const std::vector<std::string> fixed{"--solver", "rk4", "--step", "0.01"};
  EXPECT_NE(refusal(integral + scope, loop, {}).find("steps of variable size"), std::string::npos);
  EXPECT_NE(refusal(integral + scope, loop, {"--solver", "euler-implicit", "--step", "0.01"}).find("implicit method"),
            std::string::npos);
  EXPECT_NE(refusal(integral + scope, loop, {"--solver", "rk4", "--step", "1e-7"}).find("too small for a time"),
            std::string::npos);
  const std::string random = refusal(
      R"({"name": "C", "type": "SampleClock", "parameters": {"period": "0.1"}}, {"name": "R", "type": "Random"})" +
          scope,
      R"({"from": "R:1", "to": ["S:1"]}, {"event": "C:1", "to": ["R:1"]})", fixed);
  EXPECT_NE(random.find("/S: Scope cannot"), std::string::npos) << random;  // whoever keeps the value is named
  EXPECT_NE(random.find("32 bits"), std::string::npos) << random;
  const std::string large =
      refusal(R"({"name": "G", "type": "Gain", "parameters": {"k": "1e60"}}, {"name": "T", "type": "Time"})" + scope,
              R"({"from": "T:1", "to": ["G:1"]}, {"from": "G:1", "to": ["S:1"]})", fixed);
  EXPECT_NE(large.find("1e+60 is beyond the range of floats"), std::string::npos) << large;
  EXPECT_NE(large.find("/S: Scope cannot"), std::string::npos) << large;
}

}  // namespace
}  // namespace orrery::tests::exported_float32_test
