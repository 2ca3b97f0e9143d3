// SPDX-License-Identifier: Apache-2.0
// Right-hand sides written straight as Programs, for measurements of native code alone.
#pragma once

#include "program/program.h"

namespace orrery::bench {

// u' = 1 + u^2 v - 4 u + d u'', v' = 3 u - u^2 v + d v'' on a line of cells; states u1 v1 u2 v2 …
program::Program program_brusselator(int cells);
program::Program program_lorenz();

// Derivatives of n / 10 states from n statements on neighbours and random others.
program::Program program_statements(int n);
// The same as one flat C function `void rhs(double t, const double* x, double* dx)`.
std::string text_of_statements(int n);

}  // namespace orrery::bench
