// SPDX-License-Identifier: Apache-2.0
// Collecting slot reads of small expressions.
#include "compile/reads.h"

namespace orrery::compile {

using program::ExprId;
using program::SlotId;

Reads::Reads(const program::Program& program, const Bodies& bodies) : program_(program) {
  for (const blocks::Body& body : bodies.of_block) {
    for (const blocks::ModeRule& mode : body.modes) condition_.emplace(mode.mode, mode.condition);
  }
}

void Reads::collect(ExprId expr, Found& found) {
  std::vector<ExprId> stack{expr};
  std::unordered_set<ExprId> seen;
  while (!stack.empty()) {
    const ExprId id = stack.back();
    stack.pop_back();
    if (!seen.insert(id).second) continue;
    const program::Node& node = program_.graph[id];
    if (node.op == program::Op::read) {
      const auto slot = static_cast<SlotId>(node.payload);
      if (found.known.insert(slot).second) found.slots.push_back(slot);
    }
    const auto arguments = program_.graph.arguments(id);
    for (std::size_t k = arguments.size(); k-- > 0;) stack.push_back(arguments[k]);
  }
}

const std::vector<SlotId>& Reads::of(ExprId expr, bool relaxed) {
  auto& known = known_[relaxed ? 1 : 0];
  const auto at = known.find(expr);
  if (at != known.end()) return at->second;
  Found found;
  collect(expr, found);
  for (std::size_t k = 0; relaxed && k < found.slots.size(); ++k) {
    const auto mode = condition_.find(found.slots[k]);
    if (mode != condition_.end()) collect(mode->second, found);  // appends; the list grows while we walk it
  }
  return known.emplace(expr, std::move(found.slots)).first->second;
}

}  // namespace orrery::compile
