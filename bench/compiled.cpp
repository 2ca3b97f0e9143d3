// SPDX-License-Identifier: Apache-2.0
// From a diagram to runs.
#include <fmt/format.h>

#include <cstdlib>

#include "api/session.h"
#include "bench.h"
#include "compile/compile.h"

namespace orrery::bench {

void expect_no_errors(const Diagnostics& diagnostics) {
  if (!diagnostics.has_errors()) return;
  for (const Diagnostic& diagnostic : diagnostics.all()) fmt::print(stderr, "{}\n", diagnostic.message);
  std::exit(1);
}

Compiled compile_diagram(const model::Model& model) {
  Diagnostics diagnostics;
  const auto evaluator = api::make_evaluator();
  const auto evaluated = compile::evaluate(model, *evaluator, {}, diagnostics);
  expect_no_errors(diagnostics);
  auto program = compile::compile(*evaluated, {}, diagnostics);
  expect_no_errors(diagnostics);
  const compile::EvaluatedSettings* settings = &evaluated->settings;
  Compiled compiled;
  compiled.program = std::move(*program);
  compiled.options.stop = settings->stop.value_or(compiled.options.stop);
  if (!settings->solver.empty()) compiled.options.solver = settings->solver;
  compiled.options.tolerance.relative = settings->rtol.value_or(compiled.options.tolerance.relative);
  compiled.options.tolerance.absolute = settings->atol.value_or(compiled.options.tolerance.absolute);
  return compiled;
}

std::unique_ptr<sim::Simulation> Compiled::start() {
  Diagnostics diagnostics;
  options.native.wait_for_second = true;
  auto simulation = sim::Simulation::create(program, options, diagnostics);
  expect_no_errors(diagnostics);
  return simulation;
}

program::SlotId slot_of(const program::Program& program, const std::string& path, program::SlotKind kind) {
  for (program::SlotId slot = 0; slot < program.slots.size(); ++slot) {
    const program::Slot& candidate = program.slots[slot];
    if (candidate.kind == kind && program.origins[candidate.origin].path == path) return slot;
  }
  fmt::print(stderr, "no slot of {}\n", path);
  std::exit(1);
}

}  // namespace orrery::bench
