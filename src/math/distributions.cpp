// SPDX-License-Identifier: Apache-2.0
// Distributions on the incomplete gamma and beta functions (Abramowitz and Stegun, chapter 26).
#include "math/distributions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/special_functions.h"

namespace orrery::math {
namespace {

using std::numbers::pi;

bool is_probability(double p) { return p >= 0 && p <= 1; }

}  // namespace

double exponential_pdf(double x, double m, double) { return !(m > 0) ? NAN : x < 0 ? 0 : std::exp(-x / m) / m; }
double exponential_cdf(double x, double m, double) { return !(m > 0) ? NAN : x < 0 ? 0 : -std::expm1(-x / m); }
double exponential_quantile(double p, double m, double) {
  return !(m > 0) || !is_probability(p) ? NAN : -m * std::log1p(-p);
}

double weibull_pdf(double x, double s, double k) {
  if (!(s > 0) || !(k > 0)) return NAN;
  return x < 0 ? 0 : k / s * std::pow(x / s, k - 1) * std::exp(-std::pow(x / s, k));
}
double weibull_cdf(double x, double s, double k) {
  return !(s > 0) || !(k > 0) ? NAN : x < 0 ? 0 : -std::expm1(-std::pow(x / s, k));
}
double weibull_quantile(double p, double s, double k) {
  return !(s > 0) || !(k > 0) || !is_probability(p) ? NAN : s * std::pow(-std::log1p(-p), 1 / k);
}

double normal_pdf(double x, double m, double s) {
  return !(s > 0) ? NAN : std::exp(-0.5 * (x - m) / s * (x - m) / s) / (s * std::sqrt(2 * pi));
}
double normal_cdf(double x, double m, double s) {
  return !(s > 0) ? NAN : 0.5 * std::erfc(-(x - m) / (s * std::sqrt(2.0)));
}
double normal_quantile(double p, double m, double s) {
  return !(s > 0) ? NAN : m - s * std::sqrt(2.0) * inverse_erfc(2 * p);
}

double lognormal_pdf(double x, double m, double s) {
  return !(s > 0) ? NAN : x <= 0 ? 0 : normal_pdf(std::log(x), m, s) / x;
}
double lognormal_cdf(double x, double m, double s) {
  return !(s > 0) ? NAN : x <= 0 ? 0 : normal_cdf(std::log(x), m, s);
}
double lognormal_quantile(double p, double m, double s) { return std::exp(normal_quantile(p, m, s)); }

double uniform_pdf(double x, double a, double b) { return a > b ? NAN : x < a || x > b ? 0 : 1 / (b - a); }
double uniform_cdf(double x, double a, double b) { return a > b ? NAN : x <= a ? 0 : x >= b ? 1 : (x - a) / (b - a); }
double uniform_quantile(double p, double a, double b) { return a > b || !is_probability(p) ? NAN : a + p * (b - a); }

double beta_pdf(double x, double a, double b) { return beta_p_derivative(x, a, b); }
double beta_cdf(double x, double a, double b) { return !(a > 0) || !(b > 0) ? NAN : beta_p(x, a, b); }
double beta_quantile(double p, double a, double b) {
  double rest = 0;
  return inverse_beta_p(p, a, b, rest);
}

double gamma_pdf(double x, double a, double b) {
  if (!(a > 0) || !(b > 0)) return NAN;
  if (x == 0) return a < 1 ? INFINITY : a == 1 ? 1 / b : 0;
  return gamma_p_derivative(a, x / b) / b;
}
double gamma_cdf(double x, double a, double b) { return !(a > 0) || !(b > 0) ? NAN : gamma_p(a, x / b); }
double gamma_quantile(double p, double a, double b) { return !(b > 0) ? NAN : b * inverse_gamma_p(a, p); }

double chi2_pdf(double x, double n, double) { return gamma_pdf(x, n / 2, 2); }
double chi2_cdf(double x, double n, double) { return gamma_cdf(x, n / 2, 2); }
double chi2_quantile(double p, double n, double) { return gamma_quantile(p, n / 2, 2); }

double t_pdf(double x, double n, double) {
  if (!(n > 0)) return NAN;
  return std::exp(std::lgamma((n + 1) / 2) - std::lgamma(n / 2) - (n + 1) / 2 * std::log1p(x * x / n)) /
         std::sqrt(n * pi);
}
double t_cdf(double x, double n, double) {
  if (!(n > 0)) return NAN;
  // The smaller of the two arguments keeps its digits.
  const double square = x * x, tail = 0.5 * (square < n ? beta_q(square / (n + square), 0.5, n / 2)
                                                        : beta_p(n / (n + square), n / 2, 0.5));
  return x > 0 ? 1 - tail : tail;
}
double t_quantile(double p, double n, double) {
  if (!(n > 0) || !is_probability(p)) return NAN;
  if (p == 0 || p == 1) return p == 0 ? -INFINITY : INFINITY;
  if (p == 0.5) return 0;
  double rest = 0;
  const double z = inverse_beta_p(2 * std::min(p, 1 - p), n / 2, 0.5, rest), t = std::sqrt(n * rest / z);
  return p < 0.5 ? -t : t;
}

double f_pdf(double x, double a, double b) {
  if (!(a > 0) || !(b > 0)) return NAN;
  if (x < 0) return 0;
  return std::exp(std::lgamma((a + b) / 2) - std::lgamma(a / 2) - std::lgamma(b / 2) + a / 2 * std::log(a / b) +
                  (a / 2 - 1) * std::log(x) - (a + b) / 2 * std::log1p(a * x / b));
}
double f_cdf(double x, double a, double b) {
  if (!(a > 0) || !(b > 0)) return NAN;
  if (x <= 0) return 0;
  if (std::isinf(x)) return 1;
  return a * x < b ? beta_p(a * x / (a * x + b), a / 2, b / 2) : beta_q(b / (a * x + b), b / 2, a / 2);
}
double f_quantile(double p, double a, double b) {
  if (p == 1) return INFINITY;
  double rest = 0;
  const double z = inverse_beta_p(p, a / 2, b / 2, rest);
  return b * z / (a * rest);
}

double poisson_pdf(double k, double m, double) {
  if (!(m >= 0)) return NAN;
  if (k < 0 || k != std::floor(k)) return 0;
  return m == 0 ? (k == 0 ? 1 : 0) : gamma_p_derivative(k + 1, m);
}
double poisson_cdf(double k, double m, double) { return !(m >= 0) ? NAN : k < 0 ? 0 : gamma_q(std::floor(k) + 1, m); }
double poisson_quantile(double p, double m, double) {
  if (!(m >= 0) || !is_probability(p)) return NAN;
  if (p == 1) return INFINITY;
  // Far out the distribution is normal to more digits than a double has left for single counts.
  if (m > 1e8) return std::max(0.0, std::floor(m + normal_quantile(std::max(p, 1e-300)) * std::sqrt(m)));
  double k = std::max(0.0, std::floor(m + normal_quantile(std::max(p, 1e-300)) * std::sqrt(m)) - 2);
  while (k > 0 && poisson_cdf(k - 1, m, 0) >= p) --k;
  while (poisson_cdf(k, m, 0) < p) ++k;
  return k;
}

double binomial_pdf(double k, double n, double p) {
  if (n < 0 || !is_probability(p)) return NAN;
  if (k < 0 || k > n || k != std::floor(k)) return 0;
  if (p == 0 || p == 1) return k == (p == 0 ? 0 : n) ? 1 : 0;
  return beta_p_derivative(p, k + 1, n - k + 1) / (n + 1);
}
double binomial_cdf(double k, double n, double p) {
  return k < 0 ? 0 : k >= n ? 1 : beta_q(p, std::floor(k) + 1, n - std::floor(k));
}
double binomial_quantile(double q, double n, double p) {
  if (!is_probability(q) || !is_probability(p) || !(n >= 0)) return NAN;
  if (q == 1) return n;
  // The smallest count whose cumulated probability reaches q: bracketed around the normal one, then bisected.
  const auto reaches = [=](double k) { return k >= 0 && (k >= n || binomial_cdf(k, n, p) >= q); };
  const double guess = std::floor(n * p + normal_quantile(std::max(q, 1e-300)) * std::sqrt(n * p * (1 - p)));
  double below = std::clamp(guess, 0.0, n) - 1, reached = below + 1;
  for (double step = 1; reaches(below); step *= 2) reached = below, below = std::max(-1.0, below - step);
  for (double step = 1; !reaches(reached); step *= 2) below = reached, reached = std::min(n, reached + step);
  while (reached - below > 1) {
    const double middle = below + std::floor((reached - below) / 2);
    if (middle <= below || middle >= reached) break;
    (reaches(middle) ? reached : below) = middle;
  }
  return reached;
}

}  // namespace orrery::math
