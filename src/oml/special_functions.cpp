// SPDX-License-Identifier: Apache-2.0
// Series and continued fractions of the incomplete gamma and beta functions (Abramowitz and Stegun, chapters 6 and 26).
#include "oml/special_functions.h"

#include <cmath>

namespace orrery::oml {
namespace {

constexpr double tiny = 1e-300;

double gamma_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (int n = 1; n < 100000; ++n) {
    term *= x / (a + n);
    sum += term;
    if (std::abs(term) < std::abs(sum) * 1e-17) break;
  }
  return sum * std::exp(-x + a * std::log(x) - std::lgamma(a));
}

// Lentz's method for A&S 6.5.31.
double gamma_fraction(double a, double x) {
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
  for (int n = 1; n < 100000; ++n) {
    const double an = -n * (n - a);
    b += 2;
    d = an * d + b;
    if (std::abs(d) < tiny) d = tiny;
    c = b + an / c;
    if (std::abs(c) < tiny) c = tiny;
    d = 1 / d;
    const double step = d * c;
    h *= step;
    if (std::abs(step - 1) < 1e-16) break;
  }
  return std::exp(-x + a * std::log(x) - std::lgamma(a)) * h;
}

double beta_fraction(double x, double a, double b) {
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  if (std::abs(d) < tiny) d = tiny;
  d = 1 / d;
  double h = d;
  for (int m = 1; m < 100000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 + even * d;
    if (std::abs(d) < tiny) d = tiny;
    c = 1 + even / c;
    if (std::abs(c) < tiny) c = tiny;
    d = 1 / d;
    h *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 + odd * d;
    if (std::abs(d) < tiny) d = tiny;
    c = 1 + odd / c;
    if (std::abs(c) < tiny) c = tiny;
    d = 1 / d;
    const double step = d * c;
    h *= step;
    if (std::abs(step - 1) < 1e-16) break;
  }
  return h;
}

// Root of an increasing function by bisection, which never fails, finished by secant steps inside the bracket.
template <class F>
double increasing_root(F f, double low, double high) {
  double flow = f(low), fhigh = f(high);
  for (int k = 0; k < 200 && high - low > 1e-16 * std::abs(low + high); ++k) {
    double mid = 0.5 * (low + high);
    if (k % 3 == 2 && std::isfinite(flow) && std::isfinite(fhigh) && fhigh != flow) {
      const double guess = low - flow * (high - low) / (fhigh - flow);
      if (guess > low && guess < high) mid = guess;
    }
    const double fm = f(mid);
    if (fm == 0) return mid;
    if (fm < 0)
      low = mid, flow = fm;
    else
      high = mid, fhigh = fm;
  }
  return 0.5 * (low + high);
}

}  // namespace

double gamma_p(double a, double x) {
  if (std::isnan(a) || std::isnan(x) || a < 0) return NAN;
  if (x <= 0) return 0;
  if (a == 0 || std::isinf(x)) return 1;
  return x < a + 1 ? gamma_series(a, x) : 1 - gamma_fraction(a, x);
}

double gamma_q(double a, double x) {
  if (std::isnan(a) || std::isnan(x) || a < 0) return NAN;
  if (x <= 0) return 1;
  if (a == 0 || std::isinf(x)) return 0;
  return x < a + 1 ? 1 - gamma_series(a, x) : gamma_fraction(a, x);
}

double beta_regularised(double x, double a, double b) {
  if (std::isnan(x) || std::isnan(a) || std::isnan(b)) return NAN;
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
  return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double inverse_gamma_p(double a, double p) {
  if (std::isnan(p) || p < 0 || p > 1 || !(a > 0) || std::isinf(a)) return NAN;
  if (p == 0) return 0;
  if (p == 1) return INFINITY;
  double high = a + 10 * std::sqrt(a) + 10;
  while (gamma_p(a, high) < p) high *= 2;
  // In log space, so that small quantiles keep their digits.
  double low = high;
  while (gamma_p(a, low) > p && low > 1e-308) low /= 16;
  const double u =
      increasing_root([&](double t) { return gamma_p(a, std::exp(t)) - p; }, std::log(low), std::log(high));
  return std::exp(u);
}

double inverse_beta(double p, double a, double b) {
  if (std::isnan(p) || p < 0 || p > 1 || !(a > 0) || !(b > 0)) return NAN;
  if (p == 0) return 0;
  if (p == 1) return 1;
  return increasing_root([&](double x) { return beta_regularised(x, a, b) - p; }, 0, 1);
}

// Winitzki's closed approximation (2008), polished by Halley steps.
double inverse_erf(double y) {
  if (std::isnan(y) || y < -1 || y > 1) return NAN;
  if (y == 1) return INFINITY;
  if (y == -1) return -INFINITY;
  const double w = -std::log1p(-y * y);
  constexpr double a = 0.147, pi = 3.14159265358979323846;
  const double t = 2 / (pi * a) - w / 2;
  double x = std::copysign(std::sqrt(std::sqrt(t * t + w / a) - t), y);
  for (int k = 0; k < 4; ++k) {
    const double error = y >= 0 ? (1 - y) - std::erfc(x) : (-1 - y) + std::erfc(-x);
    const double slope = 2 / std::sqrt(pi) * std::exp(-x * x);
    const double step = error / slope;
    x -= step / (1 + x * step);
  }
  return x;
}

double normal_quantile(double p) {
  if (std::isnan(p) || p < 0 || p > 1) return NAN;
  if (p < 0.02) {
    // Through erfc, where 2p - 1 would lose digits.
    if (p == 0) return -INFINITY;
    double x = std::sqrt(-2 * std::log(p)) - 1 / std::sqrt(-2 * std::log(p));
    for (int k = 0; k < 30; ++k) {
      const double f = 0.5 * std::erfc(x / std::sqrt(2.0)) - p;
      const double slope = -std::exp(-x * x / 2) / std::sqrt(2 * 3.14159265358979323846);
      const double step = f / slope;
      x -= step / (1 + x * step / 2);
      if (std::abs(step) < 1e-15 * std::abs(x)) break;
    }
    return -x;
  }
  if (p > 0.98) return -normal_quantile(1 - p);
  return std::sqrt(2.0) * inverse_erf(2 * p - 1);
}

double digamma(double x) {
  if (x <= 0 && x == std::floor(x)) return NAN;
  if (x < 0) return digamma(1 - x) - 3.14159265358979323846 / std::tan(3.14159265358979323846 * x);
  double shift = 0;
  for (; x < 10; x += 1) shift -= 1 / x;
  const double i = 1 / (x * x);
  return shift + std::log(x) - 0.5 / x - i * (1.0 / 12 - i * (1.0 / 120 - i * (1.0 / 252 - i * (1.0 / 240 - i / 132))));
}

}  // namespace orrery::oml
