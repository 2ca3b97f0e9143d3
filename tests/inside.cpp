// SPDX-License-Identifier: Apache-2.0
// Compiles as the front door does, but keeps the Program.
#include "inside.h"

#include <gtest/gtest.h>

#include "api/base_workspace.h"
#include "model/model.h"
#include "program/verify.h"

namespace orrery::tests {
namespace {

std::optional<compile::Evaluated> evaluate_with(compile::Evaluator& evaluator, const model::Model& model,
                                                Diagnostics& diagnostics) {
  return compile::evaluate(model, evaluator, {}, diagnostics);
}

std::optional<program::Program> program_from(const compile::Evaluated& evaluated, const RunSetup& setup,
                                             Diagnostics& diagnostics, const program::GraphOptions& graph) {
  const solve::SolverInfo* solver = solve::find_solver(evaluated.settings.solver);
  compile::CompileOptions options;
  options.fixed_step = solver != nullptr && solver->fixed_step;
  options.watch = setup.watch;
  options.graph = graph;
  auto program = compile::compile(evaluated, options, diagnostics);
  if (program) {
    EXPECT_EQ(program::verify(*program), std::vector<std::string>{});
  }
  return program;
}

}  // namespace

std::optional<program::Program> program_of(const model::Model& model, const RunSetup& setup, Diagnostics& diagnostics,
                                           const program::GraphOptions& graph) {
  const auto evaluator = api::make_evaluator();
  const auto evaluated = evaluate_with(*evaluator, model, diagnostics);
  return evaluated ? program_from(*evaluated, setup, diagnostics, graph) : std::nullopt;
}

ModelRun run_unfolded(const model::Model& model, const RunSetup& setup) {
  ModelRun run;
  const auto evaluator = api::make_evaluator();
  const auto evaluated = evaluate_with(*evaluator, model, run.diagnostics);
  if (!evaluated) return run;
  auto program = program_from(*evaluated, setup, run.diagnostics, {false, false});
  if (!program) return run;
  sim::RunOptions options = api::options_of(evaluated->settings);
  options.record_events = true;
  options.native.cache_directory = cache_of_this_process();
  options.native.second_tier = options.native.wait_for_second = setup.native == api::NativeCode::second;
  const std::vector<program::Origin> origins = program->origins;
  std::vector<bool> shown;
  for (const program::Probe& probe : program->probes) shown.push_back(!api::is_bookkeeping(probe, *program));
  const auto simulation = sim::Simulation::create(std::move(*program), options, run.diagnostics);
  if (!simulation) return run;
  run.compiled = true;
  const sim::End end = simulation->run();
  run.report.state = end == sim::End::reached_stop ? api::RunState::reached_stop : api::RunState::failed;
  const sim::Recording& recording = simulation->recording();
  run.recording.time = recording.time;
  run.recording.phase = recording.phase;
  for (const sim::Column& column : recording.columns) {
    if (shown[column.probe]) run.recording.names.push_back(column.name);
  }
  for (std::size_t row = 0; row < recording.rows(); ++row) {
    for (std::size_t k = 0; k < recording.columns.size(); ++k) {
      if (shown[recording.columns[k].probe]) run.recording.values.push_back(recording.value(row, k));
    }
  }
  for (const sim::LedgerEntry& entry : simulation->ledger().entries) {
    run.events.push_back({entry.time, entry.cause, entry.origin == 0 ? "" : origins[entry.origin].path, entry.port,
                          entry.left, entry.right, entry.restarted});
  }
  return run;
}

}  // namespace orrery::tests
