// SPDX-License-Identifier: Apache-2.0
// Densities, distribution functions, quantiles and random numbers of probability distributions.
#include <algorithm>
#include <cmath>

#include "math/distributions.h"
#include "math/special_functions.h"
#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/interpreter.h"

namespace orrery::oml {
namespace {

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

double open_uniform(Interpreter& oml) { return (static_cast<double>(oml.random()) + 0.5) / 4294967296.0; }

// Random numbers for parameters a, b and sizes: rnd(a, b, m, n, ...).
template <class F>
void random_with(Call& c, int parameters, F draw) {
  const Value a = to_real(c[0]), b = parameters > 1 ? to_real(c[1]) : Value::zeros(Dims(1, 1));
  Dims d = dims_from(c, parameters);
  if (c.count() <= parameters) d = a.numel() != 1 ? a.dims() : b.dims();
  for (const Value* v : {&a, &b})
    if (v->numel() != 1 && v->numel() != checked_numel(d)) fail("the sizes of the parameters do not match");
  require_memory(checked_numel(d), 8);
  Value out = Value::zeros(d);
  for (Index i = 0; i < out.numel(); ++i) {
    c.oml.tick();
    const double p = a.real()[a.numel() == 1 ? 0 : i], q = b.real()[b.numel() == 1 ? 0 : i];
    out.edit_real()[i] = std::isfinite(p) && std::isfinite(q) ? static_cast<double>(draw(p, q)) : NAN;
  }
  c.ret(unboxed(out));
}

template <class F>
void random(Call& c, int parameters, F inverse) {
  random_with(c, parameters, [&](double p, double q) { return inverse(open_uniform(c.oml), p, q); });
}

// mu + sigma * randn, from the stream of randn.
double normal_random(Interpreter& oml, double mu, double sigma) { return mu + sigma * random_normal(oml); }

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

// Maximum-likelihood fits by Newton's method on the shape.
void gamfit(Call& c) {
  const std::vector<double> x = to_vector(c[0]);
  if (x.empty()) fail_argument(1, "must not be empty");
  double m = 0, l = 0;
  for (double v : x) m += v / static_cast<double>(x.size()), l += std::log(v) / static_cast<double>(x.size());
  const double s = std::log(m) - l;
  double k = (3 - s + std::sqrt((s - 3) * (s - 3) + 24 * s)) / (12 * s);
  for (int i = 0; i < 100; ++i) {
    const double f = std::log(k) - math::digamma(k) - s, slope = 1 / k - math::trigamma(k), step = f / slope;
    k = std::max(k - step, k / 10);
    if (std::abs(step) < 1e-12 * k) break;
  }
  const double b = m / k, information = static_cast<double>(x.size()) * (k * math::trigamma(k) - 1);
  give_fit(c, k, b, k / information, b * b * math::trigamma(k) / information);
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
    const double fa = math::digamma(a) - math::digamma(a + b) - la, fb = math::digamma(b) - math::digamma(a + b) - lb;
    const double tab = math::trigamma(a + b), aa = math::trigamma(a) - tab, bb = math::trigamma(b) - tab,
                 det = aa * bb - tab * tab;
    const double da = (fa * bb + fb * tab) / det, db = (fb * aa + fa * tab) / det;
    a = std::max(a - da, a / 10), b = std::max(b - db, b / 10);
    if (std::abs(da) + std::abs(db) < 1e-12 * (a + b)) break;
  }
  const double tab = math::trigamma(a + b), aa = math::trigamma(a) - tab, bb = math::trigamma(b) - tab;
  const double information = n * (aa * bb - tab * tab);
  give_fit(c, a, b, bb / information, aa / information);
}

// The ends of a uniform distribution, in order.
void check_ends(const Call& c) {
  if (!c.has(2) || c[1].numel() == 0 || c[2].numel() == 0) return;
  const std::vector<double> low = to_vector(c[1]), high = to_vector(c[2]);
  const std::size_t n = std::max(low.size(), high.size());
  if (low.size() != n && low.size() != 1) return;  // the sizes are looked at later
  if (high.size() != n && high.size() != 1) return;
  for (std::size_t k = 0; k < n; ++k) {
    if (high[high.size() == 1 ? 0 : k] < low[low.size() == 1 ? 0 : k]) fail_argument(3, "must not be below argument 2");
  }
}

constexpr Builtin distribution_table[] = {
    {"exppdf", 1, 2, [](Call& c) { apply(c, 1, 0, 1, math::exponential_pdf); },
     "exppdf(x, mu): density of the exponential distribution with mean mu.", "real, real positive"},
    {"expcdf", 1, 2, [](Call& c) { apply(c, 1, 0, 1, math::exponential_cdf); },
     "expcdf(x, mu): exponential distribution function.", "real, real positive"},
    {"expinv", 1, 2, [](Call& c) { apply(c, 1, 0, 1, math::exponential_quantile); },
     "expinv(p, mu): exponential quantile.", "real probability, real positive"},
    {"wblpdf", 1, 3, [](Call& c) { apply(c, 1, 1, 2, math::weibull_pdf); }, "wblpdf(x, scale, shape): Weibull density.",
     "real, real positive, real positive"},
    {"wblcdf", 1, 3, [](Call& c) { apply(c, 1, 1, 2, math::weibull_cdf); },
     "wblcdf(x, scale, shape): Weibull distribution function.", "real, real positive, real positive"},
    {"wblinv", 1, 3, [](Call& c) { apply(c, 1, 1, 2, math::weibull_quantile); },
     "wblinv(p, scale, shape): Weibull quantile.", "real probability, real positive, real positive"},
    {"normpdf", 1, 3, [](Call& c) { apply(c, 0, 1, 2, math::normal_pdf); }, "normpdf(x, mu, sigma): normal density.",
     "real, real, real positive"},
    {"normcdf", 1, 3, [](Call& c) { apply(c, 0, 1, 2, math::normal_cdf); },
     "normcdf(x, mu, sigma): normal distribution function.", "real, real, real positive"},
    {"norminv", 1, 3, [](Call& c) { apply(c, 0, 1, 2, math::normal_quantile); },
     "norminv(p, mu, sigma): normal quantile.", "real probability, real, real positive"},
    {"lognpdf", 1, 3, [](Call& c) { apply(c, 0, 1, 2, math::lognormal_pdf); },
     "lognpdf(x, mu, sigma): lognormal density.", "real, real, real positive"},
    {"logncdf", 1, 3, [](Call& c) { apply(c, 0, 1, 2, math::lognormal_cdf); },
     "logncdf(x, mu, sigma): lognormal distribution function.", "real, real, real positive"},
    {"logninv", 1, 3, [](Call& c) { apply(c, 0, 1, 2, math::lognormal_quantile); },
     "logninv(p, mu, sigma): lognormal quantile.", "real probability, real, real positive"},
    {"unifpdf", 1, 3, [](Call& c) { check_ends(c), apply(c, 0, 1, 2, math::uniform_pdf); },
     "unifpdf(x, a, b): uniform density.", "real, real, real"},
    {"unifcdf", 1, 3, [](Call& c) { check_ends(c), apply(c, 0, 1, 2, math::uniform_cdf); },
     "unifcdf(x, a, b): uniform distribution function.", "real, real, real"},
    {"unifinv", 1, 3, [](Call& c) { check_ends(c), apply(c, 0, 1, 2, math::uniform_quantile); },
     "unifinv(p, a, b): uniform quantile.", "real probability, real, real"},
    {"betapdf", 3, 3, [](Call& c) { apply(c, 1, 1, 2, math::beta_pdf); }, "betapdf(x, a, b): beta density.",
     "real, real positive, real positive"},
    {"betacdf", 3, 3, [](Call& c) { apply(c, 1, 1, 2, math::beta_cdf); },
     "betacdf(x, a, b): beta distribution function.", "real, real positive, real positive"},
    {"betainv", 3, 3, [](Call& c) { apply(c, 1, 1, 2, math::beta_quantile); }, "betainv(p, a, b): beta quantile.",
     "real probability, real positive, real positive"},
    {"gampdf", 2, 3, [](Call& c) { apply(c, 1, 1, 2, math::gamma_pdf); }, "gampdf(x, shape, scale): gamma density.",
     "real, real positive, real positive"},
    {"gamcdf", 2, 3, [](Call& c) { apply(c, 1, 1, 2, math::gamma_cdf); },
     "gamcdf(x, shape, scale): gamma distribution function.", "real, real positive, real positive"},
    {"gaminv", 2, 3, [](Call& c) { apply(c, 1, 1, 2, math::gamma_quantile); },
     "gaminv(p, shape, scale): gamma quantile.", "real probability, real positive, real positive"},
    {"chi2pdf", 2, 2, [](Call& c) { apply(c, 1, 0, 1, math::chi2_pdf); }, "chi2pdf(x, n): chi-squared density.",
     "real, real positive"},
    {"chi2cdf", 2, 2, [](Call& c) { apply(c, 1, 0, 1, math::chi2_cdf); },
     "chi2cdf(x, n): chi-squared distribution function.", "real, real positive"},
    {"chi2inv", 2, 2, [](Call& c) { apply(c, 1, 0, 1, math::chi2_quantile); }, "chi2inv(p, n): chi-squared quantile.",
     "real probability, real positive"},
    {"tpdf", 2, 2, [](Call& c) { apply(c, 1, 0, 1, math::t_pdf); }, "tpdf(x, n): density of Student's t distribution.",
     "real, real positive"},
    {"tcdf", 2, 2, [](Call& c) { apply(c, 1, 0, 1, math::t_cdf); }, "tcdf(x, n): Student's t distribution function.",
     "real, real positive"},
    {"tinv", 2, 2, [](Call& c) { apply(c, 1, 0, 1, math::t_quantile); },
     "tinv(p, n): quantile of Student's t distribution.", "real probability, real positive"},
    {"fpdf", 3, 3, [](Call& c) { apply(c, 1, 1, 2, math::f_pdf); }, "fpdf(x, m, n): density of the F distribution.",
     "real, real positive, real positive"},
    {"fcdf", 3, 3, [](Call& c) { apply(c, 1, 1, 2, math::f_cdf); }, "fcdf(x, m, n): F distribution function.",
     "real, real positive, real positive"},
    {"finv", 3, 3, [](Call& c) { apply(c, 1, 1, 2, math::f_quantile); },
     "finv(p, m, n): quantile of the F distribution.", "real probability, real positive, real positive"},
    {"poisspdf", 2, 2, [](Call& c) { apply(c, 1, 0, 1, math::poisson_pdf); },
     "poisspdf(k, lambda): Poisson probability.", "real, real positive"},
    {"poisscdf", 2, 2, [](Call& c) { apply(c, 1, 0, 1, math::poisson_cdf); },
     "poisscdf(k, lambda): Poisson distribution function.", "real, real positive"},
    {"poissinv", 2, 2, [](Call& c) { apply(c, 1, 0, 1, math::poisson_quantile); },
     "poissinv(p, lambda): Poisson quantile.", "real probability, real positive"},
    {"binopdf", 3, 3, [](Call& c) { apply(c, 1, 1, 2, math::binomial_pdf); }, "binopdf(k, n, p): binomial probability.",
     "real, real counting, real counting"},
    {"binocdf", 3, 3, [](Call& c) { apply(c, 1, 1, 2, math::binomial_cdf); },
     "binocdf(k, n, p): binomial distribution function.", "real, real counting, real counting"},
    {"binoinv", 3, 3, [](Call& c) { apply(c, 1, 1, 2, math::binomial_quantile); },
     "binoinv(q, n, p): binomial quantile.", "real probability, real counting, real counting"},
    {"exprnd", 1, -1, [](Call& c) { random(c, 1, math::exponential_quantile); },
     "exprnd(mu, m, n): exponential random numbers.", "real positive, sizes"},
    {"normrnd", 2, -1,
     [](Call& c) { random_with(c, 2, [&](double mu, double sigma) { return normal_random(c.oml, mu, sigma); }); },
     "normrnd(mu, sigma, m, n): normal random numbers.", "real, real counting, sizes"},
    {"unifrnd", 2, -1, [](Call& c) { random(c, 2, math::uniform_quantile); },
     "unifrnd(a, b, m, n): uniform random numbers.", "real, real, sizes"},
    {"wblrnd", 2, -1, [](Call& c) { random(c, 2, math::weibull_quantile); },
     "wblrnd(scale, shape, m, n): Weibull random numbers.", "real positive, real positive, sizes"},
    {"lognrnd", 2, -1,
     [](Call& c) {
       random_with(c, 2, [&](double mu, double sigma) { return std::exp(normal_random(c.oml, mu, sigma)); });
     },
     "lognrnd(mu, sigma, m, n): lognormal random numbers.", "real, real counting, sizes"},
    {"betarnd", 2, -1, [](Call& c) { random(c, 2, math::beta_quantile); }, "betarnd(a, b, m, n): beta random numbers.",
     "real positive, real positive, sizes"},
    {"gamrnd", 2, -1, [](Call& c) { random(c, 2, math::gamma_quantile); },
     "gamrnd(shape, scale, m, n): gamma random numbers.", "real positive, real positive, sizes"},
    {"chi2rnd", 1, -1, [](Call& c) { random(c, 1, math::chi2_quantile); },
     "chi2rnd(n, r, c): chi-squared random numbers.", "real positive, sizes"},
    {"trnd", 1, -1, [](Call& c) { random(c, 1, math::t_quantile); },
     "trnd(n, r, c): random numbers of Student's t distribution.", "real positive, sizes"},
    {"frnd", 2, -1, [](Call& c) { random(c, 2, math::f_quantile); },
     "frnd(m, n, r, c): random numbers of the F distribution.", "real positive, real positive, sizes"},
    {"poissrnd", 1, -1, [](Call& c) { random(c, 1, math::poisson_quantile); },
     "poissrnd(lambda, m, n): Poisson random numbers.", "real positive, sizes"},
    {"gamfit", 1, 1, gamfit,
     "[a, b, aci, bci] = gamfit(x): maximum-likelihood shape and scale of the gamma distribution with their intervals "
     "of 95 %.",
     "real vector"},
    {"betafit", 1, 1, betafit,
     "[a, b, aci, bci] = betafit(x): maximum-likelihood parameters of the beta distribution with their intervals of 95 "
     "%.",
     "real vector"},
};

}  // namespace

BuiltinFamily distribution_builtins() { return distribution_table; }

}  // namespace orrery::oml
