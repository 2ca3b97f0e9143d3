// SPDX-License-Identifier: Apache-2.0
// The formulas of a body with modes (passes/make_modes.h).
#include "blocks/guard_body.h"

#include <algorithm>

#include "passes/make_modes.h"
#include "passes/substitute.h"
#include "program/evaluate.h"
#include "program/motion.h"

namespace orrery::blocks {

namespace {

// Every formula that continuous time reads; `apply` gives what takes its place.
template <class AnyBody, class Apply>
void for_each_formula(AnyBody& body, const program::Graph& graph, const Apply& apply) {
  for (auto& output : body.outputs) apply(output);
  for (auto& rule : body.derivatives) apply(rule.value);
  for (auto& rule : body.unknowns) apply(rule.residual);
  for (auto& invariant : body.invariants) apply(invariant);
  for (auto& equation : body.start_equations) apply(equation);
  for (auto& rule : body.projections) apply(rule.value);
  for (auto& assertion : body.assertions) {
    if (!program::judged_as_it_stands(graph, assertion)) apply(assertion.holds);
  }
  for (auto& rule : body.histories) apply(rule.value);
  for (auto& value : body.followed) apply(value);
  for (auto& pass : body.passes) apply(pass.condition);
  for (auto& rule : body.surfaces) apply(rule.value);
  for (auto& rule : body.rates) apply(rule.value);
  for (auto& rule : body.probes) apply(rule.value);
  // On the left of an instant the modes are still those of before it.
  for (auto& rule : body.rules) {
    if (rule.when == When::left) apply(rule.value);
  }
}

}  // namespace

bool needs_guard(const Body& body, const program::Graph& graph) {
  if (!body.smooth.empty()) return true;
  std::vector<ExprId> formulas;
  for_each_formula(body, graph, [&](ExprId formula) { formulas.push_back(formula); });
  const auto all = program::reachable(graph, formulas);
  return std::any_of(all.begin(), all.end(), [&](ExprId id) { return program::has_corner(graph, id); });
}

Body guard_body(const Body& body, program::Program& program, program::OriginId origin) {
  Body result = body;
  passes::ModeMaker guarding(program, origin);
  for (const auto& [value, smooth] : body.smooth) guarding.replace(value, smooth);
  for_each_formula(result, program.graph, [&](ExprId& formula) { formula = guarding.apply(formula); });
  for (const passes::MadeMode& made : guarding.modes()) {
    ModeRule rule{made.mode, made.condition, {}, made.written, made.history, made.steady};
    for (const passes::ModeBound& bound : made.bounds) rule.surfaces.push_back({bound.value, bound.strict});
    result.modes.push_back(std::move(rule));
  }
  return result;
}

bool reads_memories(const Body& body) { return body.smooth_in_fixed_steps; }

Body body_of_fixed_steps(const Body& body, program::Program& program) {
  Body result = body;
  passes::Substitution memories(program.graph);
  for (const auto& [value, smooth] : body.smooth) memories.set_node(value, smooth);
  for_each_formula(result, program.graph, [&](ExprId& formula) { formula = memories.apply(formula); });
  return result;
}

}  // namespace orrery::blocks
