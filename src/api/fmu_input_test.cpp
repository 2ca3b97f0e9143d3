// SPDX-License-Identifier: Apache-2.0
// Inputs from tables: jumps, ramps, all types, tables of other programs.
#include "fmi/input_series.h"

#include "api/fmu_run_for_tests.h"

namespace orrery::fmi {
namespace {

class WithInput : public testing::Test {
 protected:
  std::string write(const std::string& text) { return file_.write(text); }
  ScratchFile file_{"input.csv"};
};

TEST_F(WithInput, JumpsAreEventsAndRampsAreLinear) {
  // u is 0, rises linearly to 1 at t = 1, jumps to -2; k changes at 1.5.
  const std::string input = write("time,u,k\n0,0,0\n1,1,0\n1,-2,0\n1.5,-2,7\n2,-2,7\n");
  for (const std::string& name : versions("input_integral", "me")) {
    RunOptions options = exchange();
    options.input = input;
    const RunResult result = simulate(fmu(name), options);
    EXPECT_RUNS(result);
    EXPECT_EQ(result.counts.input_events, 2) << name;
    EXPECT_NEAR(last(result, "x"), 0.5 - 2, 1e-6) << name;
    EXPECT_EQ(last(result, "k_copy"), 7) << name;
    for (std::size_t row = 0; row < result.recording.rows(); ++row) {
      const double t = result.recording.time[row];
      const double x = t <= 1 ? t * t / 2 : 0.5 - 2 * (t - 1);
      EXPECT_NEAR(result.recording.number(row, 0), x, 1e-6) << name << " at " << t;
    }
  }
}

TEST_F(WithInput, NegatedAliasesAreNegative) {
  RunOptions options = exchange();
  options.input = write("\"Time\", u\r\n0,1e0\r\n2,1E+000");
  const RunResult result = simulate(fmu("input_integral_1_me"), options);
  EXPECT_RUNS(result);
  EXPECT_NEAR(last(result, "xn"), -last(result, "x"), 0);
  EXPECT_NEAR(last(result, "x"), 2, 1e-6);
}

TEST_F(WithInput, CoSimulationSplitsStepsAtJumps) {
  const std::string input = write("time,u\n0,1\n0.55,1\n0.55,3\n2,3\n");
  for (const std::string& name : versions("input_integral", "cs")) {
    RunOptions options = co_simulation();
    options.input = input;
    options.step = 0.1;
    const RunResult result = simulate(fmu(name), options);
    EXPECT_RUNS(result);
    EXPECT_NEAR(last(result, "x"), 0.55 + 3 * 1.45, 1e-9) << name;
  }
}

// With slopes the input is the line between communication points: the trapezoidal rule, also over a kink.
TEST_F(WithInput, SlopesLeadToTheEndOfTheStep) {
  RunOptions options = co_simulation();
  options.input = write("time,u\n0,0\n0.55,1\n1,0\n1,4\n2,4\n");
  options.step = 0.1;
  const auto u = [](double t) { return t < 0.55 ? t / 0.55 : (1 - t) / 0.45; };
  double sum = 4;
  for (int k = 0; k < 10; ++k) sum += 0.05 * (u(0.1 * k) + u(0.1 * (k + 1)));
  const RunResult result = simulate(fmu("input_integral_2"), options);
  EXPECT_RUNS(result);
  EXPECT_NEAR(last(result, "x"), sum, 1e-9);
}

// u = t is held in each of the steps, so that the sum is that of the rule of the left, middle or right points. A jump
// at a communication point is seen by the step before it when inputs are those of its end.
TEST_F(WithInput, AStepSeesTheInputsOfItsBeginMiddleOrEnd) {
  const std::pair<InputPoint, double> rules[] = {
      {InputPoint::begin, 0}, {InputPoint::middle, 0.05}, {InputPoint::end, 0.1}};
  for (const auto& [point, shift] : rules) {
    for (const char* name : {"input_integral_1_cs", "plain_cs_3"}) {
      RunOptions options = co_simulation();
      options.step = 0.1;
      options.input_point = point;
      options.input = write("time,u,k\n0,0,0\n2,2,0\n");
      RunResult result = simulate(fmu(name), options);
      EXPECT_RUNS(result);
      EXPECT_NEAR(last(result, "x"), 1.9 + 2 * shift, 1e-9) << name << " " << shift;
      options.input = write("time,u\n0,0\n1,0\n1,1\n2,1\n");
      result = simulate(fmu(name), options);
      EXPECT_RUNS(result);
      EXPECT_NEAR(last(result, "x"), point == InputPoint::end ? 1.1 : 1, 1e-9) << name << " " << shift;
    }
  }
  // Slopes go with the begin only.
  RunOptions options = co_simulation();
  options.step = 0.1;
  options.input = write("time,u,k\n0,0,0\n2,2,0\n");
  EXPECT_NEAR(last(simulate(fmu("input_integral_2"), options), "x"), 2, 1e-9);
  options.input_point = InputPoint::end;
  EXPECT_NEAR(last(simulate(fmu("input_integral_2"), options), "x"), 2.1, 1e-9);
}

// Of Model Exchange any times will do; Co-Simulation has values at communication points only, and a finer grid of the
// reference that divides the step becomes the step.
TEST_F(WithInput, RowsAreAtGivenTimes) {
  RunOptions options = exchange();
  options.row_times = {0, 0.125, 0.125, 1.0 / 3, 1.75};
  RunResult result = simulate(fmu("dahlquist_2"), options);
  EXPECT_RUNS(result);
  EXPECT_EQ(result.recording.time, (std::vector<double>{0, 0.125, 1.0 / 3, 1.75, 10}));
  EXPECT_NEAR(result.recording.number(2, 0), std::exp(-1.0 / 3), 1e-6);
  options = co_simulation();
  options.step = 0.5;
  options.row_times = {0, 2.5, 5};
  EXPECT_EQ(simulate(fmu("dahlquist_2"), options).recording.time, (std::vector<double>{0, 2.5, 5, 10}));
  options.row_times = {0, 0.3, 5};
  EXPECT_EQ(simulate(fmu("dahlquist_2"), options).recording.rows(), 21u);
  options.row_times.clear();
  for (int k = 0; k <= 200; ++k) options.row_times.push_back(0.05 * k);
  result = simulate(fmu("dahlquist_2"), options);
  EXPECT_EQ(result.counts.communication_steps, 200);
  EXPECT_EQ(result.recording.rows(), 201u);
}

TEST_F(WithInput, UnknownColumnsAreLeftOut) {
  RunOptions options = exchange();
  options.input = write("time,u,nobody,der(x)\n0,0,1,2\n1,0,1,2\n");
  const RunResult result = simulate(fmu("input_integral_2"), options);
  EXPECT_RUNS(result);
  EXPECT_TRUE(has_code(result, "fmi-unknown-input"));
}

struct AtEnd {
  const char* variable;
  double value;
};

// A run without a word; an integral is right to within the tolerance, a copy of an input to the last bit.
void expect_at_end(const std::string& name, const RunOptions& options, const AtEnd& integral, const AtEnd& copy) {
  const RunResult result = simulate(fmu(name), options);
  EXPECT_RUNS(result);
  EXPECT_TRUE(result.diagnostics.all().empty()) << to_text(result.diagnostics);
  EXPECT_NEAR(last(result, integral.variable), integral.value, 1e-6) << name << " " << options.input;
  EXPECT_EQ(last(result, copy.variable), copy.value) << name << " " << options.input;
}

TEST_F(WithInput, TablesOfOtherProgramsAreRead) {
  const char* const tables[] = {"\xEF\xBB\xBFtime;u;k\r\n0;1,5;3\r\n2;1,5;3\r\n", "\"t\"\t\"u\"\t\"k\"\n0\t1.5\t3\n",
                                "time, \"u\" ,k,\n0,1.5,3,\n2,1.5E+000,3,", "u is not time,u,k\n-1,1.5,3\n"};
  for (const char* table : tables) {
    for (const char* name : {"input_integral_2", "input_integral_1_me", "input_integral_3"}) {
      RunOptions options = exchange();
      options.input = write(table);
      expect_at_end(name, options, {"x", 3}, {"k_copy", 3});
    }
  }
}

TEST_F(WithInput, OddNamesAreFound) {
  RunOptions options = exchange();
  options.variables = {"body.a[1,2]", " msimder(k_copy) "};
  options.input = write("time,\"the \"\"input\"\", <u> & 'more'\",k@x/y\n0,1,7\n");
  for (const char* name : {"names_1_me", "names_2"}) {
    expect_at_end(name, options, {"body.a[1,2]", 1}, {"msimder(k_copy)", 7});
  }
}

// x' = A x with A = -diag(1, 2, 3) until t = 1, then A = 0.
TEST_F(WithInput, ArraysMayStandInOneColumn) {
  const std::string input = write("time,A\n0,-1 0 0 0 -2 0 0 0 -3\n1, 0\n");
  for (const Kind kind : {Kind::model_exchange, Kind::co_simulation}) {
    RunOptions options;
    options.kind = kind;
    options.input = input;
    const RunResult result = simulate(fmu("state_space_3"), options);
    EXPECT_RUNS(result);
    const double tolerance = kind == Kind::model_exchange ? 1e-4 : 2e-3;
    for (int k = 1; k <= 3; ++k) {
      EXPECT_NEAR(last(result, "y[" + std::to_string(k) + "]"), k * std::exp(-k), tolerance);
    }
  }
}

TEST_F(WithInput, CellsOfArraysHaveAllElements) {
  for (const char* table : {"time,A\n0,-1 0 0 0 -2\n", "time,A\n0,-1 0 0 0 -2 0 0 0 x\n", "time,A\n0,\n"}) {
    RunOptions options;
    options.input = write(table);
    const RunResult result = simulate(fmu("state_space_3"), options);
    EXPECT_TRUE(has_code(result, "fmi-bad-value")) << table;
  }
}

// Cells that name no value of the type must not be taken for another one.
TEST_F(WithInput, CellsOfOtherTypesAreReported) {
  const char* const tables[] = {"Int32_input\n0,1.5\n",     "Int32_input\n0,nan\n", "Int64_input\n0,1.5\n",
                                "UInt64_input\n0,1e300\n",  "Int8_input\n0,x\n",    "Binary_input\n0,123\n",
                                "Enumeration_input\n0,no\n"};
  for (const char* table : tables) {
    RunOptions options;
    options.input = write(std::string("time,") + table);
    const RunResult result = simulate(fmu("feedthrough_3"), options);
    EXPECT_TRUE(has_code(result, "fmi-bad-value")) << table << to_text(result.diagnostics);
  }
  RunOptions options;
  options.input = write("time,Int32_input,Int64_input\n0,2.9999999999,-7.00\n");
  const RunResult result = simulate(fmu("feedthrough_3"), options);
  EXPECT_RUNS(result);
  EXPECT_EQ(last(result, "Int32_output"), 3);
  EXPECT_EQ(last_text(result, "Int64_output"), "-7");
}

TEST_F(WithInput, AllTypesChangeAtTheirTimes) {
  const std::string table = write(
      "time,Float64_input,Float32_input,Int32_input,Boolean_input,Enumeration_input,Binary_input,Int64_input,UInt64_"
      "input,"
      "offset\n"
      "0,0,0,1,false,Option 1,00,1,1,0\n"
      "1,1,2,-5,True,Option 2,c0ffee,-9007199254740993,18446744073709551615,10\n");
  for (const Kind kind : {Kind::model_exchange, Kind::co_simulation}) {
    RunOptions options;
    options.kind = kind;
    options.input = table;
    const RunResult result = simulate(fmu("feedthrough_3"), options);
    EXPECT_RUNS(result);
    EXPECT_EQ(last(result, "Float64_output"), 11);
    EXPECT_EQ(last(result, "Float32_output"), 2);
    EXPECT_EQ(last(result, "Int32_output"), -5);
    EXPECT_EQ(last(result, "Boolean_output"), 1);
    EXPECT_EQ(last(result, "Enumeration_output"), 2);
    EXPECT_EQ(last_text(result, "Binary_output"), "c0ffee");
    EXPECT_EQ(last_text(result, "Int64_output"), "-9007199254740993");
    EXPECT_EQ(last_text(result, "UInt64_output"), "18446744073709551615");
    const auto place = static_cast<std::size_t>(result.recording.find("Int32_output"));
    const auto continuous = static_cast<std::size_t>(result.recording.find("Float64_output"));
    for (std::size_t row = 0; row < result.recording.rows(); ++row) {
      const double t = result.recording.time[row];
      if (std::fabs(t - 1) < 1e-9) continue;
      EXPECT_EQ(result.recording.number(row, place), t < 1 ? 1 : -5) << t;
      // Outputs of Co-Simulation are those of the step that ends here, with the inputs of its beginning.
      const double seen = kind == Kind::model_exchange ? t : std::max(t - 0.1, 0.0);
      EXPECT_NEAR(result.recording.number(row, continuous), t < 1 ? seen : 11, 1e-12) << t;
    }
  }
}

// Times of tables and n times a step differ in their last digits; no value may come a step late.
TEST_F(WithInput, EveryStepSeesItsOwnRow) {
  std::string table = "time,k\n";
  for (int k = 0; k <= 1000; ++k)
    table +=
        std::to_string(k / 1000) + "." + std::to_string(1000 + k % 1000).substr(1) + "," + std::to_string(k) + "\n";
  RunOptions options = co_simulation();
  options.input = write(table);
  options.step = 0.001;
  options.stop = 1;
  options.variables = {"k"};
  for (const std::string& name : versions("input_integral", "cs")) {
    const RunResult result = simulate(fmu(name), options);
    EXPECT_RUNS(result);
    // A row shows what the step before it saw.
    std::vector<int> seen(1001, 0);
    for (std::size_t row = 1; row < result.recording.rows(); ++row) {
      const double t = result.recording.time[row];
      if (t == result.recording.time[row - 1]) continue;
      EXPECT_EQ(result.recording.number(row, 0), std::round(t * 1000) - 1) << name << " at " << t;
    }
  }
}

TEST_F(WithInput, WrongCellsAreLocated) {
  RunOptions options = exchange();
  options.input = write("time,u,k\n0,one,2\n1,2\n");
  const RunResult result = simulate(fmu("input_integral_2"), options);
  EXPECT_TRUE(result.failed());
  EXPECT_TRUE(has_code(result, "csv-number"));
  EXPECT_TRUE(has_code(result, "csv-row-length"));
}

TEST_F(WithInput, IntermediateUpdatesFollowTheTable) {
  RunOptions options = co_simulation();
  options.input = write("time,u\n0,0\n2,2\n");
  options.step = 1;
  // The inner steps hold their input: ten for each step instead of one.
  const RunResult fine = simulate(fmu("intermediate_3"), options), coarse = simulate(fmu("plain_cs_3"), options);
  EXPECT_RUNS(fine);
  EXPECT_RUNS(coarse);
  EXPECT_NEAR(last(coarse, "x"), 1, 1e-9);
  EXPECT_NEAR(last(fine, "x"), 2 - 0.1, 1e-9);
}

}  // namespace
}  // namespace orrery::fmi
