// SPDX-License-Identifier: Apache-2.0
// Powell's dogleg.
#include "math/least_squares.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace orrery::math {
namespace {

using Vector = std::vector<double>;
using Residual = std::function<Vector(const Vector&)>;

constexpr double first_radius = 1, largest_radius = 1e10, smallest_radius = 1e-14;

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }
double length(const Vector& x) { return std::sqrt(dot(x, x)); }

void project(Vector& x, const LeastSquaresOptions& options) {
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (k < options.low.size()) x[k] = std::max(x[k], options.low[k]);
    if (k < options.high.size()) x[k] = std::min(x[k], options.high[k]);
  }
}

// Central differences; at a bound the difference lies on one side of it.
RealMatrix difference_jacobian(const Residual& residual, const Vector& x, std::size_t rows,
                               const LeastSquaresOptions& options) {
  RealMatrix jacobian(static_cast<Index>(rows), static_cast<Index>(x.size()));
  const double relative = std::cbrt(std::numeric_limits<double>::epsilon());
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double h = relative * std::max(std::abs(x[k]), 1e-2);
    Vector above = x, below = x;
    above[k] += h;
    below[k] -= h;
    project(above, options);
    project(below, options);
    const Vector f = residual(above), g = residual(below);
    const double width = above[k] - below[k];
    for (std::size_t i = 0; i < rows; ++i)
      jacobian(static_cast<Index>(i), static_cast<Index>(k)) = width == 0 ? 0 : (f[i] - g[i]) / width;
  }
  return jacobian;
}

Vector times(const RealMatrix& a, const Vector& x) {
  RealMatrix column(static_cast<Index>(x.size()), 1);
  column.data = x;
  return (a * column).data;
}

// An unknown at a bound that wants to go beyond stays, and the others are sought as if it were a constant.
void hold_at_bounds(const Vector& x, const LeastSquaresOptions& options, const Vector& gradient, RealMatrix& jacobian) {
  for (std::size_t k = 0; k < x.size(); ++k) {
    const bool low = k < options.low.size() && x[k] <= options.low[k] && gradient[k] > 0;
    const bool high = k < options.high.size() && x[k] >= options.high[k] && gradient[k] < 0;
    if (!low && !high) continue;
    for (Index i = 0; i < jacobian.rows; ++i) jacobian(i, static_cast<Index>(k)) = 0;
  }
}

// What the linear model f + J p knows of the steps from a point.
struct Model {
  Vector steepest;      // to the smallest residual along the gradient
  Vector gauss_newton;  // to the smallest residual of all
};

Model model_of(const RealMatrix& jacobian, const Vector& f) {
  Model m;
  const Vector gradient = times(transpose(jacobian), f);
  const Vector image = times(jacobian, gradient);
  const double curvature = dot(image, image), slope = dot(gradient, gradient);
  for (const double g : gradient) m.steepest.push_back(curvature > 0 ? -g * slope / curvature : 0);
  RealMatrix right(static_cast<Index>(f.size()), 1);
  for (std::size_t k = 0; k < f.size(); ++k) right.data[k] = -f[k];
  // Also where the matrix is singular, the step of smallest length: an unknown that is held does not move.
  bool singular = false;
  m.gauss_newton = solve(jacobian, right, singular).data;
  const bool finite =
      std::all_of(m.gauss_newton.begin(), m.gauss_newton.end(), [](double p) { return std::isfinite(p); });
  if (!finite) m.gauss_newton = m.steepest;
  return m;
}

// Along the steepest descent, then towards Gauss and Newton's point, until the radius is reached.
Vector step_within(double radius, const Model& m) {
  if (length(m.gauss_newton) <= radius) return m.gauss_newton;
  const double descent = length(m.steepest);
  Vector p = m.steepest;
  if (descent >= radius) {
    for (double& x : p) x *= radius / descent;
    return p;
  }
  Vector leg = m.gauss_newton;
  for (std::size_t k = 0; k < leg.size(); ++k) leg[k] -= p[k];
  const double a = dot(leg, leg), b = dot(p, leg), c = descent * descent - radius * radius;
  const double s = a > 0 ? (-b + std::sqrt(std::max(b * b - a * c, 0.0))) / a : 0;
  for (std::size_t k = 0; k < leg.size(); ++k) p[k] += s * leg[k];
  return p;
}

}  // namespace

LeastSquares dogleg(const Residual& given, Vector x, const LeastSquaresOptions& options) {
  LeastSquares result;
  int calls = 0;
  const Residual residual = [&](const Vector& at) { return ++calls, given(at); };
  project(x, options);
  Vector f = residual(x);
  double squares = dot(f, f), radius = first_radius;
  result.path.push_back(x);
  result.squares.push_back(squares);
  const auto ended = [&](SearchEnd end) {
    result.end = end;
    return true;
  };
  bool done = false;
  while (!done && result.iterations < options.iterations && calls < options.calls) {
    ++result.iterations;
    if (options.jacobian) {
      calls += 2 * static_cast<int>(x.size());
      result.jacobian = options.jacobian(x);
    } else {
      result.jacobian = difference_jacobian(residual, x, f.size(), options);
    }
    if (std::sqrt(squares) <= options.function_tolerance) {
      done = ended(SearchEnd::small_residual);
      break;
    }
    RealMatrix held = result.jacobian;
    hold_at_bounds(x, options, times(transpose(held), f), held);
    const Model model = model_of(held, f);
    // Shorter steps until one is better.
    for (bool better = false; !better && !done;) {
      Vector next = x;
      const Vector p = step_within(radius, model);
      for (std::size_t k = 0; k < x.size(); ++k) next[k] += p[k];
      project(next, options);
      Vector moved = next;
      for (std::size_t k = 0; k < x.size(); ++k) moved[k] -= x[k];
      const double step = length(moved);
      const Vector g = residual(next);
      const double next_squares = dot(g, g);
      Vector predicted = times(held, moved);
      for (std::size_t k = 0; k < f.size(); ++k) predicted[k] += f[k];
      const double promise = squares - dot(predicted, predicted), gain = squares - next_squares;
      const double ratio = promise > 0 ? gain / promise : gain > 0 ? 1 : -1;
      if (!(ratio >= 0.25)) {
        radius = 0.25 * length(p);
      } else if (ratio > 0.75 && length(p) > 0.99 * radius) {
        radius = std::min(2 * radius, largest_radius);
      }
      better = gain > 0;
      const double size = length(x);
      if (better) {
        x = next;
        f = g;
        squares = next_squares;
      }
      if (step <= options.step_tolerance * std::min(size, 1.0) || step == 0) {
        done = ended(size < 1 ? SearchEnd::small_relative_step : SearchEnd::small_step);
      } else if (better && gain <= options.function_tolerance * squares && squares > 0) {
        done = ended(SearchEnd::small_relative_gain);
      } else if (step <= options.step_tolerance * size) {
        done = ended(SearchEnd::small_relative_step);
      } else if (!better && radius < smallest_radius) {
        done = ended(SearchEnd::small_radius);
      }
    }
    result.path.push_back(x);
    result.squares.push_back(squares);
    if (!done && std::sqrt(squares) <= options.function_tolerance) done = ended(SearchEnd::small_residual);
  }
  result.x = std::move(x);
  result.residual = std::move(f);
  return result;
}

}  // namespace orrery::math
