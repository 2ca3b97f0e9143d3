// SPDX-License-Identifier: Apache-2.0
// Slopes of piecewise cubic interpolation, for numbers and for expressions alike (Activate, 18.1).
//
// h are the lengths of the intervals, d the slopes of the straight lines between the points.
//   not_a_knot, natural, clamped    cubic splines with two derivatives (de Boor, A Practical Guide to Splines, IV)
//   akima                           Akima, J. ACM 17 (1970)
//   fritsch_butland                 Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5 (1984)
//   steffen                         Steffen, Astron. Astrophys. 239 (1990)
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "program/expr.h"

namespace orrery::blocks::piecewise {

inline double pick(bool condition, double a, double b) { return condition ? a : b; }
inline program::Expr pick(program::Expr condition, program::Expr a, program::Expr b) {
  return program::select(condition, a, b);
}
inline double size_of(double x) { return std::fabs(x); }
inline program::Expr size_of(program::Expr x) { return program::apply(program::Op::abs, x); }
inline double number_like(double, double value) { return value; }
inline program::Expr number_like(program::Expr like, double value) {
  return {like.graph(), like.graph()->constant(value)};
}

// Tridiagonal: below[i] s[i-1] + main[i] s[i] + above[i] s[i+1] = right[i].
template <class T>
std::vector<T> solve_tridiagonal(std::vector<T> below, std::vector<T> main, std::vector<T> above,
                                 std::vector<T> right) {
  const std::size_t n = main.size();
  for (std::size_t i = 1; i < n; ++i) {
    const T factor = below[i] / main[i - 1];
    main[i] = main[i] - factor * above[i - 1];
    right[i] = right[i] - factor * right[i - 1];
  }
  std::vector<T> s(n);
  s[n - 1] = right[n - 1] / main[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) s[i] = (right[i] - above[i] * s[i + 1]) / main[i];
  return s;
}

template <class T>
std::vector<T> spline_slopes(const std::string& method, const std::vector<T>& h, const std::vector<T>& d) {
  const std::size_t n = h.size() + 1;  // points
  const T zero = number_like(h[0], 0), one = number_like(h[0], 1);
  if (method == "not_a_knot" && n == 3) {  // one parabola
    const T q = (d[1] - d[0]) / (h[0] + h[1]);
    return {d[0] - h[0] * q, d[0] + h[0] * q, d[1] + h[1] * q};
  }
  std::vector<T> below(n, zero), main(n, one), above(n, zero), right(n, zero);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    below[i] = h[i];
    main[i] = 2.0 * (h[i - 1] + h[i]);
    above[i] = h[i - 1];
    right[i] = 3.0 * (h[i] * d[i - 1] + h[i - 1] * d[i]);
  }
  if (method == "natural") {
    main[0] = main[n - 1] = number_like(h[0], 2);
    above[0] = below[n - 1] = one;
    right[0] = 3.0 * d[0];
    right[n - 1] = 3.0 * d[n - 2];
  } else if (method == "not_a_knot") {
    const T first = h[0] + h[1], last = h[n - 2] + h[n - 3];
    main[0] = h[1];
    above[0] = first;
    right[0] = ((h[0] + 2.0 * first) * h[1] * d[0] + h[0] * h[0] * d[1]) / first;
    main[n - 1] = h[n - 3];
    below[n - 1] = last;
    right[n - 1] = (h[n - 2] * h[n - 2] * d[n - 3] + (2.0 * last + h[n - 2]) * h[n - 3] * d[n - 2]) / last;
  }  // clamped: slope 0 at both ends
  return solve_tridiagonal(below, main, above, right);
}

template <class T>
std::vector<T> akima_slopes(const std::vector<T>& d) {
  const std::size_t n = d.size() + 1;
  std::vector<T> m;  // with two ghost slopes at each end
  m.push_back(3.0 * d[0] - 2.0 * d[1]);
  m.push_back(2.0 * d[0] - d[1]);
  m.insert(m.end(), d.begin(), d.end());
  m.push_back(2.0 * d[n - 2] - d[n - 3]);
  m.push_back(3.0 * d[n - 2] - 2.0 * d[n - 3]);
  std::vector<T> s;
  for (std::size_t i = 0; i < n; ++i) {  // m[i + 1] is the slope before the point, m[i + 2] the one after it
    const T left = size_of(m[i + 3] - m[i + 2]), right = size_of(m[i + 1] - m[i]);
    const T sum = left + right;
    const auto flat = sum == 0.0;
    const T divisor = pick(flat, number_like(sum, 1), sum);
    s.push_back(pick(flat, (m[i + 1] + m[i + 2]) / 2.0, (left * m[i + 1] + right * m[i + 2]) / divisor));
  }
  return s;
}

// The slope at an end from the nearest three points, kept from overshooting.
template <class T>
T three_point_end(T h0, T h1, T d0, T d1) {
  const T zero = number_like(d0, 0);
  const T s = ((2.0 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  const T bounded = pick(d0 * d1 < 0.0 && size_of(s) > 3.0 * size_of(d0), 3.0 * d0, s);
  return pick(s * d0 > 0.0, bounded, zero);
}

template <class T>
std::vector<T> fritsch_butland_slopes(const std::vector<T>& h, const std::vector<T>& d) {
  const std::size_t n = h.size() + 1;
  const T zero = number_like(d[0], 0), one = number_like(d[0], 1);
  std::vector<T> s = {three_point_end(h[0], h[1], d[0], d[1])};
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const T alpha = (h[i - 1] + 2.0 * h[i]) / (3.0 * (h[i - 1] + h[i]));
    const auto same = d[i - 1] * d[i] > 0.0;
    const T divisor = pick(same, alpha * d[i] + (1.0 - alpha) * d[i - 1], one);
    s.push_back(pick(same, d[i - 1] * d[i] / divisor, zero));
  }
  s.push_back(three_point_end(h[n - 2], h[n - 3], d[n - 2], d[n - 3]));
  return s;
}

template <class T>
T steffen_end(T h0, T h1, T d0, T d1) {
  const T p = d0 * (1.0 + h0 / (h0 + h1)) - d1 * h0 / (h0 + h1);
  const T bounded = pick(size_of(p) > 2.0 * size_of(d0), 2.0 * d0, p);
  return pick(p * d0 <= 0.0, number_like(d0, 0), bounded);
}

template <class T>
std::vector<T> steffen_slopes(const std::vector<T>& h, const std::vector<T>& d) {
  const std::size_t n = h.size() + 1;
  const T zero = number_like(d[0], 0);
  std::vector<T> s = {steffen_end(h[0], h[1], d[0], d[1])};
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const T p = (d[i - 1] * h[i] + d[i] * h[i - 1]) / (h[i - 1] + h[i]);
    const T a = size_of(d[i - 1]), b = size_of(d[i]), c = size_of(p) / 2.0;
    const T least = pick(a < b, a, b);
    const T bound = 2.0 * pick(least < c, least, c);
    s.push_back(pick(d[i - 1] * d[i] > 0.0, pick(d[i] > 0.0, bound, -bound), zero));
  }
  s.push_back(steffen_end(h[n - 2], h[n - 3], d[n - 2], d[n - 3]));
  return s;
}

// y = a + t (b + t (c + t d)) with t = x - X[i] on interval i.
template <class T>
struct Cubics {
  std::vector<T> a, b, c, d;
};

// Methods: linear and those above. Two points make a straight line, except for clamped.
template <class T>
Cubics<T> cubics(const std::string& method, const std::vector<T>& x, const std::vector<T>& y) {
  const std::size_t n = x.size();
  std::vector<T> h, slope;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    h.push_back(x[i + 1] - x[i]);
    const auto jump = h[i] == 0.0;  // never looked at: no x lies in it
    slope.push_back(pick(jump, number_like(h[i], 0), (y[i + 1] - y[i]) / pick(jump, number_like(h[i], 1), h[i])));
  }
  Cubics<T> result;
  if (method == "linear" || (n == 2 && method != "clamped")) {
    for (std::size_t i = 0; i + 1 < n; ++i) {
      result.a.push_back(y[i]);
      result.b.push_back(slope[i]);
    }
    return result;  // without c and d: they are zero
  }
  const std::vector<T> s = method == "akima"             ? akima_slopes(slope)
                           : method == "fritsch_butland" ? fritsch_butland_slopes(h, slope)
                           : method == "steffen"         ? steffen_slopes(h, slope)
                                                         : spline_slopes(method, h, slope);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    result.a.push_back(y[i]);
    result.b.push_back(s[i]);
    result.c.push_back((3.0 * slope[i] - 2.0 * s[i] - s[i + 1]) / h[i]);
    result.d.push_back((s[i] + s[i + 1] - 2.0 * slope[i]) / (h[i] * h[i]));
  }
  return result;
}

}  // namespace orrery::blocks::piecewise
