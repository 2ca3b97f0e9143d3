// SPDX-License-Identifier: Apache-2.0
// Rebuilds expressions with slots, or single elements of slots, replaced by other expressions.
#pragma once

#include <unordered_map>
#include <vector>

#include "passes/visit.h"
#include "program/graph.h"

namespace orrery::passes {

// Replacements are not themselves searched: apply() replaces once, everywhere, at the same time. What was rebuilt is
// remembered, so many expressions with common parts cost as much as one.
class Substitution {
 public:
  explicit Substitution(program::Graph& graph) : graph_(graph) {}

  // Types must agree. Setting something after apply() forgets what was rebuilt before.
  void set(program::SlotId slot, program::ExprId value);
  void set_element(program::SlotId slot, std::int64_t index, program::ExprId value);
  // Any node: time, a clock, or a whole subexpression.
  void set_node(program::ExprId node, program::ExprId value);

  program::ExprId apply(program::ExprId expression);  // no_expr stays no_expr

 private:
  void rebuild(program::ExprId id);
  program::ExprId replacement(program::ExprId id);

  program::Graph& graph_;
  std::unordered_map<program::SlotId, program::ExprId> slots_;
  std::unordered_map<program::SlotId, std::unordered_map<std::int64_t, program::ExprId>> elements_;
  std::unordered_map<program::ExprId, program::ExprId> nodes_;
  NodeMemo<program::ExprId> memo_{program::no_expr};
  std::vector<program::ExprId> arguments_;
};

}  // namespace orrery::passes
