// SPDX-License-Identifier: Apache-2.0
// Adaptive quadrature: Gauss-Kronrod for functions of vectors, Gauss-Legendre and Simpson for functions of scalars.
#include "oml/builtins/quadrature.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "oml/builtins/map.h"
#include "oml/interpreter.h"

namespace orrery::oml {
namespace {

using Vec = std::vector<double>;

// Adaptive Gauss-Kronrod (7, 15) quadrature.
struct Quadrature {
  Call& c;
  const Value& f;
  int panels = 0;
  double evaluate_panel(double a, double b, double& error) {
    static constexpr double x[] = {0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
                                   0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
                                   0.586087235467691130294144691693010, 0.405845151377397166906606412076961,
                                   0.207784955007898467600689403773245, 0.0};
    static constexpr double wk[] = {0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
                                    0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
                                    0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
                                    0.204432940075298892414161999234649, 0.209482141084727828012999174891714};
    static constexpr double wg[] = {0.129484966168869693270611432679082, 0.279705391489276667901467771423780,
                                    0.381830050505118944950369775488975, 0.417959183673469387755102040816327};
    const double mid = (a + b) / 2, half = (b - a) / 2;
    Vec nodes;
    for (int k = 0; k < 15; ++k) nodes.push_back(mid + half * (k < 7 ? -x[k] : x[14 - k]));
    const Vec y = to_vector(c.oml.call1(f, {Value::row(nodes)}));
    if (y.size() != nodes.size()) fail("the function must return one value for each point");
    double kronrod = 0, gauss = 0;
    for (int k = 0; k < 15; ++k) {
      const int j = k < 8 ? k : 14 - k;
      kronrod += wk[j] * y[static_cast<std::size_t>(k)];
      if (k % 2 == 1) gauss += wg[(j - 1) / 2] * y[static_cast<std::size_t>(k)];
    }
    error = std::abs(kronrod - gauss) * std::abs(half);
    return kronrod * half;
  }
  double integrate(double a, double b, double tolerance, int depth) {
    double error = 0;
    const double whole = evaluate_panel(a, b, error);
    // A function that never settles ends after enough panels, with what is known of it.
    if (++panels > 20000) return whole;
    if (error <= tolerance || error <= 1e-14 * std::abs(whole) || depth >= 40 || !std::isfinite(whole)) return whole;
    const double m = (a + b) / 2;
    return integrate(a, m, tolerance / 2, depth + 1) + integrate(m, b, tolerance / 2, depth + 1);
  }
};

constexpr int most_evaluations = 10000;
constexpr double shortest_interval = 1e-12;

// Bisection until the rules of 4 and 5 points agree, relatively or to a share of the absolute tolerance.
struct GaussLegendre {
  std::function<double(double)> f;
  double relative = 1e-8, absolute = 1e-8;
  int count = 0;

  double integrate(double a, double b, double tolerance) {
    static constexpr double x4[] = {0.3399810435848563, 0.8611363115940526};
    static constexpr double w4[] = {0.6521451548625461, 0.3478548451374538};
    static constexpr double x5[] = {0.5384693101056831, 0.9061798459386640};
    static constexpr double w5[] = {0.4786286704993665, 0.2369268850561891}, middle = 0.5688888888888889;
    const double m = (a + b) / 2, h = (b - a) / 2;
    double four = 0, five = middle * f(m);
    for (int k = 0; k < 2; ++k) {
      four += w4[k] * (f(m - h * x4[k]) + f(m + h * x4[k]));
      five += w5[k] * (f(m - h * x5[k]) + f(m + h * x5[k]));
    }
    count += 9;
    four *= h, five *= h;
    const double error = std::abs(five - four);
    if (error < tolerance || error < relative * std::abs(five) || std::abs(b - a) < shortest_interval ||
        count >= most_evaluations || !std::isfinite(five)) {
      return five;
    }
    return integrate(a, m, tolerance / 2) + integrate(m, b, tolerance / 2);
  }

  // From a to infinity: as far as 10 directly, from there on in the variable 1/x.
  double to_infinity(double a) {
    const double far = std::max(10.0, a);
    const double near = a < far ? integrate(a, far, absolute) : 0;
    const auto given = f;
    f = [&](double u) { return u > 0 ? given(1 / u) / (u * u) : 0; };
    const double rest = integrate(0, 1 / far, absolute);
    f = given;
    return near + rest;
  }

  double over(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return NAN;
    if (a > b) return -over(b, a);
    if (std::isfinite(a) && std::isfinite(b)) return integrate(a, b, absolute);
    if (std::isfinite(a)) return to_infinity(a);
    const auto given = f;
    f = [&](double x) { return given(-x); };
    const double left = to_infinity(std::isfinite(b) ? -b : 0);
    f = given;
    return std::isfinite(b) ? left : left + to_infinity(0);
  }
};

// Simpson's rule on an interval and on its halves; the difference is 15 times the error of the better one.
struct Simpson {
  const std::function<double(double)>& f;
  int count = 3;

  double refine(double a, double b, double fa, double fm, double fb, double whole, double tolerance) {
    const double m = (a + b) / 2, h = b - a, fl = f((a + m) / 2), fr = f((m + b) / 2);
    const double left = h / 12 * (fa + 4 * fl + fm), right = h / 12 * (fm + 4 * fr + fb);
    count += 2;
    const double change = left + right - whole;
    if (std::abs(change) < 16 * tolerance || std::abs(h) < shortest_interval || count >= most_evaluations ||
        !std::isfinite(change)) {
      return left + right + change / 15;
    }
    return refine(a, m, fa, fl, fm, left, tolerance / 2) + refine(m, b, fm, fr, fb, right, tolerance / 2);
  }

  double over(double a, double b, double tolerance) {
    const double fa = f(a), fm = f((a + b) / 2), fb = f(b);
    return refine(a, b, fa, fm, fb, (b - a) / 6 * (fa + 4 * fm + fb), tolerance);
  }
};

// One integral for each pair of limits: areas and numbers of evaluations.
template <class Integrate>
void over_limits(Call& c, Integrate integrate) {
  Vec counts;
  const Value areas = zip_real({to_real(c[1]), to_real(c[2])}, [&](const double* limits) {
    int count = 0;
    const double area = integrate(limits[0], limits[1], count);
    counts.push_back(count);
    return area;
  });
  Value numbers = Value::zeros(areas.dims());
  std::copy(counts.begin(), counts.end(), numbers.edit_real().data.begin());
  c.ret(unboxed(areas));
  c.ret(unboxed(numbers));
}

std::function<double(double)> scalar_function(Call& c, const Value& handle) {
  return [&c, &handle](double x) { return to_double(c.oml.call1(handle, {Value(x)})); };
}

}  // namespace

void quad(Call& c) {
  const Value handle = c.oml.to_handle(c[0]);
  const Vec given = c.has(3) ? to_vector(c[3]) : Vec{};
  over_limits(c, [&](double a, double b, int& count) {
    GaussLegendre rule{scalar_function(c, handle)};
    if (!given.empty()) rule.relative = given[0];
    if (given.size() > 1) rule.absolute = given[1];
    const double area = rule.over(a, b);
    count = rule.count;
    return area;
  });
}

void quadv(Call& c) {
  const Value handle = c.oml.to_handle(c[0]);
  const double tolerance = c.has(3) && !c[3].is_empty() ? c.number(3) : 1e-8;
  const auto f = scalar_function(c, handle);
  over_limits(c, [&](double a, double b, int& count) {
    Simpson rule{f};
    const double area = rule.over(a, b, tolerance);
    count = rule.count;
    return area;
  });
}

void quad_vectorised(Call& c) {
  const Value given = c.oml.to_handle(c[0]);
  const double tol = c.has(3) && !c[3].is_text() && !c[3].is_empty() ? c.number(3) : 1e-10;
  double a = c.number(1), b = c.number(2), sign = 1;
  if (a > b) std::swap(a, b), sign = -1;
  Quadrature q{c, given};
  if (std::isfinite(a) && std::isfinite(b)) return c.ret(Value(sign * q.integrate(a, b, tol, 0)));
  // Infinite ranges in pieces of growing length until they stop to matter.
  double total = 0;
  const auto tail = [&](double from, double direction) {
    double length = 1, at = from, sum = 0;
    for (int k = 0; k < 60; ++k) {
      const double next = at + direction * length;
      const double part = direction > 0 ? q.integrate(at, next, tol / 60, 0) : q.integrate(next, at, tol / 60, 0);
      sum += part;
      if (k > 6 && std::abs(part) < 1e-15 * std::abs(sum)) break;
      at = next;
      length *= 2;
    }
    return sum;
  };
  if (std::isfinite(a))
    total = tail(a, 1);
  else if (std::isfinite(b))
    total = tail(b, -1);
  else
    total = tail(0, 1) + tail(0, -1);
  c.ret(Value(sign * total));
}

}  // namespace orrery::oml
