// SPDX-License-Identifier: Apache-2.0
// Power iteration in the norm of the error control: directions that the tolerance does not see do not count.
#include "solve/spectral_radius.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery::solve {

SpectralRadius::SpectralRadius(const Problem& problem)
    : n_(problem.n), rhs_(problem.rhs), tolerance_(problem.tolerance) {
  for (auto* v : {&direction_, &moved_, &slope_, &slope_moved_, &weight_}) v->resize(static_cast<std::size_t>(n_));
}

bool SpectralRadius::slope(double t, const double* x, std::vector<double>& f) {
  ++evaluations_;
  if (rhs_.function(t, x, f.data(), rhs_.user) != 0) return false;
  return std::all_of(f.begin(), f.end(), [](double value) { return std::isfinite(value); });
}

double SpectralRadius::norm(const std::vector<double>& v) const {
  double sum = 0;
  for (int i = 0; i < n_; ++i) sum += (v[i] * weight_[i]) * (v[i] * weight_[i]);
  return std::sqrt(sum / n_);
}

double SpectralRadius::estimate(double t, const double* x) {
  const std::vector<double>& each = tolerance_.absolute_per_state;
  for (int i = 0; i < n_; ++i) {
    const double absolute = each.empty() ? tolerance_.absolute : each[i];
    weight_[i] = 1 / std::max(absolute + tolerance_.relative * std::abs(x[i]), std::numeric_limits<double>::min());
  }
  const double relative = std::max(tolerance_.relative, 1e-300);
  const double size = std::max(1.0, std::sqrt(std::numeric_limits<double>::epsilon()) / relative);
  if (!slope(t, x, slope_)) return 0;
  double radius = 0;
  for (int k = iterated_ ? 0 : -4; k < 2; ++k) {
    double length = norm(direction_);
    if (!(length > 0) || !std::isfinite(length)) {
      // Not aligned with smooth solutions: stiff directions are rough.
      for (int i = 0; i < n_; ++i) direction_[i] = (i % 2 == 0 ? 1.0 : -0.7) / weight_[i];
      length = norm(direction_);
    }
    for (int i = 0; i < n_; ++i) moved_[i] = x[i] + direction_[i] * (size / length);
    if (!slope(t, moved_.data(), slope_moved_)) return 0;
    for (int i = 0; i < n_; ++i) {
      moved_[i] -= x[i];
      direction_[i] = slope_moved_[i] - slope_[i];
    }
    radius = norm(direction_) / std::max(norm(moved_), 1e-300);
  }
  iterated_ = true;
  return radius;
}

}  // namespace orrery::solve
