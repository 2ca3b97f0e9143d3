// SPDX-License-Identifier: Apache-2.0
// Depth-first over expressions in which a mode has its condition for an argument.
#include "equations/replace_modes.h"

#include <algorithm>

namespace orrery::equations {

using program::ExprId;
using program::no_expr;
using program::SlotId;

void ModeReplacement::replace(SlotId mode, ExprId condition) {
  if (condition_.emplace(mode, condition).second) order_.push_back(mode);
}

ExprId ModeReplacement::condition_of(ExprId id) const {
  const program::Node& node = graph_[id];
  if (node.op != program::Op::read) return no_expr;
  const auto found = condition_.find(static_cast<SlotId>(node.payload));
  return found == condition_.end() ? no_expr : found->second;
}

// The path leads from an expression back to one on it: the innermost mode on this cycle stays.
void ModeReplacement::cut(const std::vector<ExprId>& path, ExprId back_to) {
  SlotId innermost = program::no_slot;
  for (std::size_t k = path.size(); k-- > 0;) {
    if (condition_of(path[k]) != no_expr) {
      const auto mode = static_cast<SlotId>(graph_[path[k]].payload);
      if (std::ranges::find(kept_, mode) != kept_.end()) return;
      if (innermost == program::no_slot) innermost = mode;
    }
    if (path[k] == back_to) break;
  }
  kept_.push_back(innermost);
}

// A mode that is kept lies on the way that was walked, which need not be on every cycle that closes there: the walk is
// repeated until it finds none.
std::vector<SlotId> ModeReplacement::keep_cycles() {
  for (std::size_t before = kept_.size();; before = kept_.size()) {
    cut_cycles();
    if (kept_.size() == before) return kept_;
    for (std::size_t k = before; k < kept_.size(); ++k) condition_.erase(kept_[k]);
  }
}

void ModeReplacement::cut_cycles() {
  enum : std::uint8_t { fresh, open, done };
  passes::NodeMemo<std::uint8_t> state(fresh);
  std::vector<ExprId> stack, path;
  const auto go_on_to = [&](ExprId next) {
    if (state[next] == open) cut(path, next);
    if (state[next] == fresh) stack.push_back(next);
  };
  for (const SlotId mode : order_) {
    const auto known = condition_.find(mode);
    if (known == condition_.end()) continue;
    stack.push_back(known->second);
    while (!stack.empty()) {
      const ExprId id = stack.back();
      if (state[id] == fresh) {
        state.set(id, open);
        path.push_back(id);
        if (const ExprId condition = condition_of(id); condition != no_expr) go_on_to(condition);
        for (const ExprId argument : graph_.arguments(id)) go_on_to(argument);
        continue;
      }
      if (state[id] == open) {
        state.set(id, done);
        path.pop_back();
      }
      stack.pop_back();
    }
  }
}

ExprId ModeReplacement::apply(ExprId expression) {
  if (expression == no_expr || condition_.empty()) return expression;
  std::vector<ExprId> scratch;
  const auto needs = [&](ExprId id, const auto& ask) {
    if (const ExprId condition = condition_of(id); condition != no_expr) return ask(condition);
    for (const ExprId argument : graph_.arguments(id)) ask(argument);
  };
  passes::visit_needed_first(
      expression, needs, [&](ExprId id) { return memo_[id] != no_expr; },
      [&](ExprId id) {
        const ExprId condition = condition_of(id);
        memo_.set(id, condition != no_expr ? memo_[condition] : passes::rebuilt(graph_, id, memo_, scratch));
      });
  return memo_[expression];
}

}  // namespace orrery::equations
