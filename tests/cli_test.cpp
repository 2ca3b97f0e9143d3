// SPDX-License-Identifier: Apache-2.0
// The executable as people use it: exit codes, messages, files, on the examples and on broken input.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "command_line.h"

namespace orrery::tests::cli_test {
namespace {

class Examples : public CommandLine, public testing::WithParamInterface<const char*> {};

TEST_P(Examples, AreCanonicalRunAndDraw) {
  EXPECT_EQ(orrery({"fmt", "--check", example(GetParam())}).code, 0);
  const Outcome check = orrery({"check", example(GetParam())});
  EXPECT_EQ(check.code, 0) << check.err;
  EXPECT_EQ(check.err, "");
  const Outcome run = orrery({"run", example(GetParam()), "--plot", file("plot.svg"), "--stats"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_TRUE(contains(run.out, "signal")) << run.out;
  EXPECT_TRUE(contains(run.out, "stop time reached")) << run.out;
  EXPECT_TRUE(contains(read(file("plot.svg")), "class=\"curve\""));
  EXPECT_EQ(orrery({"show", "schedule", example(GetParam())}).code, 0);
}

INSTANTIATE_TEST_SUITE_P(All, Examples,
                         testing::Values("bouncing_ball", "thermostat", "queue", "pendulum_delay", "lorenz",
                                         "sampled_controller", "multirate", "event_delay"));

// The same numbers as in the CSV, in a matrix row by row.
TEST_F(CommandLine, WritesHdf5) {
  const std::string model = example("bouncing_ball");
  ASSERT_EQ(orrery({"run", model, "--out", file("ball.csv")}).code, 0);
  ASSERT_EQ(orrery({"run", model, "--out", file("ball.mtsf")}).code, 0);
  Diagnostics diagnostics;
  const auto series = io::read_csv(file("ball.csv"), diagnostics);
  ASSERT_TRUE(series);
  std::string row;
  const auto add = [&](double x) { row.append(reinterpret_cast<const char*>(&x), sizeof x); };
  add(series->time.back());
  for (const auto& column : series->columns) add(column.back());
  const std::string bytes = read(file("ball.mtsf"));
  EXPECT_EQ(bytes.substr(0, 8), "\x89HDF\r\n\x1a\n");
  EXPECT_NE(bytes.find(row), std::string::npos);
}

TEST_F(CommandLine, EventDelayFiresAtOddTimes) {
  ASSERT_EQ(orrery({"run", example("event_delay"), "--quiet", "--events", file("events.csv")}).code, 0);
  EXPECT_EQ(event_times("events.csv", "programmed", "/First"), (std::vector<double>{1}));
  EXPECT_EQ(event_times("events.csv", "programmed", "/Delay"), (std::vector<double>{3, 5, 7, 9}));
}

TEST_F(CommandLine, BallHitsTheGroundWhenTheFormulaSays) {
  ASSERT_EQ(
      orrery({"run", example("bouncing_ball"), "--rtol", "1e-10", "--quiet", "--events", file("events.csv")}).code, 0);
  const std::vector<double> impacts = event_times("events.csv", "crossing", "/Ground");
  ASSERT_GE(impacts.size(), 20U);
  const double fall = std::sqrt(2 * 10 / 9.81);
  double expected = fall, speed = 0.9;
  for (int k = 0; k < 20; ++k) {
    EXPECT_NEAR(impacts[static_cast<std::size_t>(k)], expected, 1e-9) << "impact " << k + 1;
    expected += 2 * fall * speed;
    speed *= 0.9;
  }
}

TEST_F(CommandLine, PendulumFallsWhenTheDelayIsTooLong) {
  const std::string model = example("pendulum_delay");
  EXPECT_LT(std::abs(final_value({"run", model, "--set", "delay=0", "--vars", "Angle"})), 1e-5);
  EXPECT_LT(std::abs(final_value({"run", model, "--set", "delay=0.01", "--vars", "Angle"})), 0.01);
  EXPECT_GT(std::abs(final_value({"run", model, "--set", "delay=0.02", "--vars", "Angle"})), 0.5);
}

TEST_F(CommandLine, ThermostatStaysBetweenItsThresholds) {
  ASSERT_EQ(orrery({"run", example("thermostat"), "--quiet", "--vars", "Temperature", "--out", file("t.csv")}).code, 0);
  const auto result = series("t.csv");
  const auto [low, high] = std::minmax_element(result.columns[0].begin(), result.columns[0].end());
  EXPECT_NEAR(*low, -10, 3);  // the disturbance may push on for a while
  EXPECT_NEAR(*high, 10, 3);
}

TEST_F(CommandLine, QueueHasItsLongRunMeanAndTheSameBitsEveryTime) {
  const std::vector<std::string> arguments{"run", example("queue"), "--set", "T=20000", "--vars", "Mean"};
  const double mean = final_value(arguments);
  // rho = 0.6. The asymptotic variance of the time average is 2 rho (1 + rho) / (mu (1 - rho)^4 T).
  const double standard_error = std::sqrt(2 * 0.6 * 1.6 / std::pow(0.4, 4) / 20000);
  EXPECT_NEAR(mean, 1.5, 3 * standard_error);
  std::vector<std::string> second = arguments;
  second.insert(second.end(), {"--tier", "second"});
  EXPECT_EQ(final_value(second), mean);
}

// Lorenz's equations at rest, which `check` announces and `run` finds.
TEST_F(CommandLine, ExplainsTheStart) {
  const std::string lorenz = example("lorenz");
  const Outcome checked = orrery({"check", lorenz, "--initial", "/=rest", "--explain-start"});
  EXPECT_EQ(checked.code, 0) << checked.err;
  EXPECT_TRUE(contains(checked.out, "block 1 of the start:")) << checked.out;
  const Outcome found = orrery({"run", lorenz, "--stop", "0.1", "--initial", "/=rest", "--explain-start", "--quiet"});
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_TRUE(contains(found.out, "iterations, residual")) << found.out;
  const Outcome given = orrery({"run", lorenz, "--stop", "0.1", "--explain-start", "--quiet"});
  EXPECT_TRUE(contains(given.out, "all start values are given")) << given.out;
}

TEST_F(CommandLine, KeepsBothSidesOfAJump) {
  ASSERT_EQ(orrery({"run", example("bouncing_ball"), "--vars", "Split:2", "--out", file("v.csv")}).code, 0);
  const auto result = series("v.csv");
  ASSERT_EQ(result.names.size(), 1U);
  int jumps = 0;
  for (std::size_t k = 1; k < result.time.size(); ++k) {
    if (result.time[k] != result.time[k - 1]) continue;
    if (std::abs(result.columns[0][k] + 0.9 * result.columns[0][k - 1]) < 1e-9) ++jumps;
  }
  EXPECT_GE(jumps, 20);
}

TEST_F(CommandLine, RecordsBlocksWithCommasInTheirNames) {
  const std::string model = write("comma.orr", R"({"orrery": 1, "simulation": {"stop": "1"}, "blocks": [
      {"name": "c", "type": "Constant", "parameters": {"value": "3"}},
      {"name": "gain, big", "type": "Gain", "parameters": {"k": "2"}}],
      "links": [{"from": "c:1", "to": ["gain, big:1"]}]})");
  EXPECT_EQ(final_value({"run", model, "--var", "gain, big"}), 6);
}

TEST_F(CommandLine, WritesDataAloneToStandardOutput) {
  const Outcome outcome =
      orrery({"run", example("lorenz"), "--stop", "1", "--interval", "0.5", "--out", "-", "--stats"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.out.starts_with("time,/Scope.x,/Scope.y,/Scope.z\n0,1,1,1\n0.5,")) << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "solver"));
  EXPECT_TRUE(contains(outcome.err, "solver"));
}

TEST_F(CommandLine, RecordsBlockOutputsWhenAModelHasNoSink) {
  const std::string model = write("bare.orr", R"({"orrery": 1, "name": "bare", "simulation": {"stop": "1"},
    "blocks": [{"name": "One", "type": "Constant"}, {"name": "X", "type": "Integral"}],
    "links": [{"from": "One:1", "to": ["X:1"]}]})");
  const Outcome outcome = orrery({"run", model});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "/One")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "/X")) << outcome.out;
}

TEST_F(CommandLine, StopsCleanlyOnInterrupt) {
  const pid_t child = start({"run", example("lorenz"), "--stop", "1e9", "--interval", "100", "--out", file("l.csv")});
  let_compute(child, 1);
  const Outcome outcome = terminate(child, SIGINT);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "interrupted at t = "));
  EXPECT_GT(series("l.csv").time.size(), 2U);
}

// Between two steps of the integrator lie more ticks than anybody waits for.
TEST_F(CommandLine, StopsWithinALongStep) {
  const std::string model = write("ticks.orr", R"({"orrery": 2, "simulation": {"stop": "1e8"}, "blocks": [
    {"name": "one", "type": "Constant", "parameters": {"value": "1"}}, {"name": "x", "type": "Integral"},
    {"name": "c", "type": "EventClock", "parameters": {"period": "2e-4"}}, {"name": "n", "type": "Counter"}],
    "links": [{"from": "one:1", "to": ["x:1"]}, {"event": "c:1", "to": ["n:1"]}]})");
  const pid_t child = start({"run", model});
  let_compute(child, 1);
  const Outcome outcome = terminate(child, SIGINT);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "interrupted at t = ")) << outcome.err;
}

TEST_F(CommandLine, FormatsInPlace) {
  const std::string untidy = write("m.orr", R"({"name":"m","orrery":1,"blocks":[]})");
  EXPECT_EQ(orrery({"fmt", "--check", untidy}).code, 1);
  EXPECT_EQ(read(untidy), R"({"name":"m","orrery":1,"blocks":[]})");
  EXPECT_EQ(orrery({"fmt", untidy}).code, 0);
  EXPECT_EQ(orrery({"fmt", "--check", untidy}).code, 0);
  EXPECT_TRUE(read(untidy).starts_with("{\n  \"orrery\": 2,\n"));
}

TEST_F(CommandLine, ShowsLibraryAndPrograms) {
  EXPECT_TRUE(contains(orrery({"show", "blocks"}).out, "Integral"));
  EXPECT_TRUE(contains(orrery({"show", "block", "Integral"}).out, "x0"));
  EXPECT_TRUE(contains(orrery({"show", "program", example("bouncing_ball")}).out, "/Ball"));
  EXPECT_TRUE(contains(orrery({"show", "schedule", example("multirate")}).out, "1/20"));
  const auto variables = nlohmann::json::parse(orrery({"show", "variables", "--json", example("bouncing_ball")}).out);
  EXPECT_TRUE(std::any_of(variables.begin(), variables.end(), [](const auto& v) { return v["kind"] == "state"; }));
  EXPECT_TRUE(contains(orrery({"show", "variables", example("multirate")}).out, "output of"));
  const std::string code = orrery({"show", "code", example("sampled_controller")}).out;
  EXPECT_TRUE(contains(code, "void orr_derivatives(double t,")) << code;
  EXPECT_TRUE(contains(code, "void orr_source1(double t,")) << code;
  EXPECT_TRUE(contains(code, "; /* /Motor */")) << code;
  EXPECT_TRUE(contains(code, "; /* /Controller.y1 */")) << code;
  EXPECT_EQ(orrery({"show", "block", "--html", file("manual.html")}).code, 0);
  EXPECT_TRUE(contains(read(file("manual.html")), "<h2>Integral"));
  EXPECT_TRUE(orrery({"version"}).out.starts_with("orrery "));
}

// By every name that the table of chapter 10.6 has for it.
TEST_F(CommandLine, ShowsSolvers) {
  EXPECT_TRUE(contains(orrery({"show", "solvers"}).out, "dopri"));
  const auto list = nlohmann::json::parse(orrery({"show", "solvers", "--json"}).out);
  EXPECT_GE(list.size(), 17u);
  for (const auto& solver : list) {
    EXPECT_TRUE(solver["ode"].get<bool>() || solver["dae"].get<bool>());
    EXPECT_GT(solver["order"].get<int>(), 0);
    EXPECT_FALSE(solver["options"].empty());
  }
  for (const char* name : {"LSODA",
                           "CVODE-BDF-NEWTON",
                           "CVODE-BDF-FUNCTIONAL",
                           "CVODE-ADAMS-NEWTON",
                           "CVODE-ADAMS-FUNCTIONAL",
                           "RADAU-IIA",
                           "SDIRK",
                           "DOPRI",
                           "DOPRI (Dormand-prince)",
                           "CASH-KARP",
                           "CPODE",
                           "CPode(ODE with constraint)",
                           "CPode(ODE with algebraic constraint)",
                           "IDA",
                           "DASKR",
                           "Forward Euler",
                           "Backward Euler",
                           "Explicit Trapezoidal",
                           "Implicit Trapezoidal",
                           "Classical Runge-Kutta",
                           "Runge-Kutta",
                           "RK4",
                           "RK5"}) {
    EXPECT_EQ(orrery({"show", "solvers", name}).code, 0) << name;
  }
  EXPECT_TRUE(contains(orrery({"show", "solvers", "ida"}).out, "ODE, DAE"));
  const Outcome unknown = orrery({"show", "solvers", "radua"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_TRUE(contains(unknown.err, "did you mean \"radau\"?"));
}

// HIRES with the published value of its last state.
TEST_F(CommandLine, StatesOfTheTestSetsAppearByName) {
  ASSERT_EQ(
      orrery({"run", examples + "numerics/hires.orr", "--solver", "radau", "--rtol", "1e-8", "--out", file("y.csv")})
          .code,
      0);
  EXPECT_TRUE(read(file("y.csv")).starts_with("time,y1,y2,y3,y4,y5,y6,y7,y8\n"));
  EXPECT_NEAR(series("y.csv").columns.at(7).back(), 0.2850001604814231e-2, 1e-11);
}

struct Mistake {
  std::vector<std::string> arguments;
  int code;
  const char* message;
};

TEST_F(CommandLine, ExplainsMistakes) {
  const std::string lorenz = example("lorenz");
  const std::string unwritable = file("no/such/folder/out.csv");
  const Mistake mistakes[] = {
      {{}, 2, "orrery --help"},
      {{"simulate"}, 2, "no command simulate"},
      {{"run"}, 2, "MODEL is required"},
      {{"run", lorenz, "--frob"}, 2, "--frob"},
      {{"run", lorenz, "--set", "rho"}, 2, "NAME=EXPR"},
      {{"run", lorenz, "--set", "3=4"}, 2, "NAME=EXPR"},
      {{"run", lorenz, "--interval", "-1"}, 2, "greater than 0"},
      {{"run", lorenz, "--tier", "third"}, 2, "--tier"},
      {{"run", lorenz, "--out", "x.csv", "--events", "x.csv"}, 2, "same file"},
      {{"show", "block"}, 2, "name a block"},
      {{"run", file("missing.orr")}, 1, "error[file-unreadable]"},
      {{"run", file("model.xyz")}, 1, "error[unknown-extension]"},
      {{"fmt", file("model.xyz")}, 1, "error[unknown-extension]"},
      {{"run", lorenz, "--out", unwritable}, 1, "error[output-unwritable]"},
      {{"run", lorenz, "--plot", unwritable}, 1, "error[output-unwritable]"},
      {{"run", lorenz, "--solver", "dopry"}, 1, "error[unknown-solver]"},
      {{"run", lorenz, "--solver", "rk4"}, 1, "error[missing-step]"},
      {{"run", lorenz, "--algebraic", "guessing"}, 1, "error[bad-setting]"},
      {{"run", lorenz, "--tolerance", "Nothing=1e-9"}, 1, "error[unknown-state]"},
      {{"run", lorenz, "--tolerance", "1e-9"}, 2, "BLOCK=A"},
      {{"run", lorenz, "--initial", "Nothing=rest"}, 1, "error[unknown-state]"},
      {{"run", lorenz, "--initial", "/=asleep"}, 1, "error[bad-setting]"},
      {{"run", lorenz, "--initial", "rest"}, 2, "PATH=HOW"},
      {{"run", lorenz, "--stop", "-1"}, 1, "error[bad-setting]"},
      {{"run", lorenz, "--stop", "1 +"}, 1, "error["},
      {{"run", lorenz, "--set", "rho=nonsense"}, 1, "nonsense"},
      {{"run", lorenz, "--vars", "Nobody"}, 1, "error[unknown-signal]"},
      {{"run", lorenz, "--vars", "x:0"}, 1, "error[unknown-signal]"},
      {{"run", lorenz, "--set", "nobody=1", "--stop", "0.1"}, 0, "warning[unused-variable]"},
      {{"show", "block", "Integrol"}, 1, "did you mean \"Integral\""},
  };
  for (const Mistake& mistake : mistakes) {
    const Outcome outcome = orrery(mistake.arguments);
    EXPECT_EQ(outcome.code, mistake.code) << mistake.message << "\n" << outcome.err;
    EXPECT_TRUE(contains(outcome.err, mistake.message)) << mistake.message << "\n" << outcome.err;
  }
  EXPECT_FALSE(fs::exists("x.csv"));
}

TEST_F(CommandLine, LocatesWhatIsWrongWithAModel) {
  const auto model = [](const std::string& blocks, const std::string& links) {
    return "{\n\"orrery\": 1,\n\"name\": \"m\",\n\"blocks\": [\n" + blocks + "],\n\"links\": [\n" + links + "]}\n";
  };
  const std::string gain = R"({"name": "G", "type": "Gain"})";
  const std::pair<std::string, const char*> broken[] = {
      {"{\"orrery\": 1, \"name\": \"m\", \"blo", "broken.orr:1:"},
      {model(R"({"name": "G", "type": "Gian"})", ""), "broken.orr:5: error[unknown-block]"},
      {model(gain, R"({"from": "G:1", "to": ["H:1"]})"), "broken.orr:7: error[dangling-link]"},
      {model(R"({"name": "T", "type": "ContTransFunc", "parameters": {"num": "[1 1]"}})",
             R"({"from": "T:1", "to": ["T:1"]})"),
       "error[singular-loop]"},
      {model(R"({"name": "G", "type": "Gain", "parameters": {"k": "1 +"}})", ""), "broken.orr:5: error["},
      {model(R"({"name": "A", "type": "Constant", "parameters": {"value": "[1 2]"}},
                {"name": "B", "type": "Constant", "parameters": {"value": "[1; 2; 3]"}},
                {"name": "S", "type": "Sum"})",
             R"({"from": "A:1", "to": ["S:1"]}, {"from": "B:1", "to": ["S:2"]})"),
       "/S"},
      {model(
           R"({"name": "E", "type": "EventGenerate"}, {"name": "D", "type": "EventDelay", "parameters": {"delay": "0"}})",
           R"({"event": "E:1", "to": ["D:1"]}, {"event": "D:1", "to": ["D:1"]})"),
       "/D"},
      {model(R"({"name": "X", "type": "Integral", "parameters": {"x0": "1"}}, {"name": "Q", "type": "Power"})",
             R"({"from": "X:1", "to": ["Q:1"]}, {"from": "Q:1", "to": ["X:1"]})"),
       "/X"},  // dx/dt = x^2 ends at t = 1
      {model(R"({"name": "T", "type": "Ramp", "parameters": {"slope": "-1", "initial": "1"}},
                {"name": "R", "type": "MathFunc", "parameters": {"function": "'sqrt'"}}, {"name": "X", "type": "Integral"})",
             R"({"from": "T:1", "to": ["R:1"]}, {"from": "R:1", "to": ["X:1"]})"),
       "/X"},  // the root of a negative number from t = 1 on
  };
  for (const auto& [text, message] : broken) {
    const Outcome outcome = orrery({"run", write("broken.orr", text)});
    EXPECT_EQ(outcome.code, 1) << text << outcome.err;
    EXPECT_TRUE(contains(outcome.err, message)) << text << outcome.err;
  }
}

TEST_F(CommandLine, SpeaksJson) {
  const Outcome outcome = orrery({"check", file("missing.orr"), "--diagnostics", "json"});
  EXPECT_EQ(outcome.code, 1);
  const auto list = nlohmann::json::parse(outcome.err);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0]["code"], "file-unreadable");
  EXPECT_EQ(nlohmann::json::parse(orrery({"check", example("lorenz"), "--diagnostics", "json"}).err).size(), 0U);
}

TEST_F(CommandLine, KindsOfFmusThatDoNotExist) {
  const Outcome outcome =
      orrery({"export", "fmu", example("bouncing_ball"), "--fmi", "2", "--kind", "se", "--out", file("x.fmu")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "error[fmi-bad-option]")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "--fmi 3")) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(file("x.fmu")));
}

// Of a co-simulated FMU of FMI 2.0 outputs depend on inputs alone: it has no states that others know.
TEST_F(CommandLine, CosimulatedFmusKeepTheStandard) {
  write("m.orr", R"({"orrery": 2, "name": "m", "blocks": [{"name": "u", "type": "Input"},
    {"name": "I", "type": "Integral"}, {"name": "y", "type": "Output"}],
    "links": [{"from": "u:1", "to": ["I:1"]}, {"from": "I:1", "to": ["y:1"]}]})");
  const Outcome made = orrery({"export", "fmu", file("m.orr"), "--fmi", "2", "--kind", "cs", "--out", file("x.fmu")});
  EXPECT_EQ(made.code, 0) << made.err;
  const Outcome checked = orrery({"fmu", "check", file("x.fmu")});
  EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
}

TEST_F(CommandLine, ExportsDoNotReplaceTheirModel) {
  write("m.orr", R"({"orrery": 2, "name": "m", "blocks": [{"name": "P", "type": "SuperBlock", "diagram": {"blocks":
    [{"name": "u", "type": "Input"}, {"name": "g", "type": "Gain"}, {"name": "y", "type": "Output"}],
    "links": [{"from": "u:1", "to": ["g:1"]}, {"from": "g:1", "to": ["y:1"]}]}}], "links": []})");
  const Outcome outcome = orrery({"export", "block", file("m.orr"), "--block", "/P", "--out", file("m.orr")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "this is the model itself")) << outcome.err;
}

// Commands are described one by one when they are asked for by name: each that the whole help names must be there.
TEST_F(CommandLine, KnowsEveryCommandByItself) {
  std::istringstream help(orrery({"--help"}).out);
  std::string line;
  while (std::getline(help, line) && line != "Subcommands:") {
  }
  int count = 0;
  for (; std::getline(help, line) && !line.empty(); ++count) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    const Outcome outcome = orrery({name, "--help"});
    EXPECT_EQ(outcome.code, 0) << name << outcome.err;
    EXPECT_TRUE(contains(outcome.out, "orrery " + name)) << name << outcome.out;
  }
  EXPECT_GT(count, 20);
}

TEST_F(CommandLine, DocumentsEveryCommand) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{},
                                                  {"run"},
                                                  {"check"},
                                                  {"show"},
                                                  {"show", "program"},
                                                  {"show", "code"},
                                                  {"show", "block"},
                                                  {"fmt"}}) {
    std::vector<std::string> arguments = command;
    arguments.push_back("--help");
    const Outcome outcome = orrery(arguments);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_TRUE(contains(outcome.out, "Examples:")) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "Exit codes:")) << outcome.out;
  }
}

}  // namespace
}  // namespace orrery::tests::cli_test
