// SPDX-License-Identifier: Apache-2.0
// Jumps of continuous signals as events read them: decided just after the instant (docs/semantics.md, 4.6).
#pragma once

#include "compile/compose_table.h"

namespace orrery::compile {

// Comparisons, floor and the like of what moves, in the values of always active signals that events read, become slots
// of program.sampled. What is continuous at its corner (min, max, abs) is left as it stands.
void sample_conditions(program::Program& program, SignalValues& values);

}  // namespace orrery::compile
