// SPDX-License-Identifier: Apache-2.0
// Densities, distribution functions, quantiles and random numbers of probability distributions.
#include <algorithm>
#include <cmath>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/interpreter.h"
#include "oml/special_functions.h"

namespace orrery::oml {
namespace {

constexpr double pi = 3.14159265358979323846;

// Applies f to x and up to two parameters with defaults.
template <class F>
void apply(Call& c, double a, double b, int parameters, F f) {
  std::vector<Value> v = {c[0], c.has(1) ? c[1] : Value(a)};
  if (parameters > 1) v.push_back(c.has(2) ? c[2] : Value(b));
  c.ret(zip_real(v, [&](const double* p) {
    for (std::size_t k = 0; k < v.size(); ++k)
      if (std::isnan(p[k])) return static_cast<double>(NAN);
    return static_cast<double>(f(p[0], p[1], parameters > 1 ? p[2] : 0.0));
  }));
}

bool is_probability(double p) { return p >= 0 && p <= 1; }

double exp_pdf(double x, double m, double) { return !(m > 0) ? NAN : x < 0 ? 0 : std::exp(-x / m) / m; }
double exp_cdf(double x, double m, double) { return !(m > 0) ? NAN : x < 0 ? 0 : -std::expm1(-x / m); }
double exp_inv(double p, double m, double) { return !(m > 0) || !is_probability(p) ? NAN : -m * std::log1p(-p); }

double wbl_pdf(double x, double s, double k) {
  if (!(s > 0) || !(k > 0)) return NAN;
  return x < 0 ? 0 : k / s * std::pow(x / s, k - 1) * std::exp(-std::pow(x / s, k));
}
double wbl_cdf(double x, double s, double k) {
  return !(s > 0) || !(k > 0) ? NAN : x < 0 ? 0 : -std::expm1(-std::pow(x / s, k));
}
double wbl_inv(double p, double s, double k) {
  return !(s > 0) || !(k > 0) || !is_probability(p) ? NAN : s * std::pow(-std::log1p(-p), 1 / k);
}

double norm_pdf(double x, double m, double s) {
  return !(s > 0) ? NAN : std::exp(-0.5 * (x - m) / s * (x - m) / s) / (s * std::sqrt(2 * pi));
}
double norm_cdf(double x, double m, double s) {
  return !(s > 0) ? NAN : 0.5 * std::erfc(-(x - m) / (s * std::sqrt(2.0)));
}
double norm_inv(double p, double m, double s) { return !(s > 0) ? NAN : m + s * normal_quantile(p); }

double logn_pdf(double x, double m, double s) { return !(s > 0) ? NAN : x <= 0 ? 0 : norm_pdf(std::log(x), m, s) / x; }
double logn_cdf(double x, double m, double s) { return !(s > 0) ? NAN : x <= 0 ? 0 : norm_cdf(std::log(x), m, s); }
double logn_inv(double p, double m, double s) { return std::exp(norm_inv(p, m, s)); }

double unif_pdf(double x, double a, double b) { return a > b ? NAN : x < a || x > b ? 0 : 1 / (b - a); }
double unif_cdf(double x, double a, double b) { return a > b ? NAN : x <= a ? 0 : x >= b ? 1 : (x - a) / (b - a); }
double unif_inv(double p, double a, double b) { return a > b || !is_probability(p) ? NAN : a + p * (b - a); }

double beta_pdf(double x, double a, double b) {
  if (!(a > 0) || !(b > 0)) return NAN;
  if (x < 0 || x > 1) return 0;
  const double scale = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b));
  return scale * std::pow(x, a - 1) * std::pow(1 - x, b - 1);
}
double beta_cdf(double x, double a, double b) { return !(a > 0) || !(b > 0) ? NAN : beta_regularised(x, a, b); }
double beta_inv(double p, double a, double b) { return inverse_beta(p, a, b); }

double gam_pdf(double x, double a, double b) {
  if (!(a > 0) || !(b > 0)) return NAN;
  if (x < 0) return 0;
  if (x == 0) return a < 1 ? INFINITY : a == 1 ? 1 / b : 0;
  return std::exp((a - 1) * std::log(x / b) - x / b - std::lgamma(a)) / b;
}
double gam_cdf(double x, double a, double b) { return !(a > 0) || !(b > 0) ? NAN : gamma_p(a, x / b); }
double gam_inv(double p, double a, double b) { return !(b > 0) ? NAN : b * inverse_gamma_p(a, p); }

double chi2_pdf(double x, double n, double) { return gam_pdf(x, n / 2, 2); }
double chi2_cdf(double x, double n, double) { return gam_cdf(x, n / 2, 2); }
double chi2_inv(double p, double n, double) { return gam_inv(p, n / 2, 2); }

double t_pdf(double x, double n, double) {
  if (!(n > 0)) return NAN;
  return std::exp(std::lgamma((n + 1) / 2) - std::lgamma(n / 2) - (n + 1) / 2 * std::log1p(x * x / n)) /
         std::sqrt(n * pi);
}
double t_cdf(double x, double n, double) {
  if (!(n > 0)) return NAN;
  const double tail = 0.5 * beta_regularised(n / (n + x * x), n / 2, 0.5);
  return x > 0 ? 1 - tail : tail;
}
double t_inv(double p, double n, double) {
  if (!(n > 0) || !is_probability(p)) return NAN;
  if (p == 0 || p == 1) return p == 0 ? -INFINITY : INFINITY;
  if (p == 0.5) return 0;
  const double q = std::min(p, 1 - p), z = inverse_beta(2 * q, n / 2, 0.5);
  const double t = std::sqrt(n / z - n);
  return p < 0.5 ? -t : t;
}

double f_pdf(double x, double a, double b) {
  if (!(a > 0) || !(b > 0)) return NAN;
  if (x < 0) return 0;
  return std::exp(std::lgamma((a + b) / 2) - std::lgamma(a / 2) - std::lgamma(b / 2) + a / 2 * std::log(a / b) +
                  (a / 2 - 1) * std::log(x) - (a + b) / 2 * std::log1p(a * x / b));
}
double f_cdf(double x, double a, double b) {
  return !(a > 0) || !(b > 0) ? NAN : x <= 0 ? 0 : beta_regularised(a * x / (a * x + b), a / 2, b / 2);
}
double f_inv(double p, double a, double b) {
  if (p == 1) return INFINITY;
  const double z = inverse_beta(p, a / 2, b / 2);
  return b * z / (a * (1 - z));
}

double poiss_pdf(double k, double m, double) {
  if (!(m >= 0)) return NAN;
  if (k < 0 || k != std::floor(k)) return 0;
  return m == 0 ? (k == 0 ? 1 : 0) : std::exp(k * std::log(m) - m - std::lgamma(k + 1));
}
double poiss_cdf(double k, double m, double) { return !(m >= 0) ? NAN : k < 0 ? 0 : gamma_q(std::floor(k) + 1, m); }
double poiss_inv(double p, double m, double) {
  if (!(m >= 0) || !is_probability(p)) return NAN;
  if (p == 1) return INFINITY;
  // Far out the distribution is normal to more digits than a double has left for single counts.
  if (m > 1e8) return std::max(0.0, std::floor(m + normal_quantile(std::max(p, 1e-300)) * std::sqrt(m)));
  double k = std::max(0.0, std::floor(m + normal_quantile(std::max(p, 1e-300)) * std::sqrt(m)) - 2);
  while (k > 0 && poiss_cdf(k - 1, m, 0) >= p) --k;
  while (poiss_cdf(k, m, 0) < p) ++k;
  return k;
}

double bino_pdf(double k, double n, double p) {
  if (n < 0 || !is_probability(p)) return NAN;
  if (k < 0 || k > n || k != std::floor(k)) return 0;
  if (p == 0 || p == 1) return k == (p == 0 ? 0 : n) ? 1 : 0;
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(p) +
                  (n - k) * std::log1p(-p));
}
double bino_cdf(double k, double n, double p) {
  return k < 0 ? 0 : k >= n ? 1 : 1 - beta_regularised(p, std::floor(k) + 1, n - std::floor(k));
}
double bino_inv(double q, double n, double p) {
  if (!is_probability(q) || !is_probability(p) || !(n >= 0)) return NAN;
  if (q == 1) return n;
  // The smallest count whose cumulated probability reaches q: bracketed around the normal one, then bisected.
  const auto reaches = [=](double k) { return k >= 0 && (k >= n || bino_cdf(k, n, p) >= q); };
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

double uniform(Interpreter& oml) { return (static_cast<double>(oml.random()) + 0.5) / 4294967296.0; }

// Random numbers by inversion: rnd(a, b, m, n, ...).
template <class F>
void random(Call& c, int parameters, F inverse) {
  const Value a = to_real(c[0]), b = parameters > 1 ? to_real(c[1]) : Value::zeros(Dims(1, 1));
  Dims d = dims_from(c, parameters);
  if (c.count() <= parameters) d = a.numel() != 1 ? a.dims() : b.dims();
  for (const Value* v : {&a, &b})
    if (v->numel() != 1 && v->numel() != checked_numel(d)) fail("the sizes of the parameters do not match");
  require_memory(checked_numel(d), 8);
  Value out = Value::zeros(d);
  for (Index i = 0; i < out.numel(); ++i) {
    c.oml.tick();
    const double u = uniform(c.oml), p = a.real()[a.numel() == 1 ? 0 : i], q = b.real()[b.numel() == 1 ? 0 : i];
    out.edit_real()[i] = std::isfinite(p) && std::isfinite(q) ? static_cast<double>(inverse(u, p, q)) : NAN;
  }
  c.ret(unboxed(out));
}

// Maximum-likelihood fits by Newton's method on the shape.
double trigamma(double t) {
  const double h = 1e-5 * t;
  return (digamma(t + h) - digamma(t - h)) / (2 * h);
}

// Two positive parameters with their intervals of 95 %: the logarithms of the estimates are nearly normal.
void give_fit(Call& c, double a, double b, double variance_a, double variance_b) {
  const auto interval = [](double x, double variance) {
    const double reach = std::exp(1.959963984540054 * std::sqrt(variance) / x);
    return Value::row({x / reach, x * reach});
  };
  c.ret(Value(a));
  c.ret(Value(b));
  c.ret(interval(a, variance_a));
  c.ret(interval(b, variance_b));
}

void gamfit(Call& c) {
  const std::vector<double> x = to_vector(c[0]);
  if (x.empty()) fail_argument(1, "must not be empty");
  double m = 0, l = 0;
  for (double v : x) m += v / static_cast<double>(x.size()), l += std::log(v) / static_cast<double>(x.size());
  const double s = std::log(m) - l;
  double k = (3 - s + std::sqrt((s - 3) * (s - 3) + 24 * s)) / (12 * s);
  for (int i = 0; i < 100; ++i) {
    const double h = 1e-6 * k, f = std::log(k) - digamma(k) - s;
    const double slope = ((std::log(k + h) - digamma(k + h)) - (std::log(k - h) - digamma(k - h))) / (2 * h);
    const double step = f / slope;
    k = std::max(k - step, k / 10);
    if (std::abs(step) < 1e-12 * k) break;
  }
  const double b = m / k, information = static_cast<double>(x.size()) * (k * trigamma(k) - 1);
  give_fit(c, k, b, k / information, b * b * trigamma(k) / information);
}

void betafit(Call& c) {
  const std::vector<double> x = to_vector(c[0]);
  if (x.empty()) fail_argument(1, "must not be empty");
  const auto n = static_cast<double>(x.size());
  double m = 0, v = 0, la = 0, lb = 0;
  for (double t : x) m += t / n, la += std::log(t) / n, lb += std::log1p(-t) / n;
  for (double t : x) v += (t - m) * (t - m) / n;
  double a = m * (m * (1 - m) / v - 1), b = (1 - m) * (m * (1 - m) / v - 1);
  for (int i = 0; i < 200; ++i) {
    const double fa = digamma(a) - digamma(a + b) - la, fb = digamma(b) - digamma(a + b) - lb;
    const double tab = trigamma(a + b), aa = trigamma(a) - tab, bb = trigamma(b) - tab, det = aa * bb - tab * tab;
    const double da = (fa * bb + fb * tab) / det, db = (fb * aa + fa * tab) / det;
    a = std::max(a - da, a / 10), b = std::max(b - db, b / 10);
    if (std::abs(da) + std::abs(db) < 1e-12 * (a + b)) break;
  }
  const double tab = trigamma(a + b), aa = trigamma(a) - tab, bb = trigamma(b) - tab;
  const double information = n * (aa * bb - tab * tab);
  give_fit(c, a, b, bb / information, aa / information);
}

constexpr Builtin table[] = {
    {"exppdf", 1, 2, [](Call& c) { apply(c, 1, 0, 1, exp_pdf); },
     "exppdf(x, mu): density of the exponential distribution with mean mu."},
    {"expcdf", 1, 2, [](Call& c) { apply(c, 1, 0, 1, exp_cdf); }, "expcdf(x, mu): exponential distribution function."},
    {"expinv", 1, 2, [](Call& c) { apply(c, 1, 0, 1, exp_inv); }, "expinv(p, mu): exponential quantile."},
    {"wblpdf", 1, 3, [](Call& c) { apply(c, 1, 1, 2, wbl_pdf); }, "wblpdf(x, scale, shape): Weibull density."},
    {"wblcdf", 1, 3, [](Call& c) { apply(c, 1, 1, 2, wbl_cdf); },
     "wblcdf(x, scale, shape): Weibull distribution function."},
    {"wblinv", 1, 3, [](Call& c) { apply(c, 1, 1, 2, wbl_inv); }, "wblinv(p, scale, shape): Weibull quantile."},
    {"normpdf", 1, 3, [](Call& c) { apply(c, 0, 1, 2, norm_pdf); }, "normpdf(x, mu, sigma): normal density."},
    {"normcdf", 1, 3, [](Call& c) { apply(c, 0, 1, 2, norm_cdf); },
     "normcdf(x, mu, sigma): normal distribution function."},
    {"norminv", 1, 3, [](Call& c) { apply(c, 0, 1, 2, norm_inv); }, "norminv(p, mu, sigma): normal quantile."},
    {"lognpdf", 1, 3, [](Call& c) { apply(c, 0, 1, 2, logn_pdf); }, "lognpdf(x, mu, sigma): lognormal density."},
    {"logncdf", 1, 3, [](Call& c) { apply(c, 0, 1, 2, logn_cdf); },
     "logncdf(x, mu, sigma): lognormal distribution function."},
    {"logninv", 1, 3, [](Call& c) { apply(c, 0, 1, 2, logn_inv); }, "logninv(p, mu, sigma): lognormal quantile."},
    {"unifpdf", 1, 3, [](Call& c) { apply(c, 0, 1, 2, unif_pdf); }, "unifpdf(x, a, b): uniform density."},
    {"unifcdf", 1, 3, [](Call& c) { apply(c, 0, 1, 2, unif_cdf); }, "unifcdf(x, a, b): uniform distribution function."},
    {"unifinv", 1, 3, [](Call& c) { apply(c, 0, 1, 2, unif_inv); }, "unifinv(p, a, b): uniform quantile."},
    {"betapdf", 3, 3, [](Call& c) { apply(c, 1, 1, 2, beta_pdf); }, "betapdf(x, a, b): beta density."},
    {"betacdf", 3, 3, [](Call& c) { apply(c, 1, 1, 2, beta_cdf); }, "betacdf(x, a, b): beta distribution function."},
    {"betainv", 3, 3, [](Call& c) { apply(c, 1, 1, 2, beta_inv); }, "betainv(p, a, b): beta quantile."},
    {"gampdf", 2, 3, [](Call& c) { apply(c, 1, 1, 2, gam_pdf); }, "gampdf(x, shape, scale): gamma density."},
    {"gamcdf", 2, 3, [](Call& c) { apply(c, 1, 1, 2, gam_cdf); },
     "gamcdf(x, shape, scale): gamma distribution function."},
    {"gaminv", 2, 3, [](Call& c) { apply(c, 1, 1, 2, gam_inv); }, "gaminv(p, shape, scale): gamma quantile."},
    {"chi2pdf", 2, 2, [](Call& c) { apply(c, 1, 0, 1, chi2_pdf); }, "chi2pdf(x, n): chi-squared density."},
    {"chi2cdf", 2, 2, [](Call& c) { apply(c, 1, 0, 1, chi2_cdf); },
     "chi2cdf(x, n): chi-squared distribution function."},
    {"chi2inv", 2, 2, [](Call& c) { apply(c, 1, 0, 1, chi2_inv); }, "chi2inv(p, n): chi-squared quantile."},
    {"tpdf", 2, 2, [](Call& c) { apply(c, 1, 0, 1, t_pdf); }, "tpdf(x, n): density of Student's t distribution."},
    {"tcdf", 2, 2, [](Call& c) { apply(c, 1, 0, 1, t_cdf); }, "tcdf(x, n): Student's t distribution function."},
    {"tinv", 2, 2, [](Call& c) { apply(c, 1, 0, 1, t_inv); }, "tinv(p, n): quantile of Student's t distribution."},
    {"fpdf", 3, 3, [](Call& c) { apply(c, 1, 1, 2, f_pdf); }, "fpdf(x, m, n): density of the F distribution."},
    {"fcdf", 3, 3, [](Call& c) { apply(c, 1, 1, 2, f_cdf); }, "fcdf(x, m, n): F distribution function."},
    {"finv", 3, 3, [](Call& c) { apply(c, 1, 1, 2, f_inv); }, "finv(p, m, n): quantile of the F distribution."},
    {"poisspdf", 2, 2, [](Call& c) { apply(c, 1, 0, 1, poiss_pdf); }, "poisspdf(k, lambda): Poisson probability."},
    {"poisscdf", 2, 2, [](Call& c) { apply(c, 1, 0, 1, poiss_cdf); },
     "poisscdf(k, lambda): Poisson distribution function."},
    {"poissinv", 2, 2, [](Call& c) { apply(c, 1, 0, 1, poiss_inv); }, "poissinv(p, lambda): Poisson quantile."},
    {"binopdf", 3, 3, [](Call& c) { apply(c, 1, 1, 2, bino_pdf); }, "binopdf(k, n, p): binomial probability."},
    {"binocdf", 3, 3, [](Call& c) { apply(c, 1, 1, 2, bino_cdf); },
     "binocdf(k, n, p): binomial distribution function."},
    {"binoinv", 3, 3, [](Call& c) { apply(c, 1, 1, 2, bino_inv); }, "binoinv(q, n, p): binomial quantile."},
    {"exprnd", 1, -1, [](Call& c) { random(c, 1, exp_inv); }, "exprnd(mu, m, n): exponential random numbers."},
    {"normrnd", 2, -1, [](Call& c) { random(c, 2, norm_inv); }, "normrnd(mu, sigma, m, n): normal random numbers."},
    {"unifrnd", 2, -1, [](Call& c) { random(c, 2, unif_inv); }, "unifrnd(a, b, m, n): uniform random numbers."},
    {"wblrnd", 2, -1, [](Call& c) { random(c, 2, wbl_inv); }, "wblrnd(scale, shape, m, n): Weibull random numbers."},
    {"lognrnd", 2, -1, [](Call& c) { random(c, 2, logn_inv); }, "lognrnd(mu, sigma, m, n): lognormal random numbers."},
    {"betarnd", 2, -1, [](Call& c) { random(c, 2, beta_inv); }, "betarnd(a, b, m, n): beta random numbers."},
    {"gamrnd", 2, -1, [](Call& c) { random(c, 2, gam_inv); }, "gamrnd(shape, scale, m, n): gamma random numbers."},
    {"chi2rnd", 1, -1, [](Call& c) { random(c, 1, chi2_inv); }, "chi2rnd(n, r, c): chi-squared random numbers."},
    {"trnd", 1, -1, [](Call& c) { random(c, 1, t_inv); }, "trnd(n, r, c): random numbers of Student's t distribution."},
    {"frnd", 2, -1, [](Call& c) { random(c, 2, f_inv); }, "frnd(m, n, r, c): random numbers of the F distribution."},
    {"poissrnd", 1, -1, [](Call& c) { random(c, 1, poiss_inv); }, "poissrnd(lambda, m, n): Poisson random numbers."},
    {"gamfit", 1, 1, gamfit,
     "[a, b, aci, bci] = gamfit(x): maximum-likelihood shape and scale of the gamma distribution with their intervals "
     "of 95 %."},
    {"betafit", 1, 1, betafit,
     "[a, b, aci, bci] = betafit(x): maximum-likelihood parameters of the beta distribution with their intervals of 95 "
     "%."},
};

}  // namespace

BuiltinFamily distribution_builtins() { return table; }

}  // namespace orrery::oml
