// SPDX-License-Identifier: Apache-2.0
// Sums, products, extremes and other functions that work along one dimension.
#include <algorithm>
#include <cmath>

#include "oml/builtins/complex_parts.h"
#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/operators.h"
#include "oml/sparse.h"
#include "oml/warnings.h"

namespace orrery::oml {
namespace {

Dims reduced(const Dims& d, int dim) {
  Dims out = d;
  out.set(dim, 1);
  return out;
}

// sum and its kin: an empty 0x0 argument gives the neutral element.
template <class T, class Fold>
void fold_along(const Array<T>& a, Array<T>& out, int dim, T start, Fold fold) {
  std::fill(out.data.begin(), out.data.end(), start);
  Index k = 0;
  if (dim == 0) {
    const Index n = a.dims[0];
    if (n == 0) return;
    for (Index at = 0; at < a.size(); at += n, ++k) {
      T s = start;
      for (Index i = 0; i < n; ++i) s = fold(s, a[at + i]);
      out[k] = s;
    }
    return;
  }
  for_each_vector(a.dims, dim, [&](Index at, Index stride, Index n) {
    T s = start;
    for (Index i = 0; i < n; ++i) s = fold(s, a[at + i * stride]);
    out[k++] = s;
  });
}

// Reductions of a sparse matrix stay sparse; a single number is full.
void give(Call& c, Value v) {
  const bool sparse = c[0].kind() == Kind::sparse && v.numel() != 1 && v.dims().count() == 2;
  c.ret(sparse ? to_sparse(v) : std::move(v));
}

// sum(x, 'all') and the like: all elements as one column.
bool over_all(const Call& c, int k) { return c.is_text(k) && c.text(k) == "all"; }

Value as_column(const Value& v) {
  const Value colon = Value::colon();
  return to_numeric(index_value(to_numeric(v), std::span<const Value>(&colon, 1)));
}

template <class RealFold, class ComplexFold>
void reduce(Call& c, double start, RealFold rf, ComplexFold cf) {
  if (over_all(c, 1)) {
    c.args = {as_column(c[0])};
    if (c[0].is_empty()) return c.ret(Value(start));
  }
  const Value v = to_numeric(c[0]);
  const Dims d = v.dims();
  if (d.numel() == 0 && d.rows() == 0 && d.cols() == 0 && !c.has(1)) return c.ret(Value(start));
  const int dim = dim_argument(c, 1, d);
  if (v.kind() == Kind::complex) {
    Value out = Value::complex_zeros(reduced(d, dim));
    fold_along<Complex>(v.complex(), out.edit_complex(), dim, Complex(start), cf);
    return give(c, narrowed(out));
  }
  Value out = Value::real_uninitialised(reduced(d, dim), v.real().cls);
  fold_along<double>(v.real(), out.edit_real(), dim, start, rf);
  if (v.real().cls != NumClass::f64)
    for (double& x : out.edit_real().data) x = saturate(x, v.real().cls);
  give(c, unboxed(out));
}

template <class Op>
void cumulate(Call& c, Op op) {
  Value v = to_numeric(c[0]);
  const Dims d = v.dims();
  // A dimension of 0 means none given, and for no data any is good.
  const bool given = c.has(1) && d.numel() > 0 && !(c[1].is_scalar() && !c[1].is_complex() && c.number(1) == 0);
  if (given && c[1].numel() != 1) fail_argument(2, "must be a scalar");
  if (given && (c[1].is_complex() || c[1].is_text())) fail_argument(2, "must be a positive integer");
  const int dim = given ? dim_argument(c, 1, d) : d.first_non_singleton();
  if (v.kind() == Kind::complex) {
    ComplexArray& a = v.edit_complex();
    for_each_vector(d, dim, [&](Index at, Index stride, Index n) {
      for (Index i = 1; i < n; ++i) a[at + i * stride] = op(a[at + (i - 1) * stride], a[at + i * stride]);
    });
    return give(c, narrowed(v));
  }
  Value out = Value::real_uninitialised(d, v.real().cls);
  const RealArray& from = v.real();
  RealArray& a = out.edit_real();
  const auto run = [&](const auto& step) {
    for_each_vector(d, dim, [&](Index at, Index stride, Index n) {
      if (n == 0) return;
      double total = a[at] = from[at];
      for (Index i = 1; i < n; ++i) a[at + i * stride] = total = step(total, from[at + i * stride]);
    });
  };
  if (a.cls == NumClass::f64)
    run(op);
  else
    run([&](double total, double x) { return saturate(op(total, x), a.cls); });
  give(c, unboxed(out));
}

void any_all(Call& c, bool all) {
  if (c[0].is_cell()) return c.ret(Value::logical_zeros(Dims(0, 0)));
  const Value m = to_logical(full(c[0]));
  const Dims d = m.dims();
  if (d.numel() == 0 && d.rows() == 0 && d.cols() == 0 && !c.has(1)) return c.ret(Value(all));
  const int dim = dim_argument(c, 1, d);
  Value out = Value::logical_zeros(reduced(d, dim));
  ByteArray& b = out.edit_bytes();
  std::fill(b.data.begin(), b.data.end(), static_cast<std::uint8_t>(all));
  Index k = 0;
  for_each_vector(d, dim, [&](Index at, Index stride, Index n) {
    bool r = all;
    for (Index i = 0; i < n && r == all; ++i) r = m.bytes()[at + i * stride] != 0;
    b[k++] = r;
  });
  give(c, unboxed(out));
}

// Order for max and min: NaN never wins; complex numbers go by magnitude, then by angle.
bool better(double a, double b, bool maximum) { return maximum ? a > b : a < b; }
bool better(Complex a, Complex b, bool maximum) {
  const double x = std::abs(a), y = std::abs(b);
  return x != y ? better(x, y, maximum) : better(std::arg(a), std::arg(b), maximum);
}
bool is_nan(double x) { return std::isnan(x); }
bool is_nan(Complex z) { return std::isnan(z.real()) || std::isnan(z.imag()); }

template <class T>
void extreme_along(const Array<T>& a, int dim, bool maximum, Array<T>& out, RealArray& where) {
  Index k = 0;
  for_each_vector(a.dims, dim, [&](Index at, Index stride, Index n) {
    Index best = 0;
    for (Index i = 1; i < n; ++i) {
      const T x = a[at + i * stride], y = a[at + best * stride];
      if (better(x, y, maximum) || (is_nan(y) && !is_nan(x))) best = i;
    }
    out[k] = a[at + best * stride];
    where[k++] = static_cast<double>(best + 1);
  });
}

void extreme_of_two(Call& c, bool maximum) {
  if (c[0].is_complex() || c[1].is_complex()) {
    Values pair = {to_complex(c[0]), to_complex(c[1])};
    const Value mask =
        to_logical(apply_binary(maximum ? BinaryOp::greater_equal : BinaryOp::less_equal, pair[0], pair[1]));
    Value out = Value::complex_zeros(mask.dims());
    for (Index i = 0; i < mask.numel(); ++i) {
      const ComplexArray& from = pair[mask.bytes()[i] ? 0 : 1].complex();
      out.edit_complex()[i] = from[from.size() == 1 ? 0 : i];
    }
    return c.ret(narrowed(out));
  }
  // Broadcasting comes from addition with zeros.
  const NumClass cls = c[0].is_integer_class() ? c[0].num_class() : c[1].num_class();
  Value a = to_real(c[0]), b = to_real(c[1]);
  a.edit_real().cls = b.edit_real().cls = NumClass::f64;
  if (!(a.dims() == b.dims())) {
    const Value za = Value::zeros(a.dims()), zb = Value::zeros(b.dims());
    const Value wide_a = to_real(apply_binary(BinaryOp::add, a, zb)),
                wide_b = to_real(apply_binary(BinaryOp::add, za, b));
    a = wide_a;
    b = wide_b;
  }
  RealArray& x = a.edit_real();
  for (Index i = 0; i < x.size(); ++i) {
    const double y = b.real()[i];
    if (better(y, x[i], maximum) || (std::isnan(x[i]) && !std::isnan(y))) x[i] = y;
  }
  x.cls = cls;
  c.ret(unboxed(a));
}

void extreme(Call& c, bool maximum) {
  if (c.count() == 3 && !c[1].is_empty()) fail_argument(2, "must be []");
  if (c.count() >= 2 && !c[1].is_empty()) return extreme_of_two(c, maximum);
  if (over_all(c, 2)) c.args = {as_column(c[0])};
  const Value v = to_numeric(c[0]);
  const Dims d = v.dims();
  // max(x, []) without a dimension compares with nothing.
  if (c.count() == 2 && d.numel() > 1) fail("sizes of the arguments do not match");
  if (c.count() == 2) return c.ret(Value::empty());
  const int dim = dim_argument(c, 2, d);
  if (d.numel() == 0) {
    Dims left = d;
    if (d[dim] > 0) left.set(dim, 1);
    c.ret(Value::zeros(left));
    c.ret(Value::zeros(left));
    return;
  }
  Value where = Value::zeros(reduced(d, dim));
  if (v.kind() == Kind::complex) {
    Value out = Value::complex_zeros(reduced(d, dim));
    extreme_along(v.complex(), dim, maximum, out.edit_complex(), where.edit_real());
    give(c, narrowed(out));
  } else {
    Value out = Value::real_uninitialised(reduced(d, dim), v.real().cls);
    extreme_along(v.real(), dim, maximum, out.edit_real(), where.edit_real());
    give(c, unboxed(out));
  }
  c.ret(unboxed(where));
}

void cumulative_extreme(Call& c, bool maximum) {
  Value v = to_real(c[0]);
  const Dims d = v.dims();
  RealArray& a = v.edit_real();
  Value where = Value::zeros(d);
  RealArray& w = where.edit_real();
  for_each_vector(d, dim_argument(c, 1, d), [&](Index at, Index stride, Index n) {
    Index best = 0;
    w[at] = 1;
    for (Index i = 1; i < n; ++i) {
      if (better(a[at + i * stride], a[at + (i - 1) * stride], maximum))
        best = i;
      else
        a[at + i * stride] = a[at + (i - 1) * stride];
      w[at + i * stride] = static_cast<double>(best + 1);
    }
  });
  c.ret(unboxed(v));
  c.ret(unboxed(where));
}

void diff(Call& c) {
  Value v = to_numeric(c[0]);
  Index times = c.has(1) && !c[1].is_empty() ? c.whole(1) : 1;
  if (times < 0) fail_argument(2, "must not be negative");
  for (; times > 0 && v.numel() > 0; --times) {
    const Dims d = v.dims();
    const int dim = dim_argument(c, 2, d);
    if (d[dim] <= 1) {
      Dims left = d;
      left.set(dim, 0);
      v = c.has(2) ? Value::zeros(left) : Value::empty();
      break;
    }
    Values low(static_cast<std::size_t>(std::max(d.count(), dim + 1)), Value::colon()), high = low;
    const Index n = d[dim] - 1;
    low[static_cast<std::size_t>(dim)] = Value(new Range(1, 1, n));
    high[static_cast<std::size_t>(dim)] = Value(new Range(2, 1, n));
    v = to_numeric(apply_binary(BinaryOp::subtract, index_value(v, high), index_value(v, low)));
  }
  c.ret(narrowed(v));
}

void dot(Call& c) {
  const Value a = to_numeric(c[0]), b = to_numeric(c[1]);
  const Index dim = c.has(2) && !c[2].is_empty() ? c.whole(2) : 0;
  if (dim > std::max(a.dims().count(), b.dims().count())) fail_argument(3, "must be a dimension of the arguments");
  if (dim == 0 && a.dims().is_vector() && b.dims().is_vector()) {
    if (a.numel() != b.numel()) fail("vectors must have the same length");
    const Value x = to_complex(a), y = to_complex(b);
    Complex s = 0;
    for (Index i = 0; i < x.numel(); ++i) s += std::conj(x.complex()[i]) * y.complex()[i];
    return c.ret(s.imag() == 0 ? Value(s.real()) : Value(s));
  }
  if (!(a.dims() == b.dims())) fail("sizes of the arguments do not match");
  Value conj_a = a;
  if (a.kind() == Kind::complex)
    for (Complex& z : conj_a.edit_complex().data) z = std::conj(z);
  Values args = {apply_binary(BinaryOp::times, conj_a, b)};
  if (c.has(2)) args.push_back(c[2]);
  for (Value& v : c.oml.call_named("sum", args, 1)) c.ret(v);
}

void cross(Call& c) {
  const Value a = to_complex(full(c[0])), b = to_complex(full(c[1]));
  const Dims d = a.dims();
  if (a.numel() != b.numel()) fail("sizes of the arguments do not match");
  if (!(d == b.dims())) {
    if (!d.is_vector() || !b.dims().is_vector()) fail("sizes of the arguments do not match");
    // A row with a column: the shape of the second.
    emit_warning("cross product of a row and a column; the result has the shape of the second");
    Values args = {transpose(a, false), b}, out;
    Call turned{c.oml, c.name, args, 1, out};
    cross(turned);
    return c.ret(out[0]);
  }
  int dim = c.has(2) ? dim_argument(c, 2, d) : -1;
  for (int k = 0; k < d.count() && dim < 0; ++k)
    if (d[k] == 3) dim = k;
  if (dim < 0 || d[dim] != 3) fail("cross needs vectors of three elements");
  Value out = Value::complex_zeros(d);
  ComplexArray& o = out.edit_complex();
  const ComplexArray &x = a.complex(), &y = b.complex();
  for_each_vector(d, dim, [&](Index at, Index s, Index) {
    o[at] = x[at + s] * y[at + 2 * s] - x[at + 2 * s] * y[at + s];
    o[at + s] = x[at + 2 * s] * y[at] - x[at] * y[at + 2 * s];
    o[at + 2 * s] = x[at] * y[at + s] - x[at + s] * y[at];
  });
  c.ret(narrowed(out));
}

void trapezoid(Call& c, bool cumulative) {
  // trapz(y, dim) has two arguments as well.
  const bool dim_second = c.count() == 2 && c[1].numel() == 1 && c[0].numel() > 1;
  if (dim_second) c.args.insert(c.args.begin(), Value::empty());
  const bool has_x = c.count() >= 2 && !c[0].is_empty();
  const Value y = to_real(c[c.count() >= 2 ? 1 : 0]);
  const std::vector<double> x = has_x ? to_vector(c[0]) : std::vector<double>();
  const Dims d = y.dims();
  const int dim = dim_argument(c, 2, d);
  const bool own_x = has_x && c[0].dims() == d && !d.is_vector();  // points for each vector of y
  Value out = Value::zeros(cumulative ? d : reduced(d, dim));
  Index k = 0;
  if (has_x && !own_x && static_cast<Index>(x.size()) != d[dim]) fail("x and y must have the same length");
  for_each_vector(d, dim, [&](Index at, Index s, Index n) {
    double sum = 0;
    for (Index i = 1; i < n; ++i) {
      const auto now = static_cast<std::size_t>(own_x ? at + i * s : i),
                 before = now - static_cast<std::size_t>(own_x ? s : 1);
      const double h = has_x ? x[now] - x[before] : 1;
      sum += h * (y.real()[at + i * s] + y.real()[at + (i - 1) * s]) / 2;
      if (cumulative) out.edit_real()[at + i * s] = sum;
    }
    if (!cumulative) out.edit_real()[k++] = sum;
  });
  c.ret(unboxed(out));
}

// y is the second argument, but trapz(y) and trapz(y, dim) have no x.
void trapezoid_of_parts(Call& c, void (*run)(Call&)) {
  const int data = c.count() >= 2 && !(c.count() == 2 && c[1].numel() == 1 && c[0].numel() > 1) ? 1 : 0;
  run_by_parts(c, data, data + 1, run);
}

void sum_of_squares(Call& c) {
  reduce(
      c, 0, [](double s, double x) { return s + x * x; }, [](Complex s, Complex x) { return s + std::norm(x); });
}

// A cell with a row of subscripts for each value, as a matrix; or, where that does not fit the number of values, with
// a list of subscripts for each dimension.
Value subscript_rows(const Value& cell, std::size_t values) {
  Values parts;
  const auto& items = cell.cell().data;
  const bool by_dimension =
      values != 1 && items.size() != values && std::all_of(items.begin(), items.end(), [&](const Value& item) {
        return static_cast<std::size_t>(item.numel()) == values;
      });
  for (const Value& item : items) parts.push_back(by_dimension ? Value::column(to_vector(item)) : to_real(item));
  return to_real(concatenate(parts, by_dimension ? 1 : 0));
}

void accumarray(Call& c) {
  const std::vector<double> values = to_vector(c[1]);
  const Value subs = c[0].is_cell() ? subscript_rows(c[0], values.size()) : to_real(c[0]);
  const Index n = subs.dims().rows() == 1 && subs.dims().cols() > 1 ? subs.numel() : subs.dims().rows();
  if (values.size() != 1 && static_cast<Index>(values.size()) != n)
    fail_argument(2, "must be a number, or one for each row of subscripts");
  const Index columns = n == 0 ? 1 : subs.numel() / n;
  std::vector<Index> sizes(static_cast<std::size_t>(std::max<Index>(columns, 2)), 1);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < columns; ++k) {
      const double x = subs.real()[i + k * n];
      if (!(x >= 1 && x < 9e15) || x != std::floor(x)) fail("index must be a positive integer");
      sizes[static_cast<std::size_t>(k)] = std::max(sizes[static_cast<std::size_t>(k)], static_cast<Index>(x));
    }
  }
  if (c.has(2) && !c[2].is_empty()) {
    const std::vector<double> wanted = to_vector(c[2]);
    for (std::size_t k = 0; k < wanted.size() && k < sizes.size(); ++k)
      if (wanted[k] < 9e15) sizes[k] = std::max(sizes[k], static_cast<Index>(wanted[k]));
  }
  // One column of subscripts and a matrix of results: the subscripts count through the matrix.
  if (columns == 1 && c.has(2) && c[2].numel() > 1) {
    const std::vector<double> wanted = to_vector(c[2]);
    double total = 1;
    for (double x : wanted) total *= std::max(0.0, x);
    if (wanted.size() > Dims::max_count || total > 9e15) fail_argument(3, "must be a size");
    if (static_cast<double>(sizes[0]) > total) fail("index out of bounds");
    sizes.assign(wanted.begin(), wanted.end());
  }
  const Dims d(sizes);
  require_memory(checked_numel(d), 40);
  std::vector<std::vector<double>> groups(static_cast<std::size_t>(checked_numel(d)));
  for (Index i = 0; i < n; ++i) {
    Index at = 0;
    for (Index k = 0; k < columns; ++k)
      at += (static_cast<Index>(subs.real()[i + k * n]) - 1) * d.stride(static_cast<int>(k));
    groups[static_cast<std::size_t>(at)].push_back(values.size() == 1 ? values[0]
                                                                      : values.at(static_cast<std::size_t>(i)));
  }
  const bool custom = c.has(3) && !c[3].is_empty();
  const double filler = c.has(4) && !c[4].is_empty() ? c.number(4) : 0;
  Value out = Value::zeros(d), cells;
  for (Index i = 0; i < out.numel(); ++i) {
    const auto& g = groups[static_cast<std::size_t>(i)];
    double x = filler;
    if (!g.empty() && custom) {
      const Value result = c.oml.call1(c[3], {unboxed(Value::column(g))});
      if (result.is_cell() && result.numel() == 1) {  // @(x) {x}: the groups themselves
        if (cells.is_none()) cells = Value::cell(d);
        cells.edit_cell()[i] = result.cell()[0];
        continue;
      }
      x = to_double(result);
    } else if (!g.empty()) {
      x = 0;
      for (double y : g) x += y;
    }
    out.edit_real()[i] = x;
  }
  c.ret(cells.is_none() ? unboxed(out) : cells);
}

constexpr Builtin reduction_table[] = {
    {"sum", 1, 2,
     [](Call& c) {
       reduce(
           c, 0, [](double s, double x) { return s + x; }, [](Complex s, Complex x) { return s + x; });
     },
     "sum(x, dim): sum along a dimension, by default the first that is not 1; sum(x, 'all') of all elements.",
     "data, dim? word:all"},
    {"prod", 1, 2,
     [](Call& c) {
       reduce(
           c, 1, [](double s, double x) { return s * x; }, [](Complex s, Complex x) { return s * x; });
     },
     "prod(x, dim): product along a dimension; prod(x, 'all') of all elements.", "number, dim? word:all"},
    {"sumsq", 1, 2, sum_of_squares, "sumsq(x, dim): sum of squares along a dimension.", "data, dim?"},
    {"cumsum", 1, 2, [](Call& c) { cumulate(c, [](auto a, auto b) { return a + b; }); },
     "cumsum(x, dim): running sum along a dimension.", "data, any"},
    {"cumprod", 1, 2, [](Call& c) { cumulate(c, [](auto a, auto b) { return a * b; }); },
     "cumprod(x, dim): running product along a dimension.", "data, any"},
    {"cummax", 1, 2, [](Call& c) { cumulative_extreme(c, true); }, "cummax(x, dim): running maximum.", "codes, dim?"},
    {"cummin", 1, 2, [](Call& c) { cumulative_extreme(c, false); }, "cummin(x, dim): running minimum.", "codes, dim?"},
    {"any", 1, 2, [](Call& c) { any_all(c, false); }, "any(x, dim): true where some element is nonzero.", "any, dim?"},
    {"all", 1, 2, [](Call& c) { any_all(c, true); }, "all(x, dim): true where every element is nonzero.", "any, dim?"},
    {"max", 1, 3, [](Call& c) { extreme(c, true); },
     "[m, k] = max(x, [], dim): largest element and its index; dim may be 'all'; max(x, y) elementwise.",
     "data, data, dim? word:all"},
    {"min", 1, 3, [](Call& c) { extreme(c, false); },
     "[m, k] = min(x, [], dim): smallest element and its index; dim may be 'all'; min(x, y) elementwise.",
     "data, data, dim? word:all"},
    {"diff", 1, 3, diff, "diff(x, n, dim): differences of neighbours, n times.", "data, count [], dim?"},
    {"dot", 2, 3, dot, "dot(x, y, dim): scalar product; the first argument is conjugated.", "data, data, dim?"},
    {"cross", 2, 3, cross, "cross(x, y, dim): vector product of vectors of three elements.", "codes, codes, dim?"},
    {"trapz", 1, 3, [](Call& c) { trapezoid_of_parts(c, [](Call& p) { trapezoid(p, false); }); },
     "trapz(x, y, dim): integral by the trapezoidal rule.", "number, number, dim?"},
    {"cumtrapz", 1, 3, [](Call& c) { trapezoid_of_parts(c, [](Call& p) { trapezoid(p, true); }); },
     "cumtrapz(x, y, dim): running integral by the trapezoidal rule.", "number, number, dim?"},
    {"accumarray", 2, 6, accumarray,
     "accumarray(subs, vals, size, fun, fill): groups values by subscripts and sums each group.",
     "real cell, real, real [], function [], real [], any"},
};

}  // namespace

BuiltinFamily reduction_builtins() { return reduction_table; }

}  // namespace orrery::oml
