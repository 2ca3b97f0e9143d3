// SPDX-License-Identifier: Apache-2.0
// Conditions inside a System as modes with surfaces, so that its equations are smooth while modes stay.
#pragma once

#include "equations/system.h"

namespace orrery::equations {

// Replaces corners and jumps of equations and given rates (passes/make_modes.h); System::surfaces says what bounds the
// modes, in terms of the system's variables.
void add_modes(System& system);

}  // namespace orrery::equations
