// SPDX-License-Identifier: Apache-2.0
// The stages of one Radau IIA step: starting values, simplified Newton iteration, error estimate, dense output.
#pragma once

#include <memory>
#include <vector>

#include "solve/implicit_problem.h"
#include "solve/radau_coefficients.h"

namespace orrery::solve {

class RadauStages {
 public:
  explicit RadauStages(ImplicitProblem& system);

  enum class Outcome { converged, slow, diverged, trouble };
  struct Iteration {
    Outcome outcome = Outcome::converged;
    int count = 0;
    double theta = 0;   // rate of convergence, kept from before when one iteration was enough
    double shrink = 1;  // slow: by how much a smaller step would help
  };

  // Factors gamma / h M - J and the complex ones. False: singular.
  bool factor(const RadauCoefficients& method, double h);
  int singular_column() const { return singular_column_; }
  // Starting values for a step over h: zero, or the polynomial of the last step, continued.
  void predict(const RadauCoefficients& method, double h, const RadauCoefficients* last, double last_h);
  // rate: the factor theta / (1 - theta) of the last iteration, updated. accuracy is in units of the tolerance.
  Iteration iterate(const RadauCoefficients& method, double t, double h, const double* x, double accuracy,
                    double& rate);
  // The weighted norm of the error, with f0 = slope(t, x). With again: filtered a second time, for first steps and
  // after rejections (Hairer and Wanner II, IV.8, after (8.19)). Negative: the derivative is not defined there.
  double error(const RadauCoefficients& method, double t, double h, const double* x, const double* f0, bool again);
  const std::vector<double>& error_vector() const { return error_; }
  // x at the end of the step; keeps the polynomial for dense output.
  void accept(const RadauCoefficients& method, const double* x, double* x_new);
  // z at the fraction s of the accepted step, added to x.
  void interpolate(const RadauCoefficients& method, double s, const double* x, double* result) const;

  std::vector<double> polynomial;  // z of the accepted step, stage after stage

 private:
  template <int S>
  void transform(const RadauCoefficients::Matrix& matrix, const std::vector<double>& from,
                 std::vector<double>& to) const;
  void apply(const RadauCoefficients& method, const RadauCoefficients::Matrix& matrix, const std::vector<double>& from,
             std::vector<double>& to) const;
  void solve_blocks(const RadauCoefficients& method, double h);
  double* part(std::vector<double>& v, int stage) {
    return v.data() + static_cast<std::ptrdiff_t>(stage) * system_.n();
  }

  ImplicitProblem& system_;
  ShiftedMatrix<double> real_;
  std::vector<std::unique_ptr<ShiftedMatrix<Complex>>> complex_;
  std::vector<double> z_, w_, r_, f_, mw_, stage_x_, error_, error_right_;
  std::vector<Complex> b_;
  int singular_column_ = -1;
};

}  // namespace orrery::solve
