// SPDX-License-Identifier: Apache-2.0
// Blocks that an event activates and that are always active as well: what jumps in them is decided just after the
// instant, with what this event makes of its inputs (docs/semantics.md, 4.6).
#include <algorithm>

#include "compile/compose_table.h"
#include "compile/jumps.h"
#include "passes/visit.h"
#include "program/evaluate.h"
#include "program/motion.h"

namespace orrery::compile {

using program::ExprId;
using program::no_expr;
using program::Op;
using program::SlotId;
using program::SlotKind;

// As rewrite(), with jumps in the place of those that stand.
ExprId TableComposer::rewrite_sampled(ExprId root, ExprId guard) {
  const ExprId standing = rewrite(root, guard);
  Memo& memo = sampled_memo_[guard];
  std::vector<ExprId> arguments;
  passes::visit_arguments_first(
      program_.graph, root, [&](ExprId id) { return memo.find(id) != memo.end(); },
      [&](ExprId id) {
        arguments.clear();
        for (const ExprId argument : program_.graph.arguments(id)) arguments.push_back(memo.at(argument));
        memo.emplace(id, arguments.empty() ? rewrite(id, guard) : sampled_node(id, guard, arguments));
      });
  const ExprId sampled = memo.at(root);
  return sampled != standing && may_lack_value(sampled) ? with_value(program_.graph, sampled, standing) : sampled;
}

bool TableComposer::may_lack_value(ExprId root) const {
  const ExprId roots[] = {root};
  const std::vector<bool> moves(program_.graph.size(), true);
  const auto reached = program::reachable(program_.graph, roots);
  return std::any_of(reached.begin(), reached.end(),
                     [&](ExprId id) { return program::may_lack_value(program_.graph, moves, id); });
}

bool TableComposer::may_jump(std::uint32_t block) const {
  const blocks::Body& body = bodies_.of_block[block];
  std::vector<ExprId> roots = body.outputs;
  for (const auto& pass : body.passes) roots.push_back(pass.condition);
  std::erase(roots, no_expr);
  const auto reached = program::reachable(program_.graph, roots);
  return std::any_of(reached.begin(), reached.end(),
                     [&](ExprId id) { return jumps(program_.graph, id) || is_remainder(program_.graph, id); });
}

// Only where there is something to sample.
void TableComposer::sample_jumps(const Plan& always) {
  const bool any = std::any_of(plan_.members.begin(), plan_.members.end(),
                               [&](std::uint32_t b) { return always.contains(b) && may_jump(b); });
  if (any) sampling_ = &always;
}

ExprId TableComposer::sampled_node(ExprId id, ExprId guard, const std::vector<ExprId>& arguments) {
  program::Graph& graph = program_.graph;
  const ExprId plain = graph.rebuild(id, arguments);
  if (is_remainder(graph, id)) {
    const std::vector<ExprId> raw(graph.arguments(id).begin(), graph.arguments(id).end());
    const ExprId now = quotient_of(graph, id, arguments[0], arguments[1]);
    const ExprId after = rewrite_after(quotient_of(graph, id, raw[0], raw[1]), guard);
    return after == now ? plain : remainder_after(graph, plain, now, after, arguments[0], arguments[1]);
  }
  if (is_continuous_choice(graph, id) || is_difference(graph, id)) return rewrite(id, guard);
  if (!jumps(graph, id)) return plain;
  const ExprId after = rewrite_after(id, guard);
  return after == rewrite(id, guard) ? plain : after;
}

// What a body expression is just after the instant: time and states have moved on, what runs at events only has not.
ExprId TableComposer::rewrite_after(ExprId root, ExprId guard) {
  Memo& memo = after_memo_[guard];
  std::vector<ExprId> arguments;
  passes::visit_arguments_first(
      program_.graph, root, [&](ExprId id) { return memo.find(id) != memo.end(); },
      [&](ExprId id) {
        arguments.clear();
        for (const ExprId argument : program_.graph.arguments(id)) arguments.push_back(memo.at(argument));
        memo.emplace(id, arguments.empty() ? leaf_after(id, guard) : program_.graph.rebuild(id, arguments));
      });
  return memo.at(root);
}

ExprId TableComposer::leaf_after(ExprId id, ExprId guard) {
  const program::Node node = program_.graph[id];
  if (node.op == Op::time) return moving_after(program::no_slot);
  if (node.op != Op::read) return id;
  const auto slot = static_cast<SlotId>(node.payload);
  const SlotKind kind = program_.slots[slot].kind;
  if (kind == SlotKind::state) return moving_after(slot);
  return kind == SlotKind::signal ? signal_after(slot, guard) : rewrite(id, guard);
}

ExprId TableComposer::signal_after(SlotId slot, ExprId guard) {
  const auto value = computed_.find(slot);
  if (value == computed_.end()) return composed_after(rewrite(program_.read(slot), guard));
  const ExprId after = value->second.after == no_expr ? value->second.fresh : value->second.after;
  if (implies(guard, value->second.guard)) return after;
  return program_.graph.select(value->second.guard, after, composed_after(outside_value(slot)));
}

// The same for an expression of the program.
ExprId TableComposer::composed_after(ExprId root) {
  std::vector<ExprId> arguments;
  passes::visit_arguments_first(
      program_.graph, root, [&](ExprId id) { return composed_memo_.find(id) != composed_memo_.end(); },
      [&](ExprId id) {
        const program::Node node = program_.graph[id];
        arguments.clear();
        for (const ExprId argument : program_.graph.arguments(id)) arguments.push_back(composed_memo_.at(argument));
        ExprId after = arguments.empty() ? id : program_.graph.rebuild(id, arguments);
        if (node.op == Op::time) after = moving_after(program::no_slot);
        const bool is_state = node.op == Op::read && program_.slots[node.payload].kind == SlotKind::state;
        if (is_state) after = moving_after(static_cast<SlotId>(node.payload));
        composed_memo_.emplace(id, after);
      });
  return composed_memo_.at(root);
}

// A slot that holds a state, or the time, of just after the instant.
ExprId TableComposer::moving_after(SlotId state) {
  const auto known = signals_.after.find(state);
  if (known != signals_.after.end()) return program_.read(known->second);
  const ExprId value = state == program::no_slot ? program_.graph.time() : program_.read(state);
  const SlotId slot = program_.add_slot({"after", program_.graph.type(value), SlotKind::signal, 0});
  program_.sampled.push_back({slot, value, no_expr, 0});
  signals_.after.emplace(state, slot);
  return program_.read(slot);
}

}  // namespace orrery::compile
