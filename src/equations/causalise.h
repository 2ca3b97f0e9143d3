// SPDX-License-Identifier: Apache-2.0
// A System to the continuous part of its Program: states, derivatives, loops, invariants.
#pragma once

#include <functional>

#include "base/diagnostic.h"
#include "equations/system.h"
#include "equations/unfold.h"

namespace orrery::equations {

// Aliases go, constraints are differentiated (reduce_index.h), equations are matched, put in order and grouped. What a
// group gives as a formula takes the place of its unknowns: single equations, what tearing leaves of larger groups, and
// linear ones as a whole. The rest becomes loops of continuous time.
//
// All variables have scalar slots of their own. States become states of the Program, eliminated variables signals that
// nobody computes: `values` says what they are, and every other expression that reads variables is to be sent through
// it. False: the equations do not determine the variables, or cannot be brought into this form (reported).
[[nodiscard]] bool causalise(System& system, Unfolding& values, Diagnostics& diagnostics,
                             const std::function<bool()>& interrupted = {});

}  // namespace orrery::equations
