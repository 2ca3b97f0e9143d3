// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs of the model itself, on the command line.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "command_line.h"

namespace orrery::tests::input_test {
namespace {

// x' = u, with u, a whole number n and a pair p as inputs, and x as an output.
const char* const ports = R"({"orrery": 1, "name": "ports", "simulation": {"stop": "6", "rtol": "1e-9"},
  "blocks": [{"name": "u", "type": "Input"},
             {"name": "n", "type": "Input", "parameters": {"type": "'int32'"}},
             {"name": "p", "type": "Input", "parameters": {"size": "2"}},
             {"name": "X", "type": "Integral"},
             {"name": "P", "type": "Integral", "parameters": {"x0": "[0;0]"}},
             {"name": "x", "type": "Output"},
             {"name": "whole", "type": "Output"},
             {"name": "pair", "type": "Output"}],
  "links": [{"from": "u:1", "to": ["X:1"]}, {"from": "X:1", "to": ["x:1"]}, {"from": "n:1", "to": ["whole:1"]},
            {"from": "p:1", "to": ["P:1"]}, {"from": "P:1", "to": ["pair:1"]}]})";

class ModelInputs : public CommandLine {
 protected:
  io::TimeSeries run(const std::string& table) {
    std::vector<std::string> arguments{"run", write("ports.orr", ports), "--quiet", "--out", file("out.csv")};
    if (!table.empty()) arguments.insert(arguments.end(), {"--input", write("in.csv", table)});
    const Outcome outcome = orrery(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    Diagnostics diagnostics;
    auto series = io::read_csv(file("out.csv"), diagnostics);
    EXPECT_TRUE(series) << to_text(diagnostics);
    return series.value_or(io::TimeSeries{});
  }

  static double last(const io::TimeSeries& series, const std::string& name) {
    for (std::size_t c = 0; c < series.names.size(); ++c) {
      if (series.names[c] == name) return series.columns[c].back();
    }
    ADD_FAILURE() << "no column " << name;
    return NAN;
  }
};

TEST_F(ModelInputs, AreZeroWithoutATable) {
  const io::TimeSeries series = run("");
  EXPECT_EQ(last(series, "/x"), 0);
  EXPECT_EQ(last(series, "/whole"), 0);
  EXPECT_EQ(last(series, "/pair[2]"), 0);
}

// Doubles are linear between rows and jump where a time comes twice; others keep their value; the ends stand still.
TEST_F(ModelInputs, FollowTheTable) {
  const io::TimeSeries series =
      run("time,u,n,p[1],p[2]\n"
          "1,2,1,0,1\n"
          "3,4,2,1,1\n"
          "3,0,5,1,1\n"
          "5,6,7,0,1\n");
  // 2 until 1, then 2 to 4, then 0 to 6, then 6: 2 + 6 + 6 + 6.
  EXPECT_NEAR(last(series, "/x"), 20, 1e-8);
  EXPECT_NEAR(last(series, "/pair[1]"), 0 + 1 + 1 + 0, 1e-8);
  EXPECT_NEAR(last(series, "/pair[2]"), 6, 1e-8);
  std::size_t whole = 0;
  while (series.names[whole] != "/whole") ++whole;
  for (std::size_t r = 0; r < series.time.size(); ++r) {
    const double t = series.time[r], n = series.columns[whole][r];
    if (t < 3) {
      EXPECT_EQ(n, 1) << t;
    }
    if (t > 3 && t < 5) {
      EXPECT_EQ(n, 5) << t;
    }
    if (t > 5) {
      EXPECT_EQ(n, 7) << t;
    }
  }
}

TEST_F(ModelInputs, WrongTablesAreRefused) {
  const std::string model = write("ports.orr", ports);
  const auto refused = [&](const char* table) {
    const Outcome outcome = orrery({"run", model, "--quiet", "--input", write("in.csv", table)});
    EXPECT_EQ(outcome.code, 1);
    return outcome.err;
  };
  EXPECT_TRUE(contains(refused("time,v\n0,1\n"), "in.csv:1: error[input-column]"));
  EXPECT_TRUE(contains(refused("time,p[1]\n0,1\n"), "p[2]"));
  EXPECT_TRUE(contains(refused("time,n\n0,0.5\n"), "input-value"));
  EXPECT_TRUE(contains(refused("time,u\n1,0\n0,0\n"), "csv-time-order"));
  EXPECT_TRUE(contains(refused("time,u,u\n0,0,1\n"), "input-column"));
  EXPECT_EQ(orrery({"run", model, "--input", "/nonexistent.csv"}).code, 1);
}

// Every row of a table with many of them is a change of course; the result is that of the exact trapezoids.
TEST_F(ModelInputs, ManyRows) {
  std::string table = "time,u\n";
  double exact = 0, before = 0;
  for (int k = 0; k <= 6000; ++k) {
    const double u = std::sin(0.37 * k);
    if (k > 0) exact += 0.0005 * (before + u);
    before = u;
    table += std::to_string(0.001 * k) + "," + fmt::format("{:.17g}", u) + "\n";
  }
  EXPECT_NEAR(last(run(table), "/x"), exact, 1e-9);
}

}  // namespace
}  // namespace orrery::tests::input_test
