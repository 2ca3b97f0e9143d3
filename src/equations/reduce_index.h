// SPDX-License-Identifier: Apache-2.0
// Equations that constrain states are differentiated until they determine the unknowns that are left.
#pragma once

#include <functional>

#include "base/diagnostic.h"
#include "equations/system.h"

namespace orrery::equations {

// Which equations have to be differentiated is found by Pantelides' algorithm (SIAM J. Sci. Stat. Comput. 9, 1988).
// All candidates stay states: what an equation said before it was differentiated becomes an invariant, to which
// solvers put the states back (Activate, 10.3), so no choice of states can become singular on the way. An unknown whose
// derivative turns up becomes a state, and its derivative a new unknown (Variable::derivative).
//
// Nothing changes where the equations determine their unknowns as they are. The structure must have been checked
// (check_structure.h). False: an equation cannot be differentiated, or no end comes (reported).
[[nodiscard]] bool reduce_index(System& system, Diagnostics& diagnostics,
                                const std::function<bool()>& interrupted = {});

}  // namespace orrery::equations
