// SPDX-License-Identifier: Apache-2.0
// Powell's dogleg, and Levenberg and Marquardt's method: one search, two kinds of steps.
#include "math/least_squares.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

namespace orrery::math {
namespace {

using Vector = std::vector<double>;
using Residual = std::function<Vector(const Vector&)>;

constexpr double first_radius = 1, largest_radius = 1e10, smallest_radius = 1e-14;
constexpr double first_damping = 1e-3, least_damping = 1e-15, largest_damping = 1e16;

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

// Where to go from a point, by the linear model f + J p of the residuals there.
class Steps {
 public:
  virtual ~Steps() = default;
  virtual void begin(const RealMatrix& jacobian, const Vector& f) = 0;
  virtual Vector next() const = 0;
  // How much of what the model promised was there: 1 is all.
  virtual void judge(double ratio, const Vector& step) = 0;
  virtual bool exhausted() const = 0;
  virtual double length_of(const Vector& x) const { return length(x); }  // by the measure of the method
};

// The shortest p with the smallest |a p + f|.
Vector smallest(const RealMatrix& a, const Vector& f) {
  RealMatrix right(static_cast<Index>(f.size()), 1);
  for (std::size_t k = 0; k < f.size(); ++k) right.data[k] = -f[k];
  bool singular = false;
  return solve(a, right, singular).data;
}

// Along the steepest descent, then towards Gauss and Newton's point, until the radius is reached.
class DoglegSteps final : public Steps {
 public:
  void begin(const RealMatrix& jacobian, const Vector& f) override {
    const Vector gradient = times(transpose(jacobian), f);
    const Vector image = times(jacobian, gradient);
    const double curvature = dot(image, image), slope = dot(gradient, gradient);
    steepest_.clear();
    for (const double g : gradient) steepest_.push_back(curvature > 0 ? -g * slope / curvature : 0);
    // Also where the matrix is singular, the step of smallest length: an unknown that is held does not move.
    gauss_newton_ = smallest(jacobian, f);
    const bool finite =
        std::all_of(gauss_newton_.begin(), gauss_newton_.end(), [](double p) { return std::isfinite(p); });
    if (!finite) gauss_newton_ = steepest_;
  }
  Vector next() const override {
    if (length(gauss_newton_) <= radius_) return gauss_newton_;
    const double descent = length(steepest_);
    Vector p = steepest_;
    if (descent >= radius_) {
      for (double& x : p) x *= radius_ / descent;
      return p;
    }
    Vector leg = gauss_newton_;
    for (std::size_t k = 0; k < leg.size(); ++k) leg[k] -= p[k];
    const double a = dot(leg, leg), b = dot(p, leg), c = descent * descent - radius_ * radius_;
    const double s = a > 0 ? (-b + std::sqrt(std::max(b * b - a * c, 0.0))) / a : 0;
    for (std::size_t k = 0; k < leg.size(); ++k) p[k] += s * leg[k];
    return p;
  }
  void judge(double ratio, const Vector& step) override {
    if (!(ratio >= 0.25)) {
      radius_ = 0.25 * length(step);
    } else if (ratio > 0.75 && length(step) > 0.99 * radius_) {
      radius_ = std::min(2 * radius_, largest_radius);
    }
  }
  bool exhausted() const override { return radius_ < smallest_radius; }

 private:
  double radius_ = first_radius;
  Vector steepest_;      // to the smallest residual along the gradient
  Vector gauss_newton_;  // to the smallest residual of all
};

// To the smallest |J p + f|^2 + damping |D p|^2. D has the lengths of the columns of the Jacobian, the largest so far.
class MarquardtSteps final : public Steps {
 public:
  void begin(const RealMatrix& jacobian, const Vector& f) override {
    const auto n = static_cast<std::size_t>(jacobian.cols);
    damped_ = RealMatrix(jacobian.rows + jacobian.cols, jacobian.cols);
    scale_.resize(n, 0.0);
    for (Index k = 0; k < jacobian.cols; ++k) {
      double squares = 0;
      for (Index i = 0; i < jacobian.rows; ++i) {
        damped_(i, k) = jacobian(i, k);
        squares += jacobian(i, k) * jacobian(i, k);
      }
      double& scale = scale_[static_cast<std::size_t>(k)];
      scale = std::max(scale, std::sqrt(squares));
    }
    right_ = f;
    right_.resize(f.size() + n, 0.0);
  }
  Vector next() const override {
    RealMatrix a = damped_;
    const Index below = a.rows - a.cols;
    for (Index k = 0; k < a.cols; ++k) {
      const double scale = scale_[static_cast<std::size_t>(k)];
      a(below + k, k) = std::sqrt(damping_) * (scale > 0 ? scale : 1);
    }
    return smallest(a, right_);
  }
  void judge(double ratio, const Vector&) override {
    if (!(ratio > 0)) {
      damping_ *= growth_;
      growth_ *= 2;
      return;
    }
    damping_ = std::max(damping_ * std::max(1.0 / 3, 1 - std::pow(2 * ratio - 1, 3)), least_damping);
    growth_ = 2;
  }
  bool exhausted() const override { return damping_ > largest_damping; }
  double length_of(const Vector& x) const override {
    double squares = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double scale = scale_[k] > 0 ? scale_[k] : 1;
      squares += scale * x[k] * scale * x[k];
    }
    return std::sqrt(squares);
  }

 private:
  double damping_ = first_damping, growth_ = 2;
  Vector scale_, right_;
  RealMatrix damped_;
};

}  // namespace

LeastSquares least_squares(const Residual& given, Vector x, const LeastSquaresOptions& options) {
  LeastSquares result;
  int calls = 0;
  const Residual residual = [&](const Vector& at) { return ++calls, given(at); };
  project(x, options);
  Vector f = residual(x);
  double squares = dot(f, f);
  const std::unique_ptr<Steps> steps = options.method == LeastSquaresMethod::dogleg
                                           ? std::unique_ptr<Steps>(std::make_unique<DoglegSteps>())
                                           : std::make_unique<MarquardtSteps>();
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
    steps->begin(held, f);
    // Shorter steps until one is better.
    for (bool better = false; !better && !done;) {
      Vector next = x;
      const Vector p = steps->next();
      for (std::size_t k = 0; k < x.size(); ++k) next[k] += p[k];
      project(next, options);
      Vector moved = next;
      for (std::size_t k = 0; k < x.size(); ++k) moved[k] -= x[k];
      const double step = steps->length_of(moved);
      const Vector g = residual(next);
      const double next_squares = dot(g, g);
      Vector predicted = times(held, moved);
      for (std::size_t k = 0; k < f.size(); ++k) predicted[k] += f[k];
      const double promise = squares - dot(predicted, predicted), gain = squares - next_squares;
      steps->judge(promise > 0 ? gain / promise : gain > 0 ? 1 : -1, p);
      better = gain > 0;
      const double size = steps->length_of(x);
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
      } else if (!better && steps->exhausted()) {
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
