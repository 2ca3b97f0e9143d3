// SPDX-License-Identifier: Apache-2.0
// What stands behind a Run: its simulation, and the results of those before it where probes were added on the way.
#include <fmt/format.h>

#include <limits>

#include "api/compiled_data.h"
#include "model/closest_name.h"

namespace orrery::api {

Place RunData::place() const { return {data->program().origins[0].path, 0, 0, {}, {}}; }

bool RunData::error(std::string code, std::string message, std::string help) {
  diagnostics.error(std::move(code), place(), std::move(message), std::move(help));
  return false;
}

bool RunData::may_change(const char* what) {
  if (state == RunState::ready && simulation()) return true;
  if (!simulation()) return false;
  return error("run-begun", fmt::format("{} can be chosen only before the run begins", what),
               "choose it before the first step, or after reset()");
}

std::optional<std::uint32_t> RunData::find_input(const std::string& name) {
  const auto found = data->input_of.find(bare_name(name));
  if (found != data->input_of.end()) return found->second;
  std::vector<std::string_view> names;
  for (const PortInfo& port : data->inputs) names.push_back(port.name);
  const std::string guess = model::did_you_mean(name, names);
  error("unknown-input", "the model has no input " + name,
        guess.empty() ? "an input is an Input or EventInput block on the top diagram" : guess);
  return std::nullopt;
}

std::unique_ptr<Stage> RunData::make_stage() {
  auto made = std::make_unique<Stage>();
  options.sinks.clear();
  std::vector<sim::Sink*> sinks = settings.sinks;
  if (sinks.empty()) sinks.push_back(&made->memory);
  if (settings.record) {
    for (sim::Sink* sink : sinks) {
      made->selections.push_back(std::make_unique<sim::Selection>(
          *sink, [this](const sim::Column& column) { return static_cast<bool>(data->recorded[column.probe]); }));
      options.sinks.push_back(made->selections.back().get());
    }
  } else {
    options.sinks.push_back(&made->memory);
  }
  made->exports = ExportFiles::open(data->program(), diagnostics);
  if (!made->exports) return nullptr;
  for (sim::Sink* sink : made->exports->sinks()) options.sinks.push_back(sink);
  options.interrupt = &cancelled;
  made->simulation = sim::Simulation::create(data->compiled, options, diagnostics);
  return made->simulation ? std::move(made) : nullptr;
}

void RunData::prepare() {
  state = RunState::ready;
  earlier_results = {};
  earlier_events.clear();
  earlier_report = {};
  stage.reset();
  const int errors = diagnostics.error_count();
  if (data->program().fixed_step && !(options.limits.fixed > 0))
    error("missing-step", "the model was compiled for fixed steps, which have no size here", "set RunSettings::step");
  // Looking for a name costs a tenth of a short run.
  const solve::SolverInfo* solver = solve::is_automatic(options.solver) ? nullptr : solve::find_solver(options.solver);
  if (solver != nullptr && solver->fixed_step != data->program().fixed_step) {
    error("bad-setting",
          fmt::format("the model was compiled for {} steps, the solver {} has {} ones",
                      data->program().fixed_step ? "fixed" : "variable", solver->name,
                      solver->fixed_step ? "fixed" : "variable"),
          "set the model's solver before it is compiled");
  }
  if (diagnostics.error_count() == errors) stage = make_stage();
  if (!stage) {
    state = RunState::failed;
    return;
  }
  for (const InputSetting& input : inputs) simulation()->set_input(input.input, input.values, input.slopes);
  for (const std::uint32_t input : activations) simulation()->fire_input(input);
}

bool RunData::go_on_with(const CompiledModel& other) {
  const std::shared_ptr<const CompiledData> before = data;
  data = other.data_;
  std::unique_ptr<Stage> next = make_stage();
  if (!next || !next->simulation->copy(*simulation())) {
    data = before;
    return false;
  }
  data = before;
  Results results = results_so_far();
  std::vector<Event> events = events_so_far();
  RunReport report = report_so_far();
  data = other.data_;
  model = other;
  stage = std::move(next);
  earlier_results = std::move(results);
  earlier_events = std::move(events);
  earlier_report = std::move(report);
  return true;
}

Results RunData::results_so_far() const {
  if (!stage) return earlier_results;
  const sim::Recording& recording = stage->memory.recording();
  Results results;
  for (const sim::Column& column : recording.columns) results.names.push_back(column.name);
  // Probes are added behind the others.
  if (results.names.size() < earlier_results.names.size()) results.names = earlier_results.names;
  const std::size_t before = earlier_results.names.size(), now = results.names.size();
  results.time = earlier_results.time;
  results.phase = earlier_results.phase;
  results.values.reserve(results.time.size() * now + recording.values.size());
  for (std::size_t row = 0; row < earlier_results.rows(); ++row) {
    const double* values = earlier_results.values.data() + row * before;
    results.values.insert(results.values.end(), values, values + before);
    results.values.resize((row + 1) * now, std::numeric_limits<double>::quiet_NaN());
  }
  results.time.insert(results.time.end(), recording.time.begin(), recording.time.end());
  results.phase.insert(results.phase.end(), recording.phase.begin(), recording.phase.end());
  results.values.insert(results.values.end(), recording.values.begin(), recording.values.end());
  return results;
}

std::vector<Event> RunData::events_so_far() const {
  std::vector<Event> events = earlier_events;
  if (!simulation()) return events;
  for (const sim::LedgerEntry& entry : simulation()->ledger().entries) {
    events.push_back({entry.time, entry.cause, entry.origin == 0 ? "" : data->program().origins[entry.origin].path,
                      entry.port, entry.left, entry.right, entry.restarted});
  }
  return events;
}

RunReport RunData::report_so_far() const {
  RunReport report = earlier_report;
  report.state = state;
  if (!simulation()) return report;
  const sim::Report from = simulation()->report();
  report.time = from.time;
  report.solver = from.solver;
  report.solver_reason = from.solver_reason;
  report.steps += from.solver_statistics.steps;
  report.rejected += from.solver_statistics.rejected_error + from.solver_statistics.rejected_other;
  report.evaluations += from.solver_statistics.evaluations;
  report.points += from.mesh_points;
  report.events += from.events;
  report.crossings += from.crossings;
  report.mode_changes += from.mode_changes;
  report.restarts += from.cold_restarts;
  report.reprogrammed += from.reprogrammed;
  if (report.start.empty()) {
    for (const sim::StartReport::Block& block : from.start.blocks)
      report.start.push_back({block.names, block.guesses, block.values, block.iterations, block.residual});
  }
  report.rows += from.rows;
  report.seconds += from.solve_seconds;
  report.second_tier = from.tier == native::Tier::second;
  return report;
}

}  // namespace orrery::api
