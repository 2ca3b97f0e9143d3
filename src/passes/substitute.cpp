// SPDX-License-Identifier: Apache-2.0
// Replacement of slots in expressions.
#include "passes/substitute.h"

#include "base/check.h"

namespace orrery::passes {

using namespace program;

void Substitution::set(SlotId slot, ExprId value) {
  slots_[slot] = value;
  memo_.clear();
}

void Substitution::set_element(SlotId slot, std::int64_t index, ExprId value) {
  elements_[slot][index] = value;
  memo_.clear();
}

void Substitution::set_node(ExprId node, ExprId value) {
  ORRERY_CHECK(graph_.type(node) == graph_.type(value));
  nodes_[node] = value;
  memo_.clear();
}

ExprId Substitution::apply(ExprId expression) {
  if (expression == no_expr) return no_expr;
  visit_arguments_first(
      graph_, expression, [&](ExprId id) { return memo_[id] != no_expr; }, [&](ExprId id) { rebuild(id); });
  return memo_[expression];
}

ExprId Substitution::replacement(ExprId id) {
  Node node = graph_[id];
  if (auto found = nodes_.find(id); found != nodes_.end()) return found->second;
  if (node.op == Op::read) {
    auto slot = static_cast<SlotId>(node.payload);
    if (auto found = slots_.find(slot); found != slots_.end()) {
      ORRERY_CHECK(graph_.type(found->second) == node.type);
      return found->second;
    }
    auto found = elements_.find(slot);
    if (found == elements_.end()) return no_expr;
    std::vector<ExprId> scalars;
    for (std::int64_t k = 0; k < node.type.size(); ++k) {
      auto element = found->second.find(k);
      scalars.push_back(element != found->second.end() ? element->second : graph_.element(id, k));
    }
    return graph_.stack(node.type, scalars);
  }
  if (node.op == Op::element && !elements_.empty()) {
    const Node& source = graph_[graph_.arguments(id)[0]];
    if (source.op != Op::read) return no_expr;
    auto found = elements_.find(static_cast<SlotId>(source.payload));
    if (found == elements_.end()) return no_expr;
    auto element = found->second.find(static_cast<std::int64_t>(node.payload));
    return element != found->second.end() ? element->second : id;
  }
  return no_expr;
}

void Substitution::rebuild(ExprId id) {
  const ExprId value = replacement(id);
  memo_.set(id, value != no_expr ? value : rebuilt(graph_, id, memo_, arguments_));
}

}  // namespace orrery::passes
