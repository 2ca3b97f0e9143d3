// SPDX-License-Identifier: Apache-2.0
// The passes in order.
#include "compile/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "compile/activate.h"
#include "compile/build_bodies.h"
#include "compile/flatten.h"
#include "compile/infer_types.h"
#include "compile/lower.h"
#include "compile/set_start.h"
#include "compile/unit_template.h"
#include "compile/warn_corners.h"
#include "compile/warn_inactive.h"
#include "passes/compute_at_start.h"
#include "passes/own_modes.h"

namespace orrery::compile {
namespace {

void apply_tolerances(const Evaluated& model, program::Program& program, Diagnostics& diagnostics) {
  for (const EvaluatedTolerance& item : model.tolerances) {
    bool found = false;
    for (program::SlotId slot : program.states) {
      if (program.origins[program.slots[slot].origin].path != item.block) continue;
      program.slots[slot].absolute_tolerance = item.value;
      found = true;
    }
    if (!found) {
      diagnostics.error("unknown-state", {model.flat.file, item.line, 0, item.block, "tolerance"},
                        "there is no block with continuous states of this path",
                        "name a block such as /Plant/Integral");
    }
  }
}

// Settings of a run are numbers.
void settle(const Value& value, Evaluator& evaluator, const Place& place) {
  if (value.has_formula()) evaluator.parameter_space()->fix(value.formula, place, "it is a setting of the simulation");
}

std::vector<EvaluatedTolerance> evaluate_tolerances(const model::Model& model, Evaluator& evaluator,
                                                    Diagnostics& diagnostics) {
  std::vector<EvaluatedTolerance> tolerances;
  for (const model::StateTolerance& item : model.settings.tolerances) {
    const Place place{model.file, item.line, 0, item.block, "tolerance"};
    const auto value = evaluator.evaluate(item.text, place, diagnostics);
    if (!value) continue;
    settle(*value, evaluator, place);
    if (value->is_scalar() && value->scalar() > 0) {
      tolerances.push_back({item.block, value->scalar(), item.line});
    } else {
      diagnostics.error("bad-setting", place, "a tolerance must be a positive number");
    }
  }
  return tolerances;
}

// Some solvers never look at a setting, and 0 stands for "not set" further on: what is given is checked here.
std::optional<double> evaluate_number(const model::SettingInfo& info, const model::Setting& setting,
                                      const std::string& file, Evaluator& evaluator, Diagnostics& diagnostics) {
  if (setting.empty()) return std::nullopt;
  const Place place{file, setting.line, 0, {}, fmt::format("simulation.{}", info.name)};
  const auto value = evaluator.evaluate(setting.text, place, diagnostics);
  if (!value) return std::nullopt;
  settle(*value, evaluator, place);
  if (!value->is_scalar() || value->is_complex() || std::isnan(value->scalar())) {
    const std::string what = value->is_scalar() && !value->is_complex() ? "not a number" : describe(*value);
    diagnostics.error("bad-setting", place, fmt::format("must be one number, but is {}", what));
    return std::nullopt;
  }
  if (!model::in_range(value->scalar(), info.range)) {
    diagnostics.error("bad-setting", place, fmt::format("{}, but is {}", describe(info.range), value->scalar()));
    return std::nullopt;
  }
  return value->scalar();
}

EvaluatedSettings evaluate_settings(const model::Model& model, Evaluator& evaluator, Diagnostics& diagnostics) {
  EvaluatedSettings settings;
  for (const model::SettingInfo& info : model::setting_table()) {
    const model::Setting& given = model.settings.*info.text;
    if (info.word != nullptr) {
      settings.*info.word = given.text;
    } else {
      settings.*info.number = evaluate_number(info, given, model.file, evaluator, diagnostics);
    }
  }
  return settings;
}

program::Program begin(const Evaluated& model, const CompileOptions& options) {
  program::Program program;
  if (model.parameters != nullptr) program = model.parameters->beginning();
  program.graph.set_options(options.graph);
  return program;
}

// Where a unit cannot be shared, or types do not follow from outside alone, the insides come back.
void infer_shared(FlatModel& flat, Diagnostics& diagnostics) {
  if (!has_shared_units(flat)) return infer_types(flat, diagnostics);
  FlatModel tried = flat;
  for (FlatBlock& block : tried.blocks) {
    if (shared_unit_of(block) == nullptr) continue;
    for (std::size_t p = 0; p < block.inputs.size(); ++p) {
      if (block.drivers[p].block != no_block) continue;  // else it reads 0
      block.inputs[p].rows = block.inputs[p].cols = 1;
      block.inputs[p].type = static_cast<int>(program::Scalar::f64);
    }
  }
  Diagnostics found;
  infer_types(tried, found);
  bool failed = found.has_errors();
  for (const FlatBlock& block : tried.blocks) {
    const SharedUnit* unit = shared_unit_of(block);
    if (unit == nullptr) continue;
    if (!failed && !unit->has_failed() && !unit->fits(block)) unit->fail();
    failed = failed || unit->has_failed();
  }
  if (failed) {
    expand_units(flat, !found.has_errors());
    return infer_types(flat, diagnostics);
  }
  flat = std::move(tried);
  std::set<const SharedUnit*> told;
  for (const Diagnostic& diagnostic : found.all()) diagnostics.add(diagnostic);
  for (const FlatBlock& block : flat.blocks) {
    const SharedUnit* unit = shared_unit_of(block);
    if (unit == nullptr || !told.insert(unit).second) continue;
    for (const Diagnostic& diagnostic : unit->warnings().all()) diagnostics.add(diagnostic);
  }
}

// Somebody wants to see what is inside of a shared unit, or says how it starts.
bool asks_for_insides(const Evaluated& model, const CompileOptions& options) {
  if (options.keep_signals || !model.initial.empty() || !model.tolerances.empty()) return true;
  for (const FlatBlock& block : model.flat.blocks) {
    if (shared_unit_of(block) == nullptr) continue;
    for (const std::string& name : options.watch) {
      const std::string path = name.starts_with('/') ? name : "/" + name;
      if (path.starts_with(block.path + "/")) return true;
    }
  }
  return false;
}

std::optional<program::Program> compile_expanded(const Evaluated& model, const CompileOptions& options,
                                                 Diagnostics& diagnostics) {
  Evaluated expanded = model;
  expand_units(expanded.flat, false);
  Diagnostics found;
  infer_types(expanded.flat, found);
  for (const Diagnostic& diagnostic : found.all()) {  // what was said of blocks around is not said again
    const auto same = [&](const Diagnostic& other) { return to_text(other) == to_text(diagnostic); };
    if (std::none_of(diagnostics.all().begin(), diagnostics.all().end(), same)) diagnostics.add(diagnostic);
  }
  if (found.has_errors()) return std::nullopt;
  return compile(expanded, options, diagnostics);
}

// Corners in continuous time are located where they are seen, and functions hide them.
bool hides_corners(const Evaluated& model, const Activations& activations) {
  for (const std::uint32_t b : activations.always.members) {
    const SharedUnit* unit = shared_unit_of(model.flat.blocks[b]);
    if (unit != nullptr && unit->has_corners()) return true;
  }
  return false;
}

}  // namespace

std::optional<Evaluated> evaluate(const model::Model& model, Evaluator& evaluator,
                                  const std::vector<Override>& overrides, Diagnostics& diagnostics,
                                  const Services& services) {
  const int errors = diagnostics.error_count();
  for (const Override& override : overrides) {
    evaluator.pin(override.name, override.expression, {"--set", 0, 0, {}, override.name}, diagnostics);
  }
  if (!model.initialization.empty()) {
    evaluator.run(model.initialization, {model.file, model.initialization_line, 0, {}, "initialization"}, diagnostics);
  }
  Evaluated result;
  result.flat = flatten(model, evaluator, services, diagnostics);
  result.settings = evaluate_settings(model, evaluator, diagnostics);
  result.tolerances = evaluate_tolerances(model, evaluator, diagnostics);
  result.initial = model.settings.initial;
  if (diagnostics.error_count() > errors) return std::nullopt;
  infer_shared(result.flat, diagnostics);
  if (diagnostics.error_count() > errors) return std::nullopt;
  result.parameters = evaluator.parameter_space();
  return result;
}

std::optional<program::Program> compile(const Evaluated& model, const CompileOptions& options,
                                        Diagnostics& diagnostics) {
  const int errors = diagnostics.error_count();
  const auto failed = [&] { return diagnostics.error_count() > errors; };
  if (has_shared_units(model.flat) && asks_for_insides(model, options))
    return compile_expanded(model, options, diagnostics);
  program::Program program = begin(model, options);
  const program::ParameterSpace::Compiling compiling(model.parameters.get(), program);
  Bodies bodies = build_bodies(model.flat, program, diagnostics);
  if (failed()) return std::nullopt;
  const Activations activations = activate(model.flat, bodies, program, diagnostics);
  if (failed()) return std::nullopt;
  free_constants(activations, bodies);
  if (hides_corners(model, activations)) return compile_expanded(model, options, diagnostics);
  warn_inactive(model.flat, bodies, activations, diagnostics);
  if (!lower(model.flat, bodies, activations, options, program, diagnostics)) return std::nullopt;
  passes::own_modes(program);
  apply_tolerances(model, program, diagnostics);
  if (failed() || !set_start(model.initial, model.flat.file, program, diagnostics)) return std::nullopt;
  warn_corners(program, diagnostics);
  for (program::Parameter& parameter : program.parameters) parameter.fixed_by = model.parameters->uses(parameter.slot);
  passes::compute_at_start(program);
  return program;
}

}  // namespace orrery::compile
