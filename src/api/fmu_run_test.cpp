// SPDX-License-Identifier: Apache-2.0
// Runs the test FMUs of all versions and kinds and compares with exact solutions.
#include "api/fmu_run_for_tests.h"

namespace orrery::fmi {
namespace {

TEST(SimulateMe, DahlquistAgreesWithTheExponential) {
  for (const std::string& name : versions("dahlquist", "me")) {
    for (const double rtol : {1e-4, 1e-6, 1e-8}) {
      const RunResult result = simulate(fmu(name), exchange(rtol));
      EXPECT_RUNS(result);
      for (std::size_t row = 0; row < result.recording.rows(); ++row) {
        EXPECT_NEAR(result.recording.number(row, 0), std::exp(-result.recording.time[row]), 10 * rtol) << name;
      }
    }
  }
}

// Where a ball with restitution e that falls from 1 is at time t, and how fast.
void exact_ball(double t, double& h, double& v) {
  const double g = 9.81, e = 0.7;
  double begin = 0, speed = 0, height = 1, rest = std::sqrt(2 * height / g);
  while (t > begin + rest) {
    const double landing = std::fabs(speed - g * rest);
    begin += rest;
    speed = e * landing;
    height = 0;
    if (speed < 0.1) {
      h = v = 0;
      return;
    }
    rest = 2 * speed / g;
  }
  h = height + speed * (t - begin) - g / 2 * (t - begin) * (t - begin);
  v = speed - g * (t - begin);
}

// Also where the indicator is zero after the event, or has a hysteresis and is crossed on the way up as well.
TEST(SimulateMe, BouncingBallBouncesWhereItShould) {
  std::vector<std::string> names;
  for (const char* ball : {"bouncing_ball", "quirk_zero_after_event", "quirk_hysteresis"}) {
    for (const std::string& name : versions(ball, "me")) names.push_back(name);
  }
  for (const std::string& name : names) {
    for (const double rtol : {1e-4, 1e-6, 1e-8}) {
      const RunResult result = simulate(fmu(name), exchange(rtol));
      EXPECT_RUNS(result);
      EXPECT_GE(result.counts.state_events, 10) << name;
      for (std::size_t row = 1; row + 1 < result.recording.rows(); ++row) {
        const double t = result.recording.time[row];
        // At a bounce the two rows are the two sides; the formula knows only one.
        if (t == result.recording.time[row - 1] || t == result.recording.time[row + 1]) continue;
        double h = 0, v = 0;
        exact_ball(t, h, v);
        EXPECT_NEAR(result.recording.number(row, 0), h, 10 * rtol) << name << " at " << t;
      }
    }
  }
}

// The last flights are shorter than the steps that are kept over events.
TEST(SimulateMe, LongStepsDoNotMissShortFlights) {
  for (const char* solver : {"dopri", "dopri853", "radau", "sdirk"}) {
    for (const char* name : {"bouncing_ball_2", "quirk_zero_after_event_2", "quirk_hysteresis_2"}) {
      RunOptions options = exchange(1e-6);
      options.solver = solver;
      const RunResult result = simulate(fmu(name), options);
      EXPECT_RUNS(result);
      EXPECT_EQ(last(result, "h"), 0) << name << " " << solver;
    }
  }
}

// The indicator is positive for 0.03 s; the steps of x' = 1 are much longer, the rows are not.
TEST(SimulateMe, EventsLongerThanTheIntervalOfRowsAreFound) {
  for (const std::string& name : versions("pulse", "me")) {
    for (const char* solver : {"", "dopri", "radau"}) {
      RunOptions options = exchange();
      options.interval = 0.01;
      options.solver = solver;
      const RunResult result = simulate(fmu(name), options);
      EXPECT_RUNS(result);
      EXPECT_EQ(last(result, "count"), 2) << name << " " << solver;
      EXPECT_EQ(result.counts.state_events, 2) << name << " " << solver;
      for (std::size_t row = 0; row < result.recording.rows(); ++row) {
        const double t = result.recording.time[row];
        EXPECT_NEAR(result.recording.number(row, 0), t, 1e-9);
        if (t < 1.001 || t > 1.029) continue;
        EXPECT_EQ(result.recording.number(row, 1), 1) << t;
      }
    }
  }
}

// A reference with a much smaller tolerance stands for the exact solution.
TEST(SimulateMe, VanDerPolKeepsTheTolerance) {
  RunOptions fine = exchange(1e-11);
  fine.solver = "radau";
  fine.interval = 0.01;
  const RunResult reference = simulate(fmu("van_der_pol_2"), fine);
  EXPECT_RUNS(reference);
  for (const std::string& name : versions("van_der_pol", "me")) {
    for (const double rtol : {1e-4, 1e-6, 1e-7, 3e-8, 1e-8, 3e-9, 1e-9}) {
      for (const char* solver : {"auto", "radau"}) {
        RunOptions options = exchange(rtol);
        options.interval = 0.01;
        options.solver = solver;
        const RunResult result = simulate(fmu(name), options);
        EXPECT_RUNS(result);
        ASSERT_EQ(result.recording.rows(), reference.recording.rows());
        double worst = 0;
        for (std::size_t k = 0; k < result.recording.numbers.size(); ++k) {
          worst = std::max(worst, std::fabs(result.recording.numbers[k] - reference.recording.numbers[k]));
        }
        EXPECT_LT(worst, 10 * rtol) << name << " " << solver << " " << rtol;
      }
    }
  }
}

TEST(SimulateMe, LinearSystemAgreesWithItsSolution) {
  const double d = 0.1, w = std::sqrt(1 - d * d);
  for (const std::string& name : versions("oscillator", "me")) {
    for (const double rtol : {1e-4, 1e-6, 1e-8}) {
      const RunResult result = simulate(fmu(name), exchange(rtol));
      EXPECT_RUNS(result);
      const auto x = static_cast<std::size_t>(result.recording.find("x"));
      for (std::size_t row = 0; row < result.recording.rows(); ++row) {
        const double t = result.recording.time[row];
        const double exact = std::exp(-d * t) * (std::cos(w * t) + d / w * std::sin(w * t));
        EXPECT_NEAR(result.recording.number(row, x), exact, 10 * rtol) << name << " at " << t;
      }
    }
  }
}

TEST(SimulateMe, ArrayStatesAgreeWithTheirSolution) {
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    const RunResult result = simulate(fmu("state_space_3"), exchange(rtol));
    EXPECT_RUNS(result);
    for (std::size_t row = 0; row < result.recording.rows(); ++row) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double rate = static_cast<double>(k + 1);
        EXPECT_NEAR(result.recording.number(row, k), rate * std::exp(-rate * result.recording.time[row]), 10 * rtol);
      }
    }
  }
}

TEST(SimulateMe, DirectionalDerivativesGiveTheJacobian) {
  RunOptions implicit = exchange();
  implicit.solver = "radau";
  const RunResult with = simulate(fmu("van_der_pol_2"), implicit);
  const RunResult without = simulate(fmu("van_der_pol_3"), implicit);
  EXPECT_RUNS(with);
  EXPECT_FALSE(has_code(with, "fmi-no-directional-derivatives"));
  EXPECT_GT(with.statistics.jacobians, 0);
  EXPECT_NEAR(last(with, "x0"), last(without, "x0"), 1e-4);
}

TEST(SimulateMe, EverySolverRuns) {
  for (const solve::SolverInfo& solver : solve::solvers()) {
    RunOptions options = exchange();
    options.solver = solver.name;
    if (solver.fixed_step) options.step = 0.001;
    const RunResult result = simulate(fmu("bouncing_ball_2"), options);
    EXPECT_RUNS(result);
    EXPECT_EQ(result.time, 3) << solver.name;
    EXPECT_GE(result.counts.state_events, 10) << solver.name;
  }
  RunOptions options = exchange();
  options.solver = "none-such";
  EXPECT_TRUE(has_code(simulate(fmu("bouncing_ball_2"), options), "unknown-solver"));
}

// Between switchings x goes to u as exp(-t / tau).
TEST(SimulateMe, ManyEventsAreHitExactly) {
  double x = 0, u = 1;
  for (int k = 0; k < 1000; ++k, u = 1 - u) x = u + (x - u) * std::exp(-0.1);
  RunOptions options = exchange();
  const RunResult result = simulate(fmu("switched_2"), options);
  EXPECT_RUNS(result);
  EXPECT_NEAR(last(result, "x"), x, 1e-6);
  EXPECT_EQ(result.counts.time_events, 1000);
  options.solver = "cvode-bdf-newton";
  const RunResult asked = simulate(fmu("switched_2"), options);
  EXPECT_EQ(asked.solver, "cvode-bdf-newton");
  EXPECT_NEAR(last(asked, "x"), x, 1e-6);
}

TEST(SimulateMe, StairsStepExactlyAndEndTheRun) {
  for (const std::string& name : versions("stairs", "me")) {
    const RunResult result = simulate(fmu(name), exchange());
    EXPECT_RUNS(result);
    EXPECT_EQ(result.end, End::terminated) << name;
    EXPECT_EQ(result.time, 9) << name;
    EXPECT_EQ(last(result, "counter"), 10) << name;
    EXPECT_EQ(result.counts.time_events, 9) << name;
    // Both sides of the step at t = 3.
    int sides = 0;
    for (std::size_t row = 0; row < result.recording.rows(); ++row) {
      if (result.recording.time[row] != 3) continue;
      EXPECT_EQ(result.recording.number(row, 0), 3 + sides) << name;
      ++sides;
    }
    EXPECT_EQ(sides, 2) << name;
  }
}

TEST(SimulateMe, ArraysAreStatesOutputsAndParameters) {
  RunOptions options = exchange();
  options.set = {{"A", "-1 0 0 0 -1 0 0 0 -2"}};
  const RunResult result = simulate(fmu("state_space_3"), options);
  EXPECT_RUNS(result);
  EXPECT_NEAR(last(result, "y[1]"), std::exp(-2.0), 1e-5);
  EXPECT_NEAR(last(result, "y[2]"), 2 * std::exp(-2.0), 1e-5);
  EXPECT_NEAR(last(result, "y[3]"), 3 * std::exp(-4.0), 1e-5);
}

TEST(SimulateCs, AllModelsOfAllVersions) {
  for (const std::string& name : versions("dahlquist", "cs")) {
    const RunResult result = simulate(fmu(name), co_simulation());
    EXPECT_RUNS(result);
    EXPECT_NEAR(last(result, "x"), std::exp(-10.0), 1e-8) << name;
  }
  for (const std::string& name : versions("bouncing_ball", "cs")) {
    const RunResult result = simulate(fmu(name), co_simulation());
    EXPECT_RUNS(result);
    EXPECT_EQ(last(result, "h"), 0) << name;
  }
  for (const char* name : {"stairs_2", "stairs_3"}) {
    const RunResult result = simulate(fmu(name), co_simulation());
    EXPECT_RUNS(result);
    EXPECT_EQ(result.end, End::terminated) << name;
    EXPECT_NEAR(result.time, 9, 1e-9) << name;
  }
}

TEST(SimulateCs, EventModeReturnsEarlyAtTimeEvents) {
  RunOptions options = co_simulation();
  options.step = 0.3;  // the events at 0.5, 1.0, ... lie between the points
  const RunResult result = simulate(fmu("ticking_3"), options);
  EXPECT_RUNS(result);
  EXPECT_EQ(last(result, "counter"), 4);
  EXPECT_EQ(result.time, 2);
  EXPECT_EQ(result.recording.find("tick"), -1);
}

TEST(Simulate, ValuesOfAllTypesGoThrough) {
  for (const Kind kind : {Kind::model_exchange, Kind::co_simulation}) {
    RunOptions options;
    options.kind = kind;
    options.set = {{"Float64_input", "1.5"},
                   {"offset", "0.25"},
                   {"Float32_input", "0.1"},
                   {"Int32_input", "-7"},
                   {"Boolean_input", "true"},
                   {"String_parameter", "über"},
                   {"Binary_input", "000102ff"},
                   {"Enumeration_input", "Option 2"},
                   {"Int8_input", "-128"},
                   {"UInt8_input", "255"},
                   {"Int16_input", "-32768"},
                   {"UInt16_input", "65535"},
                   {"UInt32_input", "4294967295"},
                   {"Int64_input", "-9007199254740993"},
                   {"UInt64_input", "18446744073709551615"}};
    const RunResult result = simulate(fmu("feedthrough_3"), options);
    EXPECT_RUNS(result);
    EXPECT_EQ(last(result, "Float64_output"), 1.75);
    EXPECT_EQ(last(result, "Float32_output"), 0.1f);
    EXPECT_EQ(last(result, "Int32_output"), -7);
    EXPECT_EQ(last(result, "Boolean_output"), 1);
    EXPECT_EQ(last(result, "Enumeration_output"), 2);
    EXPECT_EQ(last(result, "Int8_output"), -128);
    EXPECT_EQ(last(result, "UInt8_output"), 255);
    EXPECT_EQ(last(result, "Int16_output"), -32768);
    EXPECT_EQ(last(result, "UInt16_output"), 65535);
    EXPECT_EQ(last(result, "UInt32_output"), 4294967295.0);
    EXPECT_EQ(last(result, "UInt64_output"), 18446744073709551615.0);
    EXPECT_EQ(last_text(result, "Binary_output"), "000102ff");
    EXPECT_EQ(last_text(result, "String_output"), "über");
    EXPECT_EQ(last_text(result, "Int64_output"), "-9007199254740993");
    EXPECT_EQ(last_text(result, "UInt64_output"), "18446744073709551615");
  }
  for (const char* name : {"feedthrough_1_cs", "feedthrough_1_me", "feedthrough_2"}) {
    RunOptions options;
    options.set = {{"Float64_input", "1.5"},
                   {"Int32_input", "3"},
                   {"Boolean_input", "1"},
                   {"String_parameter", "x"},
                   {"Enumeration_input", "2"}};
    const RunResult result = simulate(fmu(name), options);
    EXPECT_RUNS(result);
    EXPECT_EQ(last(result, "Float64_output"), 1.5);
    EXPECT_EQ(last(result, "Int32_output"), 3);
    EXPECT_EQ(last(result, "Boolean_output"), 1);
    EXPECT_EQ(last(result, "Enumeration_output"), 2);
    EXPECT_EQ(result.recording.texts.back(), "x");
  }
}

TEST(Simulate, ElementsNameTheirArray) {
  RunOptions options = exchange();
  options.variables = {"y[2]", "y[3]", " u "};
  const RunResult result = simulate(fmu("state_space_3"), options);
  EXPECT_RUNS(result);
  EXPECT_EQ(result.recording.columns.size(), 4u);
  EXPECT_GE(result.recording.find("y[2]"), 0);
}

TEST(Simulate, ResourcesAreFound) {
  for (const char* name : {"resource_1_cs", "resource_2", "resource_3"}) {
    const RunResult result = simulate(fmu(name), {});
    EXPECT_RUNS(result);
    EXPECT_EQ(last(result, "y"), 'a') << name;
  }
}

// Rows that are known beforehand are counted before the run; otherwise what was recorded until then is kept.
TEST(Simulate, ResultsHaveALimit) {
  RunOptions options;
  options.interval = 1e-3;
  options.results_limit = 1000;
  EXPECT_TRUE(has_code(simulate(fmu("dahlquist_2"), options), "results-too-large"));
  const RunResult result = simulate(fmu("dahlquist_1_cs"), options);
  EXPECT_TRUE(has_code(result, "results-too-large"));
  EXPECT_GT(result.recording.rows(), 20u);
  EXPECT_LT(result.time, result.stop);
}

// Stiffness shows on the way: the first method is left when its steps are at the limit of its stability.
TEST(SimulateMe, StiffFmusAreNoticed) {
  RunOptions options = exchange();
  options.set = {{"k", "1e5"}};
  options.stop = 10;
  const RunResult result = simulate(fmu("dahlquist_2"), options);
  EXPECT_RUNS(result);
  EXPECT_NE(result.solver, "dopri") << result.solver_reason;
  EXPECT_LT(result.statistics.steps, 5000);
  EXPECT_NEAR(last(result, "x"), 0, 1e-6);
}

TEST(Simulate, MistakesAreAllReported) {
  RunOptions options;
  options.set = {{"nobody", "1"}, {"k", "one"}, {"x", "2"}};
  RunResult result = simulate(fmu("dahlquist_2"), options);
  EXPECT_TRUE(has_code(result, "fmi-unknown-variable"));
  options.set = {{"k", "one"}};
  EXPECT_TRUE(has_code(simulate(fmu("dahlquist_2"), options), "fmi-bad-value"));
  options.set.clear();
  options.variables = {"x", "y", "z"};
  result = simulate(fmu("dahlquist_2"), options);
  EXPECT_EQ(result.diagnostics.error_count(), 2);
  EXPECT_TRUE(has_code(simulate(fmu("no_such_file"), {}), "fmi-no-file"));
  EXPECT_TRUE(has_code(simulate(fmu("dahlquist_1_cs"), exchange()), "fmi-no-interface"));
  options = {};
  options.stop = -1;
  EXPECT_TRUE(has_code(simulate(fmu("dahlquist_2"), options), "fmi-bad-times"));
}

}  // namespace
}  // namespace orrery::fmi
