// SPDX-License-Identifier: Apache-2.0
// Probes on block outputs that the user names, besides the sinks of the diagram.
#pragma once

#include <string>
#include <vector>

#include "compile/compose_table.h"

namespace orrery::compile {

// Names are "/Plant/Mass", "Plant/Mass" or "/Plant/Mass:2". False when one is unknown (reported).
bool watch_signals(const FlatModel& model, const Bodies& bodies, const std::vector<std::string>& names,
                   const SignalValues& values, program::Program& program, Diagnostics& diagnostics);

}  // namespace orrery::compile
