// SPDX-License-Identifier: Apache-2.0
// The lander in every language and form with one solver; homework in the languages that can say it; what else works on
// programs: sweeps of constants, sensitivities, linear models, export.
#include <algorithm>
#include <map>

#include "../command_line.h"
#include "api/session.h"
#include "program_run.h"

namespace orrery::tests::homework_test {
namespace {

// The lander as a diagram of blocks.
const char* const lander_diagram =
    R"({"orrery": 2, "name": "lander", "simulation": {"stop": "211.6", "solver": "dopri", "rtol": "1e-10"},
"blocks": [
{"name": "Thrust", "type": "StepGenerator", "parameters": {"time": "43.2", "before": "36350", "after": "1308"}},
{"name": "Off", "type": "StepGenerator", "parameters": {"time": "210", "before": "1", "after": "0"}},
{"name": "F", "type": "MathExpression", "parameters": {"expression": "'u1*u2'", "inputs": "2"}},
{"name": "Rate", "type": "MathExpression", "parameters": {"expression": "'-(0.000277*u2)*abs(u1)'", "inputs": "2"}},
{"name": "A", "type": "MathExpression", "parameters": {"expression": "'(1/u2)*(u1 - u2*(4.925e12/(u3 + 1738e3)^2))'", "inputs": "3"}},
{"name": "H", "type": "Integral", "parameters": {"x0": "59404"}},
{"name": "V", "type": "Integral", "parameters": {"x0": "-2003"}},
{"name": "M", "type": "Integral", "parameters": {"x0": "1038.358"}},
{"name": "Clock", "type": "SampleClock", "parameters": {"period": "0.2"}},
{"name": "Scope", "type": "Scope", "parameters": {"inputs": "3"}}],
"links": [
{"from": "Thrust:1", "to": ["F:1"]}, {"from": "Off:1", "to": ["F:2", "Rate:2"]}, {"from": "F:1", "to": ["Rate:1", "A:1"]},
{"from": "Rate:1", "to": ["M:1"]}, {"from": "M:1", "to": ["A:2", "Scope:3"]}, {"from": "H:1", "to": ["A:3", "Scope:1"]},
{"from": "A:1", "to": ["V:1"]}, {"from": "V:1", "to": ["H:1", "Scope:2"]}, {"event": "Clock:1", "to": ["Scope:1"]}]})";

struct Form {
  const char* name;
  ProgramRun run;
  std::string h, v, m;
};

TEST(Lander, IsTheSameInEveryForm) {
  ProgramSetup setup;
  setup.settings = {{"solver", "dopri"}};
  setup.rtol = 1e-10;
  const ProgramRun acsl = run_example("lander.csl", setup);
  ProgramSetup points = setup;
  points.set = {{"npoint", "1151"}};
  Diagnostics diagnostics;
  const auto model = api::Model::read(example_text("lander.csl"), "lander.csl", diagnostics);
  ASSERT_TRUE(model);
  std::vector<Form> forms;
  forms.push_back({"DARE-P", run_example("lander.drp", points), "h", "v", "xm"});
  forms.push_back({"DESIRE", run_example("lander.des", setup), "h", "v", "m"});
  forms.push_back({"CSMP", run_example("lander.csmp", setup), "h", "v", "xm"});
  forms.push_back({"CsslBlock", run_program(model->text(), "lander.orr", setup), "h", "v", "m"});
  ProgramRun diagram = run_program(lander_diagram, "diagram.orr", {.rtol = 0});
  ASSERT_TRUE(diagram.good) << to_text(diagram.diagnostics);
  const std::vector<std::string> names = diagram.results.names;
  ASSERT_EQ(names.size(), 3U);
  forms.push_back({"diagram", std::move(diagram), names[0], names[1], names[2]});
  for (const Form& form : forms) {
    ASSERT_TRUE(form.run.good) << form.name << to_text(form.run.diagnostics);
    for (int k = 1; k < 1058; k += 7) {
      const double t = 0.2 * k;
      if (std::fabs(t - 43.2) < 1e-9 || std::fabs(t - 210) < 1e-9) continue;
      // Of the range of each quantity.
      EXPECT_NEAR(acsl.at(t, "h"), form.run.at(t, form.h), 59404e-12) << form.name << " " << t;
      EXPECT_NEAR(acsl.at(t, "v"), form.run.at(t, form.v), 2003e-12) << form.name << " " << t;
      EXPECT_NEAR(acsl.at(t, "m"), form.run.at(t, form.m), 1038e-12) << form.name << " " << t;
    }
  }
}

using ProgramCommands = CommandLine;

// Columns by name and rows by time.
io::TimeSeries rows(const std::string& file) {
  Diagnostics diagnostics;
  auto found = io::read_csv(file, diagnostics);
  EXPECT_TRUE(found) << to_text(diagnostics);
  return found ? std::move(*found) : io::TimeSeries{};
}

std::map<long, double> column(const io::TimeSeries& series, const std::string& name) {
  std::map<long, double> values;  // by thousandths of a second
  const auto found = std::find(series.names.begin(), series.names.end(), name);
  EXPECT_NE(found, series.names.end()) << name;
  if (found == series.names.end()) return values;
  const auto k = static_cast<std::size_t>(found - series.names.begin());
  for (std::size_t row = 0; row < series.time.size(); ++row)
    values[std::lround(series.time[row] * 1000)] = series.columns[k][row];
  return values;
}

TEST_F(ProgramCommands, TheLanderAsAnFmu) {
  const std::string program = examples + "cssl/lander.csl";
  ASSERT_EQ(orrery({"export", "fmu", program, "--out", file("lander.fmu")}).code, 0);
  const std::vector<std::string> solver{"--solver", "dopri", "--rtol", "1e-10"};
  for (const std::string& model : {program, file("lander.fmu")}) {
    std::vector<std::string> arguments{"run", model, "--out", model == program ? file("a.csv") : file("b.csv")};
    arguments.insert(arguments.end(), solver.begin(), solver.end());
    const Outcome outcome = orrery(arguments);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  const io::TimeSeries wanted = rows(file("a.csv")), found = rows(file("b.csv"));
  const std::pair<const char*, double> ranges[] = {{"h", 59404}, {"v", 2003}, {"m", 1038.358}};
  for (const auto& [name, range] : ranges) {
    const auto one = column(wanted, name), other = column(found, name);
    int compared = 0;
    for (const auto& [time, value] : one) {
      if (time > 211600 || !other.contains(time)) continue;
      EXPECT_NEAR(other.at(time), value, 1e-12 * range) << name << " at " << time;
      ++compared;
    }
    EXPECT_GT(compared, 1000) << name;
  }
}

// x' = -k x: dx/dk = -t exp(-k t).
TEST_F(ProgramCommands, SensitivitiesOfConstants) {
  const std::string program =
      write("decay.csl", "constant k = 2.0, x0 = 3.0\ncinterval cint = 0.5\nx = integ(-k*x, x0)\ntermt(t .ge. 2.0)\n");
  ASSERT_EQ(orrery({"run", program, "--sensitivity", "k", "--rtol", "1e-9", "--out", file("s.csv")}).code, 0);
  const auto slopes = column(rows(file("s.csv")), "d(x)/d(k)");
  for (const double t : {0.5, 1.0, 2.0})
    EXPECT_NEAR(slopes.at(std::lround(t * 1000)), -3 * t * std::exp(-2 * t), 1e-7) << t;
}

TEST_F(ProgramCommands, SweepsOfConstants) {
  const Outcome outcome = orrery({"sweep", examples + "cssl/cannon_ball.csmp", "--vary", "angle=[30 45 60]", "--rtol",
                                  "1e-9", "--out", file("ranges.csv")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string text = read(file("ranges.csv"));
  for (const char* range : {"10991.4", "11239.1", "9306.0"}) EXPECT_NE(text.find(range), std::string::npos) << text;
}

TEST_F(ProgramCommands, LinearModelsAndExport) {
  const Outcome linear = orrery({"linearise", examples + "cssl/hysteresis.csmp"});
  ASSERT_EQ(linear.code, 0) << linear.err;
  EXPECT_NE(linear.out.find("/hysteresis.w             -1              0"), std::string::npos) << linear.out;
  for (const char* name : {"lander.drp", "lander.des", "lander.csmp", "bouncing_ball.csl"}) {
    const Outcome exported = orrery({"export", "c", examples + "cssl/" + name, "--out", file(name)});
    EXPECT_EQ(exported.code, 0) << name << exported.err;
  }
}

// Limit cycle: x and y at t = 10 from (0.4, 1); the last run of CSMP begins at (1, 1.5).
TEST(Homework, LimitCycle) {
  for (const char* file : {"limit_cycle.drp", "limit_cycle.des"}) {
    const ProgramRun run = run_example(file);
    EXPECT_NEAR(run.at(1, "x"), 0.983284398, 2e-9) << file;
    EXPECT_NEAR(run.at(10, "x"), -0.816734264, 2e-9) << file;
    EXPECT_NEAR(run.at(10, "y"), -0.577013988, 2e-9) << file;
  }
  api::RunRequest request;
  request.file = source_folder() + "/examples/cssl/limit_cycle.csmp";
  const api::RunResult result = api::run(request);
  EXPECT_EQ(result.runs, 3);
}

TEST(Homework, CannonBall) {
  const ProgramRun csmp = run_example("cannon_ball.csmp");  // ends on the ground
  EXPECT_NEAR(csmp.results.time.back(), 30.607498, 6e-7);
  EXPECT_NEAR(csmp.last("x"), 11239.1830, 6e-5);
  const ProgramRun darep = run_example("cannon_ball.drp");  // at the first point below it
  const std::vector<double> x = darep.column("x"), y = darep.column("y");
  const std::size_t last = x.size() - 1;
  EXPECT_NEAR(x[last] - y[last] * (x[last] - x[last - 1]) / (y[last] - y[last - 1]), 11239.1830, 1e-3);
  api::RunRequest request;
  request.file = source_folder() + "/examples/cssl/cannon_ball.des";
  EXPECT_EQ(api::run(request).runs, 5);
}

TEST(Homework, Hysteresis) {
  for (const char* file : {"hysteresis.csmp", "hysteresis.drp"}) {
    const ProgramRun run = run_example(file);
    for (const double t : {0.5, 3.7, 6.8, 9.95, 10.0}) EXPECT_EQ(run.at(t, "y"), -1) << file << t;
    for (const double t : {0.55, 3.65, 6.85, 9.9}) EXPECT_EQ(run.at(t, "y"), 1) << file << t;
    EXPECT_NEAR(run.last("x"), -1.088042222, 1e-9) << file;
  }
}

TEST(Homework, EulerDifferences) {
  const ProgramRun run = run_example("lander_euler.des", {.rtol = 0});
  EXPECT_DIGITS(run.at(0.2, "h"), 59003.7348, 9);
  EXPECT_DIGITS(run.at(43.2, "v"), -112.753652, 9);
  EXPECT_DIGITS(run.at(150, "h"), 1176.37093, 9);
  EXPECT_DIGITS(run.results.time.back(), 183.9, 10);
  EXPECT_DIGITS(run.last("h"), -1.20344683, 9);
}

}  // namespace
}  // namespace orrery::tests::homework_test
