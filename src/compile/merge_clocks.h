// SPDX-License-Identifier: Apache-2.0
// All SampleClock and ReSampleClock blocks of a SyncTag domain become one base clock with exact sub-sampling (1.4.2);
// so do, apart from these, the clocks that tick before all other events.
#pragma once

#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "compile/build_bodies.h"
#include "compile/flat_model.h"

namespace orrery::compile {

struct ClockOutput {
  std::uint32_t clock;   // index into Program::clocks
  std::uint32_t domain;  // index into Program::domains
  bool first;            // the domain ticks before all other events of the instant
};
using ClockOutputs = std::vector<std::pair<PortOf, ClockOutput>>;

// Fills Program::clocks and Program::domains; says which activation output ticks with which clock.
ClockOutputs merge_clocks(const FlatModel& model, const Bodies& bodies, program::Program& program,
                          Diagnostics& diagnostics);

}  // namespace orrery::compile
