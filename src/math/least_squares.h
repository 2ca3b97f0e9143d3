// SPDX-License-Identifier: Apache-2.0
// Nonlinear least squares.
#pragma once

#include <functional>
#include <vector>

#include "math/matrix.h"

namespace orrery::math {

enum class LeastSquaresMethod {
  dogleg,     // Powell's (Nocedal and Wright, Numerical Optimization, 4.1 and 10.3), from a first radius of 1
  marquardt,  // Levenberg and Marquardt's, scaled by the columns of the Jacobian (Moré 1978), damped as Nielsen does
};

struct LeastSquaresOptions {
  LeastSquaresMethod method = LeastSquaresMethod::dogleg;
  std::vector<double> low = {}, high = {};  // bounds of the first unknowns
  double function_tolerance = 1e-12, step_tolerance = 1e-12;
  int iterations = 400;
  int calls = 1'000'000;  // looked at between iterations; a Jacobian counts as two for each unknown
  // A row for each residual. Nothing: central differences.
  std::function<RealMatrix(const std::vector<double>& x)> jacobian = {};
};

// Why a search has ended; the numbers are those that scripts see.
enum class SearchEnd {
  small_radius = -3,  // no step of any length is better
  limit = 0,          // of iterations or calls
  small_residual = 1,
  small_step = 2,
  small_relative_gain = 3,
  small_relative_step = 4,
};

struct LeastSquares {
  std::vector<double> x, residual;
  RealMatrix jacobian;  // of the last point but one; empty: there was no iteration
  SearchEnd end = SearchEnd::limit;
  int iterations = 0;
  std::vector<std::vector<double>> path;  // the start and the point after each iteration
  std::vector<double> squares;            // the sums of squares there

  bool converged() const { return static_cast<int>(end) > 0; }
};

// The x near the given one with the smallest sum of squares of the residuals; bounds are kept by projection. Where a
// residual is not a number, steps get shorter.
LeastSquares least_squares(const std::function<std::vector<double>(const std::vector<double>& x)>& residual,
                           std::vector<double> x, const LeastSquaresOptions& options = {});

// Numbers of which some are residuals and some constraints, in any order, with one Jacobian for all of them.
struct ConstrainedSquares {
  std::function<std::vector<double>(const std::vector<double>& x)> numbers;
  std::function<RealMatrix(const std::vector<double>& x)> jacobian;
  std::vector<std::size_t> residuals;
  std::vector<std::size_t> inequalities, equalities;  // not above zero, and zero
};

// The same under constraints, by an augmented Lagrangian (Nocedal and Wright, 17.3), which is a sum of squares again.
// The residual of the answer has the numbers of all; its Jacobian is theirs.
LeastSquares constrained_least_squares(const ConstrainedSquares& problem, std::vector<double> x,
                                       const LeastSquaresOptions& options = {});

}  // namespace orrery::math
