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

namespace orrery::compile {
namespace {

// Overrides win over the context: they are set after it ran, and inner diagrams see them like any other name.
class OverridingEvaluator final : public Evaluator {
 public:
  OverridingEvaluator(Evaluator& inner, const std::vector<Override>& overrides)
      : inner_(inner), overrides_(overrides) {}

  void push_scope() override {
    ++depth_;
    inner_.push_scope();
  }
  void pop_scope() override {
    --depth_;
    inner_.pop_scope();
  }
  bool run(const std::vector<std::string>& lines, const Place& place, Diagnostics& diagnostics) override {
    return depth_ == 0 ? run_top(lines, place, diagnostics) : inner_.run(lines, place, diagnostics);
  }
  std::optional<Value> evaluate(std::string_view text, const Place& place, Diagnostics& diagnostics) override {
    return inner_.evaluate(text, place, diagnostics);
  }
  void set(const std::string& name, Value value) override { inner_.set(name, std::move(value)); }
  std::shared_ptr<const blocks::Tracer> tracer() override { return inner_.tracer(); }

  void apply(Diagnostics& diagnostics) {
    for (const Override& override : overrides_) {
      auto value = inner_.evaluate(override.expression, {"--set", 0, 0, {}, override.name}, diagnostics);
      if (value) inner_.set(override.name, std::move(*value));
    }
  }

 private:
  // Line by line, so that what follows an overridden name already sees the new value.
  bool run_top(const std::vector<std::string>& lines, Place place, Diagnostics& diagnostics) {
    if (overrides_.empty()) return inner_.run(lines, place, diagnostics);
    bool ok = true;
    for (const std::string& line : lines) {
      ok = inner_.run({line}, place, diagnostics) && ok;
      apply(diagnostics);
      ++place.line;
    }
    return ok;
  }

  Evaluator& inner_;
  const std::vector<Override>& overrides_;
  int depth_ = 0;
};

void apply_tolerances(const model::Model& model, Evaluator& evaluator, program::Program& program,
                      Diagnostics& diagnostics) {
  for (const model::StateTolerance& item : model.settings.tolerances) {
    const Place place{model.file, item.line, 0, item.block, "tolerance"};
    const auto value = evaluator.evaluate(item.text, place, diagnostics);
    if (!value) continue;
    if (!value->is_scalar() || !(value->scalar() > 0)) {
      diagnostics.error("bad-setting", place, "a tolerance must be a positive number");
      continue;
    }
    bool found = false;
    for (program::SlotId slot : program.states) {
      if (program.origins[program.slots[slot].origin].path != item.block) continue;
      program.slots[slot].absolute_tolerance = value->scalar();
      found = true;
    }
    if (!found) {
      diagnostics.error("unknown-state", place, "there is no block with continuous states of this path",
                        "name a block such as /Plant/Integral");
    }
  }
}

std::optional<double> evaluate_number(const model::Setting& setting, const char* name, const std::string& file,
                                      Evaluator& evaluator, Diagnostics& diagnostics) {
  if (setting.empty()) return std::nullopt;
  const Place place{file, setting.line, 0, {}, fmt::format("simulation.{}", name)};
  const auto value = evaluator.evaluate(setting.text, place, diagnostics);
  if (!value) return std::nullopt;
  if (!value->is_scalar() || value->is_complex() || std::isnan(value->scalar())) {
    diagnostics.error("bad-setting", place, fmt::format("must be one number, but is {}", describe(*value)));
    return std::nullopt;
  }
  return value->scalar();
}

}  // namespace

std::optional<EvaluatedSettings> evaluate_settings(const model::Model& model, Evaluator& evaluator,
                                                   const std::vector<Override>& overrides, Diagnostics& diagnostics) {
  const int errors = diagnostics.error_count();
  OverridingEvaluator scope(evaluator, overrides);
  evaluator.push_scope();
  scope.apply(diagnostics);
  scope.run(model.root.context, {model.file, model.root.context_line, 0, {}, "context"}, diagnostics);
  EvaluatedSettings settings;
  const model::Settings& given = model.settings;
  const auto number = [&](const model::Setting& setting, const char* name) {
    return evaluate_number(setting, name, model.file, scope, diagnostics);
  };
  settings.start = number(given.start, "start");
  settings.stop = number(given.stop, "stop");
  settings.rtol = number(given.rtol, "rtol");
  settings.atol = number(given.atol, "atol");
  settings.hmax = number(given.hmax, "hmax");
  settings.hmin = number(given.hmin, "hmin");
  settings.hinit = number(given.hinit, "hinit");
  settings.step = number(given.step, "step");
  settings.time_tolerance = number(given.time_tolerance, "time_tolerance");
  settings.zero_threshold = number(given.zero_threshold, "zero_threshold");
  settings.solver = given.solver.text;
  evaluator.pop_scope();
  if (diagnostics.error_count() > errors) return std::nullopt;
  return settings;
}

std::optional<program::Program> compile(const model::Model& model, Evaluator& evaluator, const CompileOptions& options,
                                        Diagnostics& diagnostics) {
  OverridingEvaluator scope(evaluator, options.overrides);
  scope.apply(diagnostics);
  FlatModel flat = flatten(model, scope, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  infer_types(flat, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  program::Program program;
  program.graph = program::Graph(options.graph);
  const Bodies bodies = build_bodies(flat, program, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  const Activations activations = activate(flat, bodies, program, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  if (!lower(flat, bodies, activations, options, program, diagnostics)) return std::nullopt;
  apply_tolerances(model, scope, program, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  return program;
}

}  // namespace orrery::compile
