// SPDX-License-Identifier: Apache-2.0
// Conditions inside the equations of event tables and of fixed steps become modes of their loops.
#pragma once

#include "program/program.h"

namespace orrery::passes {

// Corners and jumps that depend on the unknowns of a loop are replaced by modes that are settled together with them
// (Loop::modes), so that each choice of them is a smooth system. The table that the loop belongs to reads the same
// modes. Loops of continuous time have the modes of Program::surfaces already, unless steps are fixed.
void own_modes(program::Program& program);
// The same for one loop, whatever it belongs to, and for nothing but it.
void own_modes(program::Program& program, program::Loop& loop);

}  // namespace orrery::passes
