// SPDX-License-Identifier: Apache-2.0
// Models as FMUs: they keep the rules of the standard and do what the model does, whoever integrates.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "command_line.h"

namespace orrery::tests::exported_fmu_test {
namespace {

// x' = k u and the integral of a pair, a whole number that passes through, and three sums of the pair.
const char* const ports = R"({"orrery": 1, "name": "ports", "simulation": {"stop": "6", "rtol": "1e-9"},
  "context": ["k = exposable('k', 2);"],
  "blocks": [{"name": "u", "type": "Input"},
             {"name": "n", "type": "Input", "parameters": {"type": "'int32'"}},
             {"name": "p", "type": "Input", "parameters": {"size": "2"}},
             {"name": "G", "type": "Gain", "parameters": {"k": "k"}},
             {"name": "X", "type": "Integral"},
             {"name": "P", "type": "Integral", "parameters": {"x0": "[0;0]"}},
             {"name": "M", "type": "MatrixGain", "parameters": {"K": "[1 2;3 4;5 6]"}},
             {"name": "x", "type": "Output"}, {"name": "whole", "type": "Output"},
             {"name": "pair", "type": "Output"}, {"name": "three", "type": "Output"}],
  "links": [{"from": "u:1", "to": ["G:1"]}, {"from": "G:1", "to": ["X:1"]}, {"from": "X:1", "to": ["x:1"]},
            {"from": "n:1", "to": ["whole:1"]}, {"from": "p:1", "to": ["P:1", "M:1"]},
            {"from": "P:1", "to": ["pair:1"]}, {"from": "M:1", "to": ["three:1"]}]})";

class ExportedFmus : public CommandLine, public testing::WithParamInterface<int> {
 protected:
  std::string export_fmu(const std::string& model, std::vector<std::string> more = {}) {
    const std::string out = file("made.fmu");
    std::vector<std::string> arguments{"export", "fmu", model, "--fmi", std::to_string(GetParam()), "--out", out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome made = orrery(arguments);
    EXPECT_EQ(made.code, 0) << made.err;
    const Outcome checked = orrery({"fmu", "check", "--run", out});
    EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
    EXPECT_NE((checked.out + checked.err).find("no violations"), std::string::npos) << checked.out << checked.err;
    return out;
  }

  io::TimeSeries run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--quiet", "--out", file("out.csv")});
    const Outcome outcome = orrery(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return series("out.csv");
  }

  // The last row of each time of `wanted` that both have; columns by name, the model's with or without a slash.
  static double largest_difference(const io::TimeSeries& wanted, const io::TimeSeries& found) {
    double worst = 0;
    std::size_t compared = 0;
    for (std::size_t c = 0; c < wanted.names.size(); ++c) {
      const auto same = [&](const std::string& name) {
        return name == wanted.names[c] || "/" + name == wanted.names[c] || name == "/" + wanted.names[c];
      };
      const auto at = std::ranges::find_if(found.names, same);
      if (at == found.names.end()) {
        ADD_FAILURE() << "no column " << wanted.names[c];
        continue;
      }
      const std::vector<double>& b = found.columns[static_cast<std::size_t>(at - found.names.begin())];
      double scale = 0;
      for (const double x : wanted.columns[c]) scale = std::isnan(x) ? scale : std::max(scale, std::abs(x));
      for (std::size_t r = 0, s = 0; r < wanted.time.size(); ++r) {
        while (s + 1 < found.time.size() && found.time[s + 1] <= wanted.time[r] + 1e-9) ++s;
        if (std::abs(found.time[s] - wanted.time[r]) > 1e-9 || std::isnan(wanted.columns[c][r])) continue;
        worst = std::max(worst, std::abs(b[s] - wanted.columns[c][r]) / std::max(scale, 1e-300));
        ++compared;
      }
    }
    EXPECT_GT(compared, 20u);
    return worst;
  }
};

TEST_P(ExportedFmus, DoWhatTheModelDoes) {
  for (const char* name : {"bouncing_ball", "sampled_controller"}) {
    SCOPED_TRACE(name);
    const std::string fmu = export_fmu(example(name));
    const io::TimeSeries wanted = run({example(name), "--interval", "0.25", "--stop", "5"});
    EXPECT_LE(largest_difference(wanted, run({fmu, "--kind", "me", "--interval", "0.25", "--stop", "5"})), 1e-6);
    EXPECT_LE(largest_difference(wanted, run({fmu, "--kind", "cs", "--step", "0.25", "--stop", "5"})), 1e-6);
  }
}

// Where its solver has fixed steps, co-simulation has the bits of the simulation; model exchange has another body.
TEST_P(ExportedFmus, HaveTheBitsOfFixedSteps) {
  const std::vector<std::string> solver{"--solver", "rk4", "--step", "0.01"};
  const std::string fmu = export_fmu(example("sampled_controller"), solver);
  std::vector<std::string> arguments{example("sampled_controller"), "--stop", "5"};
  arguments.insert(arguments.end(), solver.begin(), solver.end());
  const io::TimeSeries wanted = run(arguments);  // all rows: at an --interval they would be interpolated
  io::TimeSeries found = run({fmu, "--kind", "cs", "--step", "0.1", "--stop", "5"});
  for (std::size_t c = found.names.size(); c-- > 0;) {  // states and derivatives are not recorded
    if (std::ranges::find(wanted.names, found.names[c]) != wanted.names.end()) continue;
    found.names.erase(found.names.begin() + static_cast<std::ptrdiff_t>(c));
    found.columns.erase(found.columns.begin() + static_cast<std::ptrdiff_t>(c));
  }
  EXPECT_EQ(largest_difference(found, wanted), 0);
}

TEST_P(ExportedFmus, HaveInputsOutputsAndParameters) {
  const std::string fmu = export_fmu(write("ports.orr", ports));
  const std::string table = write("in.csv", "time,u,n,p[1],p[2]\n0,1,1,0,0\n2,3,1,1,2\n2,-1,5,1,2\n6,-1,5,3,0\n");
  const io::TimeSeries wanted = run({file("ports.orr"), "--input", table, "--interval", "0.5", "--set", "k=3"});
  EXPECT_LE(
      largest_difference(wanted, run({fmu, "--kind", "me", "--input", table, "--interval", "0.5", "--set", "k=3"})),
      1e-8);
  // 3 (∫ u) by hand: ∫ over 0…2 of 1 + t is 4, then -1 for four seconds.
  EXPECT_NEAR(wanted.columns[0].back(), 0, 1e-8);
  EXPECT_NEAR(*std::ranges::max_element(wanted.columns[0]), 12, 1e-8);
}

TEST_P(ExportedFmus, OfSourcesOnlyAreCompiledByTheImporter) {
  const std::string fmu = export_fmu(example("bouncing_ball"), {"--no-binary"});
  const io::TimeSeries wanted = run({example("bouncing_ball"), "--interval", "0.25", "--stop", "4"});
  EXPECT_LE(largest_difference(wanted, run({fmu, "--kind", "me", "--interval", "0.25", "--stop", "4"})), 1e-6);
}

TEST_P(ExportedFmus, AreRefused) {
  const std::string model = write("complex.orr", R"({"orrery": 1, "name": "c", "blocks": [
    {"name": "C", "type": "Constant", "parameters": {"value": "1+2i"}}, {"name": "y", "type": "Output"}],
    "links": [{"from": "C:1", "to": ["y:1"]}]})");
  const Outcome refused = orrery({"export", "fmu", model, "--out", file("c.fmu")});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("export-refused"), std::string::npos) << refused.err;
  ::setenv("CC", "/bin/false", 1);
  const Outcome broken = orrery({"export", "fmu", example("bouncing_ball"), "--out", file("b.fmu")});
  ::unsetenv("CC");
  EXPECT_EQ(broken.code, 1);
  EXPECT_NE(broken.err.find("fmu-compile"), std::string::npos) << broken.err;
  EXPECT_FALSE(fs::exists(file("b.fmu")));
}

INSTANTIATE_TEST_SUITE_P(Fmi, ExportedFmus, testing::Values(2, 3));

}  // namespace
}  // namespace orrery::tests::exported_fmu_test
