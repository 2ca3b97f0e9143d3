// SPDX-License-Identifier: Apache-2.0
// Algebraic Riccati and Lyapunov equations.
#pragma once

#include "math/matrix.h"

namespace orrery::math {

struct RiccatiSolution {
  RealMatrix x;           // the stabilising solution, symmetric
  RealMatrix k;           // the optimal feedback u = -k x
  bool singular = false;  // a matrix that was inverted on the way was singular to working precision
};

// a' x + x a - x b r^-1 b' x + q = 0. An Error when there is no stabilising solution.
RiccatiSolution solve_care(const RealMatrix& a, const RealMatrix& b, const RealMatrix& q, const RealMatrix& r);
// a' x a - x - a' x b (r + b' x b)^-1 b' x a + q = 0; a and r may be singular.
RiccatiSolution solve_dare(const RealMatrix& a, const RealMatrix& b, const RealMatrix& q, const RealMatrix& r);

// a x + x b + q = 0
ComplexMatrix solve_sylvester(const ComplexMatrix& a, const ComplexMatrix& b, const ComplexMatrix& q);
// a x a' - x + q = 0 as one system of n^2 equations.
RealMatrix solve_discrete_lyapunov(const RealMatrix& a, const RealMatrix& q, bool& singular);

}  // namespace orrery::math
