// SPDX-License-Identifier: Apache-2.0
// Gauss-Kronrod (nodes and weights: QUADPACK, Piessens et al. 1983), Gauss-Legendre and Simpson, adaptive by bisection.
#include "math/quadrature.h"

#include <algorithm>
#include <cmath>

#include "math/matrix.h"

namespace orrery::math {
namespace {

class GaussKronrod {
 public:
  explicit GaussKronrod(const VectorFunction& f) : f_(f) {}

  double integrate(double a, double b, double tolerance, int depth = 0) {
    double error = 0;
    const double whole = panel(a, b, error);
    // A function that never settles ends after enough panels, with what is known of it.
    if (++panels_ > 20000) return whole;
    if (error <= tolerance || error <= 1e-14 * std::abs(whole) || depth >= 40 || !std::isfinite(whole)) return whole;
    const double m = (a + b) / 2;
    return integrate(a, m, tolerance / 2, depth + 1) + integrate(m, b, tolerance / 2, depth + 1);
  }

  // To infinity in pieces of growing length until they stop to matter.
  double tail(double from, double direction, double tolerance) {
    double length = 1, at = from, sum = 0;
    for (int k = 0; k < 60; ++k) {
      const double next = at + direction * length;
      const double part = integrate(std::min(at, next), std::max(at, next), tolerance / 60);
      sum += part;
      if (k > 6 && std::abs(part) < 1e-15 * std::abs(sum)) break;
      at = next;
      length *= 2;
    }
    return sum;
  }

 private:
  double panel(double a, double b, double& error) {
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
    nodes_.clear();
    for (int k = 0; k < 15; ++k) nodes_.push_back(mid + half * (k < 7 ? -x[k] : x[14 - k]));
    const std::vector<double> y = f_(nodes_);
    if (y.size() != nodes_.size()) throw Error("the function must return one value for each point");
    double kronrod = 0, gauss = 0;
    for (int k = 0; k < 15; ++k) {
      const int j = k < 8 ? k : 14 - k;
      kronrod += wk[j] * y[static_cast<std::size_t>(k)];
      if (k % 2 == 1) gauss += wg[(j - 1) / 2] * y[static_cast<std::size_t>(k)];
    }
    error = std::abs(kronrod - gauss) * std::abs(half);
    return kronrod * half;
  }

  const VectorFunction& f_;
  std::vector<double> nodes_;
  int panels_ = 0;
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

}  // namespace

double integrate_gauss_kronrod(const VectorFunction& f, double a, double b, double tolerance) {
  if (a > b) return -integrate_gauss_kronrod(f, b, a, tolerance);
  GaussKronrod rule(f);
  if (std::isfinite(a) && std::isfinite(b)) return rule.integrate(a, b, tolerance);
  if (std::isfinite(a)) return rule.tail(a, 1, tolerance);
  if (std::isfinite(b)) return rule.tail(b, -1, tolerance);
  return rule.tail(0, 1, tolerance) + rule.tail(0, -1, tolerance);
}

Integral integrate_gauss_legendre(const ScalarFunction& f, double a, double b, double relative, double absolute) {
  GaussLegendre rule{f, relative, absolute};
  const double value = rule.over(a, b);
  return {value, rule.count};
}

Integral integrate_simpson(const ScalarFunction& f, double a, double b, double tolerance) {
  Simpson rule{f};
  const double value = rule.over(a, b, tolerance);
  return {value, rule.count};
}

}  // namespace orrery::math
