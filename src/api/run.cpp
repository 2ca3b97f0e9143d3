// SPDX-License-Identifier: Apache-2.0
// Runs of a compiled model, one step at a time.
#include "api/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/base_workspace.h"
#include "api/compiled_data.h"
#include "api/oml_evaluator.h"
#include "model/closest_name.h"

namespace orrery::api {
namespace {

RunState state_of(sim::End end) {
  switch (end) {
    case sim::End::reached_stop: return RunState::reached_stop;
    case sim::End::stopped: return RunState::stopped;
    case sim::End::restart: return RunState::restart;
    case sim::End::paused: return RunState::paused;
    case sim::End::interrupted: return RunState::cancelled;
    case sim::End::failed: return RunState::failed;
  }
  return RunState::failed;
}

bool is_over(RunState state) { return state != RunState::ready && state != RunState::paused; }

// Where a run may go on.
RunState advance(RunData& data, const auto& go) {
  if (!data.simulation()) return data.state = RunState::failed;
  if (is_over(data.state)) return data.state;
  data.state = state_of(go(*data.simulation()));
  if (is_over(data.state)) data.stage->exports->end(data.simulation()->report(), data.diagnostics);
  return data.state;
}

sim::RunOptions options_of_run(const RunSettings& settings, const CompiledData& data) {
  sim::RunOptions options = data.options;
  options.start = settings.start;
  options.stop = settings.stop;
  options.solver = settings.solver;
  options.tolerance.relative = settings.rtol;
  options.tolerance.absolute = settings.atol;
  options.limits.maximum = settings.hmax;
  options.limits.minimum = settings.hmin;
  options.limits.initial = settings.hinit;
  options.limits.fixed = settings.step;
  options.record = settings.record;
  options.interval = settings.interval;
  options.grid_only = settings.interval > 0;
  const double length = settings.stop - settings.start;
  if (settings.interval == 0 && settings.points > 0 && std::isfinite(length) && length > 0)
    options.interval = length / settings.points;
  if (settings.results_limit > 0) options.results_limit = settings.results_limit;
  options.record_events = settings.events || !settings.ledger_sinks.empty();
  options.ledger_sinks = settings.ledger_sinks;
  const double horizon = settings.stop - settings.start;
  if (settings.progress) {
    options.progress = [progress = settings.progress, start = settings.start, horizon](double t) {
      progress(horizon > 0 ? (t - start) / horizon : 0, t);
    };
  }
  return options;
}

}  // namespace

std::size_t Results::column(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? SIZE_MAX : static_cast<std::size_t>(found - names.begin());
}

RunSettings CompiledModel::settings() const {
  const sim::RunOptions& options = data_->options;
  RunSettings settings;
  settings.start = options.start;
  settings.stop = options.stop;
  settings.solver = options.solver;
  settings.rtol = options.tolerance.relative;
  settings.atol = options.tolerance.absolute;
  settings.hmax = options.limits.maximum;
  settings.hmin = options.limits.minimum;
  settings.hinit = options.limits.initial;
  settings.step = options.limits.fixed;
  return settings;
}

Run CompiledModel::start() const { return start(settings()); }

Run CompiledModel::start(const RunSettings& settings) const {
  auto data = std::make_unique<RunData>(*this);
  data->data = data_;
  data->settings = settings;
  data->options = options_of_run(settings, *data_);
  data->prepare();
  return Run(std::move(data));
}

Run::Run(std::unique_ptr<RunData> data) : data_(std::move(data)) {}
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;
Run::~Run() = default;

bool Run::set_parameter(const std::string& name, std::span<const double> values) {
  RunData& data = *data_;
  if (!data.may_change("a parameter")) return false;
  sim::ParameterSetting setting{name, {values.begin(), values.end()}};
  if (!sim::check_parameters(data.data->program(), {setting}, data.diagnostics)) return false;
  data.simulation()->set_parameter(setting);
  std::erase_if(data.options.parameters, [&](const auto& known) { return known.name == name; });
  data.options.parameters.push_back(std::move(setting));
  return true;
}

bool Run::set_input(const std::string& name, std::span<const double> values, std::span<const double> slopes) {
  RunData& data = *data_;
  const auto input = data.find_input(name);
  if (!input || !data.simulation()) return false;
  const PortInfo& port = data.data->inputs[*input];
  if (port.activation) return data.error("bad-input", name + " is an activation input", "fire it");
  const std::size_t wanted = port.shape.numbers();
  const auto fits = [wanted](std::span<const double> given) { return given.size() == 1 || given.size() == wanted; };
  if (!fits(values) || (!slopes.empty() && (!fits(slopes) || port.shape.type != "double"))) {
    return data.error(
        "bad-input",
        fmt::format("{} is {} of {} by {} elements", name, port.shape.type, port.shape.rows, port.shape.cols),
        "give one number or all of them; only doubles have slopes");
  }
  if (is_over(data.state)) return data.error("run-begun", "the run is over", "start another one, or reset() this one");
  data.simulation()->set_input(*input, values, slopes);
  if (data.state == RunState::ready)
    data.inputs.push_back({*input, {values.begin(), values.end()}, {slopes.begin(), slopes.end()}});
  return true;
}

bool Run::set_input_table(const std::string& name, std::span<const double> time, std::span<const double> values) {
  RunData& data = *data_;
  if (!data.may_change("the table of an input")) return false;
  const auto input = data.find_input(name);
  if (!input) return false;
  const PortInfo& port = data.data->inputs[*input];
  if (port.activation || time.empty() || values.size() != time.size() * port.shape.numbers() ||
      !std::is_sorted(time.begin(), time.end()) ||
      !std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) {
    return data.error("bad-input", "this is no table for the input " + name,
                      "give times that do not decrease, and for each of them all elements, which are finite");
  }
  std::erase_if(data.options.inputs, [&](const auto& series) { return series.input == *input; });
  data.options.inputs.push_back({*input, {time.begin(), time.end()}, {values.begin(), values.end()}});
  data.prepare();
  return true;
}

bool Run::fire(const std::string& name) {
  RunData& data = *data_;
  const auto input = data.find_input(name);
  if (!input || !data.simulation()) return false;
  if (!data.data->inputs[*input].activation) return data.error("bad-input", name + " is no activation input", "set it");
  if (is_over(data.state)) return data.error("run-begun", "the run is over", "start another one, or reset() this one");
  if (data.state == RunState::ready) data.activations.push_back(*input);
  data.simulation()->fire_input(*input);
  return true;
}

bool Run::add_probe(const std::string& signal) {
  RunData& data = *data_;
  if (!data.simulation()) return false;
  if (is_over(data.state)) return data.error("run-begun", "the run is over", "start another one, or reset() this one");
  const bool begun = data.state != RunState::ready;
  if (begun && !data.settings.sinks.empty()) {
    return data.error("run-begun", "the columns of sinks are settled when the run has begun",
                      "add the probe before the first step, or to a copy() of the run");
  }
  auto model = data.model.with_probes({signal}, data.diagnostics);
  if (!model) return false;
  if (begun) return data.go_on_with(*model);
  data.model = *model;
  data.data = data.model.data_;
  data.prepare();
  return true;
}

RunState Run::step() {
  return advance(*data_, [](sim::Simulation& run) { return run.step(); });
}

RunState Run::run_until(double time) {
  return advance(*data_, [time](sim::Simulation& run) { return run.run_exactly(time); });
}

RunState Run::run_past(double time) {
  return advance(*data_, [time](sim::Simulation& run) { return run.run(time); });
}

RunState Run::run() {
  return advance(*data_, [](sim::Simulation& run) { return run.run(); });
}

void Run::cancel() { data_->cancelled.store(true, std::memory_order_relaxed); }

void Run::reset() {
  RunData& data = *data_;
  data.cancelled.store(false, std::memory_order_relaxed);
  data.diagnostics = {};
  data.options.parameters.clear();
  data.options.inputs.clear();
  data.inputs.clear();
  data.activations.clear();
  data.prepare();
}

RunState Run::state() const { return data_->state; }
double Run::time() const { return data_->simulation() ? data_->simulation()->time() : data_->settings.start; }

double Run::value(const std::string& signal) {
  const std::vector<double> all = values(signal);
  return all.empty() ? std::numeric_limits<double>::quiet_NaN() : all[0];
}

std::vector<double> Run::values(const std::string& signal) {
  RunData& data = *data_;
  if (!data.simulation() || data.state == RunState::ready) {
    data.error("run-begun", "signals have values only when the run has begun", "make the first step");
    return {};
  }
  const program::Program& program = data.data->program();
  const std::string name = bare_name(signal);
  program::SlotId slot = program::no_slot;
  program::Variable variable;
  if (const auto output = data.data->output_of.find(name); output != data.data->output_of.end()) {
    slot = program.probes[output->second].slot;
    data.simulation()->evaluate_probes();
  } else if (const auto known = data.data->find_variable(name)) {
    variable = program.variables[*known];
    slot = variable.slot;
    if (!data.simulation()->evaluate_signal(*known)) return {};
  } else {
    const std::vector<std::string> all = data.data->variable_names();
    const std::vector<std::string_view> names(all.begin(), all.end());
    data.error("unknown-signal", "there is no variable " + signal,
               data.data->signals.empty() ? "compile the model with keep_signals" : model::did_you_mean(signal, names));
    return {};
  }
  const bool single = variable.element >= 0;
  std::vector<double> values(single ? 1 : shape_of(program.slots[slot].type).numbers());
  const std::size_t parts = program.slots[slot].type.scalar == program::Scalar::c128 ? 2 : 1;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::size_t element = single ? static_cast<std::size_t>(variable.element) : k / parts;
    values[k] = data.simulation()->value(slot, element, static_cast<int>(k % parts));
    if (variable.negated) values[k] = -values[k];
  }
  return values;
}

double Run::parameter(const std::string& name) {
  RunData& data = *data_;
  for (const program::Parameter& parameter : data.data->program().parameters) {
    if (parameter.name != name || !data.simulation()) continue;
    for (const sim::ParameterSetting& setting : data.options.parameters) {
      if (setting.name == name) return setting.values[0];
    }
    return data.simulation()->value(parameter.slot);
  }
  data.error("unknown-parameter", "the compiled model has no parameter " + name,
             "declare it with exposable, or compile the model to vary it");
  return std::numeric_limits<double>::quiet_NaN();
}

std::vector<std::byte> Run::save() const {
  return data_->simulation() ? data_->simulation()->save() : std::vector<std::byte>();
}

bool Run::restore(std::span<const std::byte> bytes) {
  RunData& data = *data_;
  if (!data.simulation() || !data.simulation()->restore(bytes)) return false;
  data.state = data.simulation()->has_begun() ? RunState::paused : RunState::ready;
  return true;
}

Run Run::copy() const {
  auto data = std::make_unique<RunData>(data_->model);
  data->data = data_->data;
  data->settings = data_->settings;
  data->settings.sinks.clear();
  data->settings.ledger_sinks.clear();
  data->options = data_->options;
  data->options.ledger_sinks.clear();
  data->inputs = data_->inputs;
  data->activations = data_->activations;
  data->prepare();
  if (!data->simulation() || !data_->simulation()) return Run(std::move(data));
  const bool copied = data_->state == RunState::ready || data->simulation()->copy(*data_->simulation());
  data->state = copied ? data_->state : RunState::failed;
  return Run(std::move(data));
}

void Run::leave() const {
  if (data_->simulation() && data_->data->evaluator)
    write_to_base(data_->data->program(), *data_->simulation(), data_->data->evaluator->interpreter());
}

Results Run::results() const { return data_->results_so_far(); }
std::vector<Event> Run::events() const { return data_->events_so_far(); }
RunReport Run::report() const { return data_->report_so_far(); }
const Diagnostics& Run::diagnostics() const { return data_->diagnostics; }
const CompiledModel& Run::model() const { return data_->model; }

}  // namespace orrery::api
