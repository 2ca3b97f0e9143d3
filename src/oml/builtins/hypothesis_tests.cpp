// SPDX-License-Identifier: Apache-2.0
// Linear regression and tests of means and variances: arguments in, results out of src/math.
#include <algorithm>

#include "math/hypothesis_tests.h"
#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/math_values.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"

namespace orrery::oml {
namespace {

using Vec = std::vector<double>;

void regress(Call& c) {
  const Value y = to_real(c[0]), x = to_real(c[1]);
  if (y.is_empty() || x.is_empty() || x.dims().rows() != y.numel() || y.dims().cols() != 1)
    fail("y must be a column and X must have a row for each of its values");
  const double alpha = c.has(2) ? c.number(2) : 0.05;
  const math::Regression r = math::regress(to_vector(y), real_matrix(x), alpha);
  warn_if_singular(r.singular);
  c.ret(unboxed(Value::column(r.b)));
  c.ret(matrix_value(r.interval));
  c.ret(unboxed(Value::column(r.residual)));
  c.ret(matrix_value(r.residual_interval));
  c.ret(Value::row({r.r_squared, r.f, r.p, r.variance}));
}

// The level of significance and the dimension, given as numbers or as pairs of names and values from argument k on.
struct TestOptions {
  double alpha = 0.05;
  int dim;
  static int dimension(const Call& c, int k) {
    if (c.whole(k) < 1) fail_argument(k + 1, "must be a positive integer");
    return static_cast<int>(std::min<Index>(c.whole(k), Dims::max_count)) - 1;
  }
  TestOptions(const Call& c, int k) : dim(c[0].dims().first_non_singleton()) {
    if (c.has(k) && !c[k].is_text()) {
      if (!c[k].is_empty()) alpha = c.number(k);
      ++k;
    }
    for (; c.has(k + 1); k += 2) {
      if (c.word(k) == "alpha")
        alpha = c.number(k + 1);
      else if (c.text(k) == "dim")
        dim = dimension(c, k + 1);
      else
        fail_argument(k + 1, "must be 'alpha' or 'dim'");
    }
    if (c.has(k)) fail_argument(k + 1, "needs a value");
    if (!(alpha > 0 && alpha < 1)) fail("the level of significance must lie between 0 and 1");
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
    const math::TestResult r = test(x[k], y[k]);
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
    return math::t_test(x, m0, o.alpha);
  });
}

void ttest2(Call& c) {
  const TestOptions o(c, 2);
  run_test(c, o, true, "tstat", [&](const Vec& x, const Vec& y) { return math::t_test(x, y, o.alpha); });
}

void ztest(Call& c) {
  const double m0 = c.number(1), sigma = c.number(2);
  const TestOptions o(c, 3);
  run_test(c, o, false, "z", [&](const Vec& x, const Vec&) { return math::z_test(x, m0, sigma, o.alpha); });
}

void vartest(Call& c) {
  const double v0 = c.number(1);
  const TestOptions o(c, 2);
  run_test(c, o, false, "chisqstat", [&](const Vec& x, const Vec&) { return math::variance_test(x, v0, o.alpha); });
}

void vartest2(Call& c) {
  const TestOptions o(c, 2);
  run_test(c, o, true, "fstat", [&](const Vec& x, const Vec& y) { return math::variance_test(x, y, o.alpha); });
}

constexpr Builtin hypothesis_test_table[] = {
    {"regress", 2, 3, regress, "[b, bint, r, rint, stats] = regress(y, X, alpha): linear regression.",
     "real, real, real"},
    {"ttest", 1, -1, ttest, "[h, p, ci, stats] = ttest(x, m, 'alpha', alpha, 'dim', dim): t test of the mean.",
     "real, real option:alpha/dim, ..."},
    {"ttest2", 2, -1, ttest2, "[h, p, ci, stats] = ttest2(x, y, 'alpha', alpha, 'dim', dim): t test of two means.",
     "real, real, real option:alpha/dim, ..."},
    {"ztest", 3, -1, ztest, "[h, p, ci, z] = ztest(x, m, sigma, 'alpha', alpha, 'dim', dim): z test of the mean.",
     "real, real, real scalar positive, real option:alpha/dim, ..."},
    {"vartest", 2, -1, vartest, "[h, p, ci, stats] = vartest(x, v, 'alpha', alpha, 'dim', dim): test of the variance.",
     "real, real scalar positive, real option:alpha/dim, ..."},
    {"vartest2", 2, -1, vartest2,
     "[h, p, ci, stats] = vartest2(x, y, 'alpha', alpha, 'dim', dim): test of two variances.",
     "real, real, real option:alpha/dim, ..."},
};

}  // namespace

BuiltinFamily hypothesis_test_builtins() { return hypothesis_test_table; }

}  // namespace orrery::oml
