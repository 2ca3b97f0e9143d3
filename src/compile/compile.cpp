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
#include "compile/warn_inactive.h"
#include "passes/compute_at_start.h"

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
enum class Range { any, not_negative, positive, relative };

constexpr double smallest_relative = 1e-14;  // a few roundings of a double

bool in_range(double value, Range range) {
  if (range == Range::relative) return value >= smallest_relative && value < 1;
  return range == Range::any || value > 0 || (value == 0 && range == Range::not_negative);
}

std::optional<double> evaluate_number(const model::Setting& setting, const char* name, Range range,
                                      const std::string& file, Evaluator& evaluator, Diagnostics& diagnostics) {
  if (setting.empty()) return std::nullopt;
  const Place place{file, setting.line, 0, {}, fmt::format("simulation.{}", name)};
  const auto value = evaluator.evaluate(setting.text, place, diagnostics);
  if (!value) return std::nullopt;
  settle(*value, evaluator, place);
  if (!value->is_scalar() || value->is_complex() || std::isnan(value->scalar())) {
    const std::string what = value->is_scalar() && !value->is_complex() ? "not a number" : describe(*value);
    diagnostics.error("bad-setting", place, fmt::format("must be one number, but is {}", what));
    return std::nullopt;
  }
  if (!in_range(value->scalar(), range)) {
    const std::string wanted = range == Range::relative
                                   ? fmt::format("must be below 1 and not below {}", smallest_relative)
                               : range == Range::positive ? "must exceed zero"
                                                          : "must not be below zero";
    diagnostics.error("bad-setting", place, fmt::format("{}, but is {}", wanted, value->scalar()));
    return std::nullopt;
  }
  return value->scalar();
}

EvaluatedSettings evaluate_settings(const model::Model& model, Evaluator& evaluator, Diagnostics& diagnostics) {
  EvaluatedSettings settings;
  const model::Settings& given = model.settings;
  const auto number = [&](const model::Setting& setting, const char* name, Range range) {
    return evaluate_number(setting, name, range, model.file, evaluator, diagnostics);
  };
  settings.start = number(given.start, "start", Range::any);
  settings.stop = number(given.stop, "stop", Range::any);
  settings.rtol = number(given.rtol, "rtol", Range::relative);
  settings.atol = number(given.atol, "atol", Range::positive);
  settings.hmax = number(given.hmax, "hmax", Range::positive);
  settings.hmin = number(given.hmin, "hmin", Range::not_negative);
  settings.hinit = number(given.hinit, "hinit", Range::not_negative);
  settings.step = number(given.step, "step", Range::positive);
  settings.time_tolerance = number(given.time_tolerance, "time_tolerance", Range::not_negative);
  settings.zero_threshold = number(given.zero_threshold, "zero_threshold", Range::not_negative);
  settings.final_tick = number(given.final_tick, "final_tick", Range::any);
  settings.sliding = number(given.sliding, "sliding", Range::any);
  settings.solver = given.solver.text;
  settings.algebraic = given.algebraic.text;
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
                                  const std::vector<Override>& overrides, Diagnostics& diagnostics) {
  const int errors = diagnostics.error_count();
  for (const Override& override : overrides) {
    evaluator.pin(override.name, override.expression, {"--set", 0, 0, {}, override.name}, diagnostics);
  }
  if (!model.initialization.empty()) {
    evaluator.run(model.initialization, {model.file, model.initialization_line, 0, {}, "initialization"}, diagnostics);
  }
  Evaluated result;
  result.flat = flatten(model, evaluator, diagnostics);
  result.settings = evaluate_settings(model, evaluator, diagnostics);
  result.tolerances = evaluate_tolerances(model, evaluator, diagnostics);
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
  apply_tolerances(model, program, diagnostics);
  if (failed()) return std::nullopt;
  for (program::Parameter& parameter : program.parameters) parameter.fixed_by = model.parameters->uses(parameter.slot);
  passes::compute_at_start(program);
  return program;
}

}  // namespace orrery::compile
