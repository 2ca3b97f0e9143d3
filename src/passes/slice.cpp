// SPDX-License-Identifier: Apache-2.0
// Collects the leaves below a set of expressions.
#include "passes/slice.h"

#include <algorithm>

#include "program/evaluate.h"

namespace orrery::passes {

using namespace program;

namespace {

template <class T>
void sort_unique(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

Needs slice(const Graph& graph, std::span<const ExprId> expressions) {
  Needs needs;
  for (ExprId id : reachable(graph, expressions)) {
    const Node& node = graph[id];
    if (node.op == Op::read) needs.slots.push_back(static_cast<SlotId>(node.payload));
    if (node.op == Op::time) needs.time = true;
    if (node.op == Op::clock_active) needs.clocks.push_back(static_cast<std::uint32_t>(node.payload));
    if (node.op == Op::foreign) needs.foreign.push_back(static_cast<std::uint32_t>(node.payload >> 8));
  }
  sort_unique(needs.slots);
  sort_unique(needs.clocks);
  sort_unique(needs.foreign);
  return needs;
}

std::vector<SlotId> slots_read(const Graph& graph, std::span<const ExprId> expressions) {
  return slice(graph, expressions).slots;
}

}  // namespace orrery::passes
