// SPDX-License-Identifier: Apache-2.0
// Compiles, then goes on from look to look at what was asked for meanwhile.
#include "server/worker_run.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "server/break_conditions.h"
#include "server/figure_json.h"
#include "server/run_stream.h"

namespace orrery::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double most_script_time = 60;
constexpr int most_runs = 10000;  // of a model whose End block asks for another one
constexpr double frame_seconds = 1.0 / 40;
constexpr std::chrono::milliseconds progress_time{100};

const char* state_name(api::RunState state) {
  switch (state) {
    case api::RunState::reached_stop:
    case api::RunState::stopped:
    case api::RunState::restart: return "ended";
    case api::RunState::failed: return "failed";
    case api::RunState::cancelled: return "stopped";
    default: return "paused";
  }
}

// How often the model has asked for a pause.
std::size_t pauses_of(const api::Run& run) {
  const auto& said = run.diagnostics().all();
  return static_cast<std::size_t>(
      std::count_if(said.begin(), said.end(), [](const Diagnostic& d) { return d.code == "model-pause"; }));
}

Json report_json(const api::RunReport& report, double compile_seconds) {
  Json json{{"t", number_json(report.time)},
            {"solver", report.solver},
            {"solver_reason", report.solver_reason},
            {"steps", report.steps},
            {"rejected", report.rejected},
            {"evaluations", report.evaluations},
            {"events", report.events},
            {"crossings", report.crossings},
            {"mode_changes", report.mode_changes},
            {"restarts", report.restarts},
            {"rows", report.rows},
            {"seconds", report.seconds},
            {"compile_seconds", compile_seconds},
            {"second_tier", report.second_tier}};
  // Plain arithmetic on the counts: what a person would look at first.
  Json reasons = Json::array();
  if (report.restarts > report.steps / 2 && report.restarts > 100)
    reasons.push_back(std::to_string(report.restarts) +
                      " events made the integrator start anew: most of the work is starting");
  if (report.rejected > report.steps / 3 && report.rejected > 100)
    reasons.push_back("one step in " + std::to_string(std::max(1L, report.steps / report.rejected)) +
                      " was rejected: something changes faster than the solver expects");
  if (report.steps > 0 && report.evaluations > 40 * report.steps && report.steps > 100)
    reasons.push_back("each step evaluates the model " + std::to_string(report.evaluations / report.steps) +
                      " times: the model may be stiff; try radau or cvode_bdf");
  if (report.events > 10 * std::max(1L, report.steps)) reasons.push_back("there are far more events than steps");
  if (compile_seconds > 2 * report.seconds) reasons.push_back("compiling took longer than running");
  json["why_slow"] = std::move(reasons);
  return json;
}

}  // namespace

WorkerRun::WorkerRun(Channel& channel, std::string file, Capabilities allowed)
    : channel_(channel), file_(std::move(file)), allowed_(allowed), thread_([this] { work(); }) {}

WorkerRun::~WorkerRun() {
  {
    const std::lock_guard lock(mutex_);
    over_ = stop_ = true;
    if (current_ != nullptr) current_->cancel();
  }
  wake_.notify_all();
  thread_.join();
}

bool WorkerRun::takes(const std::string& what) {
  return what == "run" || what == "pause" || what == "resume" || what == "step" || what == "stop" || what == "values";
}

void WorkerRun::send(const Json& message) { channel_.send(MessageKind::json, dump(message)); }

void WorkerRun::take(Json request) {
  const std::lock_guard lock(mutex_);
  const std::string what = text_field(request, "do");
  const auto number = static_cast<std::uint32_t>(number_field(request, "run", 0));
  if (what == "run") {
    for (const Json& old : wanted_)
      send({{"on", "ended"}, {"run", old["run"]}, {"state", "stopped"}, {"diagnostics", Json::array()}});
    wanted_.clear();
    wanted_.push_back(std::move(request));
    stop_ = true;  // the run that there is
    if (current_ != nullptr) current_->cancel();
  } else if (!wanted_.empty() && number_field(wanted_[0], "run", 0) == number) {
    if (what == "stop") {
      send({{"on", "ended"}, {"run", number}, {"state", "stopped"}, {"diagnostics", Json::array()}});
      wanted_.clear();
    } else {
      requests_.push_back(std::move(request));
    }
  } else if (number != number_ || number_ == 0) {
    if (request.contains("n"))
      send({{"n", request["n"]}, {"error", diagnostic_json(make_error("no-such-run", "the run is over"))}});
  } else if (what == "stop") {
    stop_ = true;
    if (current_ != nullptr) current_->cancel();
  } else {
    requests_.push_back(std::move(request));
  }
  wake_.notify_all();
}

void WorkerRun::work() {
  for (;;) {
    Json request;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return over_ || !wanted_.empty(); });
      if (over_) return;
      request = std::move(wanted_[0]);
      wanted_.clear();
      number_ = static_cast<std::uint32_t>(number_field(request, "run", 0));
      stop_ = false;
    }
    perform(request);
    const std::lock_guard lock(mutex_);
    current_ = nullptr;
    for (const Json& left : requests_) {
      if (left.contains("n") && number_field(left, "run", 0) == number_)
        send({{"n", left["n"]}, {"error", diagnostic_json(make_error("no-such-run", "the run is over"))}});
    }
    std::erase_if(requests_, [&](const Json& left) { return number_field(left, "run", 0) == number_; });
    number_ = 0;
  }
}

void WorkerRun::end_run(const Json& request, const char* state, const Diagnostics& diagnostics, const api::Run* run,
                        double compile_seconds) {
  Json message{
      {"on", "ended"}, {"run", request["run"]}, {"state", state}, {"diagnostics", diagnostics_json(diagnostics)}};
  if (run != nullptr) message["report"] = report_json(run->report(), compile_seconds);
  send(message);
}

void WorkerRun::perform(const Json& request) {
  Diagnostics diagnostics;
  const auto begin = Clock::now();
  auto model = api::Model::read(text_field(request, "text"), file_, diagnostics);
  if (model && request.contains("settings") && request["settings"].is_object()) {
    for (const auto& [name, text] : request["settings"].items()) {
      if (!text.is_string() || model->set(name, text.get<std::string>())) continue;
      diagnostics.error("bad-setting", {file_, 0, 0, {}, {}}, "there is no setting " + name);
    }
  }
  if (!model || diagnostics.has_errors()) return end_run(request, "failed", diagnostics, nullptr, 0);
  api::CompileOptions options;
  options.allow = allowed_;
  options.script_seconds = most_script_time;
  options.cancel = &stop_;
  options.also = texts_field(request, "signals");
  options.exec = texts_field(request, "exec");
  if (request.contains("set") && request["set"].is_object()) {
    for (const auto& [name, text] : request["set"].items())
      if (text.is_string()) options.set.push_back({name, text.get<std::string>()});
  }
  BreakConditions breaks(texts_field(request, "breaks"));
  std::optional<api::CompiledModel> before;
  for (;; ++options.counter) {
    auto compiled = model->compile(options, diagnostics);
    const double compile_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (!compiled) return end_run(request, stop_ ? "stopped" : "failed", diagnostics, nullptr, 0);
    RunStream stream(channel_, number_);
    api::RunSettings settings = compiled->settings();
    settings.points = static_cast<int>(std::clamp(number_field(request, "points", 2000), 0.0, 1e7));
    settings.sinks = {&stream};
    settings.ledger_sinks = {&stream};
    send({{"on", "started"},
          {"run", request["run"]},
          {"start", number_json(settings.start)},
          {"stop", number_json(settings.stop)},
          {"compile_seconds", compile_seconds},
          {"figures", figures_json(compiled->figures())},
          {"diagnostics", diagnostics_json(diagnostics)}});
    api::Run run = compiled->start(settings);
    {
      const std::lock_guard lock(mutex_);
      current_ = &run;
      if (stop_) run.cancel();
    }
    const api::RunState state = go(run, request, stream, breaks);
    {
      const std::lock_guard lock(mutex_);
      current_ = nullptr;
    }
    stream.send_waiting();
    run.leave();
    if (state == api::RunState::restart && options.counter < most_runs && !stop_) {
      before = std::move(compiled);  // the next one goes on with its base workspace
      options.after = &*before;
      options.exec.clear();
      continue;
    }
    Diagnostics all = diagnostics;
    for (const Diagnostic& diagnostic : run.diagnostics().all()) all.add(diagnostic);
    return end_run(request, state_name(state), all, &run, compile_seconds);
  }
}

void WorkerRun::tell_paused(api::Run& run, RunStream& stream, const Control& control, const std::string& condition) {
  stream.send_waiting();
  Json message{{"on", "paused"}, {"run", number_}, {"t", number_json(run.time())}, {"reason", control.reason}};
  if (!condition.empty()) message["break"] = condition;
  if (stream.event_count() > 0) {
    message["last_event"] = stream.event_count() - 1;
    message["activated"] = stream.activated();
  }
  send(message);
}

void WorkerRun::obey_one(const Json& request, api::Run& run, RunStream& stream, BreakConditions& breaks,
                         Control& control) {
  const std::string what = text_field(request, "do");
  if (what == "values") {
    Json answer = values(run, request);
    answer["n"] = request["n"];
    return send(answer);
  }
  if (what == "pause" && control.mode != Mode::paused) {
    control.mode = Mode::paused;
    control.reason = "asked";
    tell_paused(run, stream, control, {});
  } else if (what == "resume") {
    control.mode = Mode::running;
    control.speed = std::max(0.0, number_field(request, "speed", control.speed));
    if (request.contains("breaks")) breaks = BreakConditions(texts_field(request, "breaks"));
  } else if (what == "step") {
    control.mode = text_field(request, "by") == "event" ? Mode::by_event : Mode::by_step;
    control.reason = control.mode == Mode::by_event ? "event" : "step";
    control.count = static_cast<long>(std::clamp(number_field(request, "count", 1), 1.0, 1e6));
  }
}

bool WorkerRun::obey(api::Run& run, RunStream& stream, BreakConditions& breaks, Control& control) {
  for (;;) {
    Json request;
    {
      std::unique_lock lock(mutex_);
      if (control.mode == Mode::paused) wake_.wait(lock, [&] { return over_ || stop_ || !requests_.empty(); });
      if (over_ || stop_) return false;
      if (requests_.empty()) return true;
      request = std::move(requests_.front());
      requests_.erase(requests_.begin());
    }
    obey_one(request, run, stream, breaks, control);
  }
}

api::RunState WorkerRun::go(api::Run& run, const Json& request, RunStream& stream, BreakConditions& breaks) {
  Control control;
  control.speed = std::max(0.0, number_field(request, "speed", 0));
  if (flag_field(request, "pause")) {
    control.mode = Mode::by_step;  // through the start
    control.reason = "start";
  }
  const api::RunSettings settings = run.model().settings();
  const double horizon = settings.stop - settings.start;
  Clock::time_point told = Clock::now(), pace_wall = told;
  double pace_time = run.time(), told_time = run.time();
  Mode before = control.mode;
  double speed = control.speed;
  breaks.begin();
  std::size_t pauses = pauses_of(run);
  for (;;) {
    if (!obey(run, stream, breaks, control)) {
      run.cancel();
      return run.state() == api::RunState::ready || run.state() == api::RunState::paused ? api::RunState::cancelled
                                                                                         : run.state();
    }
    if (control.mode != before || control.speed != speed) {
      before = control.mode;
      speed = control.speed;
      pace_wall = Clock::now();
      pace_time = run.time();
    }
    if (control.mode == Mode::paused) continue;
    const std::size_t events = stream.event_count();
    const Clock::time_point start = Clock::now();
    api::RunState state = api::RunState::paused;
    if (control.mode != Mode::running || !breaks.empty()) {
      state = run.step();
    } else if (control.speed > 0) {
      const double due = pace_time + control.speed * std::chrono::duration<double>(start - pace_wall).count();
      const double next = std::min(due + control.speed * frame_seconds, settings.stop);
      state = run.run_until(next);
      const double lead = (run.time() - due) / control.speed;
      if (state == api::RunState::paused && lead > 0) {
        std::unique_lock lock(mutex_);
        wake_.wait_for(lock, std::chrono::duration<double>(std::min(lead, 0.25)),
                       [&] { return stop_ || !requests_.empty(); });
      }
    } else if (std::isfinite(horizon) && horizon > 0) {
      state = run.run_past(run.time() + control.share * horizon);
      const double took = std::chrono::duration<double>(Clock::now() - start).count();
      if (took < 0.01) control.share = std::min(1.0, 2 * control.share);
      if (took > 0.04) control.share = std::max(1e-9, control.share / 2);
    } else {
      state = run.step();
    }
    if (state != api::RunState::paused) return state;
    const std::string condition = breaks.empty() ? std::string() : breaks.met(run);
    const bool step_done = (control.mode == Mode::by_step && --control.count <= 0) ||
                           (control.mode == Mode::by_event && stream.event_count() > events && --control.count <= 0);
    const std::size_t asked = pauses_of(run);
    const bool by_model = asked > pauses;
    pauses = asked;
    if (!condition.empty()) control.reason = "break";
    if (by_model) control.reason = "model";
    if (step_done || by_model || !condition.empty()) {
      control.mode = before = Mode::paused;
      tell_paused(run, stream, control, condition);
      continue;
    }
    const Clock::time_point now = Clock::now();
    if (now - told < progress_time) continue;
    const double seconds = std::chrono::duration<double>(now - told).count();
    send({{"on", "progress"},
          {"run", number_},
          {"t", number_json(run.time())},
          {"share", number_json(horizon > 0 ? (run.time() - settings.start) / horizon : 0)},
          {"speed", number_json((run.time() - told_time) / seconds)}});
    told = now;
    told_time = run.time();
  }
}

Json WorkerRun::values(api::Run& run, const Json& request) {
  std::vector<std::string> names = texts_field(request, "signals");
  if (!request.contains("signals"))
    for (const api::SignalInfo& signal : run.model().signals()) names.push_back(signal.name);
  if (run.state() == api::RunState::ready)
    return {{"error", diagnostic_json(make_error("run-begun", "the run has not begun", "make a step first"))}};
  Json values = Json::object();
  for (const std::string& name : names) {
    Json numbers = Json::array();
    for (const double x : run.values(name)) {
      numbers.push_back(number_json(x));
      if (numbers.size() == 100) break;
    }
    values[name] = std::move(numbers);
  }
  return {{"ok", {{"t", number_json(run.time())}, {"values", std::move(values)}}}};
}

}  // namespace orrery::server
