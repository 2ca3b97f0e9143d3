// SPDX-License-Identifier: Apache-2.0
// Probes on block outputs that the user names, besides the sinks of the diagram.
#pragma once

#include <string>
#include <vector>

#include "compile/compose_table.h"

namespace orrery::compile {

struct WatchedSignal {
  std::uint32_t block;
  int port;
  bool only;  // the block has no other output: the name needs no port
  program::SlotId slot;
  // States, memories and unknowns are shown through a signal of their own, which nothing else writes.
  program::ExprId value = program::no_expr;
  std::string name = {};
};

// Names are "/Plant/Mass", "Plant/Mass" or "/Plant/Mass:2", or "/Plant/Mass.x" of a state, a memory or an unknown;
// unknown ones are reported. Adds slots to the program.
std::vector<WatchedSignal> find_watched(const FlatModel& model, const Bodies& bodies,
                                        const std::vector<std::string>& names, program::Program& program,
                                        Diagnostics& diagnostics);

// Once continuous time and all tables are there.
void add_probes(const std::vector<WatchedSignal>& watched, const SignalValues& values, program::Program& program);

}  // namespace orrery::compile
