// SPDX-License-Identifier: Apache-2.0
// Means, spreads, quantiles and correlation.
#include <algorithm>
#include <cmath>

#include "math/statistics.h"
#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/math_values.h"
#include "oml/builtins/normalization.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/interrupt.h"
#include "oml/operators.h"
#include "oml/sparse.h"

namespace orrery::oml {
namespace {

using Vec = std::vector<double>;

// f of every vector along the dimension.
template <class F>
Value along(const Value& given, int dim, F f) {
  const Value v = to_real(given);
  Dims d = v.dims();
  Dims out_dims = d;
  out_dims.set(dim, 1);
  Value out = Value::zeros(out_dims);
  if (d[dim] == 0) {
    for (double& x : out.edit_real().data) x = f(Vec());
    return unboxed(out);
  }
  Index k = 0;
  for_each_vector(d, dim, [&](Index at, Index s, Index n) {
    Vec x(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = v.real()[at + i * s];
    out.edit_real()[k++] = f(x);
  });
  return unboxed(out);
}

bool is_plain_empty(const Value& v) { return v.dims() == Dims(0, 0); }

template <class F>
void simple(Call& c, int dim_at, F f) {
  if (!c.has(dim_at) && is_plain_empty(c[0])) return c.ret(Value(f(Vec())));
  c.ret(along(c[0], dim_argument(c, dim_at, c[0].dims()), f));
}

void mean(Call& c) {
  if (c.count() == 1 && is_plain_empty(c[0])) return c.ret(Value(NAN));
  int dim = c.is_text(1) ? c[0].dims().first_non_singleton() : dim_argument(c, 1, c[0].dims());
  std::string kind = "a";
  for (int k = 1; k < c.count(); ++k) {
    if (c[k].is_text()) {
      kind = c.text(k);
      if (kind != "a" && kind != "g") fail_argument(k + 1, "must be 'a' or 'g'");
      if (k == 1) dim = dim_argument(c, 2, c[0].dims());
    }
  }
  if (c[0].is_complex()) {
    if (kind == "g") fail_argument(1, "must be real");
    const Value s = c.oml.call_named("sum", {c[0], Value(dim + 1)}, 1)[0];
    return c.ret(apply_binary(BinaryOp::divide, s, Value(c[0].dims()[dim])));
  }
  if (kind == "a" && c[0].kind() == Kind::real && c[0].dims()[dim] > 0) {
    const RealArray& x = c[0].real();
    Dims left = x.dims;
    left.set(dim, 1);
    Value out = Value::real_uninitialised(left);
    Index k = 0;
    for_each_vector(x.dims, dim, [&](Index at, Index stride, Index n) {
      double total = 0;
      for (Index i = 0; i < n; ++i) total += x[at + i * stride];
      out.edit_real()[k++] = total / static_cast<double>(n);
    });
    return c.ret(unboxed(out));
  }
  const Value m = along(c[0], dim, kind == "g" ? math::geometric_mean : math::mean);
  c.ret(c[0].kind() == Kind::sparse && m.numel() != 1 ? to_sparse(m) : m);
}

void spread(Call& c, bool root) {
  const double divisor = c.has(1) && !c[1].is_empty() ? c.number(1) : 0;
  if (divisor != 0 && divisor != 1) fail_argument(2, "must be 0 or 1");
  const bool population = divisor == 1;
  if (is_plain_empty(c[0])) return c.ret(Value(NAN));
  const int dim = dim_argument(c, 2, c[0].dims());
  const auto variance = [=](const Value& v) {
    return along(v, dim, [=](const Vec& x) { return math::variance(x, population); });
  };
  const Value result = variance(c[0]);
  c.ret(root ? map_real(result, [](double x) { return std::sqrt(x); }) : result);
}

void mode(Call& c) {
  const int dim = dim_argument(c, 1, c[0].dims());
  c.ret(along(c[0], dim, [](const Vec& x) { return math::mode(x).value; }));
  c.ret(along(c[0], dim, [](const Vec& x) { return math::mode(x).count; }));
  if (c.nargout < 3) return;
  // All values that occur as often as the first one.
  Dims d = c[0].dims();
  d.set(dim, 1);
  Value all = Value::cell(d);
  Index k = 0;
  along(c[0], dim, [&](const Vec& x) {
    all.edit_cell()[k++] = unboxed(Value::column(math::mode(x).all));
    return 0.0;
  });
  c.ret(all);
}

// skewness and kurtosis: a second argument of 0 corrects for bias.
void shape(Call& c, double (*f)(const Vec&, bool)) {
  if (c.has(1) && !c[1].is_empty() && (c[1].numel() != 1 || (c.number(1) != 0 && c.number(1) != 1)))
    fail_argument(2, "must be 0 or 1");
  const bool corrected = c.has(1) && !c[1].is_empty() && c.number(1) == 0;
  c.ret(along(c[0], dim_argument(c, 2, c[0].dims()), [=](const Vec& x) { return f(x, corrected); }));
}

void quantile(Call& c, double scale) {
  const Value v = to_real(c[0]);
  Vec p = c.has(1) && !c[1].is_empty() ? to_vector(c[1]) : Vec{0, 0.25, 0.5, 0.75, 1};
  for (double& x : p) x /= c.has(1) && !c[1].is_empty() ? scale : 1;
  const Dims d = v.dims();
  const int dim = c.has(2) ? dim_argument(c, 2, d) : d.first_non_singleton();
  const int method = c.has(3) ? static_cast<int>(c.whole(3)) : 5;
  if (method < 1 || method > 9) fail_argument(4, "must be from 1 to 9");
  Values parts;
  for (double q : p) parts.push_back(along(v, dim, [&](const Vec& x) { return math::quantile(x, q, method); }));
  c.ret(concatenate(parts, dim));
}

Value as_columns(const Value& v) {
  const Value r = to_real(v);
  return r.dims().rows() == 1 ? transpose(r, false) : r;
}

Value covariance(const Value& v, bool population) {
  const Value columns = boxed(as_columns(v));
  if (columns.dims().count() > 2) fail("covariances are those of the columns of a matrix");
  return result(math::covariance(real_matrix(columns), population));
}

void cov(Call& c) {
  const bool two = c.has(1) && c[1].numel() > 1;
  const bool population = c.has(two ? 2 : 1) && !c[two ? 2 : 1].is_empty() && c.number(two ? 2 : 1) == 1;
  if (!two) return c.ret(covariance(c[0], population));
  const Value x = as_columns(c[0]), y = as_columns(c[1]);
  const Index p = x.dims().cols(), q = y.dims().cols();
  const Value all = boxed(covariance(concatenate(Values{x, y}, 1), population));
  c.ret(index_value(all, Values{Value(new Range(1, 1, p)), Value(new Range(static_cast<double>(p + 1), 1, q))}));
}

void corr(Call& c) {
  const Value x = as_columns(c[0]), y = c.has(1) ? as_columns(c[1]) : x;
  if (x.dims().rows() != y.dims().rows()) fail("the arguments must have the same number of rows");
  const Index p = x.dims().cols(), q = y.dims().cols();
  Value out = Value::zeros(Dims(p, q));
  if (x.dims().rows() < 2) {  // one observation says nothing
    for (Index k = 0; k < p * q; ++k) out.edit_real()[k] = NAN;
    return c.ret(unboxed(out));
  }
  const Value s = to_real(covariance(concatenate(Values{x, y}, 1), false));
  for (Index i = 0; i < p; ++i) {
    for (Index j = 0; j < q; ++j)
      out.edit_real().at(i, j) = s.real().at(i, p + j) / std::sqrt(s.real().at(i, i) * s.real().at(p + j, p + j));
  }
  c.ret(unboxed(out));
}

void corrcoef(Call& c) {
  Values parts;
  for (const Value& v : c.args) parts.push_back(as_columns(v));
  const Value x = boxed(concatenate(parts, 1));
  Values args = {x};
  Call inner{c.oml, c.name, args, 1, c.out};
  corr(inner);
}

void histc(Call& c) {
  const Vec edges = to_vector(c[1]);
  const Value v = to_real(c[0]);
  const Dims d = v.dims();
  const int dim = dim_argument(c, 2, d);
  Dims counted = d;
  counted.set(dim, static_cast<Index>(edges.size()));
  Value n = Value::zeros(counted), bin = Value::zeros(d);
  const Index stride = d.stride(dim);
  for_each_vector(d, dim, [&](Index at, Index s, Index count) {
    const Index first = at / (stride * count) * stride * counted[dim] + at % stride;
    for (Index i = 0; i < count; ++i) {
      const double x = v.real()[at + i * s];
      const auto it = std::upper_bound(edges.begin(), edges.end(), x);
      if (it == edges.begin() || (it == edges.end() && x != edges.back())) continue;
      const auto k = static_cast<Index>(it - edges.begin());
      n.edit_real()[first + (k - 1) * stride] += 1;
      bin.edit_real()[at + i * s] = static_cast<double>(k);
    }
  });
  c.ret(unboxed(n));
  c.ret(unboxed(bin));
}

void hist(Call& c) {
  const Vec x = to_vector(c[0]);
  if (x.empty()) fail_argument(1, "must not be empty");
  Vec centres;
  if (c.has(1) && c[1].numel() > 1) {
    centres = to_vector(c[1]);
  } else {
    const double bins = c.has(1) ? std::min(c.number(1), 1e7) : 10;
    if (!(bins >= 1)) fail_argument(2, "must be a positive integer");
    const double low = *std::min_element(x.begin(), x.end()), high = *std::max_element(x.begin(), x.end());
    for (double k = 0; k < bins; ++k) centres.push_back(low + (k + 0.5) * (high - low) / bins);
  }
  Vec n(centres.size(), 0.0);
  Vec borders;
  for (std::size_t k = 0; k + 1 < centres.size(); ++k) borders.push_back((centres[k] + centres[k + 1]) / 2);
  for (double v : x)
    n[static_cast<std::size_t>(std::lower_bound(borders.begin(), borders.end(), v) - borders.begin())] += 1;
  c.ret(Value::row(n));
  c.ret(Value::row(centres));
}

enum class Ends { shrink, fill, same, periodic };

// 'Endpoints', word: what stands beyond the ends of the data.
Ends ends_of(const Call& c) {
  for (int k = 2; k + 1 < c.count(); ++k) {
    if (!c.is_text(k)) continue;
    const std::string word = c.word(k + 1);
    if (word == "shrink") return Ends::shrink;
    if (word == "fill") return Ends::fill;
    if (word == "same") return Ends::same;
    if (word == "periodic") return Ends::periodic;
    fail_argument(k + 2, "must be 'shrink', 'fill', 'same' or 'periodic'");
  }
  return Ends::shrink;
}

Value moved(const Call& c, const Value& v, double (*f)(const Vec&)) {
  const Vec w = to_vector(c[1]);
  for (double x : w)
    if (!(x >= 0 && x <= 9e15)) fail_argument(2, "must be a length, or two numbers of neighbours");
  Index before = 0, after = 0;
  if (w.size() > 1)
    before = static_cast<Index>(w[0]), after = static_cast<Index>(w[1]);
  else {
    const auto n = static_cast<Index>(w.at(0));
    before = n % 2 == 1 ? (n - 1) / 2 : n / 2;
    after = n % 2 == 1 ? (n - 1) / 2 : n / 2 - 1;
  }
  const Dims d = v.dims();
  Value out = Value::zeros(d);
  const Ends ends = ends_of(c);
  if ((ends == Ends::same || ends == Ends::periodic) && before + after > 100 * (v.numel() + 1000))
    fail_argument(2, "must not be that much longer than the data");
  InterruptPoll poll;
  for_each_vector(d, dim_argument(c, c.has(2) && !c[2].is_text() ? 2 : 99, d), [&](Index at, Index s, Index n) {
    for (Index i = 0; i < n; ++i) {
      if (ends == Ends::fill && (i < before || i + after >= n)) {
        out.edit_real()[at + i * s] = NAN;
        continue;
      }
      poll();
      Vec x;
      const bool cut = ends == Ends::shrink || ends == Ends::fill;
      const Index first = cut ? std::max<Index>(0, i - before) : i - before;
      const Index last = cut ? std::min(n - 1, i + after) : i + after;
      for (Index k = first; k <= last; ++k) {
        const bool inside = k >= 0 && k < n;
        const Index from = inside ? k : ends == Ends::periodic ? ((k % n) + n) % n : std::clamp<Index>(k, 0, n - 1);
        x.push_back(v.real()[at + from * s]);
      }
      out.edit_real()[at + i * s] = f(x);
    }
  });
  return unboxed(out);
}

void moving(Call& c, double (*f)(const Vec&)) {
  if (!c[0].is_complex()) return c.ret(moved(c, to_real(c[0]), f));
  const Value re = to_real(c.oml.call_named("real", {c[0]}, 1)[0]),
              im = to_real(c.oml.call_named("imag", {c[0]}, 1)[0]);
  c.ret(c.oml.call_named("complex", {moved(c, re, f), moved(c, im, f)}, 1)[0]);
}

void detrend(Call& c) {
  Value v = to_numeric(c[0]);
  const bool row = v.dims().rows() == 1;
  if (row) v = transpose(v, false);
  const Index p = c.is_text(1) && c.text(1) == "constant" ? 0 : 1;
  const Index n = v.dims().rows();
  Value a = Value::zeros(Dims(n, p + 1));
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k <= p; ++k)
      a.edit_real().at(i, k) = std::pow(static_cast<double>(i + 1) / static_cast<double>(n), static_cast<double>(k));
  }
  const Value fit = apply_binary(BinaryOp::matrix_times, a, solve_left(a, v));
  const Value r = boxed(apply_binary(BinaryOp::subtract, v, fit));
  c.ret(unboxed(row ? transpose(r, false) : r));
}

void deviation(Call& c, bool by_median) {
  const int dim = dim_argument(c, by_median ? 2 : 1, c[0].dims());
  const bool median = by_median && c.has(1) && !c[1].is_empty() && c.number(1) != 0;
  c.ret(along(c[0], dim, median ? math::median_deviation : math::mean_deviation));
}

constexpr Builtin statistics_table[] = {
    {"mean", 1, 3, mean, "mean(x, dim, 'a'|'g'): arithmetic or geometric mean; the word may come second.",
     "data, dim? word:a/g, dim? word:a/g"},
    {"median", 1, 2, [](Call& c) { simple(c, 1, math::median); }, "median(x, dim): middle value.", "real, dim?"},
    {"mode", 1, 2, mode,
     "[m, n, all] = mode(x, dim): most frequent value, how often it occurs, and the values that occur as often.",
     "data, dim?"},
    {"var", 1, 3, [](Call& c) { spread(c, false); }, "var(x, opt, dim): variance; opt 1 divides by n.",
     "real, real scalar [], dim?"},
    {"std", 1, 3, [](Call& c) { spread(c, true); }, "std(x, opt, dim): standard deviation; opt 1 divides by n.",
     "real, real scalar [], dim?"},
    {"rms", 1, 2,
     [](Call& c) {
       if (c[0].is_complex()) c.args[0] = c.oml.call_named("abs", {c[0]}, 1)[0];
       simple(c, 1, [](const Vec& x) { return std::sqrt(math::mean_square(x)); });
     },
     "rms(x, dim): root of the mean square.", "number, dim?"},
    {"meansq", 1, 2, [](Call& c) { simple(c, 1, math::mean_square); }, "meansq(x, dim): mean square.", "real, dim?"},
    {"range", 1, 2, [](Call& c) { simple(c, 1, math::range); }, "range(x, dim): largest minus smallest value.",
     "real, dim?"},
    {"iqr", 1, 2,
     [](Call& c) {
       simple(c, 1, [](const Vec& x) { return math::quantile(x, 0.75, 5) - math::quantile(x, 0.25, 5); });
     },
     "iqr(x, dim): distance of the quartiles.", "real, dim?"},
    {"meandev", 1, 2, [](Call& c) { deviation(c, false); }, "meandev(x, dim): mean absolute deviation from the mean.",
     "real, dim?"},
    {"mad", 1, 3, [](Call& c) { deviation(c, true); }, "mad(x, opt, dim): mean (0) or median (1) absolute deviation.",
     "real, real, dim?"},
    {"skewness", 1, 3, [](Call& c) { shape(c, math::skewness); },
     "skewness(x, flag, dim): third standardised moment; flag 0 corrects for bias.", "real, real, dim?"},
    {"kurtosis", 1, 3, [](Call& c) { shape(c, math::kurtosis); },
     "kurtosis(x, flag, dim): fourth standardised moment; flag 0 corrects for bias.", "real, real, dim?"},
    {"quantile", 1, 4, [](Call& c) { quantile(c, 1); },
     "quantile(x, p, dim, method): sample quantiles; methods 1 to 9 of Hyndman and Fan.",
     "real, real, dim?, real scalar"},
    {"prctile", 1, 4, [](Call& c) { quantile(c, 100); }, "prctile(x, p, dim): sample percentiles.",
     "real, real, dim?, real scalar"},
    {"cov", 1, 3, cov, "cov(x, y, opt): covariance of columns; opt 1 divides by n.", "number, number, real"},
    {"corr", 1, 2, corr, "corr(x, y): correlation of columns.", "number, number"},
    {"corrcoef", 1, 2, corrcoef, "corrcoef(x, y): matrix of correlation coefficients.", "number, number"},
    {"histc", 2, 3, histc,
     "[n, bin] = histc(x, edges, dim): number of values between edges, and the bin of each value.",
     "real, real vector, dim?"},
    {"hist", 1, 3, hist, "[n, centres] = hist(x, bins): numbers of values in bins.", "real, real, real"},
    {"normalize", 1, 6, normalize,
     "[z, centre, scale] = normalize(x, dim, method, kind): (x - centre) / scale; methods zscore (std, robust), norm "
     "(p), "
     "range ([a b]), center (mean, median, number), scale (std, mad, iqr, first, number), medianiqr.",
     "real, real option:zscore/norm/range/center/scale/medianiqr/std/robust/mean/median/mad/first/iqr, ..."},
    {"zscore", 1, 2, normalize, "[z, mu, sigma] = zscore(x, dim): (x - mean) / standard deviation.", "real, dim?"},
    {"movmean", 2, 5, [](Call& c) { moving(c, math::mean); },
     "movmean(x, n, dim, 'Endpoints', how): mean over a window of n values or [before after]; beyond the ends "
     "'shrink', "
     "'fill', 'same' (the edge value) or 'periodic'.",
     "number, real filled, dim? word:Endpoints, word:Endpoints/shrink/fill/same/periodic, "
     "word:shrink/fill/same/periodic"},
    {"movmedian", 2, 5, [](Call& c) { moving(c, [](const Vec& x) { return math::median(x); }); },
     "movmedian(x, n, dim, 'Endpoints', how): median over a window.",
     "real, real filled, dim? word:Endpoints, word:Endpoints/shrink/fill/same/periodic, "
     "word:shrink/fill/same/periodic"},
    {"nanmean", 1, 2, [](Call& c) { simple(c, 1, [](const Vec& x) { return math::mean(math::without_nan(x)); }); },
     "nanmean(x, dim): mean without NaN.", "real, dim?"},
    {"nansum", 1, 2, [](Call& c) { simple(c, 1, [](const Vec& x) { return math::sum(math::without_nan(x)); }); },
     "nansum(x, dim): sum without NaN.", "real, dim?"},
    {"nanmedian", 1, 2, [](Call& c) { simple(c, 1, [](const Vec& x) { return math::median(math::without_nan(x)); }); },
     "nanmedian(x, dim): median without NaN.", "real, dim?"},
    {"nanvar", 1, 3,
     [](Call& c) {
       const bool p = c.has(1) && !c[1].is_empty() && c.number(1) == 1;
       simple(c, 2, [p](const Vec& x) { return math::variance(math::without_nan(x), p); });
     },
     "nanvar(x, opt, dim): variance without NaN.", "real, real, dim?"},
    {"nanstd", 1, 3,
     [](Call& c) {
       const bool p = c.has(1) && !c[1].is_empty() && c.number(1) == 1;
       simple(c, 2, [p](const Vec& x) { return std::sqrt(math::variance(math::without_nan(x), p)); });
     },
     "nanstd(x, opt, dim): standard deviation without NaN.", "real, real, dim?"},
    {"nanmax", 1, 3,
     [](Call& c) {
       for (Value& v : c.oml.call_named("max", c.args, c.nargout)) c.ret(v);
     },
     "nanmax(x): maximum without NaN.", "data, data, number"},
    {"nanmin", 1, 3,
     [](Call& c) {
       for (Value& v : c.oml.call_named("min", c.args, c.nargout)) c.ret(v);
     },
     "nanmin(x): minimum without NaN.", "data, data, number"},
    {"detrend", 1, 2, detrend, "detrend(x, 'linear'|'constant'): x without its best straight line or its mean.",
     "real, word:constant/linear"},
};

}  // namespace

BuiltinFamily statistics_builtins() { return statistics_table; }

}  // namespace orrery::oml
