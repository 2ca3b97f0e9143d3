// SPDX-License-Identifier: Apache-2.0
// One pass over the graph, arguments before what is made of them.
#include "compile/time_dependence.h"

#include <unordered_map>

#include "passes/slice.h"

namespace orrery::compile {

using program::ExprId;
using program::SlotId;
using program::SlotKind;

bool is_arithmetic(program::Op op) {
  using enum program::Op;
  return op == neg || op == add || op == sub || op == mul || op == div;
}

std::vector<std::uint8_t> time_dependence(const program::Program& program, const std::vector<bool>& bent_slots) {
  const program::Graph& graph = program.graph;
  std::vector<std::uint8_t> depends(graph.size(), 0);
  std::unordered_map<SlotId, std::uint8_t> unknown_depends;
  for (const program::Loop& loop : program.loops) {
    const passes::Needs needs = passes::slice(graph, loop.residuals);
    std::uint8_t reads = needs.time ? on_time | bent : 0;
    for (SlotId slot : needs.slots) {
      if (program.slots[slot].kind == SlotKind::state) reads |= on_state;
      if (const auto known = unknown_depends.find(slot); known != unknown_depends.end()) reads |= known->second;
    }
    for (SlotId unknown : loop.unknowns) unknown_depends[unknown] = reads;
  }
  for (ExprId id = 0; id < graph.size(); ++id) {
    const program::Node& node = graph[id];
    if (node.op == program::Op::time) depends[id] = on_time;
    if (node.op == program::Op::read) {
      const auto slot = static_cast<SlotId>(node.payload);
      if (program.slots[slot].kind == SlotKind::state) depends[id] = on_state;
      if (const auto known = unknown_depends.find(slot); known != unknown_depends.end()) depends[id] = known->second;
      if (slot < bent_slots.size() && bent_slots[slot]) depends[id] |= on_time | bent;
    }
    int timed = 0;
    for (ExprId argument : graph.arguments(id)) {
      depends[id] |= depends[argument];
      timed += (depends[argument] & on_time) != 0 ? 1 : 0;
    }
    const bool product = (node.op == program::Op::mul && timed > 1) ||
                         (node.op == program::Op::div && (depends[graph.arguments(id)[1]] & on_time) != 0);
    if (timed > 0 && (!is_arithmetic(node.op) || product)) depends[id] |= bent;
  }
  return depends;
}

}  // namespace orrery::compile
