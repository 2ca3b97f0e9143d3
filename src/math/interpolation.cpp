// SPDX-License-Identifier: Apache-2.0
// Cubic, linear and stepwise interpolants.
#include "math/interpolation.h"

#include <algorithm>
#include <cmath>

namespace orrery::math {
namespace {

using Vec = std::vector<double>;

}  // namespace

std::size_t interval_of(std::span<const double> x, double t) {
  const auto it = std::upper_bound(x.begin(), x.end(), t);
  const auto k = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, it - x.begin() - 1));
  return std::min(k, x.size() - 2);
}

// Slopes at the knots for a cubic Hermite interpolant.
Vec spline_slopes(std::span<const double> x, std::span<const double> y, const double* end_slopes) {
  // Not-a-knot conditions unless the end slopes are given; tridiagonal after elimination (de Boor, chapter IV).
  const std::size_t n = x.size();
  if (n == 2) {
    const double s = (y[1] - y[0]) / (x[1] - x[0]);
    return end_slopes ? Vec{end_slopes[0], end_slopes[1]} : Vec{s, s};
  }
  Vec h(n - 1), d(n - 1), a(n), b(n), c(n), r(n);
  for (std::size_t k = 0; k + 1 < n; ++k) h[k] = x[k + 1] - x[k], d[k] = (y[k + 1] - y[k]) / h[k];
  if (n == 3 && !end_slopes) {
    // The parabola through three points.
    const double curve = (d[1] - d[0]) / (h[0] + h[1]);
    return {d[0] - curve * h[0], d[0] + curve * h[0], d[1] + curve * h[1]};
  }
  for (std::size_t k = 1; k + 1 < n; ++k) {
    a[k] = h[k];
    b[k] = 2 * (h[k - 1] + h[k]);
    c[k] = h[k - 1];
    r[k] = 3 * (h[k] * d[k - 1] + h[k - 1] * d[k]);
  }
  if (end_slopes) {
    b[0] = b[n - 1] = 1;
    c[0] = a[n - 1] = 0;
    r[0] = end_slopes[0], r[n - 1] = end_slopes[1];
  } else {
    b[0] = h[1];
    c[0] = h[0] + h[1];
    r[0] = ((h[0] + 2 * c[0]) * h[1] * d[0] + h[0] * h[0] * d[1]) / c[0];
    const double e = h[n - 2] + h[n - 3];
    b[n - 1] = h[n - 3];
    a[n - 1] = e;
    r[n - 1] = (h[n - 2] * h[n - 2] * d[n - 3] + (2 * e + h[n - 2]) * h[n - 3] * d[n - 2]) / e;
  }
  for (std::size_t k = 1; k < n; ++k) {
    const double f = a[k] / b[k - 1];
    b[k] -= f * c[k - 1];
    r[k] -= f * r[k - 1];
  }
  Vec s(n);
  s[n - 1] = r[n - 1] / b[n - 1];
  for (std::size_t k = n - 1; k-- > 0;) s[k] = (r[k] - c[k] * s[k + 1]) / b[k];
  return s;
}

// Fritsch and Carlson's monotone slopes with weighted harmonic means.
Vec pchip_slopes(std::span<const double> x, std::span<const double> y) {
  const std::size_t n = x.size();
  Vec h(n - 1), d(n - 1), s(n, 0.0);
  for (std::size_t k = 0; k + 1 < n; ++k) h[k] = x[k + 1] - x[k], d[k] = (y[k + 1] - y[k]) / h[k];
  if (n == 2) return {d[0], d[0]};
  for (std::size_t k = 1; k + 1 < n; ++k) {
    if (d[k - 1] * d[k] <= 0) continue;
    const double w1 = 2 * h[k] + h[k - 1], w2 = h[k] + 2 * h[k - 1];
    s[k] = (w1 + w2) / (w1 / d[k - 1] + w2 / d[k]);
  }
  const auto end = [](double h0, double h1, double d0, double d1) {
    double v = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
    if (v * d0 <= 0)
      v = 0;
    else if (d0 * d1 <= 0 && std::abs(v) > 3 * std::abs(d0))
      v = 3 * d0;
    return v;
  };
  s[0] = end(h[0], h[1], d[0], d[1]);
  s[n - 1] = end(h[n - 2], h[n - 3], d[n - 2], d[n - 3]);
  return s;
}

double hermite(std::span<const double> x, std::span<const double> y, std::span<const double> s, double t) {
  const std::size_t k = interval_of(x, t);
  const double h = x[k + 1] - x[k], u = (t - x[k]) / h, v = 1 - u;
  return v * v * (1 + 2 * u) * y[k] + u * u * (1 + 2 * v) * y[k + 1] + h * u * v * (v * s[k] - u * s[k + 1]);
}

Curve::Curve(Vec x, Vec y, const std::string& method) : x_(std::move(x)), y_(std::move(y)) {
  if (method == "spline" || method == "cubicspline")
    slopes_ = spline_slopes(x_, y_, nullptr);
  else if (method == "pchip" || method == "cubic")
    slopes_ = pchip_slopes(x_, y_);
  else if (method == "linear")
    method_ = Method::linear;
  else if (method == "nearest")
    method_ = Method::nearest;
  else if (method == "previous")
    method_ = Method::previous;
  else if (method == "next")
    method_ = Method::next;
  else
    throw Error("unknown interpolation method " + method);
}

double Curve::operator()(double t) const {
  if (std::isnan(t)) return NAN;
  if (method_ == Method::cubic) return hermite(x_, y_, slopes_, t);
  const std::size_t k = interval_of(x_, t);
  const double u = (t - x_[k]) / (x_[k + 1] - x_[k]);
  switch (method_) {
    case Method::linear: return u == 0 ? y_[k] : u == 1 ? y_[k + 1] : y_[k] + u * (y_[k + 1] - y_[k]);
    case Method::nearest: return u < 0.5 ? y_[k] : y_[k + 1];
    case Method::previous: return u >= 1 ? y_[k + 1] : y_[k];
    default: return u <= 0 ? y_[k] : y_[k + 1];
  }
}

double interpolate_grid(std::span<const double> x, std::span<const double> y, const RealMatrix& z, double px, double py,
                        const std::string& method) {
  if (method == "linear" || method == "nearest") {
    const std::size_t k = interval_of(x, px), j = interval_of(y, py);
    double u = (px - x[k]) / (x[k + 1] - x[k]), v = (py - y[j]) / (y[j + 1] - y[j]);
    if (method == "nearest") u = u < 0.5 ? 0 : 1, v = v < 0.5 ? 0 : 1;
    const auto at = [&](std::size_t r, std::size_t q) { return z(static_cast<Index>(r), static_cast<Index>(q)); };
    return (1 - v) * ((1 - u) * at(j, k) + u * at(j, k + 1)) + v * ((1 - u) * at(j + 1, k) + u * at(j + 1, k + 1));
  }
  const Vec columns(x.begin(), x.end());
  Vec column;
  for (Index r = 0; r < z.rows; ++r) {
    Vec row;
    for (Index q = 0; q < z.cols; ++q) row.push_back(z(r, q));
    column.push_back(Curve(columns, std::move(row), method)(px));
  }
  return Curve(Vec(y.begin(), y.end()), std::move(column), method)(py);
}

std::array<double, 3> trilinear_gradient(std::span<const double> x, std::span<const double> y,
                                         std::span<const double> z, std::span<const double> values,
                                         const std::array<double, 3>& point) {
  const std::span<const double> axes[] = {x, y, z};
  std::size_t cell[3];
  double u[3], width[3];
  for (int d = 0; d < 3; ++d) {
    cell[d] = interval_of(axes[d], point[static_cast<std::size_t>(d)]);
    width[d] = axes[d][cell[d] + 1] - axes[d][cell[d]];
    u[d] = (point[static_cast<std::size_t>(d)] - axes[d][cell[d]]) / width[d];
  }
  std::array<double, 3> gradient{};
  for (int corner = 0; corner < 8; ++corner) {
    const std::size_t side[3] = {corner & 1U, (corner >> 1) & 1U, (corner >> 2) & 1U};
    const double value = values[((cell[2] + side[2]) * x.size() + cell[0] + side[0]) * y.size() + cell[1] + side[1]];
    for (int d = 0; d < 3; ++d) {
      double weight = (side[d] ? 1.0 : -1.0) / width[d];
      for (int other = 0; other < 3; ++other)
        if (other != d) weight *= side[other] ? u[other] : 1 - u[other];
      gradient[static_cast<std::size_t>(d)] += weight * value;
    }
  }
  return gradient;
}

void sort_together(Vec& x, Vec& y, bool jumps) {
  std::vector<std::size_t> order(x.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return x[i] < x[j]; });
  Vec sx, sy;
  for (std::size_t k : order) sx.push_back(x[k]), sy.push_back(y[k]);
  for (std::size_t k = 1; k < sx.size(); ++k)
    if (sx[k] == sx[k - 1] && !jumps) throw Error("the values of x must be distinct");
  x = std::move(sx);
  y = std::move(sy);
}

}  // namespace orrery::math
