// SPDX-License-Identifier: Apache-2.0
// Collecting slot reads of small expressions.
#include "compile/reads.h"

#include <unordered_set>

namespace orrery::compile {

using program::ExprId;
using program::SlotId;

const std::vector<SlotId>& Reads::of(ExprId expr) {
  const auto at = known_.find(expr);
  if (at != known_.end()) return at->second;
  std::vector<SlotId> slots;
  std::unordered_set<SlotId> known;
  std::vector<ExprId> stack{expr};
  std::unordered_set<ExprId> seen;
  while (!stack.empty()) {
    const ExprId id = stack.back();
    stack.pop_back();
    if (!seen.insert(id).second) continue;
    const program::Node& node = program_.graph[id];
    if (node.op == program::Op::read) {
      const auto slot = static_cast<SlotId>(node.payload);
      if (known.insert(slot).second) slots.push_back(slot);
    }
    const auto arguments = program_.graph.arguments(id);
    for (std::size_t k = arguments.size(); k-- > 0;) stack.push_back(arguments[k]);
  }
  return known_.emplace(expr, std::move(slots)).first->second;
}

}  // namespace orrery::compile
