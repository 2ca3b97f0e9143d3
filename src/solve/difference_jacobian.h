// SPDX-License-Identifier: Apache-2.0
// A sparse Jacobian by differences: columns that share no row are moved together, so few evaluations give them all.
#pragma once

#include <vector>

#include "solve/integrator.h"

namespace orrery::solve {

// Colour of each column: columns of one colour share no row. Greedy in the order of the columns, which is optimal for
// bands (Curtis, Powell and Reid, J. Inst. Math. Appl. 13, 1974).
std::vector<int> colour_columns(const Sparsity& pattern);

class DifferenceJacobian {
 public:
  DifferenceJacobian(const Sparsity& pattern, const Rhs& rhs);
  int colours() const { return static_cast<int>(groups_.size()); }
  // f is the derivative at (t, x), increment[j] the step of state j. values are in the order of the pattern. The
  // codes are those of Rhs.
  int evaluate(double t, const double* x, const double* f, const double* increment, double* values);

 private:
  Sparsity pattern_;
  Rhs rhs_;
  std::vector<std::vector<int>> groups_;  // the columns of each colour
  std::vector<double> moved_x_, moved_f_;
};

}  // namespace orrery::solve
