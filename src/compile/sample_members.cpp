// SPDX-License-Identifier: Apache-2.0
// Blocks that an event activates and that are always active as well: what jumps in them is decided just after the
// instant, with what this event makes of its inputs (docs/semantics.md, 4.6).
#include <algorithm>

#include "compile/compose_table.h"
#include "compile/jumps.h"
#include "passes/visit.h"
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
  const ExprId sampled = rewrite(
      sampled_memo_[guard], root, [&](ExprId id) { return leaf_now(id, guard); },
      [&](ExprId id, const std::vector<ExprId>& arguments) { return sampled_node(id, guard, arguments); });
  return sampled != standing && may_lack_value(sampled) ? with_value(program_.graph, sampled, standing) : sampled;
}

bool TableComposer::may_lack_value(ExprId root) {
  return signals_.lacking(program_.graph, root,
                          [&](ExprId id) { return program::may_lack_value(program_.graph, {}, id); });
}

bool TableComposer::may_jump(std::uint32_t block) {
  const blocks::Body& body = bodies_.of_block[block];
  const auto any_jump = [&](ExprId root) {
    return root != no_expr && signals_.jumping(program_.graph, root, [&](ExprId id) {
      return jumps(program_.graph, id) || is_remainder(program_.graph, id);
    });
  };
  return std::any_of(body.outputs.begin(), body.outputs.end(), any_jump) ||
         std::any_of(body.passes.begin(), body.passes.end(),
                     [&](const auto& pass) { return any_jump(pass.condition); });
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
  return rewrite(
      after_memo_[guard], root, [&](ExprId id) { return leaf_after(id, guard); },
      [&](ExprId id, const std::vector<ExprId>& arguments) { return program_.graph.rebuild(id, arguments); });
}

ExprId TableComposer::leaf_after(ExprId id, ExprId guard) {
  const program::Node node = program_.graph[id];
  if (const ExprId piece = piece_of(id); piece != no_expr) return composed_after(piece);
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

// The same for an expression of the program. The unknowns of a loop that this table solves are as they stand.
ExprId TableComposer::composed_after(ExprId root) {
  std::vector<ExprId> scratch;
  passes::visit_arguments_first(
      program_.graph, root, [&](ExprId id) { return composed_memo_[id] != no_expr; },
      [&](ExprId id) {
        const program::Node node = program_.graph[id];
        ExprId after = passes::rebuilt(program_.graph, id, composed_memo_, scratch);
        if (node.op == Op::time) after = moving_after(program::no_slot);
        const bool is_state = node.op == Op::read && program_.slots[node.payload].kind == SlotKind::state;
        if (is_state) after = moving_after(static_cast<SlotId>(node.payload));
        composed_memo_.set(id, after);
      });
  return composed_memo_[root];
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
