// SPDX-License-Identifier: Apache-2.0
// What implicit one-step methods ask of a problem: a checked derivative, a Jacobian from any source, error weights.
#pragma once

#include <cmath>
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
  // weight[i] = 1 / (absolute[i] + relative * |x[i]| + noise[i])
  void set_weights(const double* x);
  bool has_equations() const { return has_equations_; }
  // Unknowns of equations cannot be known better than the states in these are asked for and the terms are computed: so
  // much is their noise, by the Jacobian at x. solve(v) divides v by the matrix of Newton's iteration.
  template <class Solve>
  void find_noise(const double* x, const Solve& solve) {
    shake_equations(x);
    solve(shaken_.data());
    for (std::size_t j = 0; j < noise.size(); ++j)
      noise[j] = is_unknown_[j] && std::isfinite(shaken_[j]) ? std::abs(shaken_[j]) : 0;
  }
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
  std::vector<double> jacobian, weight, noise;
  Trouble trouble;
  long evaluations = 0, jacobians = 0;

 private:
  int difference_columns(double t, const double* x, const double* f);
  void find_equations();
  void shake_equations(const double* x);

  std::unique_ptr<DifferenceJacobian> differences_;
  std::vector<double> increment_, absolute_, moved_x_, moved_f_;
  std::vector<bool> is_equation_, is_unknown_;  // rows and columns of the mass matrix without entries
  bool has_equations_ = false;
  std::vector<double> shaken_;
  double relative_;
};

}  // namespace orrery::solve
