// SPDX-License-Identifier: Apache-2.0
// Models, compiled models and runs as a program that embeds them sees them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <thread>

#include "api/model.h"
#include "api/run.h"
#include "base/folders_for_tests.h"

namespace orrery::api {
namespace {

CompiledModel compiled(const std::string& text, const CompileOptions& options = {}) {
  Diagnostics diagnostics;
  const auto model = Model::read(text, "test.orr", diagnostics);
  auto result = model ? model->compile(options, diagnostics) : std::nullopt;
  EXPECT_TRUE(result) << to_text(diagnostics);
  return std::move(*result);
}

CompiledModel ball(const std::vector<std::string>& vary = {"e"}) {
  Diagnostics diagnostics;
  const auto model = Model::open(source_folder() + "/examples/bouncing_ball.orr", diagnostics);
  CompileOptions options;
  options.vary = vary;
  options.native = NativeCode::first;
  auto result = model->compile(options, diagnostics);
  EXPECT_TRUE(result) << to_text(diagnostics);
  return std::move(*result);
}

// x' = u, y = 2 x, and events: In counts, Jump tells when the input rises through 0.5.
const std::string ports = R"({"orrery": 1, "name": "ports", "simulation": {"stop": "10", "rtol": "1e-10"},
  "blocks": [{"name": "u", "type": "Input"},
             {"name": "In", "type": "EventInput"},
             {"name": "X", "type": "Integral"},
             {"name": "K", "type": "Gain", "parameters": {"k": "2"}},
             {"name": "y", "type": "Output"},
             {"name": "Count", "type": "Counter", "parameters": {"from": "1"}},
             {"name": "n", "type": "Output", "parameters": {"port": "2"}},
             {"name": "Jump", "type": "ZeroCross", "parameters": {"direction": "'up'"}},
             {"name": "Half", "type": "Constant", "parameters": {"value": "0.5"}},
             {"name": "D", "type": "Sum", "parameters": {"signs": "'+-'"}},
             {"name": "Crossed", "type": "EventOutput", "parameters": {"port": "3"}}],
  "links": [{"from": "u:1", "to": ["X:1", "D:1"]}, {"from": "Half:1", "to": ["D:2"]}, {"from": "D:1", "to": ["Jump:1"]},
            {"from": "X:1", "to": ["K:1"]}, {"from": "K:1", "to": ["y:1"]}, {"from": "Count:1", "to": ["n:1"]},
            {"event": "In:1", "to": ["Count:1"]}, {"event": "Jump:1", "to": ["Crossed:1"]}]})";

std::string codes(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) text += d.code + " ";
  return text;
}

TEST(FrontDoor, ModelTellsSettingsAndVariables) {
  Diagnostics diagnostics;
  auto model = Model::open(source_folder() + "/examples/bouncing_ball.orr", diagnostics);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->name(), "bouncing_ball");
  std::string stop;
  for (const Setting& setting : model->settings()) {
    if (setting.name == "stop") stop = setting.text;
  }
  EXPECT_EQ(stop, "25");
  EXPECT_TRUE(model->set("stop", "2*h0"));
  EXPECT_FALSE(model->set("stopp", "1"));
  std::vector<std::string> names;
  for (const ParameterInfo& variable : model->variables(diagnostics)) names.push_back(variable.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"e", "g", "h0"}));
  const auto made = model->compile(diagnostics);
  ASSERT_TRUE(made) << to_text(diagnostics);
  EXPECT_EQ(made->settings().stop, 20);
  EXPECT_FALSE(Model::open("ball.xyz", diagnostics));
  EXPECT_FALSE(Model::read("{}", "ball", diagnostics));
  EXPECT_EQ(codes(diagnostics), "unknown-extension unknown-extension ");
}

TEST(FrontDoor, CompiledModelDescribesItself) {
  const CompiledModel model = compiled(ports);
  ASSERT_EQ(model.inputs().size(), 2u);
  EXPECT_EQ(model.inputs()[0].name, "u");
  EXPECT_TRUE(model.inputs()[1].activation);
  ASSERT_EQ(model.outputs().size(), 3u);
  EXPECT_EQ(model.outputs()[0].name, "y");
  EXPECT_TRUE(model.outputs()[2].activation);
  const auto has_signal = [&](const std::string& name) {
    return std::any_of(model.signals().begin(), model.signals().end(), [&](const auto& s) { return s.name == name; });
  };
  EXPECT_TRUE(has_signal("/X") && has_signal("/K") && has_signal("/Count"));
  const auto depends = model.dependencies();
  const auto of = [&](const std::string& name) {
    for (const Dependence& d : depends) {
      if (d.name == name) return d;
    }
    return Dependence{};
  };
  EXPECT_EQ(of("/y").states, std::vector<std::string>{"/X.x"});
  EXPECT_TRUE(of("/y").inputs.empty());
  EXPECT_EQ(of("der(/X.x)").inputs, std::vector<std::string>{"u"});
  EXPECT_TRUE(of("der(/X.x)").states.empty());
  bool crossing = false;
  for (const EventInfo& event : model.events()) crossing |= event.kind == EventKind::crossing && event.block == "/Jump";
  EXPECT_TRUE(crossing);
  const CompiledModel varied = ball({"e", "h0"});
  ASSERT_EQ(varied.parameters().size(), 2u);
  EXPECT_EQ(varied.parameters()[0].value, std::vector<double>{varied.parameters()[0].name == "e" ? 0.9 : 10.0});
}

TEST(FrontDoor, EverythingThatHasANameHasAValue) {
  CompileOptions options;
  options.native = NativeCode::first;
  const CompiledModel model = compiled(ports, options);
  std::map<std::string, VariableInfo> by_name;
  for (const VariableInfo& info : model.variables()) EXPECT_TRUE(by_name.emplace(info.name, info).second) << info.name;
  ASSERT_TRUE(by_name.contains("/X.x"));
  EXPECT_EQ(by_name["/X.x"].kind, VariableKind::state);
  EXPECT_EQ(by_name["/X.x"].start, std::vector<double>{0});
  EXPECT_EQ(by_name["/X.x"].about, "state of Integral");
  EXPECT_EQ(by_name["/X.x"].block, "/X");
  EXPECT_TRUE(by_name["/X.x"].continuous);
  EXPECT_EQ(by_name["/u"].kind, VariableKind::input);
  EXPECT_EQ(by_name["/y"].kind, VariableKind::output);
  EXPECT_EQ(by_name["/K"].kind, VariableKind::signal);
  EXPECT_EQ(by_name["/K"].about, "output of Gain");
  EXPECT_EQ(by_name["/Half"].start, std::vector<double>{0.5});
  bool memory = false;
  for (const auto& [name, info] : by_name) memory |= info.kind == VariableKind::memory && info.block == "/Count";
  EXPECT_TRUE(memory);
  api::Run run = model.start();
  run.set_input("u", 1);
  run.run_until(3);
  EXPECT_NEAR(run.value("/X.x"), 3, 1e-9);
  EXPECT_NEAR(run.value("K"), 6, 1e-9);
  EXPECT_EQ(run.value("Half"), 0.5);
  for (const auto& [name, info] : by_name) EXPECT_EQ(run.values(name).size(), info.shape.numbers()) << name;
  EXPECT_TRUE(std::isnan(run.value("/X.z")));
  const CompiledModel varied = ball({"e"});
  api::Run bounce = varied.start();
  bounce.step();
  EXPECT_EQ(bounce.value("e"), 0.9);
}

TEST(FrontDoor, StatesAreRecordedByTheirNames) {
  CompileOptions options;
  options.probes = {"/X.x", "K"};
  api::Run run = compiled(ports, options).start();
  run.set_input("u", 2);
  EXPECT_EQ(run.run(), RunState::reached_stop) << to_text(run.diagnostics());
  EXPECT_NEAR(run.value("/X.x"), 20, 1e-8);
  Diagnostics diagnostics;
  EXPECT_FALSE(compiled(ports).with_probes({"/X.x"}, diagnostics));
  EXPECT_NE(to_text(diagnostics).find("no block output"), std::string::npos) << to_text(diagnostics);
}

TEST(FrontDoor, InputsAreSetBetweenSteps) {
  api::Run run = compiled(ports).start();
  EXPECT_TRUE(run.set_input("u", 1));
  EXPECT_EQ(run.run_until(2), RunState::paused);
  EXPECT_EQ(run.time(), 2);
  EXPECT_NEAR(run.value("y"), 4, 1e-9);
  EXPECT_TRUE(run.set_input("u", -0.5));
  EXPECT_EQ(run.run_until(4), RunState::paused);
  EXPECT_NEAR(run.value("/X"), 1, 1e-9);  // no probe records it
  // With a slope: the integral of 3 + 0.25 (t - 4) from 4 to 6 is 6.5.
  const double value = 3, slope = 0.25;
  EXPECT_TRUE(run.set_input("u", {&value, 1}, {&slope, 1}));
  EXPECT_EQ(run.run_until(6), RunState::paused);
  EXPECT_NEAR(run.value("/X"), 7.5, 1e-9);
  EXPECT_NEAR(run.value("u"), 3.5, 1e-12);
  EXPECT_EQ(run.run(), RunState::reached_stop);
  EXPECT_NEAR(run.value("y"), 2 * (7.5 + 4 * 3.5 + 0.25 * 8), 1e-8);
  EXPECT_FALSE(run.set_input("u", 1));
  EXPECT_EQ(run.value("Crossed"), 1);  // from -0.5 to 3; at the start there was nothing to cross
  EXPECT_EQ(codes(run.diagnostics()), "run-begun ");
}

TEST(FrontDoor, AJumpOfAnInputIsLocatedAndRecordedOnBothSides) {
  RunSettings settings = compiled(ports).settings();
  settings.events = true;
  api::Run run = compiled(ports).start(settings);
  run.run_until(1);
  run.set_input("u", 1);
  run.run();
  bool restarted = false, crossed = false;
  for (const Event& event : run.events()) {
    restarted |= event.block == "/u" && event.time == 1 && event.restarted;
    crossed |= event.block == "/Jump" && event.cause == EventCause::crossing && event.time == 1;
  }
  EXPECT_TRUE(restarted);
  EXPECT_TRUE(crossed);
  const Results results = run.results();
  ASSERT_NE(results.column("/y"), SIZE_MAX);
  EXPECT_NEAR(results.value(results.rows() - 1, results.column("/y")), 18, 1e-8);
  EXPECT_EQ(results.value(results.rows() - 1, results.column("/Crossed.event1")), 1);
}

TEST(FrontDoor, ActivationInputsFire) {
  api::Run run = compiled(ports).start();
  for (int k = 1; k <= 3; ++k) {
    EXPECT_EQ(run.run_until(k), RunState::paused);
    EXPECT_TRUE(run.fire("In"));
  }
  run.step();
  EXPECT_EQ(run.time(), 3);
  EXPECT_EQ(run.value("n"), 3);
  EXPECT_FALSE(run.fire("u"));
  EXPECT_FALSE(run.fire("Inn"));
  EXPECT_FALSE(run.set_input("In", 1));
  const double two[] = {1, 2};
  EXPECT_FALSE(run.set_input("u", two));
  EXPECT_EQ(codes(run.diagnostics()), "bad-input unknown-input bad-input bad-input ");
}

TEST(FrontDoor, TablesOfInputs) {
  // Up to 2 in two seconds, a jump to 5, constant, then still: the integral is 2 + 10 + 5 (10 - 4).
  const double time[] = {0, 2, 2, 4}, values[] = {0, 2, 5, 5};
  api::Run run = compiled(ports).start();
  EXPECT_TRUE(run.set_input_table("u", time, values));
  EXPECT_EQ(run.run_past(3), RunState::paused);
  api::Run copy = run.copy();
  api::Run other = compiled(ports).start();
  EXPECT_TRUE(other.set_input_table("u", time, values));
  EXPECT_TRUE(other.restore(run.save())) << to_text(other.diagnostics());
  for (api::Run* each : {&run, &copy, &other}) {
    EXPECT_EQ(each->run(), RunState::reached_stop);
    EXPECT_NEAR(each->value("/X"), 2 + 10 + 30, 1e-8);
    EXPECT_EQ(each->value("/X"), run.value("/X"));
  }
  api::Run without = compiled(ports).start();
  EXPECT_FALSE(without.restore(run.save()));
  EXPECT_NE(to_text(without.diagnostics()).find("table of 4 points for the input u"), std::string::npos)
      << to_text(without.diagnostics());
  const double back[] = {4, 2, 2, 0};
  EXPECT_FALSE(without.set_input_table("u", back, values));
}

TEST(FrontDoor, StepsArePointsAndEvents) {
  api::Run run = ball().start();
  EXPECT_EQ(run.state(), RunState::ready);
  EXPECT_TRUE(std::isnan(run.value("/Ball")));
  EXPECT_EQ(run.step(), RunState::paused);
  EXPECT_EQ(run.time(), 0);
  int steps = 1;
  for (double before = run.time(); run.step() == RunState::paused && steps < 100000; ++steps) {
    EXPECT_GE(run.time(), before);
    before = run.time();
  }
  EXPECT_EQ(run.state(), RunState::reached_stop);
  api::Run whole = ball().start();
  whole.run();
  EXPECT_EQ(run.values("/Ball"), whole.values("/Ball"));
  EXPECT_GT(steps, whole.report().steps / 2);
  EXPECT_EQ(run.report().crossings, whole.report().crossings);
  EXPECT_GT(whole.report().crossings, 5);
}

TEST(FrontDoor, ProbesAreAddedWithoutCompiling) {
  api::Run run = compiled(ports).start();
  EXPECT_TRUE(run.add_probe("/X"));
  EXPECT_TRUE(run.add_probe("Count"));
  EXPECT_FALSE(run.add_probe("/Xx"));
  run.set_input("u", 1);
  run.run_until(3);
  run.fire("In");
  run.run();
  EXPECT_FALSE(run.add_probe("/K"));
  EXPECT_EQ(codes(run.diagnostics()), "unknown-signal run-begun ");
  const Results results = run.results();
  const std::size_t x = results.column("/X"), count = results.column("/Count"), y = results.column("/y");
  ASSERT_NE(x, SIZE_MAX);
  ASSERT_NE(count, SIZE_MAX);
  bool stepped = false;
  for (std::size_t r = 0; r < results.rows(); ++r) {
    EXPECT_EQ(2 * results.value(r, x), results.value(r, y)) << results.time[r];
    EXPECT_EQ(results.value(r, count), results.time[r] > 3 ? 1 : results.value(r, count));
    stepped |= r > 0 && results.time[r] == 3 && results.value(r - 1, count) == 0 && results.value(r, count) == 1;
  }
  EXPECT_TRUE(stepped);
}

// The run goes on as if the probe had been there from the start, to the last bit.
TEST(FrontDoor, ProbesAreAddedOnTheWay) {
  const auto model = ball();
  RunSettings settings = model.settings();
  settings.events = true;
  api::Run whole = model.start(settings), run = model.start(settings);
  ASSERT_TRUE(whole.add_probe("/Ball"));
  run.run_past(3);
  const double added_at = run.time();
  ASSERT_TRUE(run.add_probe("/Ball")) << to_text(run.diagnostics());
  EXPECT_EQ(run.state(), RunState::paused);
  EXPECT_EQ(run.time(), added_at);
  EXPECT_FALSE(run.add_probe("/Nothing"));
  EXPECT_EQ(codes(run.diagnostics()), "unknown-signal ");
  EXPECT_EQ(run.run(), RunState::reached_stop);
  whole.run();
  const Results expected = whole.results(), found = run.results();
  ASSERT_EQ(found.names, expected.names);
  ASSERT_EQ(found.time, expected.time);
  const std::size_t added = expected.column("/Ball[1]");
  ASSERT_NE(added, SIZE_MAX) << fmt::format("{}", fmt::join(expected.names, " "));
  int before = 0, after = 0;
  for (std::size_t r = 0; r < found.rows(); ++r) {
    const bool was_there = found.time[r] > added_at;
    (was_there ? after : before) += 1;
    for (std::size_t c = 0; c < found.names.size(); ++c) {
      if (c < added || was_there) {
        EXPECT_EQ(found.value(r, c), expected.value(r, c)) << found.time[r] << found.names[c];
      } else {
        EXPECT_TRUE(std::isnan(found.value(r, c))) << found.time[r];
      }
    }
  }
  EXPECT_GT(before, 10);
  EXPECT_GT(after, 10);
  EXPECT_EQ(run.events().size(), whole.events().size());
  EXPECT_EQ(run.report().steps, whole.report().steps);
  EXPECT_EQ(run.report().crossings, whole.report().crossings);
  EXPECT_EQ(run.report().rows, whole.report().rows);
}

TEST(FrontDoor, SavedRunsNameWhatTheyBelongTo) {
  api::Run run = ball().start();
  run.set_parameter("e", 0.8);
  run.run_past(3);
  const auto bytes = run.save();
  api::Run same = ball().start();
  ASSERT_TRUE(same.restore(bytes)) << to_text(same.diagnostics());
  EXPECT_EQ(same.time(), run.time());
  run.run();
  same.run();
  EXPECT_EQ(same.values("/Ball"), run.values("/Ball"));
  api::Run other = compiled(ports).start();
  EXPECT_FALSE(other.restore(bytes));
  EXPECT_EQ(codes(other.diagnostics()), "save-mismatch ");
  EXPECT_NE(to_text(other.diagnostics()).find("first difference"), std::string::npos) << to_text(other.diagnostics());
  EXPECT_NE(to_text(other.diagnostics()).find("/u.y1"), std::string::npos) << to_text(other.diagnostics());
  auto older = bytes;
  const std::uint32_t version = 3;
  std::memcpy(older.data() + 8 + 11 + 8, &version, sizeof version);
  api::Run fresh = ball().start();
  EXPECT_FALSE(fresh.restore(older));
  EXPECT_NE(to_text(fresh.diagnostics()).find("format 3"), std::string::npos) << to_text(fresh.diagnostics());
  for (std::size_t size = 0; size < bytes.size(); size += 97) {
    api::Run cut = ball().start();
    EXPECT_FALSE(cut.restore(std::span(bytes).first(size))) << size;
  }
}

TEST(FrontDoor, CopiesGoTheirOwnWay) {
  api::Run run = compiled(ports).start();
  run.set_input("u", 1);
  run.run_until(5);
  api::Run copy = run.copy();
  copy.set_input("u", 3);
  EXPECT_EQ(copy.run(), RunState::reached_stop);
  EXPECT_EQ(run.run(), RunState::reached_stop);
  EXPECT_NEAR(run.value("y"), 20, 1e-8);
  EXPECT_NEAR(copy.value("y"), 40, 1e-8);
}

TEST(FrontDoor, CancelAndReset) {
  const CompiledModel model = ball();
  RunSettings settings = model.settings();
  settings.stop = 1e6;
  settings.hmax = 1e-4;
  double reached = -1;
  settings.progress = [&](double, double t) { reached = t; };
  api::Run run = model.start(settings);
  run.set_parameter("e", 1);  // it bounces without end
  std::thread other([&run] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    run.cancel();
  });
  EXPECT_EQ(run.run(), RunState::cancelled);
  other.join();
  EXPECT_EQ(run.step(), RunState::cancelled);
  EXPECT_LT(run.time(), 1e6);
  EXPECT_GT(reached, 0);
  run.reset();
  EXPECT_EQ(run.state(), RunState::ready);
  EXPECT_EQ(run.run_until(0.5), RunState::paused);
}

TEST(FrontDoor, WrongSettingsAreRefused) {
  const CompiledModel model = ball();
  RunSettings settings = model.settings();
  settings.solver = "rk4";
  settings.step = 0.1;
  api::Run run = model.start(settings);
  EXPECT_EQ(run.step(), RunState::failed);
  EXPECT_EQ(codes(run.diagnostics()), "bad-setting ");
  api::Run right = model.start();
  EXPECT_FALSE(right.set_parameter("q", 1));
  EXPECT_FALSE(right.set_parameter("g", 1));  // not varied
  right.step();
  EXPECT_FALSE(right.set_parameter("e", 1));
  EXPECT_EQ(codes(right.diagnostics()), "unknown-parameter unknown-parameter run-begun ");
}

// The bits of a state, so that equal means equal.
std::vector<double> end_of(api::Run& run, double e) {
  run.reset();
  EXPECT_TRUE(run.set_parameter("e", e));
  EXPECT_EQ(run.run(), RunState::reached_stop) << to_text(run.diagnostics());
  return run.values("/Ball");
}

// Two threads on one compiled model, another parameter in every run, against runs one after the other.
TEST(FrontDoor, RunsOnManyThreadsEqualSingleRuns) {
  const CompiledModel model = ball();
  RunSettings settings = model.settings();
  settings.stop = 5;
  settings.record = false;
  constexpr int count = 400, threads = 4;
  const auto e_of = [](int k) { return 0.6 + 0.3 * k / count; };
  std::vector<std::vector<double>> single(count), shared(count);
  api::Run alone = model.start(settings);
  for (int k = 0; k < count; ++k) single[k] = end_of(alone, e_of(k));
  std::vector<std::thread> workers;
  for (int w = 0; w < threads; ++w) {
    workers.emplace_back([&, w] {
      api::Run run = model.start(settings);
      for (int k = w; k < count; k += threads) shared[k] = end_of(run, e_of(k));
    });
  }
  for (std::thread& worker : workers) worker.join();
  for (int k = 0; k < count; ++k) EXPECT_EQ(shared[k], single[k]) << e_of(k);
  EXPECT_NE(single[0], single[count - 1]);
}

// What scripts compute when a run starts is computed by one thread at a time.
TEST(FrontDoor, StartComputationsOnManyThreads) {
  const CompiledModel model = compiled(R"({"orrery": 1, "name": "start", "simulation": {"stop": "1", "rtol": "1e-10"},
    "context": ["a = 2;", "A = [0 1; -a -3];", "E = expm(A);", "k = E(1,1);"],
    "blocks": [{"name": "C", "type": "Constant", "parameters": {"value": "k"}}, {"name": "X", "type": "Integral"},
               {"name": "y", "type": "Output"}],
    "links": [{"from": "C:1", "to": ["X:1"]}, {"from": "X:1", "to": ["y:1"]}]})",
                                       {.vary = {"a"}});
  std::vector<std::thread> workers;
  std::vector<double> found(200);
  for (int w = 0; w < 4; ++w) {
    workers.emplace_back([&, w] {
      for (int k = w; k < 200; k += 4) {
        api::Run run = model.start();
        run.set_parameter("a", k % 2 == 0 ? 2 : 2.25);
        run.run();
        found[k] = run.value("y");
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  // expm of [0 1; -2 -3] has 2/e - 1/e^2 in its corner; of [0 1; -2.25 -3], with twice the eigenvalue -1.5, 2.5 e^-1.5.
  for (int k = 0; k < 200; ++k) {
    EXPECT_NEAR(found[k], k % 2 == 0 ? 2 * std::exp(-1) - std::exp(-2) : 2.5 * std::exp(-1.5), 1e-9);
  }
}

}  // namespace
}  // namespace orrery::api
