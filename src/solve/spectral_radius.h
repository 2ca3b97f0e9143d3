// SPDX-License-Identifier: Apache-2.0
// The largest eigenvalue of the Jacobian, by size: what explicit methods feel of stiffness.
#pragma once

#include <vector>

#include "solve/integrator.h"

namespace orrery::solve {

// Power iteration by differences of the derivative, on from where the last call ended: the first call takes a few more.
class SpectralRadius {
 public:
  explicit SpectralRadius(const Problem& problem);
  // At (t, x); 0: not known, because the derivative is not.
  double estimate(double t, const double* x);
  long evaluations() const { return evaluations_; }

 private:
  bool slope(double t, const double* x, std::vector<double>& f);
  double norm(const std::vector<double>& v) const;

  int n_;
  Rhs rhs_;
  Tolerance tolerance_;
  std::vector<double> direction_, moved_, slope_, slope_moved_, weight_;
  bool iterated_ = false;
  long evaluations_ = 0;
};

}  // namespace orrery::solve
