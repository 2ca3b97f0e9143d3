// SPDX-License-Identifier: Apache-2.0
// Interpolation through points with ascending abscissae, in one and two dimensions.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "math/matrix.h"

namespace orrery::math {

// The k with x[k] <= t < x[k + 1], the first or last interval outside.
std::size_t interval_of(std::span<const double> x, double t);

// Slopes at the knots of cubic interpolants. A spline has no knots beside its ends unless the slopes there are given.
std::vector<double> spline_slopes(std::span<const double> x, std::span<const double> y, const double* end_slopes);
std::vector<double> pchip_slopes(std::span<const double> x, std::span<const double> y);
// The cubic with values y and slopes s.
double hermite(std::span<const double> x, std::span<const double> y, std::span<const double> s, double t);

// An interpolant of one column of data: linear, nearest, previous, next, spline or cubicspline, pchip or cubic. It goes
// on outside. An Error for other methods.
class Curve {
 public:
  Curve(std::vector<double> x, std::vector<double> y, const std::string& method);
  double operator()(double t) const;
  double low() const { return x_.front(); }
  double high() const { return x_.back(); }

 private:
  enum class Method { linear, nearest, previous, next, cubic };
  std::vector<double> x_, y_, slopes_;
  Method method_ = Method::cubic;
};

// Values z over the grid of rows y and columns x, at one point; for methods of Curve.
double interpolate_grid(std::span<const double> x, std::span<const double> y, const RealMatrix& z, double px, double py,
                        const std::string& method);

// Gradient of the trilinear interpolant of values[(k * nx + i) * ny + j] at (x[i], y[j], z[k]), in the cell of the
// point.
std::array<double, 3> trilinear_gradient(std::span<const double> x, std::span<const double> y,
                                         std::span<const double> z, std::span<const double> values,
                                         const std::array<double, 3>& point);

// Brings x into ascending order, and y with it. With jumps two equal values of x are a step, whose value is that on the
// right; without, they are an Error.
void sort_together(std::vector<double>& x, std::vector<double>& y, bool jumps = false);

}  // namespace orrery::math
