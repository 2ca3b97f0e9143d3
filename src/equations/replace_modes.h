// SPDX-License-Identifier: Apache-2.0
// Expressions with modes replaced by what they stand for, which may read further modes.
#pragma once

#include <unordered_map>
#include <vector>

#include "passes/visit.h"
#include "program/graph.h"

namespace orrery::equations {

// Every node is rebuilt once, however deep conditions lie in each other.
class ModeReplacement {
 public:
  explicit ModeReplacement(program::Graph& graph) : graph_(graph) {}

  void replace(program::SlotId mode, program::ExprId condition);
  // A condition that leads back to its own mode, through an algebraic loop, cannot take its place: such modes stay, one
  // at least of every cycle, and are returned. To be called before apply().
  std::vector<program::SlotId> keep_cycles();

  bool empty() const { return condition_.empty(); }
  program::ExprId apply(program::ExprId expression);  // no_expr stays no_expr

 private:
  program::ExprId condition_of(program::ExprId id) const;
  void cut_cycles();
  void cut(const std::vector<program::ExprId>& path, program::ExprId back_to);

  program::Graph& graph_;
  std::vector<program::SlotId> order_;
  std::unordered_map<program::SlotId, program::ExprId> condition_;
  std::vector<program::SlotId> kept_;
  passes::NodeMemo<program::ExprId> memo_{program::no_expr};
};

}  // namespace orrery::equations
