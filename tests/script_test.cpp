// SPDX-License-Identifier: Apache-2.0
// Models driven by OML scripts (Activate, 6.4): open, change variables, run, get signals back; plots as files.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "api/figures.h"
#include "api/model_functions.h"
#include "api/session.h"
#include "base/folders_for_tests.h"
#include "oml/convert.h"
#include "oml/interpreter.h"

namespace orrery::tests::script_test {
namespace {

namespace fs = std::filesystem;

// A mass that falls from h with drag 0 and stops when it lands: the time is sqrt(2 h / g).
constexpr const char* falling = R"({
  "orrery": 1,
  "simulation": {"stop": "10", "rtol": "1e-9", "atol": "1e-9"},
  "initialization": [
    "g = 10;",
    "h = 5;"
  ],
  "context": [
    "x0 = [h; 0];"
  ],
  "blocks": [
    {"name": "x", "type": "Integral", "parameters": {"x0": "x0"}},
    {"name": "dx", "type": "MatrixExpression", "parameters": {"expression": "'[u1(2); -g]'"}},
    {"name": "height", "type": "MatrixExpression", "parameters": {"expression": "'u1(1)'"}},
    {"name": "land", "type": "ZeroCross"},
    {"name": "t", "type": "Time"},
    {"name": "Tf", "type": "SignalOut", "parameters": {"name": "'Tf'"}},
    {"name": "traj", "type": "SignalOut", "parameters": {"name": "'traj'"}},
    {"name": "end", "type": "End"}
  ],
  "links": [
    {"from": "x:1", "to": ["dx:1", "height:1", "traj:1"]},
    {"from": "dx:1", "to": ["x:1"]},
    {"from": "height:1", "to": ["land:1"]},
    {"from": "t:1", "to": ["Tf:1"]},
    {"event": "land:1", "to": ["Tf:1", "end:1"]}
  ]
})";

class Scripts : public testing::Test {
 protected:
  void SetUp() override {
    folder = fs::path(testing::TempDir()) / ("orrery_scripts_" + std::to_string(::getpid()));
    fs::create_directories(folder);
    std::ofstream(folder / "falling.orr") << falling;
    oml::InterpreterOptions options;
    options.output = [this](std::string_view text) { output += text; };
    options.families = api::model_families();
    interpreter = std::make_unique<oml::Interpreter>(options);
    interpreter->base()->set("model", oml::Value::text((folder / "falling.orr").string()));
    interpreter->base()->set("folder", oml::Value::text(folder.string()));
  }
  void TearDown() override { fs::remove_all(folder); }

  oml::RunResult run(const std::string& text) { return interpreter->run_text(text); }
  double number(const std::string& expression) {
    Diagnostics diagnostics;
    const auto value = interpreter->evaluate(interpreter->base(), expression, diagnostics);
    if (value && value->is_scalar()) return oml::to_double(*value);
    ADD_FAILURE() << expression << ": " << to_text(diagnostics);
    return NAN;
  }

  fs::path folder;
  std::unique_ptr<oml::Interpreter> interpreter;
  std::string output;
};

TEST_F(Scripts, RunAModelWithOtherVariables) {
  const auto result = run(R"(
    ev = vssCreateEvaluator(model, bdeCreateSimulationObject(model));
    env = getnewenv;
    heights = [5 20 45];
    for k = 1:3
      vss_context = struct();
      vss_context.h = heights(k);
      vssRunSimulation(ev, vss_context, env);
      Tf = getenvvalue(env, 'Tf');
      times(k) = Tf.ch{1}.data;
    end
    traj = getenvvalue(env, 'traj');
    [rows, cols] = size(traj.ch{1}.data);
    n = size(traj.time, 2);
    r = vssRunSimulation(ev, struct('h', 5, 'g', 2.5), env);
  )");
  ASSERT_TRUE(result.ok) << result.error_text;
  EXPECT_NEAR(number("times(1)"), 1, 1e-7);
  EXPECT_NEAR(number("times(2)"), 2, 1e-7);
  EXPECT_NEAR(number("times(3)"), 3, 1e-7);
  EXPECT_EQ(number("rows"), 2);
  EXPECT_EQ(number("cols - n"), 0);
  EXPECT_EQ(number("size(traj.time, 1)"), 3);
  EXPECT_NEAR(number("traj.ch{1}.data(2,end) + 30"), 0, 1e-5);
  EXPECT_EQ(number("all(diff(traj.time(1,:)) >= 0)"), 1);
  EXPECT_EQ(number("strcmp(traj.ch{1}.type, 'double')"), 1);
  EXPECT_NEAR(number("r.final_time"), 2, 1e-7);
  EXPECT_EQ(number("strcmp(r.end, 'stopped') && r.runs == 1"), 1);
  EXPECT_EQ(number("numel(r.names) == size(r.data, 2) && numel(r.time) == size(r.data, 1)"), 1);
}

// The fields of the fourth argument are the settings of model files; the model keeps its own.
TEST_F(Scripts, RunAModelWithOtherSettings) {
  const auto result = run(R"(
    ev = vssCreateEvaluator(model);
    r = vssRunSimulation(ev, struct('h', 5000), getnewenv, struct('stop', 'pi/2', 'solver', 'rk4', 'step', 0.25));
    e = '';
    try, vssRunSimulation(ev, [], getnewenv, struct('stopp', 1)); catch err, e = err.message; end
    again = vssRunSimulation(ev, struct('h', 5), getnewenv);
  )");
  ASSERT_TRUE(result.ok) << result.error_text;
  EXPECT_EQ(number("r.final_time - pi/2"), 0);
  EXPECT_EQ(number("numel(unique(round(diff(r.time(r.time < 1.5)) * 1e9))) <= 2"), 1) << "steps of 0.25";
  EXPECT_EQ(number("numel(strfind(e, 'there is no simulation setting stopp; did you mean \"stop\"?'))"), 1) << output;
  EXPECT_NEAR(number("again.final_time"), 1, 1e-7);
}

// A signal whose block was never activated is empty, as the book's scripts test for it.
TEST_F(Scripts, ASignalThatNeverHappenedIsEmpty) {
  ASSERT_TRUE(run("vssRunSimulation(model, struct('h', 5000));").ok);
  EXPECT_EQ(number("isempty(Tf.ch{1}.data)"), 1);
}

// 6.4.2 in small: the height from which a fall takes 1.5 s, by fminsearch over runs. h = g t^2 / 2.
TEST_F(Scripts, OptimiseOverRuns) {
  const auto result = run(R"(
    function e=eval_cost(p,ev,env)
      vss_context=struct();
      vss_context.h=p(1);
      vssRunSimulation(ev, vss_context, env);
      Tf=getenvvalue(env,'Tf');
      e=(Tf.ch{1}.data - 1.5)^2;
    end
    ev=vssCreateEvaluator(model);
    env=getnewenv;
    cost=@(p) eval_cost(p,ev,env);
    p = fminsearch(cost, 8);
  )");
  ASSERT_TRUE(result.ok) << result.error_text;
  EXPECT_NEAR(number("p"), 10 * 1.5 * 1.5 / 2, 2e-3);
}

TEST_F(Scripts, ErrorsOfModelsCanBeCaught) {
  const auto result = run(R"(
    try
      vssRunSimulation(model, struct('h', [1 2 3]));
      bad = 0;
    catch e
      bad = 1; message = e.message; id = e.identifier;
    end
    after = 2;
  )");
  ASSERT_TRUE(result.ok) << result.error_text;
  EXPECT_EQ(number("bad"), 1);
  EXPECT_EQ(number("~isempty(strfind(message, 'falling.orr:9'))"), 1);
  EXPECT_EQ(number("~isempty(strfind(message, 'context'))"), 1);
  EXPECT_EQ(number("strcmp(id, 'orrery:parameter-error')"), 1);
  const auto missing = run("vssRunSimulation('no/such.orr')");
  EXPECT_FALSE(missing.ok);
  EXPECT_NE(missing.error_text.find("no/such.orr"), std::string::npos);
  EXPECT_NE(missing.error_text.find("vssRunSimulation"), std::string::npos);
  EXPECT_FALSE(run("vssRunSimulation(3)").ok);
  EXPECT_FALSE(run("vssRunSimulation(model, 3)").ok);
  EXPECT_FALSE(run("vssRunSimulation(model, struct(), 3)").ok);
  const auto misspelt = run("vssRunSimulation(model, struct('hh', 3))");
  EXPECT_FALSE(misspelt.ok);
  EXPECT_NE(misspelt.error_text.find("did you mean \"h\"?"), std::string::npos) << misspelt.error_text;
}

TEST_F(Scripts, ContextsSeeTheFunctionsAndTheBaseOfTheScript) {
  std::string text = falling;
  text.replace(text.find("\"h = 5;\""), 8, "\"h = twice(GetFromBase('h0'));\"");
  std::ofstream(folder / "falling.orr") << text;
  const auto result = run("function y = twice(x), y = 2*x; end\nh0 = 10; r = vssRunSimulation(model);");
  ASSERT_TRUE(result.ok) << result.error_text;
  EXPECT_NEAR(number("r.final_time"), 2, 1e-7);
  EXPECT_EQ(number("exist('h', 'var')"), 0);  // the model's variables stay its own
}

TEST_F(Scripts, AModelThatRunsItselfEnds) {
  std::string text = falling;
  text.replace(text.find("\"h = 5;\""), 8, "\"h = 5; vssRunSimulation(bdeGetCurrentModel);\"");
  std::ofstream(folder / "falling.orr") << text;
  const auto result = run("vssRunSimulation(model);");
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.error_text.find("does it run itself"), std::string::npos) << result.error_text;
}

TEST_F(Scripts, TheCurrentModel) {
  EXPECT_FALSE(run("bdeGetCurrentModel").ok);
  ASSERT_TRUE(run("m = bdeLoadModel(model); same = strcmp(bdeGetModelFilePath(bdeGetCurrentModel), model);").ok);
  EXPECT_EQ(number("same"), 1);
  EXPECT_EQ(number("vssIsInLinearization"), 0);
}

TEST_F(Scripts, PlotsAreWrittenWhenAskedFor) {
  const auto result = run(R"(
    t = linspace(0, 2*pi, 200);
    figure(1); subplot(2, 1, 1);
    plot(t, sin(t), t, cos(t), 'o'); hold on; plot(t, 0*t); hold off
    title('Waves <1>'); xlabel('t'); ylabel('amplitude'); legend('sine', 'cosine', 'zero'); grid on
    subplot(2, 1, 2); plot(cos(t), sin(t)); axis([-2 2 -2 2]);
    print([folder '/a.svg']);
    saveas(1, [folder '/b.svg']);
  )");
  ASSERT_TRUE(result.ok) << result.error_text;
  EXPECT_EQ(output, "");
  std::stringstream svg;
  svg << std::ifstream(folder / "a.svg").rdbuf();
  for (const char* part : {"<svg", "Waves &lt;1&gt;", "amplitude", "sine", "cosine", "zero", "clip-path"}) {
    EXPECT_NE(svg.str().find(part), std::string::npos) << part;
  }
  EXPECT_TRUE(fs::exists(folder / "b.svg"));
  EXPECT_EQ(svg.str().find("nan"), std::string::npos);
  const api::Figure& figure = api::figures_of(*interpreter).all.at(1);
  EXPECT_EQ(figure.axes.at(1).series.size(), 3U);
  EXPECT_NE(api::drawn(figure, {false, false, 40, 8}).find("Waves <1>"), std::string::npos);
  for (const char* wrong : {"plot([1 2],[1 2 3])", "subplot(2,2,5)", "print('x.png')", "axis([1 0 0 1])",
                            "saveas(9,'x.svg')", "print('/no/such/folder/x.svg')", "figure(-1)", "plot('a')"}) {
    EXPECT_FALSE(run(wrong).ok) << wrong;
  }
}

TEST_F(Scripts, TheExamplesDoWhatTheySay) {
  const std::string examples = source_folder() + "/examples/oml/";
  const auto result = interpreter->run_file(examples + "fall_times.oml");
  ASSERT_TRUE(result.ok) << result.error_text;
  EXPECT_NE(output.find("without drag sqrt(2 h/g) is met to 1e-6"), std::string::npos) << output;
  EXPECT_NEAR(number("times(1,4)"), std::sqrt(40 / 9.81), 1e-6);
  // With drag c the fall from h takes acosh(exp(c h)) / sqrt(c g).
  EXPECT_NEAR(number("times(2,10)"), std::acosh(std::exp(0.02 * 50)) / std::sqrt(0.02 * 9.81), 1e-6);
  for (const char* name : {"geodesic", "low_pass", "falling"}) {
    const std::string file = examples + name + ".orr";
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    Diagnostics diagnostics;
    const auto model = model::parse(text.str(), file, diagnostics);
    ASSERT_TRUE(model) << to_text(diagnostics);
    EXPECT_EQ(model::write(*model), text.str()) << name << " is not in canonical form";
    api::RunRequest request;
    request.file = file;
    request.tier = api::TierChoice::first;
    const api::RunResult run = api::run(request);
    EXPECT_FALSE(run.failed()) << to_text(run.diagnostics);
    EXPECT_TRUE(run.diagnostics.all().empty()) << to_text(run.diagnostics);
    if (std::string(name) == "geodesic") {
      EXPECT_GT(run.runs, 4);
      EXPECT_NEAR(run.recording.value(run.recording.rows() - 1, 1), 1 / (2 * M_PI), 1e-5);
    }
  }
}

TEST_F(Scripts, EveryAddedFunctionHasHelp) {
  for (const oml::BuiltinFamily& family : api::model_families()) {
    for (const oml::Builtin& b : family) {
      EXPECT_NE(std::string(b.help).find(b.name), std::string::npos) << b.name;
      EXPECT_TRUE(run(std::string("help ") + b.name).ok) << b.name;
    }
  }
}

TEST_F(Scripts, TheExampleWithAnFmuDoesWhatItSays) {
  interpreter->base()->set("ball", oml::Value::text(test_fmu_folder() + "/bouncing_ball_2.fmu"));
  const auto result = interpreter->run_file(source_folder() + "/examples/fmu/bounces.oml");
  ASSERT_TRUE(result.ok) << result.error_text;
  EXPECT_NE(output.find("e^2 h is met to 1e-6"), std::string::npos) << output;
}

// x' = u with u = t up to 1, then 3: x(2) = 1/2 + 3. dahlquist: x' = -k x.
TEST_F(Scripts, RunsFmus) {
  interpreter->base()->set("parts", oml::Value::text(test_fmu_folder()));
  const auto result = run(R"(
    r = fmurun([parts '/dahlquist_2.fmu'], 'kind', 'me', 'stop', 1, 'tol', 1e-8, 'set', {'k', 2});
    x1 = r.data(end, strcmp(r.names, 'x'));
    o = struct('stop', 2, 'kind', 'me', 'tol', 1e-9, 'variables', 'x');
    o.input = {{'u'}, [0 0; 1 1; 1 3; 2 3]};
    s = fmurun([parts '/input_integral_3.fmu'], o);
    x2 = s.data(end, 1);
    i = fmuinfo([parts '/input_integral_3.fmu']);
    count = numel(i.variables); first = i.variables{2}.name; both = numel(i.kinds);
    try
      fmurun([parts '/nothing.fmu']);
    catch e
      what = e.identifier;
    end
  )");
  ASSERT_TRUE(result.ok) << output;
  EXPECT_NEAR(number("x1"), std::exp(-2), 1e-7);
  EXPECT_NEAR(number("x2"), 3.5, 1e-8);
  EXPECT_EQ(number("numel(s.names)"), 1);
  EXPECT_EQ(number("count"), 6);  // time too
  EXPECT_EQ(number("strcmp(first, 'x')"), 1);
  EXPECT_EQ(number("both"), 2);
  EXPECT_EQ(number("strcmp(what, 'orrery:fmi-no-file')"), 1);
  EXPECT_FALSE(run("fmurun([parts '/dahlquist_2.fmu'], 'speed', 1)").ok);
  EXPECT_FALSE(run("fmurun([parts '/input_integral_3.fmu'], 'input', {{'u'}, [0 1 2]})").ok);
}

}  // namespace
}  // namespace orrery::tests::script_test
