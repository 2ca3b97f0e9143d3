// SPDX-License-Identifier: Apache-2.0
// The passes in order.
#include "compile/compile.h"

#include <fmt/format.h>

#include <cmath>

#include "compile/activate.h"
#include "compile/build_bodies.h"
#include "compile/flatten.h"
#include "compile/infer_types.h"
#include "compile/lower.h"
#include "compile/set_start.h"
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
  infer_types(result.flat, diagnostics);
  if (diagnostics.error_count() > errors) return std::nullopt;
  result.parameters = evaluator.parameter_space();
  return result;
}

std::optional<program::Program> compile(const Evaluated& model, const CompileOptions& options,
                                        Diagnostics& diagnostics) {
  const int errors = diagnostics.error_count();
  const auto failed = [&] { return diagnostics.error_count() > errors; };
  program::Program program = begin(model, options);
  const program::ParameterSpace::Compiling compiling(model.parameters.get(), program);
  const Bodies bodies = build_bodies(model.flat, program, diagnostics);
  if (failed()) return std::nullopt;
  const Activations activations = activate(model.flat, bodies, program, diagnostics);
  if (failed()) return std::nullopt;
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
