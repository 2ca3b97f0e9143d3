// SPDX-License-Identifier: Apache-2.0
// Collecting slot reads of small expressions.
#include "compile/reads.h"

#include <utility>

namespace orrery::compile {

using program::ExprId;
using program::SlotId;

const std::vector<SlotId>& Reads::of(ExprId expr) {
  const auto at = known_.find(expr);
  if (at != known_.end()) return at->second;
  std::vector<SlotId> slots;
  seen_.resize(program_.graph.size(), 0);
  read_.resize(program_.slots.size(), 0);
  ++question_;
  stack_.assign(1, expr);
  while (!stack_.empty()) {
    const ExprId id = stack_.back();
    stack_.pop_back();
    if (std::exchange(seen_[id], question_) == question_) continue;
    const program::Node& node = program_.graph[id];
    if (node.op == program::Op::read && std::exchange(read_[node.payload], question_) != question_) {
      slots.push_back(static_cast<SlotId>(node.payload));
    }
    const auto arguments = program_.graph.arguments(id);
    for (std::size_t k = arguments.size(); k-- > 0;) stack_.push_back(arguments[k]);
  }
  return known_.emplace(expr, std::move(slots)).first->second;
}

}  // namespace orrery::compile
