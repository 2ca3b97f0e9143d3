// SPDX-License-Identifier: Apache-2.0
// Stiff models and DAEs in exported C: the implicit method of the run-time against published numbers.
#include <fmt/format.h>

#include <cmath>

#include "command_line.h"
#include "output_of.h"

namespace orrery::tests::exported_stiff_test {
namespace {

constexpr const char* flags = "-std=c99 -O1 -Wall -Wextra -Wconversion -pedantic -Werror -ffp-contract=off";

class ExportedStiff : public CommandLine {
 protected:
  // Exports, compiles and runs a model; its rows.
  io::TimeSeries run(const std::string& model, const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"export", "c", model, "--name", "made", "--out", file("made")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome made = orrery(arguments);
    EXPECT_EQ(made.code, 0) << made.err;
    said_ = made.err;
    EXPECT_EQ(output_of(fmt::format("cd {} && cc {} -o made main.c made.c orrery_rt.c -lm && ./made > ../made.csv",
                                    file("made"), flags)),
              "");
    return series("made.csv");
  }

  std::string said_;
};

// End values of the Test Set for IVP Solvers (release 2.4) and of Hairer and Wanner, Solving ODEs II. With the
// tolerances of the examples (1e-6 and less) four digits and more; an explicit method would take a million steps.
TEST_F(ExportedStiff, ModelsHaveThePublishedValues) {
  struct Case {
    const char* model;
    std::vector<double> values;
  };
  const Case cases[] = {
      {"numerics/hires", {0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4}},
      {"numerics/van_der_pol", {1.706167732170483, -0.8928097010247975e-3}},
      {"numerics/robertson_ode", {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050}},
      {"numerics/oregonator", {1.000814870318523, 1228.178521549917, 132.0554942846706}},
      {"numerics/pollution", {0.5646255480022769e-1, 0.1342484130422339, 0.4139734331099427e-8}},
      {"numerics/robertson_dae", {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050}},
      {"numerics/transistor_amplifier", {-0.5562145012262709e-2, 3.006522471903042, 2.849958788608128}},
  };
  for (const Case& c : cases) {
    for (const char* solver : {"sdirk", "auto"}) {
      SCOPED_TRACE(fmt::format("{} {}", c.model, solver));
      const io::TimeSeries rows = run(example(c.model), {"--solver", solver});
      EXPECT_EQ(said_, "");
      EXPECT_LT(rows.time.size(), 5000u);
      ASSERT_GE(rows.columns.size(), c.values.size());
      for (std::size_t k = 0; k < c.values.size(); ++k)
        EXPECT_NEAR(rows.columns[k].back() / c.values[k], 1, 2e-4) << rows.names[k];
    }
  }
}

// x' = 10^4 (cos t - x) - sin t, of which cos t is the solution. Explicit methods need steps below 2e-4. So
// stiff, a method of stage order 1 has errors of h^2 / lambda and not of h^4.
TEST_F(ExportedStiff, ImplicitMethodsWithFixedStepsStayImplicit) {
  const std::string model = write("fast.orr", R"({"orrery": 1, "name": "fast", "simulation": {"stop": "10"},
    "blocks": [{"name": "X", "type": "Integral", "parameters": {"x0": "1"}}, {"name": "T", "type": "Time"},
      {"name": "F", "type": "MathExpression", "parameters": {"expression": "'1e4*(cos(u2) - u1) - sin(u2)'", "inputs": "2"}},
      {"name": "S", "type": "Scope"}],
    "links": [{"from": "X:1", "to": ["F:1", "S:1"]}, {"from": "T:1", "to": ["F:2"]}, {"from": "F:1", "to": ["X:1"]}]})");
  for (const char* solver : {"euler-implicit", "trapezoidal-implicit"}) {
    const io::TimeSeries rows = run(model, {"--solver", solver, "--step", "0.05"});
    EXPECT_NE(said_.find("it takes sdirk with the same step"), std::string::npos) << said_;
    ASSERT_EQ(rows.time.size(), 201u);
    for (std::size_t k = 0; k < rows.time.size(); ++k)
      EXPECT_NEAR(rows.columns[0][k], std::cos(rows.time[k]), 1e-5) << rows.time[k];
  }
}

// A relay with hysteresis around a stiff lag: crossings are located on the dense output of the implicit method.
TEST_F(ExportedStiff, CrossingsAreFound) {
  const std::string model =
      write("ball.orr", R"({"orrery": 1, "name": "ball", "simulation": {"stop": "3", "rtol": "1e-9"},
    "blocks": [{"name": "F", "type": "Integral", "parameters": {"x0": "0"}},
      {"name": "G", "type": "MathExpression", "parameters": {"expression": "'1e5*(sin(u2) - u1) + cos(u2)'", "inputs": "2"}},
      {"name": "T", "type": "Time"}, {"name": "H", "type": "Constant", "parameters": {"value": "0.5"}},
      {"name": "D", "type": "Sum", "parameters": {"signs": "'+-'"}}, {"name": "Z", "type": "ZeroCross"},
      {"name": "When", "type": "SampleHold"}, {"name": "S", "type": "Scope", "parameters": {"inputs": "2"}}],
    "links": [{"from": "F:1", "to": ["G:1", "D:1", "S:1"]}, {"from": "T:1", "to": ["G:2", "When:1"]},
      {"from": "G:1", "to": ["F:1"]}, {"from": "H:1", "to": ["D:2"]}, {"from": "D:1", "to": ["Z:1"]},
      {"from": "When:1", "to": ["S:2"]}, {"event": "Z:1", "to": ["When:1"]}]})");
  const io::TimeSeries rows = run(model, {"--solver", "sdirk"});
  // sin t = 1/2 at pi/6 and 5 pi/6.
  const double pi = std::acos(-1.0);
  double first = NAN;
  for (std::size_t k = 0; k < rows.time.size(); ++k) {
    if (std::isnan(first) && rows.columns[1][k] > 0) first = rows.columns[1][k];
  }
  EXPECT_NEAR(first, pi / 6, 1e-7);
  EXPECT_NEAR(rows.columns[1].back(), 5 * pi / 6, 1e-7);
}

}  // namespace
}  // namespace orrery::tests::exported_stiff_test
