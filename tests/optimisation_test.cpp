// SPDX-License-Identifier: Apache-2.0
// Searches over runs: the Optimization block, `orrery optimise`, estimation; against known optima and closed forms.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "api/model_functions.h"
#include "api/oml_evaluator.h"
#include "api/optimise.h"
#include "command_line.h"
#include "oml/convert.h"
#include "oml/interpreter.h"
#include "run_model.h"

namespace orrery::tests::optimisation {
namespace {

const std::string optimise_examples = examples + "optimise/";

// One run a point: the cost of p is computed at the start.
std::string static_search(const std::string& cost, const std::string& search = "") {
  return R"({"orrery": 2, "name": "static", "simulation": {"stop": "1"},
  "context": ["p = [3; -2];", "if __counter__ > 1", "  p = GetFromBase('q');", "end"],
  "blocks": [
    {"name": "Start", "type": "InitialEvent"},
    {"name": "P", "type": "Constant", "parameters": {"value": "p"}},
    {"name": "Cost", "type": "MatrixExpression", "parameters": {"expression": ")" +
         cost + R"("}},
    {"name": "Search", "type": "Optimization", "parameters": {)" +
         search + R"(}},
    {"name": "Keep", "type": "ToBase", "parameters": {"name": "'q'"}},
    {"name": "Shown", "type": "Scope", "parameters": {"inputs": "2", "names": "'best,least'"}},
    {"name": "End", "type": "End"}
  ],
  "links": [
    {"from": "P:1", "to": ["Cost:1", "Search:1"]}, {"from": "Cost:1", "to": ["Search:2"]},
    {"from": "Search:1", "to": ["Keep:1", "Shown:1"]}, {"from": "Search:2", "to": ["Shown:2"]},
    {"event": "Start:1", "to": ["Search:1"]}, {"event": "Search:1", "to": ["End:1"]}
  ]})";
}

TEST(OptimizationBlock, FindsTheMinimumOverRestarts) {
  const auto run = run_text(static_search("'(u1(1)-1)^2+2*(u1(2)-0.5)^2+0.3*u1(1)*u1(2)'"));
  ASSERT_FALSE(run.failed()) << to_text(run.diagnostics);
  // 2 (x - 1) + 0.3 y = 0, 4 (y - 0.5) + 0.3 x = 0
  const double det = 2 * 4 - 0.3 * 0.3, x = (2 * 4 - 0.3 * 2) / det, y = (2 * 2 - 0.3 * 2) / det;
  EXPECT_NEAR(last(run, "/Shown.best[1]"), x, 1e-5);
  EXPECT_NEAR(last(run, "/Shown.best[2]"), y, 1e-5);
  EXPECT_NEAR(last(run, "/Shown.least"), (x - 1) * (x - 1) + 2 * (y - 0.5) * (y - 0.5) + 0.3 * x * y, 1e-10);
  EXPECT_GT(run.runs, 10);
  EXPECT_LT(run.runs, 100);
}

TEST(OptimizationBlock, KeepsBoundsAndKnowsOtherMethods) {
  for (const std::string method : {"bobyqa", "cobyla", "simplex", "cma"}) {
    const auto run = run_text(static_search(
        "'(u1(1)-1)^2+(u1(2)-0.5)^2'", "\"low\": \"[1.5; -5]\", \"high\": \"5\", \"method\": \"'" + method + "'\""));
    ASSERT_FALSE(run.failed()) << method << to_text(run.diagnostics);
    EXPECT_NEAR(last(run, "/Shown.best[1]"), 1.5, 1e-4) << method;
    EXPECT_NEAR(last(run, "/Shown.best[2]"), 0.5, 1e-3) << method;
  }
}

TEST(OptimizationBlock, SaysWhenItsRunsAreUsedUp) {
  const auto few = run_text(static_search("'(u1(1)-1)^2+(u1(2)-0.5)^2'", "\"runs\": \"9\""));
  ASSERT_FALSE(few.failed()) << to_text(few.diagnostics);
  EXPECT_EQ(few.runs, 9);
  EXPECT_NE(to_text(few.diagnostics).find("warning[not-converged]: /Search"), std::string::npos)
      << to_text(few.diagnostics);
  EXPECT_EQ(to_text(run_text(static_search("'(u1(1)-1)^2+(u1(2)-0.5)^2'")).diagnostics), "");
}

TEST(OptimizationBlock, RefusesCostsThatSayNothing) {
  const auto same = run_text(static_search("'3+0*u1(1)'"));
  EXPECT_TRUE(same.failed());
  EXPECT_NE(to_text(same.diagnostics).find("optimisation-failed"), std::string::npos) << to_text(same.diagnostics);
  const auto infinite = run_text(static_search("'1/(u1(1)-3)'"));
  EXPECT_NE(to_text(infinite.diagnostics).find("the cost of run 1 is"), std::string::npos);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// The least cost that the block of the example finds: seconds for 1000 m, to 100 km/h, and minus the metres in 30 s.
TEST(OptimizationBlock, TheCarReachesItsOptima) {
  std::ifstream in(example("book/ch6_car_optimization"));
  const std::string far((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::string fast = replaced(far, R"("bias": "-1000")", R"("bias": "-100/3.6")");
  fast = replaced(fast, R"("to": ["Show:2", "Target:1"])", R"("to": ["Show:2"])");
  fast = replaced(fast, R"("Power:4", "Show:1"])", R"("Power:4", "Show:1", "Target:1"])");
  std::string long_way = replaced(far, R"("delay": "99")", R"("delay": "30")");
  long_way = replaced(long_way, R"("bias": "-1000")", R"("bias": "-1e5")");
  long_way = replaced(long_way, "'u1+max(-u2,0)'", "'-(u2+1e5)'");
  struct Case {
    std::string text;
    double best, tolerance;
  };
  for (const Case& each :
       {Case{far, 36.5175636154, 1e-3}, Case{fast, 15.7662095069, 1e-3}, Case{long_way, -752.36303878, 0.05}}) {
    Diagnostics diagnostics;
    auto model = api::read_model(each.text, "car.orr", diagnostics);
    ASSERT_TRUE(model) << to_text(diagnostics);
    api::RunRequest request;
    request.signals = {"/Search:2"};
    std::vector<double> costs;
    request.restarted = [&](const api::RunRequest::Restart& restart) { costs.push_back(restart.cost.value_or(NAN)); };
    api::OmlEvaluator evaluator;
    const auto run = api::run(*model, request, evaluator);
    ASSERT_FALSE(run.failed()) << to_text(run.diagnostics);
    EXPECT_NEAR(run.recording.value(run.recording.rows() - 1, 0), each.best, each.tolerance);
    EXPECT_GT(run.runs, 50);
    EXPECT_EQ(costs.size(), static_cast<std::size_t>(run.runs - 1));  // every one was told
  }
}

TEST(Restart, CodeIsTheSameWhereOnlyValuesChange) {
  const auto run = run_text(R"({"orrery": 2, "name": "again", "simulation": {"stop": "1"},
    "blocks": [
      {"name": "Start", "type": "InitialEvent"},
      {"name": "P", "type": "FromBase", "parameters": {"name": "'n'", "default": "1"}},
      {"name": "Next", "type": "MathExpression", "parameters": {"expression": "'u1*1.5'"}},
      {"name": "Keep", "type": "ToBase", "parameters": {"name": "'n'"}},
      {"name": "Small", "type": "MathExpression", "parameters": {"expression": "'20-u1'"}},
      {"name": "If", "type": "IfThenElse"},
      {"name": "Again", "type": "End", "parameters": {"action": "'restart'"}},
      {"name": "S", "type": "Scope"}],
    "links": [{"from": "P:1", "to": ["Next:1", "Small:1", "S:1"]}, {"from": "Next:1", "to": ["Keep:1"]},
      {"from": "Small:1", "to": ["If:1"]}, {"event": "Start:1", "to": ["If:1", "Keep:1"]},
      {"event": "If:1", "to": ["Again:1"]}]})");
  ASSERT_FALSE(run.failed()) << to_text(run.diagnostics);
  EXPECT_NEAR(last(run, "/S.1"), std::pow(1.5, run.runs - 1), 1e-12);
  EXPECT_EQ(run.runs, 9);
  EXPECT_EQ(run.same_code, 8);
}

class Optimise : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    write("decay.orr", R"({"orrery": 2, "name": "decay", "context": ["k = 1;", "a = 2;"],
      "simulation": {"stop": "2", "rtol": "1e-10"},
      "blocks": [{"name": "Rate", "type": "Gain", "parameters": {"k": "-k"}},
                 {"name": "x", "type": "Integral", "parameters": {"x0": "a"}}],
      "links": [{"from": "Rate:1", "to": ["x:1"]}, {"from": "x:1", "to": ["Rate:1"]}]})");
  }
  api::OptimiseResult run(const std::string& spec, bool differences = false) {
    api::OptimiseRequest request;
    request.spec = spec;
    request.kept = file("points");
    request.fresh = true;
    request.differences = differences;
    diagnostics_ = {};
    return api::optimise(request, diagnostics_);
  }
  std::string codes(const std::string& spec) {
    (void)run(write("spec.opt", spec));
    std::string text;
    for (const Diagnostic& d : diagnostics_.all()) text += d.code + ":" + std::to_string(d.place.line) + " ";
    return text;
  }

  Diagnostics diagnostics_;
};

TEST_F(Optimise, FilesCanHoldEveryRun) {
  const std::string model = write("s.orr", static_search("'(u1(1)-1)^2+u1(2)^2'"));
  const auto outcome =
      orrery({"run", model, "--every-run", "--quiet", "--out", file("r.csv"), "--events", file("e.csv")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto rows = series("r.csv");
  ASSERT_EQ(rows.names.at(0), "run");
  EXPECT_EQ(rows.columns[0].front(), 1);
  EXPECT_GT(rows.columns[0].back(), 5);
  EXPECT_TRUE(std::is_sorted(rows.columns[0].begin(), rows.columns[0].end()));
  EXPECT_TRUE(contains(read(file("e.csv")), "time,run,cause"));
  EXPECT_EQ(orrery({"run", model, "--every-run", "--out", file("r.h5")}).code, 1);
}

// x(2) = a exp(-2 k): the square of x(2) - 1 with k near 1 and a = 2 vanishes at k = log(2) / 2.
TEST_F(Optimise, GoesToAClosedFormWithExactGradients) {
  const std::string spec =
      write("s.opt", "model decay.orr\nvariable k = 1 from 0 to 5\nminimise (final(/x)-1)^2\ntolerance 1e-10\n");
  const auto result = run(spec);
  ASSERT_TRUE(result.started) << to_text(diagnostics_);
  EXPECT_TRUE(result.exact_gradients) << result.gradient_note;
  EXPECT_NEAR(result.values[0], std::log(2.0) / 2, 1e-4);
  EXPECT_LT(result.cost, 1e-8);
  const auto differences = run(spec, true);
  EXPECT_NEAR(differences.values[0], std::log(2.0) / 2, 1e-4);
  EXPECT_LT(result.simulations, differences.simulations);
}

TEST_F(Optimise, KeepsConstraintsExactly) {
  // Largest k with x(2) >= 1, and an equation between both.
  auto result = run(write("s.opt",
                          "model decay.orr\nvariable k = 0.1 from 0 to 5\nmaximise -1/final(/x)\n"
                          "subject to final(/x) <= 1\n"));
  ASSERT_TRUE(result.started) << to_text(diagnostics_);
  EXPECT_NEAR(result.values[0], std::log(2.0) / 2, 1e-6);
  EXPECT_NEAR(result.cost, -1, 1e-6);
  result = run(write("s.opt",
                     "model decay.orr\nvariable k = 0.5 from 0 to 5\nvariable a = 1 from 0.1 to 9\n"
                     "minimise mean(/x)\nsubject to final(/x) == 1\nsubject to max(/x) >= 3\n"));
  EXPECT_NEAR(result.values[1], 3, 1e-5);
  EXPECT_NEAR(result.values[0], std::log(3.0) / 2, 1e-5);
}

// An objective and a constraint by functions of a script: 2 exp(-2 k) is to be 0.5, as far as the constraint allows.
TEST_F(Optimise, CallsFunctionsOfAScript) {
  write("costs.oml",
        "function c = cost(t, x)\n  c = (x(end) - 0.5)^2 + 0*t(1);\nend\n"
        "function c = width(x)\n  c = max(x) - min(x);\nend\n");
  const std::string begin = "model decay.orr\nscript costs.oml\nvariable k = 0.3 from 0.1 to 5\nminimise cost(t, /x)\n";
  auto result = run(write("s.opt", begin + "subject to width(/x) <= 1.9\n"));
  ASSERT_TRUE(result.started) << to_text(diagnostics_);
  EXPECT_NEAR(result.values[0], std::log(4.0) / 2, 1e-4);
  result = run(write("s.opt", begin + "subject to width(/x) <= 1.2\n"));
  ASSERT_TRUE(result.started) << to_text(diagnostics_);
  EXPECT_NEAR(result.values[0], std::log(2.5) / 2, 1e-5);
  EXPECT_NE(codes("model decay.orr\nscript none.oml\nvariable k = 1\nminimise cost(t, /x)\n"), "");
  write("wrong.oml", "function c = cost(t, x)\n  c = (;\nend\n");
  EXPECT_NE(codes("model decay.orr\nscript wrong.oml\nvariable k = 1\nminimise cost(t, /x)\n"), "");
}

TEST_F(Optimise, SaysWhatCannotBeKept) {
  const auto outcome = orrery({"optimise", write("s.opt",
                                                 "model decay.orr\nvariable k = 1 from 0 to 5\nminimise final(/x)\n"
                                                 "subject to max(/x) <= 1\n")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "constraint-violated")) << outcome.err;
}

TEST_F(Optimise, SaysWhenItIsNotSure) {
  const auto outcome = orrery({"optimise", write("s.opt",
                                                 "model decay.orr\nvariable k = 1 from 0 to 5\n"
                                                 "minimise (final(/x)-1)^2\nevaluations 2\nmethod bobyqa\n")});
  EXPECT_TRUE(contains(outcome.err, "not-converged")) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "NOT converged")) << outcome.out;
}

TEST_F(Optimise, RefusesWhatMakesNoSense) {
  const std::string good = "model decay.orr\nvariable k = 1 from 0 to 5\nminimise final(/x)\n";
  EXPECT_EQ(codes("variable k = 1\nminimise final(/x)\n"), "bad-specification:0 ");
  EXPECT_EQ(codes(good + "modell x\n"), "bad-specification:4 ");
  EXPECT_EQ(codes(good + "method newton\n"), "bad-specification:4 ");
  EXPECT_EQ(codes(good + "subject to final(/x)\n"), "bad-specification:4 ");
  EXPECT_EQ(codes("model decay.orr\nvariable k = 7 from 0 to 5\nminimise final(/x)\n"), "bad-specification:2 ");
  EXPECT_EQ(codes("model decay.orr\nvariable q = 1\nminimise final(/x)\n"), "unknown-parameter:2 ");
  EXPECT_EQ(codes("model decay.orr\nvariable k = 1\nminimise final(/y)\n").substr(0, 14), "unknown-signal");
  EXPECT_EQ(codes("model decay.orr\nvariable k = 1\nfit /x to x\n"), "bad-specification:0 ");
  EXPECT_EQ(codes(good + "evaluations 0\n"), "bad-specification:4 ");
}

TEST_F(Optimise, TheCarReachesItsOptima) {
  struct Case {
    const char* spec;
    double best, tolerance;
  };
  for (const Case& each : {Case{"car_1000m", 36.5175636, 1e-3}, Case{"car_100kmh", 15.7662095, 1e-3},
                           Case{"car_5500rpm", 15.8723084, 1e-3}, Case{"car_30s", 752.36303878, 0.05}}) {
    const auto result = run(optimise_examples + each.spec + ".opt");
    ASSERT_TRUE(result.started) << each.spec << to_text(diagnostics_);
    EXPECT_NEAR(result.cost, each.best, each.tolerance) << each.spec << api::optimise_text(result);
    EXPECT_LT(result.violation, 1e-3) << each.spec;
  }
}

TEST_F(Optimise, AKilledSearchGoesOnToTheSameResult) {
  const std::string spec = optimise_examples + "car_100kmh.opt", points = file("killed");
  const auto whole = orrery({"optimise", spec, "--json", "--points", file("whole")});
  ASSERT_EQ(whole.code, 0) << whole.err;
  const pid_t child = start({"optimise", spec, "--json", "--points", points});
  for (int k = 0; k < 2000; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::error_code none;
    if (std::filesystem::exists(points, none) && std::filesystem::file_size(points, none) > 4000) break;
  }
  ::kill(child, SIGKILL);
  (void)finish(child);
  const auto rest = orrery({"optimise", spec, "--json", "--points", points});
  ASSERT_EQ(rest.code, 0) << rest.err;
  const auto part = [](const std::string& text) { return text.substr(text.find("\"variables\"")); };
  EXPECT_EQ(part(rest.out), part(whole.out));
  EXPECT_FALSE(std::filesystem::exists(points));
}

// The response of a motor is known in closed form only with complex roots; here it is integrated by Runge and Kutta.
struct Motor {
  double r = 1.6, l = 0.05, k = 0.1, j = 0.0031, b = 0.0009;
};
std::vector<std::pair<double, double>> measured(const Motor& m, double v, double step, int count) {
  std::vector<std::pair<double, double>> rows = {{0, 0}};
  double i = 0, w = 0;
  const auto f = [&](double ci, double cw) {
    return std::pair((v - m.r * ci - m.k * cw) / m.l, (m.k * ci - m.b * cw) / m.j);
  };
  const int inner = 50;
  const double h = step / inner;
  for (int n = 1; n <= count; ++n) {
    for (int q = 0; q < inner; ++q) {
      const auto [a1, b1] = f(i, w);
      const auto [a2, b2] = f(i + h / 2 * a1, w + h / 2 * b1);
      const auto [a3, b3] = f(i + h / 2 * a2, w + h / 2 * b2);
      const auto [a4, b4] = f(i + h * a3, w + h * b3);
      i += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
      w += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
    }
    rows.emplace_back(w, i);
  }
  return rows;
}

// Of the intervals 95 % are to hold the true values: of 100 seeds 90 to 99, of the 20 of the quick form at least 16.
TEST_F(Optimise, EstimatesAMotorWithHonestIntervals) {
  const bool whole = std::getenv("ORRERY_LONG_TESTS") != nullptr;
  const int seeds = whole ? 100 : 20;
  std::filesystem::copy_file(optimise_examples + "motor.orr", file("motor.orr"));
  const std::string spec = write("motor.opt",
                                 "model motor.orr\nvariable R = 3 from 0.1 to 20\nvariable J = 0.001 from 1e-5 to 1\n"
                                 "variable b = 0.0001 from 0 to 1\nexperiment a.csv\nexperiment b.csv\n"
                                 "fit /Speed to speed weight 2\nfit /Current to current weight 50\n");
  const Motor truth;
  const auto first = measured(truth, 12, 0.04, 50), second = measured(truth, 6, 0.04, 50);
  int inside[3] = {};
  for (int seed = 1; seed <= seeds; ++seed) {
    std::mt19937 engine(static_cast<unsigned>(seed));
    std::normal_distribution<double> noise;
    const auto put = [&](const char* name, double v, const auto& rows) {
      std::ofstream table(file(name));
      table << "time,V,speed,current\n";
      table.precision(12);
      for (std::size_t k = 0; k < rows.size(); ++k)
        table << 0.04 * static_cast<double>(k) << ',' << v << ',' << rows[k].first + 0.5 * noise(engine) << ','
              << rows[k].second + 0.02 * noise(engine) << '\n';
    };
    put("a.csv", 12, first);
    put("b.csv", 6, second);
    const auto result = run(spec);
    ASSERT_TRUE(result.started && result.converged) << to_text(diagnostics_);
    EXPECT_TRUE(result.exact_gradients) << result.gradient_note;
    EXPECT_NEAR(result.deviation, 1, 0.3);
    const double values[3] = {truth.r, truth.j, truth.b};
    for (int k = 0; k < 3; ++k)
      inside[k] += values[k] >= result.interval_low[static_cast<std::size_t>(k)] &&
                   values[k] <= result.interval_high[static_cast<std::size_t>(k)];
    if (seed == 1) {
      const auto differences = run(spec, true);
      EXPECT_NEAR(differences.values[0], result.values[0], 1e-5);
      EXPECT_LT(result.simulations, differences.simulations);
    }
  }
  for (const int count : inside) {
    EXPECT_GE(count, whole ? 90 : 16);
    EXPECT_LE(count, whole ? 99 : 20);
  }
}

TEST_F(Optimise, TheExampleOfTheMotor) {
  const auto result = run(optimise_examples + "motor.opt");
  ASSERT_TRUE(result.started) << to_text(diagnostics_);
  EXPECT_NEAR(result.values[0], 1.6, 0.05);
  EXPECT_NEAR(result.values[1], 0.0031, 1e-4);
  EXPECT_NEAR(result.values[2], 0.0009, 1e-4);
}

// Scripts that minimise over runs of an evaluator.
class ScriptedSearch : public ::testing::Test {
 protected:
  ScriptedSearch() : interpreter_(options()) {}
  double run(const std::string& script, const std::string& result) {
    const auto outcome = interpreter_.run_text(script);
    EXPECT_TRUE(outcome.ok) << to_text(outcome.diagnostics);
    const oml::Value* value = interpreter_.base()->get(result);
    return value == nullptr ? NAN : oml::to_double(*value);
  }
  static oml::InterpreterOptions options() {
    oml::InterpreterOptions options;
    options.consent.allowed = Capabilities::all();
    options.output = [](std::string_view) {};
    options.families = api::model_families();
    return options;
  }
  oml::Interpreter interpreter_;
};

const std::string car_functions = R"(
global runs
function t = time_of(ev, p, goal)
  global runs
  env = getnewenv;
  ctx.T = p(1:4);
  ctx.gear = p(5:9);
  ctx.goal = goal;
  r = vssRunSimulation(ev, ctx, env);
  runs = runs + r.compiled;
  Tf = getenvvalue(env, 'Tf');
  t = 100;
  if ~isempty(Tf.ch{1}.data)
    t = Tf.ch{1}.data(end);
  end
end
runs = 0;
p0 = [4 4 4 4 3.2 1.8 1.3 1 0.8];
)";

TEST_F(ScriptedSearch, TheCarByAnEvaluatorThatIsCompiledOnce) {
  const std::string open = "ev = vssCreateEvaluator('" + optimise_examples + "car.orr');\n";
  const double best = run(car_functions + open +
                              "[p, f, flag, info] = fmincon(@(p) time_of(ev, p, 1), p0, [], [], [], [], 0.1*ones(1,9), "
                              "20*ones(1,9));\n compilations = runs;",
                          "f");
  EXPECT_NEAR(best, 15.7662095, 1e-3);
  EXPECT_EQ(oml::to_double(*interpreter_.base()->get("compilations")), 1);
  // It says that sensitivities gave the slopes: far fewer runs than evaluations.
  EXPECT_EQ(run("exact = info.exact_gradients;", "exact"), 1);
  EXPECT_LT(run("share = info.simulations / info.nfev;", "share"), 0.4);
}

// The gradient that a script sees is the exact one: differences of runs would differ from it by their errors.
TEST_F(ScriptedSearch, SlopesComeFromSensitivities) {
  const double gradient =
      run(car_functions + "ev = vssCreateEvaluator('" + optimise_examples + "car.orr');\n" +
              "[x, f, flag, info, g] = fminunc(@(p) time_of(ev, p, 2), p0, optimset('MaxIter', 0));\n"
              "h = 1e-4; e = zeros(1, 9); e(2) = h;\n"
              "d = (time_of(ev, p0 + e, 2) - time_of(ev, p0 - e, 2)) / (2 * h);\n"
              "off = abs(g(2) - d);",
          "off");
  EXPECT_LT(gradient, 1e-6);
}

// The largest speed of turning is cut off by shifts, whose times are variables: sensitivities at fixed times do not
// show it, and the gradient is that of runs all the same.
TEST_F(ScriptedSearch, SlopesThatSensitivitiesDoNotShowComeFromRuns) {
  const double off = run(car_functions + R"(
function r = largest(ev, p)
  ctx.T = p(1:4);
  ctx.gear = p(5:9);
  ctx.goal = 1;
  s = vssRunSimulation(ev, ctx, getnewenv);
  k = find(cellfun(@(n) strcmp(n, '/Show.rpm'), s.names));
  r = max(s.data(s.time < 4.5, k)) / 1000;
end
)" + "ev = vssCreateEvaluator('" +
                             optimise_examples + "car.orr');\n" +
                             "[x, f, flag, info, g] = fminunc(@(p) largest(ev, p), p0, optimset('MaxIter', 0));\n"
                             "e = zeros(1, 9); e(1) = 1e-4;\n"
                             "d = (largest(ev, p0 + e) - largest(ev, p0 - e)) / 2e-4;\n"
                             "off = abs(g(1) - d);",
                         "off");
  EXPECT_LT(off, 1e-3);
}

TEST_F(ScriptedSearch, AnEvaluatorFollowsWhatItsScriptsRead) {
  std::ofstream(testing::TempDir() + "reads.orr")
      << R"({"orrery": 2, "name": "reads", "simulation": {"stop": "1"}, "context": ["k = 2*GetFromBase('given', 1);"],
        "blocks": [{"name": "C", "type": "Constant", "parameters": {"value": "k"}},
                   {"name": "S", "type": "SignalOut", "parameters": {"name": "'s'"}}],
        "links": [{"from": "C:1", "to": ["S:1"]}]})";
  EXPECT_EQ(run("ev = vssCreateEvaluator('" + testing::TempDir() + "reads.orr');\n" +
                    "vssRunSimulation(ev); a = s.ch{1}.data(end);\n"
                    "given = 5; vssRunSimulation(ev); b = s.ch{1}.data(end);\n c = 100*a + b;",
                "c"),
            210);
}

}  // namespace
}  // namespace orrery::tests::optimisation
