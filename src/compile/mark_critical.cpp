// SPDX-License-Identifier: Apache-2.0
// Criticality from what continuous time reads.
#include "compile/mark_critical.h"

#include <algorithm>

#include "passes/slice.h"

namespace orrery::compile {

void mark_critical(program::Program& program) {
  std::vector<program::ExprId> continuous = program.derivatives;
  for (const program::Surface& surface : program.surfaces) {
    if (!surface.shown) continuous.push_back(surface.value);
  }
  for (const program::Loop& loop : program.loops) {
    if (loop.source == program::Loop::continuous)
      continuous.insert(continuous.end(), loop.residuals.begin(), loop.residuals.end());
  }
  for (const program::History& history : program.histories) continuous.push_back(history.value);
  std::vector<bool> read(program.slots.size(), false);
  for (program::SlotId slot : passes::slots_read(program.graph, continuous)) read[slot] = true;
  for (program::Source& source : program.sources) {
    // Whether a foreign procedure changes something shows only when it ran: after a step the run asks it, elsewhere
    // the integrator must stop at it anyway.
    const bool calls =
        source.kind != program::SourceKind::step && std::any_of(source.table.calls.begin(), source.table.calls.end(),
                                                                [](const auto& c) { return !c.results.empty(); });
    source.table.critical =
        calls || std::any_of(source.table.assigns.begin(), source.table.assigns.end(), [&](const auto& assign) {
          return program.slots[assign.slot].kind == program::SlotKind::state || read[assign.slot];
        });
  }
}

}  // namespace orrery::compile
