// SPDX-License-Identifier: Apache-2.0
// Consistent initial values by Newton's iteration with damping; IDACalcIC is the other way, in ida.cpp.
//
// The unknowns are x' of the differential components and x of the algebraic ones. The damping follows the natural
// monotonicity test (Deuflhard, Newton Methods for Nonlinear Problems, section 3.3): a step of length l is good when
// the correction computed with the same matrix at its end is at most (1 - l / 2) times as large.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solve/dae_families.h"
#include "solve/dae_system.h"
#include "solve/shifted_matrix.h"

namespace orrery::solve {

namespace {

class Start {
 public:
  Start(DaeSystem& system, double t, double* x, double* dx)
      : system_(system),
        structure_(system.n(), system.problem.jacobian.pattern, {}),
        matrix_(structure_),
        t_(t),
        x_(x, x + system.n()),
        dx_(dx, dx + system.n()) {
    for (auto* v : {&r_, &d_, &next_r_, &next_x_, &next_dx_}) v->resize(x_.size());
  }

  Status solve(double* x, double* dx, Failure& failure) {
    constexpr int most = 60;
    if (system_.residual(t_, x_.data(), dx_.data(), r_.data()) != 0)
      return fail(system_.blame("at the guess", t_), failure);
    for (int k = 0; k < most; ++k) {
      if (!prepare(failure)) return Status::failed;
      d_ = r_;
      matrix_.solve(d_.data());
      const double size = norm(d_);
      if (!std::isfinite(size)) break;
      if (!move(size)) break;
      if (size > accuracy) continue;
      std::copy(x_.begin(), x_.end(), x);
      std::copy(dx_.begin(), dx_.end(), dx);
      return Status::ok;
    }
    if (system_.trouble.code < 0) return fail(system_.blame("near the guess", t_), failure);
    int worst = 0;
    for (int i = 1; i < system_.n(); ++i) {
      if (std::abs(r_[i]) > std::abs(r_[worst])) worst = i;
    }
    return fail({FailureCode::newton_convergence,
                 fmt::format("no consistent start was found: equation {} keeps a residual of {:.3g}", worst, r_[worst]),
                 largest_move(), t_},
                failure);
  }

 private:
  static constexpr double accuracy = 1e-2;  // in units of the tolerance; the last move, quadratic, does the rest

  Status fail(Failure reason, Failure& failure) {
    failure = std::move(reason);
    return Status::failed;
  }

  // The columns of dF/dx' for differential components, of dF/dx for algebraic ones.
  bool prepare(Failure& failure) {
    const Sparsity& pattern = system_.problem.jacobian.pattern;
    const bool ok = system_.evaluate_jacobian(t_, 1, 0, x_.data(), dx_.data(), r_.data(), values_) == 0 &&
                    system_.evaluate_jacobian(t_, 0, 1, x_.data(), dx_.data(), r_.data(), for_dx_) == 0;
    if (!ok) {
      failure = {FailureCode::jacobian_failed, "the Jacobian cannot be evaluated at the start", -1, t_};
      return false;
    }
    for (int j = 0; j < system_.n(); ++j) {
      if (!system_.differential(j)) continue;
      const int first = pattern.column_start[j], last = pattern.column_start[j + 1];
      std::copy(for_dx_.begin() + first, for_dx_.begin() + last, values_.begin() + first);
    }
    // The shift of 0 leaves the negative of the Jacobian, so that solving for r gives Newton's move.
    if (matrix_.factor(0, values_.data())) return true;
    const int column = matrix_.singular_column();
    const bool derivative = column >= 0 && system_.differential(column);
    failure = {FailureCode::singular_start,
               derivative ? "the equations do not determine the derivative of a differential component"
                          : "the equations do not determine an algebraic component: the index may be above 1",
               column, t_};
    return false;
  }

  bool move(double size) {
    for (double length = 1; length > 1e-8; length *= 0.5) {
      next_x_ = x_;
      next_dx_ = dx_;
      for (int i = 0; i < system_.n(); ++i) (system_.differential(i) ? next_dx_ : next_x_)[i] += length * d_[i];
      if (system_.residual(t_, next_x_.data(), next_dx_.data(), next_r_.data()) != 0) {
        if (system_.trouble.code < 0) return false;
        continue;
      }
      std::vector<double> check = next_r_;
      matrix_.solve(check.data());
      const double after = norm(check);
      if (size > accuracy && !(after <= (1 - 0.5 * length) * size)) continue;
      x_.swap(next_x_);
      dx_.swap(next_dx_);
      r_.swap(next_r_);
      return true;
    }
    return false;
  }

  double ratio(const std::vector<double>& v, int i) const {
    const double value = system_.differential(i) ? dx_[i] : x_[i];
    return std::abs(v[i]) / (system_.absolute(i) + system_.problem.tolerance.relative * std::abs(value));
  }
  double norm(const std::vector<double>& v) const {
    double sum = 0;
    for (int i = 0; i < system_.n(); ++i) sum += ratio(v, i) * ratio(v, i);
    return std::sqrt(sum / system_.n());
  }
  int largest_move() const {
    int worst = 0;
    for (int i = 1; i < system_.n(); ++i) {
      if (ratio(d_, i) > ratio(d_, worst)) worst = i;
    }
    return worst;
  }

  DaeSystem& system_;
  ShiftedStructure structure_;
  ShiftedMatrix<double> matrix_;
  double t_;
  std::vector<double> x_, dx_, r_, d_, next_r_, next_x_, next_dx_, values_, for_dx_;
};

}  // namespace

Status make_consistent(const DaeProblem& problem, StartMethod method, double t, double* x, double* dx,
                       Failure& failure) {
  if (method == StartMethod::idacalc) return ida_calculate_start(problem, t, x, dx, failure);
  DaeSystem system(problem);
  return Start(system, t, x, dx).solve(x, dx, failure);
}

}  // namespace orrery::solve
