// SPDX-License-Identifier: Apache-2.0
// The formulas of a body with modes (passes/make_modes.h).
#include "blocks/guard_body.h"

#include "passes/make_modes.h"

namespace orrery::blocks {

Body guard_body(const Body& body, program::Program& program, program::OriginId origin) {
  Body result = body;
  passes::ModeMaker guarding(program, origin);
  for (const auto& [value, smooth] : body.smooth) guarding.replace(value, smooth);
  for (ExprId& output : result.outputs) output = guarding.apply(output);
  for (Derivative& rule : result.derivatives) rule.value = guarding.apply(rule.value);
  for (UnknownRule& rule : result.unknowns) rule.residual = guarding.apply(rule.residual);
  for (ExprId& invariant : result.invariants) invariant = guarding.apply(invariant);
  for (ExprId& equation : result.start_equations) equation = guarding.apply(equation);
  for (Derivative& rule : result.projections) rule.value = guarding.apply(rule.value);
  for (program::Assertion& assertion : result.assertions) assertion.holds = guarding.apply(assertion.holds);
  for (HistoryRule& rule : result.histories) rule.value = guarding.apply(rule.value);
  for (ExprId& value : result.followed) value = guarding.apply(value);
  for (Pass& pass : result.passes) pass.condition = guarding.apply(pass.condition);
  for (SurfaceRule& rule : result.surfaces) rule.value = guarding.apply(rule.value);
  for (ProbeRule& rule : result.probes) rule.value = guarding.apply(rule.value);
  for (const passes::MadeMode& made : guarding.modes()) {
    ModeRule rule{made.mode, made.condition, {}, made.written, made.history, made.steady};
    for (const passes::ModeBound& bound : made.bounds) rule.surfaces.push_back({bound.value, bound.strict});
    result.modes.push_back(std::move(rule));
  }
  return result;
}

}  // namespace orrery::blocks
