// SPDX-License-Identifier: Apache-2.0
// Projection by the corrections of the model, or by Gauss and Newton's iteration on its constraints.
//
// The second kind solves min |step / scale| subject to c + C step = 0, C = dc/dx, by an orthogonal decomposition of C
// scaled, so that redundant constraints do no harm (Eich, SIAM J. Numer. Anal. 30, 1993; Shampine 1986).
#include "solve/projector.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery::solve {

namespace {

constexpr int most_iterations = 10;
constexpr double accuracy = 1e-2;  // of the last step, in units of the tolerance: the next one would be far smaller

bool all_finite(const std::vector<double>& v) {
  return std::all_of(v.begin(), v.end(), [](double a) { return std::isfinite(a); });
}

}  // namespace

struct Projector::Linear {
  Eigen::MatrixXd scaled;  // C times the scales
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors;
};

void Projector::FreeLinear::operator()(Linear* linear) const { delete linear; }

std::unique_ptr<Projector> Projector::make(const Problem& problem) {
  const Projection& p = problem.projection;
  if (p.correction == nullptr && p.residual == nullptr) return nullptr;
  return std::unique_ptr<Projector>(new Projector(problem));
}

Projector::Projector(const Problem& problem)
    : projection_(problem.projection), tolerance_(problem.tolerance), n_(problem.n), linear_(new Linear) {
  for (auto* v : {&trial_, &move_, &step_, &scale_}) v->resize(static_cast<std::size_t>(n_));
  residual_.resize(static_cast<std::size_t>(projection_.constraints));
  moved_residual_.resize(residual_.size());
  linear_->scaled.resize(projection_.constraints, n_);
}

int Projector::project(double t, double* x) {
  for (int i = 0; i < n_; ++i) {
    trial_[i] = x[i];
    move_[i] = 0;
    const std::vector<double>& each = tolerance_.absolute_per_state;
    scale_[i] = (each.empty() ? tolerance_.absolute : each[i]) + tolerance_.relative * std::abs(x[i]);
    // Fixed-step methods may come without sensible tolerances.
    if (!(scale_[i] > 0) || !std::isfinite(scale_[i])) scale_[i] = 1e-9 * (1 + std::abs(x[i]));
  }
  for (int k = 0; k < most_iterations; ++k) {
    const int code = projection_.correction != nullptr ? correction(t, trial_.data(), step_.data())
                                                       : smallest_step(t, trial_.data(), step_.data());
    if (code != 0) return code;
    if (!all_finite(step_)) return 1;
    double sum = 0;
    for (int i = 0; i < n_; ++i) {
      trial_[i] += step_[i];
      sum += (step_[i] / scale_[i]) * (step_[i] / scale_[i]);
    }
    if (std::sqrt(sum / n_) > accuracy) continue;
    for (int i = 0; i < n_; ++i) {
      move_[i] = trial_[i] - x[i];
      x[i] = trial_[i];
    }
    return 0;
  }
  return 1;
}

int Projector::correction(double t, const double* x, double* step) {
  return projection_.correction(t, x, step, projection_.user);
}

int Projector::smallest_step(double t, const double* x, double* step) {
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  int code = projection_.residual(t, x, residual_.data(), projection_.user);
  std::copy_n(x, n_, step);
  for (int j = 0; code == 0 && j < n_; ++j) {
    const double moved = x[j] + std::max(root * std::abs(x[j]), std::min(scale_[j], 1e-6));
    step[j] = moved;
    code = projection_.residual(t, step, moved_residual_.data(), projection_.user);
    step[j] = x[j];
    for (std::size_t i = 0; i < residual_.size(); ++i) {
      const double slope = (moved_residual_[i] - residual_[i]) / (moved - x[j]);
      linear_->scaled(static_cast<Eigen::Index>(i), j) = slope * scale_[j];
    }
  }
  if (code != 0) return code;
  if (!linear_->scaled.allFinite() || !all_finite(residual_)) return 1;
  linear_->factors.compute(linear_->scaled);
  const Eigen::Map<const Eigen::VectorXd> right(residual_.data(), static_cast<Eigen::Index>(residual_.size()));
  const Eigen::VectorXd scaled_step = linear_->factors.solve(right);
  for (int i = 0; i < n_; ++i) step[i] = -scaled_step[i] * scale_[i];
  return 0;
}

void Projector::project_error(double* error) const {
  Eigen::VectorXd scaled_error(n_);
  for (int i = 0; i < n_; ++i) scaled_error[i] = error[i] / scale_[i];
  const Eigen::VectorXd off = linear_->factors.solve(linear_->scaled * scaled_error);
  for (int i = 0; i < n_; ++i) error[i] -= off[i] * scale_[i];
}

}  // namespace orrery::solve
