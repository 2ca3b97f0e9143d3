// SPDX-License-Identifier: Apache-2.0
// Variables that are another one, or its negative, by an equation that says no more: a = b, a = -b, a + b = 0.
#pragma once

#include "equations/system.h"

namespace orrery::equations {

// Removes these equations; System::aliases says what the variables are, each of one that stays. States stay rather than
// others, then those that are to start at a fixed value, then those that are preferred. Derivatives of aliases are
// aliases. All other expressions of the system read what stays. One sweep, near-linear.
void eliminate_aliases(System& system);

}  // namespace orrery::equations
