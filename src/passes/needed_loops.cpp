// SPDX-License-Identifier: Apache-2.0
// From unknowns to loops, until nothing new is read.
#include "passes/needed_loops.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "passes/slice.h"

namespace orrery::passes {

using namespace program;

LoopNeeds needed_loops(const Program& program, std::span<const ExprId> expressions, std::int32_t source) {
  LoopNeeds needs;
  needs.slots = slots_read(program.graph, expressions);
  // Unknowns, and modes that may be those of a loop.
  const auto is_unknown = [&](SlotId slot) {
    return program.slots[slot].kind == SlotKind::unknown || program.slots[slot].kind == SlotKind::mode;
  };
  if (std::none_of(needs.slots.begin(), needs.slots.end(), is_unknown)) return needs;

  std::unordered_map<SlotId, std::uint32_t> loop_of;
  for (std::uint32_t k = 0; k < program.loops.size(); ++k) {
    const Loop& loop = program.loops[k];
    if (loop.source != source && loop.source != Loop::continuous) continue;
    for (SlotId unknown : loop.unknowns) {
      const auto [at, fresh] = loop_of.emplace(unknown, k);
      if (!fresh && loop.source == source) at->second = k;
    }
    for (const Surface& mode : loop.modes) loop_of.emplace(mode.mode, k);
  }
  std::set<std::uint32_t> loops;
  std::set<SlotId> slots(needs.slots.begin(), needs.slots.end());
  std::vector<SlotId> open(needs.slots);
  while (!open.empty()) {
    const SlotId slot = open.back();
    open.pop_back();
    if (!is_unknown(slot)) continue;
    const auto found = loop_of.find(slot);
    if (found == loop_of.end() || !loops.insert(found->second).second) continue;
    std::vector<ExprId> read_by = program.loops[found->second].residuals;
    for (const Surface& mode : program.loops[found->second].modes) {
      read_by.insert(read_by.end(), {mode.value, mode.settled});
    }
    for (SlotId read : slots_read(program.graph, read_by)) {
      if (slots.insert(read).second) open.push_back(read);
    }
  }
  needs.loops.assign(loops.begin(), loops.end());
  needs.slots.assign(slots.begin(), slots.end());
  return needs;
}

}  // namespace orrery::passes
