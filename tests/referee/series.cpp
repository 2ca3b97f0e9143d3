// SPDX-License-Identifier: Apache-2.0
// Power series: values by Horner's rule, roots by bisection between extrema.
#include "series.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace orrery::referee {
namespace {

constexpr int pieces = 16;
constexpr double touch = 1e-13;  // an extremum nearer to zero than this touches it
constexpr double graze = 1e-8;   // one farther away than this is clear

template <class F>
double bisect(F sign_is_left, double a, double b) {
  for (int k = 0; k < 200 && b - a > 1e-17; ++k) {
    const double m = 0.5 * (a + b);
    if (m == a || m == b) break;
    (sign_is_left(m) ? a : b) = m;
  }
  return b;
}

}  // namespace

double at(const Series& s, double h) {
  double sum = 0;
  for (int k = order; k >= 0; --k) sum = sum * h + s[static_cast<std::size_t>(k)];
  return sum;
}

double slope_at(const Series& s, double h) {
  double sum = 0;
  for (int k = order; k >= 1; --k) sum = sum * h + k * s[static_cast<std::size_t>(k)];
  return sum;
}

Series difference(const Series& a, const Series& b) {
  Series d;
  for (std::size_t k = 0; k < d.size(); ++k) d[k] = a[k] - b[k];
  return d;
}

Series shifted(Series s, double by) {
  s[0] += by;
  return s;
}

Series derivative(const Series& s) {
  Series d{};
  for (int k = 1; k <= order; ++k) d[static_cast<std::size_t>(k - 1)] = k * s[static_cast<std::size_t>(k)];
  return d;
}

// Horner's rule, once for each term.
Series about(const Series& s, double h) {
  Series moved = s;
  for (int k = 0; k < order; ++k) {
    for (int j = order - 1; j >= k; --j)
      moved[static_cast<std::size_t>(j)] += h * moved[static_cast<std::size_t>(j + 1)];
  }
  return moved;
}

double tail(const Series& s, double h) {
  double largest = 1, last = 0, power = 1;
  for (std::size_t k = 0; k < s.size(); ++k, power *= h) {
    largest = std::max(largest, std::abs(s[k]) * power);
    if (k + 2 >= s.size()) last = std::max(last, std::abs(s[k]) * power);
  }
  return last / largest;
}

Crossing first_crossing(const Series& s, int side, double h) {
  Crossing crossing;
  std::vector<double> points = {0};
  for (int i = 1; i <= pieces; ++i) {
    const double a = h * (i - 1) / pieces, b = h * i / pieces;
    const double slope = slope_at(s, a);
    if (slope * slope_at(s, b) < 0) {
      const double e = bisect([&](double m) { return slope_at(s, m) * slope > 0; }, a, b);
      const double value = std::abs(at(s, e));
      if (value > touch && value < graze) crossing.grazes = true;
      if (value > touch) points.push_back(e);
      crossing.touches = crossing.touches || (value <= touch && e > 1e-7);
    }
    points.push_back(b);
  }
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (side * at(s, points[i]) >= 0) continue;
    crossing.at = bisect([&](double m) { return side * at(s, m) >= 0; }, points[i - 1], points[i]);
    break;
  }
  return crossing;
}

}  // namespace orrery::referee
