// SPDX-License-Identifier: Apache-2.0
// What the world around a Program sees of it: ports of the top diagram, and the outputs of all blocks.
#pragma once

#include "compile/compose_table.h"
#include "compile/declare_probes.h"

namespace orrery::compile {

// Program::inputs and Program::outputs, once the sources are there.
void declare_interface(const FlatModel& model, const Bodies& bodies, const Activations& activations,
                       const ProbeIndex& probes, program::Program& program);

// Program::signals, once continuous time is there.
void declare_signals(const Bodies& bodies, const SignalValues& values, program::Program& program);

}  // namespace orrery::compile
