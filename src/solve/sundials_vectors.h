// SPDX-License-Identifier: Apache-2.0
// Serial vectors of SUNDIALS with our own loops.
#pragma once

#include "solve/sundials_memory.h"

namespace orrery::solve {

// A serial vector whose sums, scalings and norms work on pairs of numbers and look for no special cases; its clones do
// so, too. Elements are what SUNDIALS' own loops give, to the last bit; the norm adds its squares in another order.
Vector new_vector(int n, SUNContext context);

}  // namespace orrery::solve
