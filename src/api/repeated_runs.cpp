// SPDX-License-Identifier: Apache-2.0
// One compilation, many runs.
#include "api/repeated_runs.h"

#include <fmt/format.h>

#include "api/choose_columns.h"
#include "api/prepare.h"
#include "sim/memory_sink.h"
#include "sim/selection.h"

namespace orrery::api {

std::string element_name(const std::string& variable, std::size_t element, std::size_t count) {
  return count == 1 ? variable : fmt::format("{}({})", variable, element + 1);
}

std::string derivative_column(const std::string& column, const std::string& element) {
  const std::size_t open = column.ends_with(']') ? column.rfind('[') : std::string::npos;
  return fmt::format("d({})/d({}){}", column.substr(0, open), element,
                     open == std::string::npos ? "" : column.substr(open));
}

std::unique_ptr<RepeatedRuns> RepeatedRuns::create(const model::Model& model, const RunRequest& request,
                                                   std::vector<VariedVariable> variables, bool derivatives,
                                                   const std::shared_ptr<OmlEvaluator>& evaluator,
                                                   Diagnostics& diagnostics) {
  RunRequest own = request;
  std::vector<sim::ParameterSetting> settings;
  for (const VariedVariable& variable : variables) {
    for (std::size_t k = 0; k < variable.values.size(); ++k) {
      const std::string name = element_name(variable.name, k, variable.values.size());
      (derivatives ? own.sensitivities : own.vary).push_back(name);
      settings.push_back({name, {variable.values[k]}});
    }
  }
  auto prepared = evaluator ? prepare(model, own, evaluator, diagnostics) : prepare(model, own, diagnostics);
  if (!prepared || !sim::check_parameters(prepared->program, settings, diagnostics)) return nullptr;
  std::unique_ptr<RepeatedRuns> result(new RepeatedRuns);
  result->options_ = run_options(own, prepared->settings);
  result->options_.open_foreign = prepared->open_foreign;
  result->options_.name = model.name;
  result->options_.progress = {};
  if (!check_horizon(model, result->options_, diagnostics)) return nullptr;
  result->compiled_ = sim::CompiledProgram::create(std::move(prepared->program), result->options_.native, diagnostics);
  if (!result->compiled_) return nullptr;
  result->prepared_ = std::move(*prepared);
  result->variables_ = std::move(variables);
  result->derivatives_ = derivatives;
  result->bookkeeping_ = request.bookkeeping;
  result->compiled_->request_second_tier();
  return result;
}

std::vector<std::string> RepeatedRuns::column_names() const { return recorded_columns(program(), prepared_.recorded); }

RepeatedRun RepeatedRuns::run(const RunVariation& variation) const {
  RepeatedRun result;
  sim::MemorySink memory;
  sim::Selection selection(memory,
                           [&](const sim::Column& column) { return bookkeeping_ || prepared_.recorded[column.probe]; });
  sim::RunOptions options = options_;
  options.sinks = {&selection};
  options.interrupt = variation.interrupt;
  options.parameters = variation.others;
  std::size_t next = 0;
  for (const VariedVariable& variable : variables_) {
    for (std::size_t k = 0; k < variable.values.size(); ++k)
      options.parameters.push_back(
          {element_name(variable.name, k, variable.values.size()), {variation.values[next++]}});
  }
  if (!variation.inputs.empty()) options.inputs = variation.inputs;
  if (!variation.row_times.empty()) {
    options.row_times = variation.row_times;
    options.interval = 1;
    options.grid_only = true;
  }
  compiled_->poll();
  if (const auto simulation = sim::Simulation::create(compiled_, std::move(options), result.diagnostics)) {
    result.end = simulation->run();
    result.time = simulation->time();
  }
  result.recording = memory.release();
  return result;
}

}  // namespace orrery::api
