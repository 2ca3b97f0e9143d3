// SPDX-License-Identifier: Apache-2.0
// The continuous part of a Program: states, derivatives, surfaces with their modes, continuous probes.
#pragma once

#include "compile/compose_table.h"

namespace orrery::compile {

// `always` has evaluated its outputs. `watched` are signals that are shown besides those of probes. Fills values.always
// for the tables that follow.
void lower_continuous(const Bodies& bodies, const Activations& activations, TableComposer& always,
                      const std::vector<program::SlotId>& watched, program::Program& program, SignalValues& values);

}  // namespace orrery::compile
