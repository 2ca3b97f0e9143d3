// SPDX-License-Identifier: Apache-2.0
// What the world around a Program sees of it: ports of the top diagram, and the outputs of all blocks.
#pragma once

#include "compile/compose_table.h"
#include "compile/declare_probes.h"

namespace orrery::compile {

// Program::inputs and Program::outputs, once the sources are there.
void declare_interface(const FlatModel& model, const Bodies& bodies, const Activations& activations,
                       const ProbeIndex& probes, program::Program& program);

// Program::variables, once continuous time is there; those of block outputs only where they are kept.
void declare_variables(const Bodies& bodies, const SignalValues& values, bool keep_signals, program::Program& program);

}  // namespace orrery::compile
