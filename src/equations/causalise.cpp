// SPDX-License-Identifier: Apache-2.0
// Groups of equations, one after the other, to formulas and loops.
#include "equations/causalise.h"

#include <algorithm>

#include "base/check.h"
#include "equations/add_modes.h"
#include "equations/add_start.h"
#include "equations/check_structure.h"
#include "equations/eliminate_aliases.h"
#include "equations/group_equations.h"
#include "equations/linear_terms.h"
#include "equations/reduce_index.h"
#include "equations/solve_linear_loop.h"
#include "equations/tear.h"
#include "passes/affine.h"
#include "program/print.h"
#include "program/variables.h"

namespace orrery::equations {
namespace {

using program::ExprId;
using program::no_expr;
using program::Op;
using program::SlotId;

class Causalising {
 public:
  Causalising(System& system, Unfolding& values)
      : system_(system), program_(*system.program), graph_(program_.graph), values_(values), index_(system) {}

  void run(const std::function<bool()>& interrupted) {
    for (const Alias& alias : system_.aliases) {
      const ExprId read = system_.read(alias.of);
      set(alias.variable, alias.negated ? graph_.unary(Op::neg, read) : read);
      is_alias_.resize(system_.variables.size(), false);
      is_alias_[alias.variable] = true;
    }
    is_alias_.resize(system_.variables.size(), false);
    gather();
    for (const EquationGroup& group : groups_) {
      if (interrupted && interrupted()) return;
      solve(group);
    }
    write();
  }

  // What is free at the start, and the equations for it. Where there is nothing but start values and invariants, the
  // run moves the states to where these vanish.
  bool start(Diagnostics& diagnostics) {
    StartProblem problem;
    bool any_fixed = false;
    for (const Variable& v : system_.variables) {
      const bool is_state = program_.slots[v.slot].kind == program::SlotKind::state;
      any_fixed = any_fixed || (is_state && v.fixed);
      if (is_state && !v.fixed) problem.free.push_back({v.slot, 0, static_cast<int>(v.select), false});
    }
    const bool constrained = any_fixed && !program_.invariants.empty();
    const bool continued = program_.start_system.homotopy != program::no_slot;
    if (system_.initial.empty() && system_.sought.empty() && !constrained && !continued) return true;
    for (const SlotId slot : system_.sought) {
      for (std::int64_t k = 0; k < program_.slots[slot].type.size(); ++k) problem.free.push_back({slot, k, 0, true});
    }
    for (Equation equation : system_.initial) {
      if (equation.text.empty()) equation.text = text_of(system_, equation);
      equation.residual = values_.apply(equation.residual);
      problem.equations.push_back(std::move(equation));
    }
    return add_start(program_, problem, diagnostics);
  }

 private:
  void set(VariableId v, ExprId value) {
    const Variable& variable = system_.variables[v];
    values_.set(variable.slot, variable.element, value);
  }

  // Matching prefers an equation that gives the unknown as it stands.
  void gather() {
    Adjacency occurs;
    const auto equations = static_cast<std::uint32_t>(system_.equations.size());
    Matching begin = empty_matching(equations, static_cast<std::uint32_t>(system_.variables.size()));
    for (std::uint32_t e = 0; e < equations; ++e) {
      terms_.push_back(linear_terms(program_, system_.equations[e].residual));
      std::uint32_t count = 0, last = none;
      for (const VariableId v : index_.read_by(system_.equations[e].residual)) {
        if (system_.variables[v].is_state()) continue;
        occurs.target.push_back(v);
        ++count;
        if (begin.equation_of[v] == none && gives(e, v)) last = v;
      }
      occurs.end_row();
      if (last != none) begin.pair(e, last);
    }
    const Matching matching = match(occurs, std::move(begin));
    groups_ = group_equations(occurs, matching);
    occurs_ = std::move(occurs);
    position_.assign(system_.variables.size(), none);
  }

  bool gives(std::uint32_t e, VariableId v) { return solve_for(system_, index_, terms_[e], v) != no_expr; }

  void solve(const EquationGroup& group) {
    if (group.unknowns.size() == 1) {
      const ExprId value = solve_for(system_, index_, terms_[group.equations[0]], group.unknowns[0]);
      if (value != no_expr) return set(group.unknowns[0], value);
      if (!solve_linear(group.unknowns, {system_.equations[group.equations[0]].residual})) add_loop(group);
      return;
    }
    // The equations of the group as a graph: each after those whose unknowns it needs, and after itself where it does
    // not give its unknown as it stands.
    const auto count = static_cast<std::uint32_t>(group.unknowns.size());
    for (std::uint32_t k = 0; k < count; ++k) position_[group.unknowns[k]] = k;
    std::vector<ExprId> value(count, no_expr);
    Adjacency needs;
    for (std::uint32_t k = 0; k < count; ++k) {
      value[k] = solve_for(system_, index_, terms_[group.equations[k]], group.unknowns[k]);
      for (const VariableId v : occurs_[group.equations[k]]) {
        if (position_[v] != none && (position_[v] != k || value[k] == no_expr)) needs.target.push_back(position_[v]);
      }
      needs.end_row();
    }
    for (const VariableId v : group.unknowns) position_[v] = none;
    const Tearing tearing = tear(needs, std::vector<bool>(count, true));
    // A torn system is small but full; a large one that hardly shrinks is better left sparse.
    constexpr std::size_t small = 64;
    if (tearing.torn.size() > small && tearing.torn.size() * 4 > count) return add_loop(group);
    Unfolding inner(program_);
    for (const std::uint32_t k : tearing.order) {
      const Variable& v = system_.variables[group.unknowns[k]];
      inner.set(v.slot, v.element, value[k]);
    }
    EquationGroup torn;
    std::vector<ExprId> residuals;
    for (const std::uint32_t k : tearing.torn) {
      torn.equations.push_back(group.equations[k]);
      torn.unknowns.push_back(group.unknowns[k]);
      residuals.push_back(inner.apply(system_.equations[group.equations[k]].residual));
    }
    for (const std::uint32_t k : tearing.order) set(group.unknowns[k], value[k]);
    if (!solve_linear(torn.unknowns, residuals)) add_loop(torn);
  }

  // A coefficient that a condition can switch off makes the system singular where it does: that is for a loop to say.
  bool switches(ExprId root) const {
    std::vector<ExprId> stack{root};
    std::unordered_map<ExprId, bool> seen;
    while (!stack.empty()) {
      const ExprId id = stack.back();
      stack.pop_back();
      if (!seen.emplace(id, true).second) continue;
      const program::Node& node = graph_[id];
      if (node.op == Op::select || node.op >= Op::gather) return true;
      if (node.op == Op::read && program_.slots[node.payload].kind == program::SlotKind::mode) return true;
      for (const ExprId a : graph_.arguments(id)) stack.push_back(a);
    }
    return false;
  }

  bool solve_linear(const std::vector<VariableId>& unknowns, const std::vector<ExprId>& residuals) {
    constexpr std::size_t most = 64;
    if (unknowns.size() > most ||
        std::any_of(residuals.begin(), residuals.end(), [&](ExprId r) { return switches(r); }))
      return false;
    std::vector<SlotId> slots;
    for (const VariableId v : unknowns) slots.push_back(system_.variables[v].slot);
    if (!passes::is_affine(graph_, residuals, slots)) return false;
    const LinearSolution solution = solve_linear_loop(graph_, slots, residuals);
    if (solution.singular) return false;  // the loop says which unknown, at the start of a run
    for (std::size_t k = 0; k < unknowns.size(); ++k) set(unknowns[k], solution.values[k]);
    return true;
  }

  void add_loop(const EquationGroup& group) {
    program::Loop loop;
    for (const VariableId v : group.unknowns) {
      loop.unknowns.push_back(system_.variables[v].slot);
      is_in_loop_.resize(system_.variables.size(), false);
      is_in_loop_[v] = true;
    }
    for (const std::uint32_t e : group.equations) {
      const Equation& equation = system_.equations[e];
      loop.residuals.push_back(equation.residual);
      if (std::find(loop.blocks.begin(), loop.blocks.end(), equation.origin) == loop.blocks.end())
        loop.blocks.push_back(equation.origin);
    }
    loops_.push_back(std::move(loop));
  }

  void write() {
    is_in_loop_.resize(system_.variables.size(), false);
    for (VariableId v = 0; v < system_.variables.size(); ++v) {
      const Variable& variable = system_.variables[v];
      program::Slot& slot = program_.slots[variable.slot];
      ORRERY_CHECK(slot.type == program::Type{});
      if (variable.start != no_expr) program_.start.push_back({variable.slot, variable.start});
      if (is_alias_[v] || !variable.is_state()) {
        slot.kind = is_in_loop_[v] ? program::SlotKind::unknown : program::SlotKind::signal;
        continue;
      }
      slot.kind = program::SlotKind::state;
      slot.fixed = variable.fixed;
      if (variable.nominal != 1) slot.nominals = {variable.nominal};
      program_.states.push_back(variable.slot);
      program_.derivatives.push_back(values_.apply(system_.rate_of(v)));
    }
    describe();
    for (program::Loop& loop : loops_) {
      for (ExprId& residual : loop.residuals) residual = values_.apply(residual);
      program_.loops.push_back(std::move(loop));
    }
    for (program::Surface surface : system_.surfaces) {
      surface.value = values_.apply(surface.value);
      surface.settled = values_.apply(surface.settled);
      program_.surfaces.push_back(std::move(surface));
    }
    for (const Equation& invariant : system_.invariants) {
      program_.invariants.push_back(values_.apply(invariant.residual));
    }
  }

  // What every variable has become: a state, an unknown, another name of one, or a formula that nobody computes.
  void describe() {
    const auto first = static_cast<std::uint32_t>(program_.variables.size());
    for (VariableId v = 0; v < system_.variables.size(); ++v) {
      const Variable& variable = system_.variables[v];
      program::Variable named;
      named.origin = variable.origin;
      named.slot = variable.slot;
      named.kind = is_in_loop_[v]        ? program::VariableKind::unknown
                   : variable.is_state() ? program::VariableKind::state
                                         : program::VariableKind::signal;
      if (named.kind == program::VariableKind::signal && !is_alias_[v]) named.value = values_.apply(system_.read(v));
      program_.variables.push_back(named);
    }
    for (const Alias& alias : system_.aliases) {
      program::Variable& named = program_.variables[first + alias.variable];
      named.name = texts_.add(name_of(system_, alias.variable));
      named.kind = program_.variables[first + alias.of].kind;
      named.slot = system_.variables[alias.of].slot;
      named.value = program_.variables[first + alias.of].value;
      named.negated = alias.negated;
      named.alias = first + alias.of;
    }
  }

  System& system_;
  program::Program& program_;
  program::TextTable texts_{program_};
  program::Graph& graph_;
  Unfolding& values_;
  VariableIndex index_;
  std::vector<bool> is_alias_, is_in_loop_;
  std::vector<std::vector<LinearTerm>> terms_;  // by equation
  Adjacency occurs_;
  std::vector<EquationGroup> groups_;
  std::vector<std::uint32_t> position_;  // by variable: in the group that is being solved
  std::vector<program::Loop> loops_;
};

// A start value that holds of a variable that is no state is an equation of the start.
void add_fixed_values(System& system) {
  program::Program& program = *system.program;
  for (VariableId v = 0; v < system.variables.size(); ++v) {
    const Variable& variable = system.variables[v];
    if (!variable.fixed || variable.is_state()) continue;
    const ExprId initial = program.slots[variable.slot].initial;
    const ExprId value = variable.start != no_expr ? variable.start : initial;
    const ExprId start = value == no_expr ? program.graph.constant(0) : value;
    system.initial_equation(program.graph.binary(Op::sub, system.read(v), start), variable.origin,
                            name_of(system, v) + " has a fixed start value");
  }
}

}  // namespace

bool causalise(System& system, Unfolding& values, Diagnostics& diagnostics, const std::function<bool()>& interrupted) {
  add_fixed_values(system);
  add_modes(system);
  eliminate_aliases(system);
  if (!check_structure(system, diagnostics) || !reduce_index(system, diagnostics, interrupted)) return false;
  Causalising causalising(system, values);
  causalising.run(interrupted);
  return !(interrupted && interrupted()) && causalising.start(diagnostics);
}

}  // namespace orrery::equations
