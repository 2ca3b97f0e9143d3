// SPDX-License-Identifier: Apache-2.0
// Eigenvalues, singular values and what follows from them.
#pragma once

#include "math/matrix.h"

namespace orrery::math {

// Eigenvalues w and vectors v (n by n) of a square matrix, which is destroyed; a symmetric or Hermitian one is noticed
// and has exactly real eigenvalues and orthogonal vectors.
void eigen(int n, double* a, Complex* w, Complex* v);
void eigen(int n, Complex* a, Complex* w, Complex* v);
std::vector<Complex> eigenvalues(RealMatrix a);

// Largest first. An Error for Inf and NaN.
std::vector<double> singular_values(RealMatrix a);
std::vector<double> singular_values(ComplexMatrix a);
// Singular values above the tolerance, by default that of a rounding of the largest.
double rank_tolerance(Index rows, Index cols, const std::vector<double>& s);
Index rank(const RealMatrix& a);

}  // namespace orrery::math
