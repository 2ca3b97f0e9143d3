// SPDX-License-Identifier: Apache-2.0
// Levenberg-Marquardt.
#include "math/least_squares.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace orrery::math {
namespace {

using Vector = std::vector<double>;
using Residual = std::function<Vector(const Vector&)>;

double length(const Vector& x) { return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0)); }

void project(Vector& x, const LeastSquaresOptions& options) {
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (k < options.low.size()) x[k] = std::max(x[k], options.low[k]);
    if (k < options.high.size()) x[k] = std::min(x[k], options.high[k]);
  }
}

RealMatrix difference_jacobian(const Residual& residual, const Vector& x, const Vector& f, const Vector& high) {
  RealMatrix jacobian(static_cast<Index>(f.size()), static_cast<Index>(x.size()));
  for (std::size_t k = 0; k < x.size(); ++k) {
    Vector moved = x;
    const double h = 1.5e-8 * std::max(std::abs(x[k]), 1e-4);
    moved[k] += h;
    if (k < high.size() && moved[k] > high[k]) moved[k] = x[k] - h;
    const Vector g = residual(moved);
    for (std::size_t i = 0; i < f.size(); ++i)
      jacobian(static_cast<Index>(i), static_cast<Index>(k)) = (g[i] - f[i]) / (moved[k] - x[k]);
  }
  return jacobian;
}

// An unknown at a bound that wants to go beyond stays, and the others are sought as if it were a constant.
void hold_at_bounds(const Vector& x, const LeastSquaresOptions& options, RealMatrix& normal, RealMatrix& right) {
  for (Index k = 0; k < normal.rows; ++k) {
    const auto place = static_cast<std::size_t>(k);
    const bool low = place < options.low.size() && x[place] <= options.low[place] && right(k, 0) > 0;
    const bool high = place < options.high.size() && x[place] >= options.high[place] && right(k, 0) < 0;
    if (!low && !high) continue;
    for (Index j = 0; j < normal.rows; ++j) normal(k, j) = normal(j, k) = 0;
    normal(k, k) = 1;
    right(k, 0) = 0;
  }
}

}  // namespace

LeastSquares levenberg_marquardt(const Residual& residual, Vector x, const LeastSquaresOptions& options) {
  LeastSquares result;
  project(x, options);
  Vector f = residual(x);
  double cost = length(f), lambda = 1e-3;
  for (; result.iterations < options.iterations && !result.converged; ++result.iterations) {
    result.jacobian = difference_jacobian(residual, x, f, options.high);
    if (cost <= options.function_tolerance * 1e-4) {
      result.converged = true;
      break;
    }
    RealMatrix column(static_cast<Index>(f.size()), 1);
    column.data = f;
    const RealMatrix transposed = transpose(result.jacobian);
    RealMatrix normal = transposed * result.jacobian, right = transposed * column;
    hold_at_bounds(x, options, normal, right);
    bool better = false;
    double step = 0, gain = 0;
    for (int k = 0; k < 40 && !better; ++k) {
      RealMatrix damped = normal;
      for (Index i = 0; i < damped.rows; ++i) damped(i, i) += lambda * std::max(normal(i, i), 1e-12);
      bool singular = false;
      const RealMatrix d = solve(damped, right, singular);
      Vector next = x;
      for (std::size_t i = 0; i < x.size(); ++i) next[i] -= d.data[i];
      project(next, options);
      const Vector g = residual(next);
      const double next_cost = length(g);
      better = next_cost < cost;
      lambda = better ? std::max(lambda / 10, 1e-15) : lambda * 10;
      if (!better) continue;
      for (std::size_t i = 0; i < x.size(); ++i) step = std::max(step, std::abs(next[i] - x[i]) / (1 + std::abs(x[i])));
      gain = (cost - next_cost) / std::max(cost, 1e-300);
      x = next;
      f = g;
      cost = next_cost;
    }
    if (!better || (step < options.step_tolerance && gain < options.function_tolerance)) {
      result.converged = true;
      break;
    }
  }
  result.x = std::move(x);
  result.residual = std::move(f);
  return result;
}

}  // namespace orrery::math
