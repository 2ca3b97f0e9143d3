// SPDX-License-Identifier: Apache-2.0
// Whether the equations of a System can determine its variables at all, and what is said when they cannot.
#pragma once

#include "base/diagnostic.h"
#include "equations/system.h"

namespace orrery::equations {

// By structure, a variable and its derivatives counting as one: there is then an index, however high. False: reported.
[[nodiscard]] bool check_structure(const System& system, Diagnostics& diagnostics);

}  // namespace orrery::equations
