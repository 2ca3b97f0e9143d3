// SPDX-License-Identifier: Apache-2.0
// Finds the numbers that depend on exposable parameters: those that change with them.
#include "api/exposables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/oml_evaluator.h"
#include "foreign/fmu_library.h"
#include "oml/convert.h"
#include "passes/expose_constants.h"
#include "program/verify.h"

namespace orrery::api {
namespace {

// The text of a value a little off; empty for what is not a real matrix. Every element changes.
std::string moved(const oml::Value& value, double step) {
  if (!value.is_arithmetic() || value.is_complex() || value.is_text() || value.is_empty() || value.dims().count() > 2 ||
      value.class_name() != "double") {
    return {};
  }
  std::string text = "reshape([";
  for (const double x : oml::to_vector(value)) text += fmt::format("{:.17g} ", x + step * std::max(std::fabs(x), 1.0));
  return text + fmt::format("],{},{})", value.dims().rows(), value.dims().cols());
}

// The Program with other values of the parameters. The scripts run once more for it, but they touch no files and what
// they print is not shown.
std::optional<program::Program> rehearsed(const model::Model& model, const RunRequest& request,
                                          const Exposables& exposables, const compile::CompileOptions& options,
                                          double step) {
  std::vector<compile::Override> overrides = request.overrides;
  for (const auto& [name, value] : exposables.used) {
    const std::string text = moved(value, step);
    if (!text.empty()) overrides.push_back({name, text});
  }
  OmlEvaluator evaluator{Rehearsal{}};
  evaluator.set_foreign_models(std::make_shared<foreign::FmuLibrary>(model.file));
  Diagnostics silent;
  const auto evaluated = compile::evaluate(model, evaluator, overrides, silent);
  return evaluated ? compile::compile(*evaluated, options, silent) : std::nullopt;
}

}  // namespace

oml::Value exposed_value(oml::Interpreter& interpreter, const std::string& name, const oml::Value& fallback) {
  const auto& resource = interpreter.resources[exposables_resource];
  auto* exposables = static_cast<Exposables*>(resource.get());
  const oml::Value* in_base = interpreter.base()->get(name);
  oml::Value value = in_base != nullptr ? *in_base : fallback;
  if (exposables == nullptr) return value;
  if (const auto given = exposables->given.find(name); given != exposables->given.end()) value = given->second;
  exposables->used[name] = value;
  return value;
}

bool expose(const model::Model& model, const RunRequest& request, const Exposables& exposables,
            const compile::CompileOptions& options, program::Program& program) {
  for (const double step : {1.0 / 1024, -1.0 / 1024}) {  // one of them may leave the range of a parameter
    const auto other = rehearsed(model, request, exposables, options, step);
    if (!other || !passes::same_shape(program, *other)) continue;
    passes::expose_constants(program, passes::changed_constants(program, *other));
    return program::verify(program).empty();
  }
  return false;
}

}  // namespace orrery::api
