// SPDX-License-Identifier: Apache-2.0
// The table of one activation source: outputs, then state updates, then event programming (Activate, 1.4).
#pragma once

#include "compile/compose_table.h"
#include "compile/declare_probes.h"

namespace orrery::compile {

// Clears ok when the table has an algebraic loop.
program::Source lower_table(const FlatModel& model, const Bodies& bodies, const Activations& activations,
                            const Plan& plan, Reads& reads, SignalValues& values, const ProbeIndex& probes,
                            program::Program& program, Diagnostics& diagnostics, bool& ok);

}  // namespace orrery::compile
