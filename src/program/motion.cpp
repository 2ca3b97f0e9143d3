// SPDX-License-Identifier: Apache-2.0
// Motion spreads from arguments to what uses them, and through loops to their unknowns.
#include "program/motion.h"

#include <algorithm>

#include "program/evaluate.h"
#include "program/function.h"

namespace orrery::program {
namespace {

void sweep(const Program& program, const std::vector<bool>& slot_moves, std::vector<bool>& moves) {
  const Graph& graph = program.graph;
  for (ExprId id = 0; id < graph.size(); ++id) {
    const Node& node = graph[id];
    bool moving = node.op == Op::time || (node.op == Op::read && slot_moves[node.payload]);
    for (const ExprId argument : graph.arguments(id)) moving = moving || moves[argument];
    moves[id] = moving;
  }
}

}  // namespace

std::vector<bool> find_moving(const Program& program) {
  std::vector<bool> moves(program.graph.size());
  std::vector<bool> slot_moves(program.slots.size());
  for (SlotId id = 0; id < program.slots.size(); ++id) {
    slot_moves[id] = program.slots[id].kind == SlotKind::state || program.slots[id].kind == SlotKind::shadow;
  }
  for (bool changed = true; changed;) {  // once more for each loop that moves only because one before it does
    sweep(program, slot_moves, moves);
    changed = false;
    for (const Loop& loop : program.loops) {
      if (loop.source != Loop::continuous || loop.unknowns.empty() || slot_moves[loop.unknowns[0]]) continue;
      if (std::ranges::none_of(loop.residuals, [&](ExprId residual) { return moves[residual]; })) continue;
      for (const SlotId unknown : loop.unknowns) slot_moves[unknown] = true;
      changed = true;
    }
  }
  return moves;
}

bool has_corner(const Graph& graph, ExprId id) {
  const auto arguments = graph.arguments(id);
  if (arguments.empty()) return false;
  const Op op = graph[id].op;
  if (op == Op::call) return graph.function_of(id).has_corners && !graph.function_of(id).unguarded;
  if (op == Op::search) return true;
  const Scalar argument = graph.type(arguments[0]).scalar;
  if (!is_floating(argument)) return false;
  switch (op) {
    case Op::past: return PastOf::from(graph[id].payload).what == PastWhat::stretch;
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::min:
    case Op::max:
    case Op::sign:
    case Op::floor:
    case Op::ceil:
    case Op::round:
    case Op::trunc:
    case Op::mod:
    case Op::rem:
    case Op::minimum:
    case Op::maximum: return true;
    case Op::abs: return argument == Scalar::f64;  // the modulus of a complex number has none
    case Op::cast: {
      const Op inner = graph[arguments[0]].op;
      const ExprId source = inner == Op::element ? graph.arguments(arguments[0])[0] : arguments[0];
      return !is_floating(graph.type(id).scalar) && graph[source].op != Op::foreign;
    }
    default: return false;
  }
}

bool has_corners(const Function& function) {
  const Graph& graph = function.graph;
  std::vector<bool> local_moves(function.locals.size());
  for (std::size_t k = 0; k < function.arguments; ++k) local_moves[k] = is_floating(function.locals[k].type.scalar);
  std::vector<bool> moves(graph.size());
  bool corner = false;
  for (bool changed = true; changed && !corner;) {
    changed = false;
    for (ExprId id = 0; id < graph.size(); ++id) {
      bool moving = graph[id].op == Op::read && local_moves[graph[id].payload];
      for (const ExprId argument : graph.arguments(id)) moving = moving || moves[argument];
      moves[id] = moving;
    }
    visit_statements(function.body, [&](const Statement& s) {
      if (s.value == no_expr || !moves[s.value]) return;
      const bool assigns = s.kind == Statement::Kind::assign || s.kind == Statement::Kind::assign_element;
      corner = corner || (!assigns && s.kind != Statement::Kind::check);  // control flow
      if (!assigns || local_moves[s.local]) return;
      local_moves[s.local] = changed = true;
    });
  }
  std::vector<ExprId> used;
  visit_statements(function.body, [&](const Statement& s) {
    if (s.kind != Statement::Kind::check) used.push_back(s.value);
    used.insert(used.end(), s.indices.begin(), s.indices.end());
  });
  for (const ExprId id : reachable(graph, used)) corner = corner || (moves[id] && has_corner(graph, id));
  return corner;
}

bool judged_as_it_stands(const Graph& graph, const Assertion& assertion) {
  return graph.is_constant(assertion.tried, 1);
}

bool may_lack_value(const Graph& graph, const std::vector<bool>& moves, ExprId id) {
  const auto arguments = graph.arguments(id);
  const auto moving = [&](ExprId argument) { return argument >= moves.size() || moves[argument]; };
  switch (graph[id].op) {
    case Op::sqrt:
    case Op::log:
    case Op::log10:
    case Op::asin:
    case Op::acos:
    case Op::acosh:
    case Op::atanh: return moving(arguments[0]);
    case Op::div: return moving(arguments[1]);
    case Op::pow: return moving(arguments[0]) || moving(arguments[1]);
    default: return false;
  }
}

}  // namespace orrery::program
