// SPDX-License-Identifier: Apache-2.0
// Nonlinear least squares.
#pragma once

#include <functional>
#include <vector>

#include "math/matrix.h"

namespace orrery::math {

struct LeastSquaresOptions {
  std::vector<double> low = {}, high = {};  // bounds of the first unknowns
  double function_tolerance = 1e-12, step_tolerance = 1e-12;
  int iterations = 400;
};

struct LeastSquares {
  std::vector<double> x, residual;
  RealMatrix jacobian;     // of the last point but one; empty: there was no iteration
  bool converged = false;  // else the iterations ran out
  int iterations = 0;
};

// The x near the given one with the smallest sum of squares of the residuals: Levenberg and Marquardt's method (Nocedal
// and Wright, Numerical Optimization, 10.3) with a Jacobian by differences; bounds are kept by projection.
LeastSquares levenberg_marquardt(const std::function<std::vector<double>(const std::vector<double>& x)>& residual,
                                 std::vector<double> x, const LeastSquaresOptions& options = {});

}  // namespace orrery::math
