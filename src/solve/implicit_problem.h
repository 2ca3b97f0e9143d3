// SPDX-License-Identifier: Apache-2.0
// What implicit one-step methods ask of a problem: a checked derivative, a Jacobian from any source, error weights.
#pragma once

#include <memory>
#include <vector>

#include "solve/difference_jacobian.h"
#include "solve/integrator.h"
#include "solve/shifted_matrix.h"

namespace orrery::solve {

class ImplicitProblem {
 public:
  ImplicitProblem(Problem problem, MassMatrix mass);

  int n() const { return problem.n; }
  // The derivative; what is not finite counts as "retry" (1). Remembers what went wrong in trouble.
  int slope(double t, const double* x, double* dx);
  // Into jacobian, at (t, x) with f = slope(t, x) known; h scales the increments of differences.
  int evaluate_jacobian(double t, const double* x, const double* f, double h);
  // weight[i] = 1 / (absolute[i] + relative * |x[i]|)
  void set_weights(const double* x);
  // The root of the mean square of weight[i] * v[i].
  double norm(const double* v) const;
  int worst(const double* v) const;
  // y = M v
  void multiply_mass(const double* v, double* y) const;
  bool identity_mass() const { return mass.pattern.n == 0; }
  // A failure that says whose derivative was wrong at t, or that it could not be evaluated.
  Failure blame(const char* where, double t) const;
  // HNW I, section II.4, "starting step size", for an error estimate of this order; the weights are those at x.
  double first_step(double t, const double* x, const double* f, double t_stop, int order);

  struct Trouble {
    int code = 0;
    int state = -1;  // whose derivative was not finite
  };

  Problem problem;
  MassMatrix mass;
  ShiftedStructure structure;
  std::vector<double> jacobian, weight;
  Trouble trouble;
  long evaluations = 0, jacobians = 0;

 private:
  int difference_columns(double t, const double* x, const double* f);

  std::unique_ptr<DifferenceJacobian> differences_;
  std::vector<double> increment_, absolute_, moved_x_, moved_f_;
  double relative_;
};

}  // namespace orrery::solve
