// SPDX-License-Identifier: Apache-2.0
// The stages of one Radau IIA step: starting values, simplified Newton iteration, error estimate, dense output, order.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "solve/implicit_adaptive.h"
#include "solve/radau_coefficients.h"

namespace orrery::solve {

class RadauStages {
 public:
  static constexpr int id = 110;

  struct At {
    double h = 0;     // of the accepted step, 0: none
    double rate = 1;  // theta / (1 - theta) of the last Newton iteration
    std::int64_t stages = 3, stages_accepted = 3, stages_factored = 0;
    std::int64_t steps_of_order = 0;
    std::int64_t slow = 0, diverged = 0;  // Newton's iteration, since the order was last looked at
  };
  struct Step {
    double t, h;
    const double *x, *f0;
  };

  explicit RadauStages(ImplicitProblem& system);

  // Factors gamma / h M - J and the complex ones. False: singular.
  bool factor(At& at, double h);
  void refactor(At& at, double h) { factor_for(static_cast<int>(at.stages_factored), h); }
  bool factors_fit(const At& at) const { return at.stages_factored == at.stages; }
  // By gamma / h M - J.
  void divide(double* v) { real_.solve(v); }
  int singular_column() const { return singular_column_; }
  int worst_moved() const { return worst_moved_; }
  int most_iterations(const At& at) const { return 7 + (static_cast<int>(at.stages) - 3) * 5 / 2; }
  int error_order(const At& at) const { return static_cast<int>(at.stages) + 1; }
  const std::vector<double>& error_vector() const { return error_; }

  // The slope at the start, for methods that make use of it.
  void start_slope(const double*) {}
  // accuracy is that of Newton's iteration, in units of the tolerance. filter_again: the error estimate is filtered a
  // second time, for first steps and after rejections (Hairer and Wanner II, IV.8, after (8.19)).
  StageResult attempt(At& at, const Step& step, double accuracy, bool filter_again);
  void end_state(const At& at, const double* x, double* x_new) const;
  // Keeps the polynomial for dense output, bent to an end that was moved by a projection (nullptr: it was not).
  void accept(At& at, double h, const double* move);
  // Up when Newton's iteration converges fast and the step is steady, down when it has trouble. True: changed.
  bool choose_order(At& at, const StageResult& result, double step_ratio) const;
  // At the fraction s of the accepted step from x.
  void interpolate(const At& at, double s, const double* x, double* result) const;

  // The derivative there.
  void interpolate_slope(const At& at, double s, double* result) const;
  static int dense_degree(const At& at) { return static_cast<int>(at.stages_accepted); }

  std::vector<double> polynomial;  // z of the accepted step, stage after stage

 private:
  bool factor_for(int stages, double h);
  // Starting values: zero, or the polynomial of the last step, continued.
  void predict(const At& at, double h);
  StageResult iterate(At& at, const Step& step, double accuracy);
  double estimate_error(const At& at, const Step& step, bool filter_again);
  template <int S>
  void transform(const RadauCoefficients::Matrix& matrix, const std::vector<double>& from,
                 std::vector<double>& to) const;
  void apply(int stages, const RadauCoefficients::Matrix& matrix, const std::vector<double>& from,
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
  int singular_column_ = -1, worst_moved_ = -1;
};

}  // namespace orrery::solve
