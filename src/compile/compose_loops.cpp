// SPDX-License-Identifier: Apache-2.0
// Algebraic loops of one table: taken apart into elements, torn, and solved here or left as equations.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/check.h"
#include "compile/compose_table.h"
#include "compile/explain_loop.h"
#include "equations/group_equations.h"
#include "equations/solve_linear_loop.h"
#include "equations/tear.h"
#include "passes/affine.h"
#include "passes/expand_small.h"
#include "passes/find_dependencies.h"
#include "passes/slice.h"
#include "passes/substitute.h"
#include "program/print.h"
#include "program/print_expression.h"

namespace orrery::compile {

using program::ExprId;
using program::no_expr;
using program::OriginId;
using program::SlotId;

// A loop of whole outputs may fall apart element by element: then each element is composed on its own, and only what is
// still cyclic is torn.
bool TableComposer::evaluate_elements(const Part& part, Diagnostics& diagnostics) {
  const bool conditions =
      std::any_of(part.tasks.begin(), part.tasks.end(), [](const Task& task) { return task.kind == Task::Kind::pass; });
  if (conditions) {
    explain_loop(program_, model_, bodies_, part, reads_, diagnostics);
    return false;
  }
  const std::vector<Part> pieces = order_elements(program_, bodies_, part);
  Expanded expanded;
  constexpr std::int64_t any_size = INT64_MAX;
  passes::SmallExpansion expansion(program_.graph, any_size);
  for (const Task& task : part.tasks) {
    const SlotId slot = bodies_.signals[task.block][task.index];
    elements_[slot].assign(static_cast<std::size_t>(program_.slots[slot].type.size()), no_expr);
    expanded[slot] = expansion.apply(bodies_.of_block[task.block].outputs[task.index]);
  }
  bool ok = true;
  for (const Part& piece : pieces) {
    if (!piece.cyclic) {
      evaluate_element(piece.tasks[0], expanded);
    } else if (!solve_loop(piece, expanded, diagnostics)) {
      ok = false;
      for (const Task& task : piece.tasks) {  // go on with what memory holds, to find further errors
        const SlotId slot = bodies_.signals[task.block][task.index];
        elements_[slot][static_cast<std::size_t>(task.element)] =
            program_.graph.element(program_.read(slot), task.element);
      }
    }
  }
  for (const Task& task : part.tasks) {
    const SlotId slot = bodies_.signals[task.block][task.index];
    if (task.index == 0) order_.push_back(task.block);
    const ExprId value = program_.graph.stack(program_.slots[slot].type, elements_[slot]);
    computed_[slot] = {value, no_expr, samples(task.block) ? composed_after(value) : no_expr};
  }
  return ok;
}

// An element may stand in a formula without counting, multiplied by a constant zero: then it need not be known.
ExprId TableComposer::without_idle_elements(ExprId root) {
  passes::Substitution substitution(program_.graph);
  bool any = false;
  const auto idle = [&](SlotId slot, std::size_t k) {
    const auto pieces = elements_.find(slot);
    return pieces != elements_.end() && pieces->second[k] == no_expr;
  };
  std::vector<ExprId> stack{root};
  std::unordered_set<ExprId> seen;
  while (!stack.empty()) {
    const ExprId id = stack.back();
    stack.pop_back();
    if (!seen.insert(id).second) continue;
    const program::Node& node = program_.graph[id];
    const auto arguments = program_.graph.arguments(id);
    const ExprId read = node.op == program::Op::element ? arguments[0] : id;
    if (program_.graph[read].op == program::Op::read) {
      const auto slot = static_cast<SlotId>(program_.graph[read].payload);
      const std::size_t k = node.op == program::Op::element ? node.payload : 0;
      const bool one = node.op == program::Op::element || program_.slots[slot].type.is_scalar();
      if (one && idle(slot, k)) {
        substitution.set_element(slot, static_cast<std::int64_t>(k),
                                 program_.graph.constant(0, program_.slots[slot].type.scalar));
        any = true;
      }
      continue;
    }
    stack.insert(stack.end(), arguments.begin(), arguments.end());
  }
  return any ? substitution.apply(root) : root;
}

ExprId TableComposer::element_value(const Task& task, const Expanded& expanded) {
  const SlotId slot = bodies_.signals[task.block][task.index];
  const ExprId active = guard(task.block);
  const ExprId one = without_idle_elements(program_.graph.element(expanded.at(slot), task.element));
  const ExprId fresh = samples(task.block) ? rewrite_sampled(one, active) : rewrite(one, active);
  if (active == no_expr) return fresh;
  return program_.graph.select(active, fresh, program_.graph.element(outside_value(slot), task.element));
}

void TableComposer::evaluate_element(const Task& task, const Expanded& expanded) {
  const SlotId slot = bodies_.signals[task.block][task.index];
  elements_[slot][static_cast<std::size_t>(task.element)] = element_value(task, expanded);
}

SlotId TableComposer::unknown_for(const Task& task) {
  const SlotId signal = bodies_.signals[task.block][task.index];
  const auto [at, fresh] = signals_.torn.try_emplace({signal, task.element}, program::no_slot);
  if (fresh) {
    const program::Slot& torn = program_.slots[signal];
    std::string name = torn.name;
    if (!torn.type.is_scalar()) name += fmt::format("[{}]", task.element + 1);
    at->second = program_.add_slot({std::move(name), program::Type{}, program::SlotKind::unknown, torn.origin});
  }
  return at->second;
}

bool TableComposer::solve_loop(const Part& piece, const Expanded& expanded, Diagnostics& diagnostics) {
  std::vector<bool> tearable;
  for (const Task& task : piece.tasks) {
    const SlotId slot = bodies_.signals[task.block][task.index];
    tearable.push_back(program_.slots[slot].type.scalar == program::Scalar::f64);
  }
  const equations::Tearing tearing = equations::tear(piece.needs, tearable);
  if (!tearing.possible) {
    explain_loop(program_, model_, bodies_, piece, reads_, diagnostics);
    return false;
  }
  for (std::uint32_t v : tearing.torn) {
    const Task& task = piece.tasks[v];
    elements_[bodies_.signals[task.block][task.index]][static_cast<std::size_t>(task.element)] =
        program_.read(unknown_for(task));
  }
  std::vector<OriginId> blocks;
  const auto pass_by = [&](std::uint32_t block) {
    if (std::find(blocks.begin(), blocks.end(), block + 1) == blocks.end()) blocks.push_back(block + 1);
  };
  for (std::uint32_t v : tearing.torn) pass_by(piece.tasks[v].block);
  for (std::uint32_t v : tearing.order) {
    pass_by(piece.tasks[v].block);
    evaluate_element(piece.tasks[v], expanded);
  }
  std::vector<Equation> equations;
  for (std::uint32_t v : tearing.torn) {
    const SlotId unknown = unknown_for(piece.tasks[v]);
    const ExprId value = element_value(piece.tasks[v], expanded);
    equations.push_back({unknown, program_.graph.binary(program::Op::sub, value, program_.read(unknown)), blocks});
  }
  std::vector<SlotId> unknowns;
  std::vector<ExprId> residuals;
  for (const Equation& equation : equations) {
    unknowns.push_back(equation.unknown);
    residuals.push_back(equation.residual);
  }
  if (passes::is_affine(program_.graph, residuals, unknowns) &&
      !equations::may_be_singular(program_, unknowns, residuals))
    return eliminate(piece, equations, diagnostics);
  equations_.insert(equations_.end(), equations.begin(), equations.end());
  return true;
}

// A linear loop has a formula for its solution, which takes the place of the unknowns.
bool TableComposer::eliminate(const Part& piece, const std::vector<Equation>& equations, Diagnostics& diagnostics) {
  std::vector<SlotId> unknowns;
  std::vector<ExprId> residuals;
  program::Loop note;
  note.blocks = equations[0].blocks;
  for (const Equation& equation : equations) {
    unknowns.push_back(equation.unknown);
    residuals.push_back(equation.residual);
    note.solution += (note.solution.empty() ? "linear, solved for " : ", ") + slot_name(program_, equation.unknown);
  }
  const equations::LinearSolution solution = equations::solve_linear_loop(program_.graph, unknowns, residuals);
  if (solution.singular) {
    Diagnostic& d = explain_loop(program_, model_, bodies_, piece, reads_, diagnostics);
    d.code = "singular-loop";
    d.message = "the loop has no solution, or many: its linear equations contradict or repeat each other: " + d.message;
    d.help = "check the gains around the loop: their product must not be 1";
    return false;
  }
  passes::Substitution substitution(program_.graph);
  for (std::size_t k = 0; k < unknowns.size(); ++k) substitution.set(unknowns[k], solution.values[k]);
  for (const Task& task : piece.tasks) {
    ExprId& value = elements_[bodies_.signals[task.block][task.index]][static_cast<std::size_t>(task.element)];
    value = substitution.apply(value);
  }
  for (auto* memo : {&memo_, &sampled_memo_, &after_memo_}) memo->clear();  // what was rewritten reads the unknowns
  eliminated_.push_back(std::move(note));
  return true;
}

// Where an expression takes what blocks have left behind while they are not active: select(active, fresh, signal).
std::vector<ExprId> TableComposer::held_values(ExprId residual) const {
  const program::Graph& graph = program_.graph;
  const auto is_signal = [&](ExprId id) {
    if (graph[id].op == program::Op::element) id = graph.arguments(id)[0];
    return graph[id].op == program::Op::read && program_.slots[graph[id].payload].kind == program::SlotKind::signal;
  };
  std::vector<ExprId> found, stack{residual};
  std::unordered_set<ExprId> seen;
  while (!stack.empty()) {
    const ExprId id = stack.back();
    stack.pop_back();
    if (!seen.insert(id).second) continue;
    const auto arguments = graph.arguments(id);
    if (graph[id].op == program::Op::select && is_signal(arguments[2])) {
      found.push_back(id);
    } else {
      stack.insert(stack.end(), arguments.begin(), arguments.end());
    }
  }
  return found;
}

// A residual of blocks that are not active determines nothing where it reads no unknown but through them: then the
// unknown keeps its last value, and what is the derivative of a state is zero, as for any block that is not active.
ExprId TableComposer::kept_while_idle(std::uint32_t block, SlotId unknown, ExprId residual) {
  program::Graph& graph = program_.graph;
  const std::vector<ExprId> held = held_values(residual);
  if (held.empty()) return residual;
  const ExprId active = graph.arguments(held[0])[0];
  passes::Substitution to_fresh(graph), to_idle(graph);
  for (const ExprId id : held) {
    if (graph.arguments(id)[0] != active) return residual;  // one may be active without the other
    to_fresh.set_node(id, graph.arguments(id)[1]);
    to_idle.set_node(id, graph.arguments(id)[2]);
  }
  const ExprId idle = to_idle.apply(residual);
  const auto is_determined = [&](ExprId expression) {
    const std::vector<SlotId> reads = passes::slots_read(graph, {&expression, 1});
    return std::any_of(reads.begin(), reads.end(),
                       [&](SlotId slot) { return program_.slots[slot].kind == program::SlotKind::unknown; });
  };
  const program::Type type = graph.type(residual);
  std::vector<ExprId> elements;
  for (std::int64_t k = 0; k < type.size(); ++k) elements.push_back(graph.element(idle, k));
  if (std::all_of(elements.begin(), elements.end(), is_determined)) return residual;
  const auto [at, first] = signals_.kept.try_emplace(unknown, program::no_slot);
  if (first) {
    program::Slot memory = program_.slots[unknown];
    memory.name += " kept";
    memory.kind = program::SlotKind::discrete;
    at->second = program_.add_slot(std::move(memory));
  }
  if (plan_.always) program_.always.push_back({at->second, program_.read(unknown), active, block + 1});
  for (std::int64_t k = 0; k < type.size(); ++k) {
    ExprId& element = elements[static_cast<std::size_t>(k)];
    if (is_determined(element)) continue;
    const ExprId value = graph.element(program_.read(unknown), k);
    bool is_rate = false;
    for (const blocks::Derivative& rule : bodies_.of_block[block].derivatives) {
      if (graph.type(rule.value) != type) continue;
      const ExprId rate = graph.element(rule.value, k);
      const std::vector<SlotId> reads = passes::slots_read(graph, {&rate, 1});
      is_rate = is_rate || std::find(reads.begin(), reads.end(), unknown) != reads.end();
    }
    const ExprId kept = graph.element(program_.read(at->second), k);
    element = is_rate ? value : graph.binary(program::Op::sub, value, kept);
  }
  return graph.select(active, to_fresh.apply(residual), graph.stack(type, elements));
}

bool TableComposer::declare_equations(Diagnostics& diagnostics) {
  bool ok = true;
  for (std::uint32_t b : plan_.members) {
    for (const blocks::UnknownRule& rule : bodies_.of_block[b].unknowns) {
      ORRERY_CHECK(rule.residual != no_expr);
      if (guard(b) != no_expr) {
        diagnostics.error("conditional-unknown", model_.place(model_.blocks[b]),
                          "this block asks for a value that solves an equation, but runs only under a condition",
                          "let it be always active, and switch the equation with Switch2 instead");
        ok = false;
        continue;
      }
      const ExprId residual = kept_while_idle(b, rule.slot, rewrite(rule.residual, no_expr));
      equations_.push_back({rule.slot, residual, {b + 1}});
    }
  }
  return ok;
}

// Vectors of equations and unknowns that match as wholes may still not match element by element.
bool TableComposer::determines_elements(const equations::EquationGroup& group) {
  std::vector<SlotId> slots;
  std::map<std::pair<SlotId, std::int64_t>, std::uint32_t> index;
  for (std::uint32_t u : group.unknowns) {
    const SlotId slot = equations_[u].unknown;
    slots.push_back(slot);
    for (std::int64_t k = 0; k < program_.slots[slot].type.size(); ++k) {
      index.emplace(std::pair{slot, k}, static_cast<std::uint32_t>(index.size()));
    }
  }
  passes::Dependencies dependencies(program_.graph, slots);
  std::vector<std::vector<std::uint32_t>> occurs;
  for (std::uint32_t e : group.equations) {
    const ExprId residual = equations_[e].residual;
    for (std::int64_t k = 0; k < program_.graph.type(residual).size(); ++k) {
      std::vector<std::uint32_t>& row = occurs.emplace_back();
      for (const passes::Leaf& leaf : dependencies.of(residual, k)) row.push_back(index.at({leaf.slot, leaf.element}));
    }
  }
  return equations::group_equations(occurs).unmatched_equations.empty();
}

equations::EquationGroups TableComposer::group_unknowns() const {
  std::unordered_map<SlotId, std::uint32_t> index;
  for (std::uint32_t k = 0; k < equations_.size(); ++k) index.emplace(equations_[k].unknown, k);
  std::vector<std::vector<std::uint32_t>> occurs(equations_.size());
  for (std::size_t k = 0; k < equations_.size(); ++k) {
    for (SlotId slot : passes::slots_read(program_.graph, {&equations_[k].residual, 1})) {
      if (const auto at = index.find(slot); at != index.end()) occurs[k].push_back(at->second);
    }
  }
  return equations::group_equations(occurs);
}

bool TableComposer::close_loops(std::int32_t source, Diagnostics& diagnostics) {
  for (program::Loop& loop : eliminated_) {
    loop.source = source;
    program_.loops.push_back(std::move(loop));
  }
  if (!declare_equations(diagnostics)) return false;
  equations::EquationGroups grouped = group_unknowns();
  const bool determined =
      grouped.unmatched_equations.empty() &&
      std::all_of(grouped.groups.begin(), grouped.groups.end(), [&](const auto& g) { return determines_elements(g); });
  if (!determined) {
    if (!reduce_equations(diagnostics)) return false;
    grouped = group_unknowns();
  }
  for (const equations::EquationGroup& group : grouped.groups) {
    program::Loop loop;
    loop.source = source;
    for (std::uint32_t u : group.unknowns) loop.unknowns.push_back(equations_[u].unknown);
    for (std::uint32_t e : group.equations) {
      loop.residuals.push_back(equations_[e].residual);
      for (OriginId block : equations_[e].blocks) {
        if (std::find(loop.blocks.begin(), loop.blocks.end(), block) == loop.blocks.end()) loop.blocks.push_back(block);
      }
    }
    program_.loops.push_back(std::move(loop));
  }
  return true;
}

}  // namespace orrery::compile
