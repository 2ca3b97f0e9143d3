// SPDX-License-Identifier: Apache-2.0
// Equations of blocks that constrain states, differentiated until they determine their unknowns.
#include "compile/compose_table.h"
#include "equations/check_structure.h"
#include "equations/reduce_index.h"
#include "equations/system.h"
#include "passes/substitute.h"

namespace orrery::compile {

using program::ExprId;
using program::no_expr;
using program::SlotId;

// States stand still while their blocks are not active.
ExprId TableComposer::rate_of(std::uint32_t block, const blocks::Derivative& rule) {
  program::Graph& graph = program_.graph;
  const ExprId active = guard(block);
  if (active == no_expr) return rewrite(rule.value, no_expr);
  const program::Type type = program_.slots[rule.state].type;
  const ExprId zero = graph.constant(type, std::vector<double>(static_cast<std::size_t>(type.size()), 0.0));
  return graph.is_constant(active, 0) ? zero : graph.select(active, rewrite(rule.value, active), zero);
}

namespace {

// The unknowns of the table's equations and all states, element by element.
void add_variables(equations::System& system, SlotId slot, ExprId rate, program::OriginId origin) {
  program::Program& program = *system.program;
  for (std::int64_t k = 0; k < program.slots[slot].type.size(); ++k) {
    equations::Variable variable;
    variable.slot = slot;
    variable.element = k;
    variable.origin = origin;
    if (rate != no_expr) variable.rate = program.slots[slot].type.is_scalar() ? rate : program.graph.element(rate, k);
    system.variables.push_back(variable);
  }
}

}  // namespace

// A state that takes the place of an unknown whose derivative is needed; it begins at the guess.
SlotId TableComposer::promoted_state(const equations::System& system, std::uint32_t variable) {
  const SlotId unknown = system.variables[variable].slot;
  const std::int64_t element = system.variables[variable].element;
  const auto [at, fresh] = signals_.promoted.try_emplace({unknown, element}, program::no_slot);
  if (!fresh) return at->second;
  const program::Slot& own = program_.slots[unknown];
  const bool whole = own.type.is_scalar();
  program::Slot state{own.name + (whole ? " state" : "[" + std::to_string(element + 1) + "] state"), program::Type{},
                      program::SlotKind::state, own.origin};
  if (own.initial != no_expr) {
    state.initial = whole ? own.initial : program_.graph.element(own.initial, element);
  }
  at->second = program_.add_slot(std::move(state));
  for (std::size_t k = 0, count = program_.start.size(); k < count; ++k) {
    program::Assign assign = program_.start[k];
    if (assign.slot != unknown) continue;
    assign.slot = at->second;
    if (!whole) assign.value = program_.graph.element(assign.value, element);
    program_.start.push_back(assign);
  }
  return at->second;
}

bool TableComposer::reduce_equations(Diagnostics& diagnostics) {
  equations::System system(program_);
  program::Graph& graph = program_.graph;
  for (const Equation& equation : equations_) {
    add_variables(system, equation.unknown, no_expr, equation.blocks[0]);
    const program::Type type = graph.type(equation.residual);
    for (std::int64_t k = 0; k < type.size(); ++k) {
      system.equation(type.is_scalar() ? equation.residual : graph.element(equation.residual, k), equation.blocks[0]);
    }
  }
  const std::size_t unknowns = system.variables.size();
  for (std::uint32_t b : plan_.members) {
    for (const blocks::Derivative& rule : bodies_.of_block[b].derivatives) {
      add_variables(system, rule.state, rate_of(b, rule), b + 1);
    }
  }
  const std::size_t given = system.variables.size();
  // A state whose derivative is an unknown as it stands; of two such states the second has it as an expression.
  std::unordered_map<ExprId, std::uint32_t> by_read;
  for (std::uint32_t v = 0; v < unknowns; ++v) by_read.emplace(system.read(v), v);
  for (std::size_t s = unknowns; s < given; ++s) {
    const auto found = by_read.find(system.variables[s].rate);
    if (found == by_read.end()) continue;
    system.variables[s].derivative = found->second;
    system.variables[s].rate = no_expr;
    by_read.erase(found);
  }
  if (!equations::check_structure(system, diagnostics) || !equations::reduce_index(system, diagnostics)) return false;

  std::size_t next = 0;
  for (Equation& equation : equations_) {
    const program::Type type = graph.type(equation.residual);
    std::vector<ExprId> elements;
    for (std::int64_t k = 0; k < type.size(); ++k) elements.push_back(system.equations[next++].residual);
    equation.residual = graph.stack(type, elements);
  }
  passes::Substitution to_states(graph);
  for (std::uint32_t v = 0; v < system.variables.size(); ++v) {
    const equations::Variable variable = system.variables[v];
    if ((v >= unknowns && v < given) || !variable.is_state()) continue;
    const SlotId state = promoted_state(system, v);
    const ExprId rate = system.read(variable.derivative);
    const ExprId stays = graph.binary(program::Op::sub, system.read(v), program_.read(state));
    equations_.push_back({system.variables[variable.derivative].slot, stays, {variable.origin}});
    to_states.set_element(variable.slot, variable.element, program_.read(state));
    if (!plan_.always) continue;
    program_.states.push_back(state);
    program_.derivatives.push_back(rate);
  }
  if (!plan_.always) return true;
  for (const equations::Equation& invariant : system.invariants) {
    program_.invariants.push_back(to_states.apply(invariant.residual));
  }
  return true;
}

}  // namespace orrery::compile
