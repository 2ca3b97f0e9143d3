// SPDX-License-Identifier: Apache-2.0
// Linear regression and tests of means and variances.
#include <algorithm>
#include <cmath>

#include "oml/builtins/families.h"
#include "oml/interpreter.h"
#include "oml/operators.h"
#include "oml/special_functions.h"

namespace orrery::oml {
namespace {

using Vec = std::vector<double>;

double mean_of(const Vec& x) {
  double s = 0;
  for (double v : x) s += v;
  return s / static_cast<double>(x.size());
}

// Divided by n - 1.
double sample_variance(const Vec& x) {
  const double m = mean_of(x);
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
  const double m = mean_of(to_vector(y));
  for (double e : r.real().data) sse += e * e;
  for (double v : y.real().data) sst += (v - m) * (v - m);
  const auto df = static_cast<double>(n - p);
  const Value inverse =
      to_real(c.oml.call_named("inv", {apply_binary(BinaryOp::matrix_times, transpose(x, false), x)}, 1)[0]);
  const double t = std::abs(to_double(c.oml.call_named("tinv", {Value(alpha / 2), Value(df)}, 1)[0]));
  Value interval = Value::zeros(Dims(p, 2));
  for (Index k = 0; k < p; ++k) {
    const double half = t * std::sqrt(sse / df * inverse.real().at(k, k));
    interval.edit_real().at(k, 0) = to_real(b).real()[k] - half;
    interval.edit_real().at(k, 1) = to_real(b).real()[k] + half;
  }
  c.ret(unboxed(b));
  c.ret(interval);
  c.ret(unboxed(r));
  Value rint = Value::zeros(Dims(n, 2));
  c.ret(rint);
  const double f = ((sst - sse) / static_cast<double>(p - 1)) / (sse / df);
  const double pv =
      1 - to_double(c.oml.call_named("fcdf", {Value(f), Value(static_cast<double>(p - 1)), Value(df)}, 1)[0]);
  c.ret(Value::row({1 - sse / sst, f, pv, sse / df}));
}

double t_cdf(double t, double n) {
  const double p = 0.5 * beta_regularised(n / (n + t * t), n / 2, 0.5);
  return t > 0 ? 1 - p : p;
}

// A result of a test: rejected or not, p value, confidence interval, statistic.
void give_test(Call& c, double p, double alpha, double low, double high, const char* name, double statistic, Vec df) {
  c.ret(Value(p < alpha));
  c.ret(Value(p));
  c.ret(Value::row({low, high}));
  Value s = Value::structure();
  s.edit_structure().set(name, Value(statistic));
  if (df.size() == 1) s.edit_structure().set("df", Value(df[0]));
  if (df.size() == 2) s.edit_structure().set("df1", Value(df[0])), s.edit_structure().set("df2", Value(df[1]));
  c.ret(s);
}

double t_quantile(Call& c, double p, double df) {
  return to_double(c.oml.call_named("tinv", {Value(p), Value(df)}, 1)[0]);
}

void ttest(Call& c) {
  Vec x = to_vector(c[0]);
  double m0 = 0;
  if (c.has(1) && !c[1].is_empty()) {
    if (c[1].numel() == 1)
      m0 = c.number(1);
    else {
      const Vec y = to_vector(c[1]);
      if (y.size() != x.size()) fail("paired samples must have the same length");
      for (std::size_t k = 0; k < x.size(); ++k) x[k] -= y[k];
    }
  }
  const double alpha = c.has(2) && !c[2].is_text() ? c.number(2) : 0.05;
  const auto n = static_cast<double>(x.size());
  const double se = std::sqrt(sample_variance(x) / n), t = (mean_of(x) - m0) / se;
  const double half = t_quantile(c, 1 - alpha / 2, n - 1) * se;
  give_test(c, 2 * t_cdf(-std::abs(t), n - 1), alpha, mean_of(x) - half, mean_of(x) + half, "tstat", t, {n - 1});
}

void ttest2(Call& c) {
  const Vec x = to_vector(c[0]), y = to_vector(c[1]);
  const double alpha = c.has(2) && !c[2].is_text() ? c.number(2) : 0.05;
  const auto n = static_cast<double>(x.size()), m = static_cast<double>(y.size());
  const double pooled = ((n - 1) * sample_variance(x) + (m - 1) * sample_variance(y)) / (n + m - 2);
  const double se = std::sqrt(pooled * (1 / n + 1 / m)), d = mean_of(x) - mean_of(y), t = d / se;
  const double half = t_quantile(c, 1 - alpha / 2, n + m - 2) * se;
  give_test(c, 2 * t_cdf(-std::abs(t), n + m - 2), alpha, d - half, d + half, "tstat", t, {n + m - 2});
}

void ztest(Call& c) {
  const Vec x = to_vector(c[0]);
  const double m0 = c.number(1), sigma = c.number(2), alpha = c.has(3) ? c.number(3) : 0.05;
  const double se = sigma / std::sqrt(static_cast<double>(x.size())), z = (mean_of(x) - m0) / se;
  const double half = normal_quantile(1 - alpha / 2) * se;
  c.ret(Value(std::erfc(std::abs(z) / std::sqrt(2.0)) < alpha));
  c.ret(Value(std::erfc(std::abs(z) / std::sqrt(2.0))));
  c.ret(Value::row({mean_of(x) - half, mean_of(x) + half}));
  c.ret(Value(z));
}

void vartest(Call& c) {
  const Vec x = to_vector(c[0]);
  const double v0 = c.number(1), alpha = c.has(2) && !c[2].is_text() ? c.number(2) : 0.05;
  const double df = static_cast<double>(x.size()) - 1, ss = sample_variance(x) * df, chi = ss / v0;
  const double lower = gamma_p(df / 2, chi / 2);
  give_test(c, 2 * std::min(lower, 1 - lower), alpha, ss / (2 * inverse_gamma_p(df / 2, 1 - alpha / 2)),
            ss / (2 * inverse_gamma_p(df / 2, alpha / 2)), "chisqstat", chi, {df});
}

void vartest2(Call& c) {
  const Vec x = to_vector(c[0]), y = to_vector(c[1]);
  const double alpha = c.has(2) && !c[2].is_text() ? c.number(2) : 0.05;
  const double a = static_cast<double>(x.size()) - 1, b = static_cast<double>(y.size()) - 1;
  const double f = sample_variance(x) / sample_variance(y);
  const double lower = beta_regularised(a * f / (a * f + b), a / 2, b / 2);
  const auto q = [&](double p) { return to_double(c.oml.call_named("finv", {Value(p), Value(a), Value(b)}, 1)[0]); };
  give_test(c, 2 * std::min(lower, 1 - lower), alpha, f / q(1 - alpha / 2), f / q(alpha / 2), "fstat", f, {a, b});
}

constexpr Builtin table[] = {
    {"regress", 2, 3, regress, "[b, bint, r, rint, stats] = regress(y, X, alpha): linear regression."},
    {"ttest", 1, 4, ttest, "[h, p, ci, stats] = ttest(x, m, alpha): t test of the mean."},
    {"ttest2", 2, 4, ttest2, "[h, p, ci, stats] = ttest2(x, y, alpha): t test of two means."},
    {"ztest", 3, 4, ztest, "[h, p, ci, z] = ztest(x, m, sigma, alpha): z test of the mean."},
    {"vartest", 2, 4, vartest, "[h, p, ci, stats] = vartest(x, v, alpha): test of the variance."},
    {"vartest2", 2, 4, vartest2, "[h, p, ci, stats] = vartest2(x, y, alpha): test of two variances."},
};

}  // namespace

BuiltinFamily hypothesis_test_builtins() { return table; }

}  // namespace orrery::oml
