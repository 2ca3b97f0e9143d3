// SPDX-License-Identifier: Apache-2.0
// How badly conditioned the matrices of Newton's iteration are: for reports, not for the loop.
#pragma once

#include "solve/integrator.h"

namespace orrery::solve {

// An estimate of the condition number, in the norm of column sums, of I - h J with J in the order of the pattern
// (Hager, SIAM J. Sci. Stat. Comput. 5, 1984). Infinity: singular. h = 0 makes it 1. Of a DAE, only the first
// `differential` rows have a derivative (-1: all): the matrix is M / h - J with ones for them in M.
double newton_condition(const Sparsity& pattern, const double* jacobian, double h, int differential = -1);

}  // namespace orrery::solve
