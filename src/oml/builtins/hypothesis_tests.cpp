// SPDX-License-Identifier: Apache-2.0
// Linear regression and tests of means and variances.
#include <algorithm>
#include <cmath>

#include "math/distributions.h"
#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

using Vec = std::vector<double>;

double sample_mean(const Vec& x) {
  double s = 0;
  for (double v : x) s += v;
  return s / static_cast<double>(x.size());
}

// Divided by n - 1.
double sample_variance(const Vec& x) {
  const double m = sample_mean(x);
  double s = 0;
  for (double v : x) s += (v - m) * (v - m);
  return x.size() < 2 ? 0 : s / static_cast<double>(x.size() - 1);
}

void regress(Call& c) {
  const Value y = to_real(c[0]), x = to_real(c[1]);
  if (y.is_empty() || x.is_empty() || x.dims().rows() != y.numel() || y.dims().cols() != 1)
    fail("y must be a column and X must have a row for each of its values");
  const double alpha = c.has(2) ? c.number(2) : 0.05;
  const Value b = boxed(solve_left(x, y));
  const Value fit = apply_binary(BinaryOp::matrix_times, x, b);
  const Value r = to_real(apply_binary(BinaryOp::subtract, y, fit));
  const Index n = x.dims().rows(), p = x.dims().cols();
  double sse = 0, sst = 0;
  const double m = sample_mean(to_vector(y));
  for (double e : r.real().data) sse += e * e;
  for (double v : y.real().data) sst += (v - m) * (v - m);
  const auto df = static_cast<double>(n - p);
  const Value inverse =
      to_real(c.oml.call_named("inv", {apply_binary(BinaryOp::matrix_times, transpose(x, false), x)}, 1)[0]);
  const double t = std::abs(math::t_quantile(alpha / 2, df));
  Value interval = Value::zeros(Dims(p, 2));
  for (Index k = 0; k < p; ++k) {
    const double half = t * std::sqrt(sse / df * inverse.real().at(k, k));
    interval.edit_real().at(k, 0) = to_real(b).real()[k] - half;
    interval.edit_real().at(k, 1) = to_real(b).real()[k] + half;
  }
  c.ret(unboxed(b));
  c.ret(interval);
  c.ret(unboxed(r));
  // Each residual beside a deviation estimated without it.
  Value rint = Value::zeros(Dims(n, 2));
  for (Index i = 0; i < n; ++i) {
    double leverage = 0;
    for (Index j = 0; j < p; ++j)
      for (Index k = 0; k < p; ++k) leverage += x.real().at(i, j) * inverse.real().at(j, k) * x.real().at(i, k);
    const double e = r.real()[i], rest = sse - e * e / (1 - leverage);
    const double half = t * std::sqrt(std::max(rest, 0.0) * (1 - leverage) / (df - 1));
    rint.edit_real().at(i, 0) = e - half;
    rint.edit_real().at(i, 1) = e + half;
  }
  c.ret(rint);
  const double f = ((sst - sse) / static_cast<double>(p - 1)) / (sse / df);
  const double pv = 1 - math::f_cdf(f, static_cast<double>(p - 1), df);
  c.ret(Value::row({1 - sse / sst, f, pv, sse / df}));
}

struct TestResult {
  double p, low, high, statistic;
  Vec freedom;
};

// The level of significance and the dimension, given as numbers or as pairs of names and values from argument k on.
struct TestOptions {
  double alpha = 0.05;
  int dim;
  TestOptions(const Call& c, int k) : dim(c[0].dims().first_non_singleton()) {
    if (c.has(k) && !c[k].is_text()) {
      if (!c[k].is_empty()) alpha = c.number(k);
      ++k;
    }
    for (; c.has(k + 1); k += 2) {
      if (c.text(k) == "alpha")
        alpha = c.number(k + 1);
      else if (c.text(k) == "dim")
        dim = static_cast<int>(std::clamp<Index>(c.whole(k + 1), 1, Dims::max_count)) - 1;
      else
        fail_argument(k + 1, "must be 'alpha' or 'dim'");
    }
  }
};

std::vector<Vec> vectors_along(const Value& given, int dim) {
  const Value v = to_real(given);
  std::vector<Vec> out;
  for_each_vector(v.dims(), dim, [&](Index at, Index stride, Index n) {
    Vec x;
    for (Index i = 0; i < n; ++i) x.push_back(v.real()[at + i * stride]);
    out.push_back(std::move(x));
  });
  return out;
}

// Runs a test on every vector along the dimension: rejected or not, p value, confidence interval, statistic.
template <class Test>
void run_test(Call& c, const TestOptions& o, bool two_samples, const char* name, Test test) {
  const std::vector<Vec> x = vectors_along(c[0], o.dim);
  const std::vector<Vec> y = two_samples ? vectors_along(c[1], o.dim) : std::vector<Vec>(x.size());
  if (y.size() != x.size()) fail("the samples must have the same sizes");
  Dims d = c[0].dims();
  d.set(o.dim, 1);
  Value h = Value::logical_zeros(d), p = Value::zeros(d), low = p, high = p, statistic = p;
  Vec freedom;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const TestResult r = test(x[k], y[k]);
    const auto i = static_cast<Index>(k);
    h.edit_bytes()[i] = r.p < o.alpha;
    p.edit_real()[i] = r.p;
    low.edit_real()[i] = r.low;
    high.edit_real()[i] = r.high;
    statistic.edit_real()[i] = r.statistic;
    freedom = r.freedom;
  }
  c.ret(unboxed(h));
  c.ret(unboxed(p));
  c.ret(concatenate(Values{low, high}, o.dim));
  if (freedom.empty()) return c.ret(unboxed(statistic));
  Value s = Value::structure();
  s.edit_structure().set(name, unboxed(statistic));
  if (freedom.size() == 1) s.edit_structure().set("df", Value(freedom[0]));
  if (freedom.size() == 2) {
    s.edit_structure().set("df1", Value(freedom[0]));
    s.edit_structure().set("df2", Value(freedom[1]));
  }
  c.ret(s);
}

void ttest(Call& c) {
  const bool given = c.has(1) && !c[1].is_text();
  const TestOptions o(c, given ? 2 : 1);
  const bool paired = given && c[1].numel() > 1;
  const double m0 = given && c[1].numel() == 1 ? c.number(1) : 0;
  run_test(c, o, paired, "tstat", [&](Vec x, const Vec& y) {
    if (paired && y.size() != x.size()) fail("paired samples must have the same length");
    for (std::size_t k = 0; k < y.size(); ++k) x[k] -= y[k];
    const auto n = static_cast<double>(x.size());
    const double m = sample_mean(x), se = std::sqrt(sample_variance(x) / n), t = (m - m0) / se;
    const double half = math::t_quantile(1 - o.alpha / 2, n - 1) * se;
    return TestResult{2 * math::t_cdf(-std::abs(t), n - 1), m - half, m + half, t, {n - 1}};
  });
}

void ttest2(Call& c) {
  const TestOptions o(c, 2);
  run_test(c, o, true, "tstat", [&](const Vec& x, const Vec& y) {
    const auto n = static_cast<double>(x.size()), m = static_cast<double>(y.size());
    const double pooled = ((n - 1) * sample_variance(x) + (m - 1) * sample_variance(y)) / (n + m - 2);
    const double se = std::sqrt(pooled * (1 / n + 1 / m)), d = sample_mean(x) - sample_mean(y), t = d / se;
    const double half = math::t_quantile(1 - o.alpha / 2, n + m - 2) * se;
    return TestResult{2 * math::t_cdf(-std::abs(t), n + m - 2), d - half, d + half, t, {n + m - 2}};
  });
}

void ztest(Call& c) {
  const double m0 = c.number(1), sigma = c.number(2);
  const TestOptions o(c, 3);
  run_test(c, o, false, "z", [&](const Vec& x, const Vec&) {
    const double m = sample_mean(x), se = sigma / std::sqrt(static_cast<double>(x.size())), z = (m - m0) / se;
    const double half = math::normal_quantile(1 - o.alpha / 2) * se;
    return TestResult{std::erfc(std::abs(z) / std::sqrt(2.0)), m - half, m + half, z, {}};
  });
}

void vartest(Call& c) {
  const double v0 = c.number(1);
  const TestOptions o(c, 2);
  run_test(c, o, false, "chisqstat", [&](const Vec& x, const Vec&) {
    const double df = static_cast<double>(x.size()) - 1, ss = sample_variance(x) * df, chi = ss / v0;
    const double lower = math::chi2_cdf(chi, df);
    return TestResult{2 * std::min(lower, 1 - lower),
                      ss / math::chi2_quantile(1 - o.alpha / 2, df),
                      ss / math::chi2_quantile(o.alpha / 2, df),
                      chi,
                      {df}};
  });
}

void vartest2(Call& c) {
  const TestOptions o(c, 2);
  run_test(c, o, true, "fstat", [&](const Vec& x, const Vec& y) {
    const double a = static_cast<double>(x.size()) - 1, b = static_cast<double>(y.size()) - 1;
    const double f = sample_variance(x) / sample_variance(y);
    const double lower = math::f_cdf(f, a, b);
    const auto q = [&](double p) { return math::f_quantile(p, a, b); };
    return TestResult{2 * std::min(lower, 1 - lower), f / q(1 - o.alpha / 2), f / q(o.alpha / 2), f, {a, b}};
  });
}

constexpr Builtin hypothesis_test_table[] = {
    {"regress", 2, 3, regress, "[b, bint, r, rint, stats] = regress(y, X, alpha): linear regression."},
    {"ttest", 1, -1, ttest, "[h, p, ci, stats] = ttest(x, m, 'alpha', alpha, 'dim', dim): t test of the mean."},
    {"ttest2", 2, -1, ttest2, "[h, p, ci, stats] = ttest2(x, y, 'alpha', alpha, 'dim', dim): t test of two means."},
    {"ztest", 3, -1, ztest, "[h, p, ci, z] = ztest(x, m, sigma, 'alpha', alpha, 'dim', dim): z test of the mean."},
    {"vartest", 2, -1, vartest, "[h, p, ci, stats] = vartest(x, v, 'alpha', alpha, 'dim', dim): test of the variance."},
    {"vartest2", 2, -1, vartest2,
     "[h, p, ci, stats] = vartest2(x, y, 'alpha', alpha, 'dim', dim): test of two variances."},
};

}  // namespace

BuiltinFamily hypothesis_test_builtins() { return hypothesis_test_table; }

}  // namespace orrery::oml
