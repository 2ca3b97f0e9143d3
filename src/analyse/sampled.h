// SPDX-License-Identifier: Apache-2.0
// A model whose memories a clock changes, linearised as a sampled system: w(k+1) = a w(k) + b u(k), y(k) = c w(k) + d
// u(k). Between the instants the continuous part moves as its linear model at the point does, with inputs held.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyse/event_memories.h"
#include "analyse/linearise.h"

namespace orrery::analyse {

// When the memories of a model change. With several rates the system is lifted: one step is the time after which all
// rates begin anew, and inputs and outputs are those of all instants of the step, one after the other.
struct SampleTimes {
  std::uint32_t source = 0;  // whose table changes them
  double period = 0;         // 0: the source programs itself, after `delay`
  program::ExprId delay = program::no_expr;
  std::vector<double> instants;           // within the period, from 0, ascending
  std::vector<std::int64_t> ticks;        // of the clock domain, by instant
  std::vector<program::SlotId> memories;  // that respond, of doubles, ascending
  std::vector<program::SlotId> outside;   // that they read, of blocks which are not asked for
};

// Of the request's states and outputs; memories of blocks whose path begins with the prefix belong to the linear model.
// Nothing, and a diagnostic that names the blocks, where their events have no common rhythm; no memories: the model is
// continuous.
std::optional<SampleTimes> find_sample_times(const program::Program& program, const LinearRequest& request,
                                             const std::string& prefix, Diagnostics& diagnostics);

struct SampledPoint {
  LinearPoint
      linear;  // its states are `states`, then `memories` but for those that nobody reads before they are written
  std::vector<program::SlotId> states, memories;
  double period = 0;
  std::vector<double> instants;
  // Elements of what is outside that act on the model although no port leads there.
  std::vector<program::SlotId> reached_by;
};

// Of the states inside; the others, and memories outside, count as constants.
std::optional<SampledPoint> linearise_sampled(const sim::CompiledProgram& compiled, sim::Simulation& run,
                                              const LinearRequest& request,
                                              const std::vector<program::SlotId>& states_outside,
                                              const SampleTimes& times, Diagnostics& diagnostics);

}  // namespace orrery::analyse
