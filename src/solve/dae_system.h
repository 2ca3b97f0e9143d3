// SPDX-License-Identifier: Apache-2.0
// A DAE problem with checked residuals and a Jacobian from any source.
#pragma once

#include <vector>

#include "solve/dae.h"

namespace orrery::solve {

class DaeSystem {
 public:
  explicit DaeSystem(DaeProblem problem);

  int n() const { return problem.n; }
  bool differential(int i) const { return problem.differential.empty() || problem.differential[i] != 0; }
  // The absolute tolerance of component i, never zero.
  double absolute(int i) const;
  int residual(double t, const double* x, const double* dx, double* r);
  // values = for_x dF/dx + for_dx dF/dx', in the order of the pattern. r is the residual here, for_x is 1 or 0.
  int evaluate_jacobian(double t, double for_x, double for_dx, const double* x, const double* dx, const double* r,
                        std::vector<double>& values);
  Failure blame(const char* where, double t) const;

  struct Trouble {
    int code = 0;
    int component = -1;  // whose residual was not finite
  };

  DaeProblem problem;  // always with a pattern: a full one if there was none
  Trouble trouble;
  long evaluations = 0, jacobians = 0;

 private:
  int by_differences(double t, double for_x, double for_dx, const double* x, const double* dx, const double* r,
                     std::vector<double>& values);

  std::vector<std::vector<int>> groups_;  // columns moved together
  std::vector<double> moved_x_, moved_dx_, moved_r_, other_;
};

}  // namespace orrery::solve
