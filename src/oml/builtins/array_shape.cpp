// SPDX-License-Identifier: Apache-2.0
// Reshaping, joining, permuting and taking parts of arrays.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/operators.h"
#include "oml/sparse.h"

namespace orrery::oml {
namespace {

void set_dims(Value& v, const Dims& d) {
  switch (v.kind()) {
    case Kind::real: v.edit_real().dims = d; break;
    case Kind::complex: v.edit_complex().dims = d; break;
    case Kind::logical:
    case Kind::chars: v.edit_bytes().dims = d; break;
    case Kind::cell: v.edit_cell().dims = d; break;
    case Kind::structure: v.edit_structure().dims = d; break;
    default: fail("the argument has no elements to rearrange");
  }
}

void reshape(Call& c) {
  std::vector<Index> sizes;
  const Index total = c[0].numel();
  if (c.count() == 2) {
    for (double x : to_vector(c[1])) sizes.push_back(static_cast<Index>(x));
    if (sizes.size() < 2) fail_argument(2, "must have at least two sizes");
  } else {
    int open = -1;
    Index known = 1;
    for (int k = 1; k < c.count(); ++k) {
      if (c[k].is_empty()) {
        if (open >= 0) fail("only one size can be left out");
        open = k - 1;
        sizes.push_back(1);
      } else {
        sizes.push_back(c.whole(k));
        known *= sizes.back();
      }
    }
    if (open >= 0) {
      if (known == 0 || total % known != 0) fail("the sizes do not divide the number of elements");
      sizes[static_cast<std::size_t>(open)] = total / known;
    }
  }
  const Dims d(sizes);
  if (checked_numel(d) != total) fail("cannot reshape " + c[0].dims().text() + " to " + d.text());
  Value v = boxed(full(c[0]));
  set_dims(v, d);
  c.ret(c[0].kind() == Kind::sparse ? to_sparse(v) : unboxed(v));
}

Value permuted(const Value& given, const std::vector<int>& order) {
  const Value v = boxed(full(given));
  const Dims d = v.dims();
  std::vector<Index> sizes, strides;
  for (int k : order) {
    sizes.push_back(d[k]);
    strides.push_back(d.stride(k));
  }
  // Gather through linear indices: one code path for every kind of element.
  Value index = Value::real_uninitialised(Dims(v.numel(), 1));
  RealArray& p = index.edit_real();
  std::vector<Index> at(order.size(), 0);
  Index from = 0;
  for (Index i = 0; i < p.size(); ++i) {
    p[i] = static_cast<double>(from + 1);
    for (std::size_t k = 0; k < order.size(); ++k) {
      from += strides[k];
      if (++at[k] < sizes[k]) break;
      from -= strides[k] * sizes[k];
      at[k] = 0;
    }
  }
  Value out = boxed(index_value(v, std::span<const Value>(&index, 1)));
  if (v.kind() == Kind::complex && out.kind() == Kind::real) out = to_complex(out);
  set_dims(out, Dims(sizes));
  return out;
}

std::vector<int> order_of(const Call& c, int k) {
  std::vector<int> order;
  for (double x : to_vector(c[k])) {
    if (!(x >= 1 && x <= Dims::max_count)) fail_argument(k + 1, "must be a permutation of the dimensions");
    order.push_back(static_cast<int>(x) - 1);
  }
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<int>(i)) fail_argument(k + 1, "must be a permutation of the dimensions");
  }
  if (static_cast<int>(order.size()) < c[0].dims().count()) fail_argument(k + 1, "must name every dimension");
  return order;
}

void permute(Call& c) { c.ret(unboxed(permuted(c[0], order_of(c, 1)))); }

void ipermute(Call& c) {
  const std::vector<int> order = order_of(c, 1);
  std::vector<int> inverse(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) inverse[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  c.ret(unboxed(permuted(c[0], inverse)));
}

void squeeze(Call& c) {
  const Dims d = c[0].dims();
  if (d.count() <= 2) return c.ret(c[0]);
  std::vector<Index> sizes;
  for (int k = 0; k < d.count(); ++k)
    if (d[k] != 1) sizes.push_back(d[k]);
  while (sizes.size() < 2) sizes.push_back(1);
  Value v = boxed(c[0]);
  set_dims(v, Dims(sizes));
  c.ret(unboxed(v));
}

void shiftdim(Call& c) {
  const Dims d = c[0].dims();
  Index n = 0;
  if (c.has(1))
    n = c.whole(1);
  else
    while (n < d.count() - 1 && d[static_cast<int>(n)] == 1) ++n;
  Value v = boxed(full(c[0]));
  if (n < 0) {
    std::vector<Index> sizes(static_cast<std::size_t>(-n), 1);
    for (int k = 0; k < d.count(); ++k) sizes.push_back(d[k]);
    set_dims(v, Dims(sizes));
  } else if (n > 0) {
    std::vector<int> order(static_cast<std::size_t>(d.count()));
    for (int k = 0; k < d.count(); ++k) order[static_cast<std::size_t>(k)] = static_cast<int>((k + n) % d.count());
    v = permuted(c[0], order);
  }
  c.ret(unboxed(v));
  c.ret(Value(n));
}

void cat(Call& c) {
  const Index dim = c.whole(0);
  if (dim < 1 || dim > Dims::max_count) fail_argument(1, "must be a valid dimension");
  c.ret(concatenate(std::span<const Value>(c.args).subspan(1), static_cast<int>(dim) - 1));
}

// n copies of it beside each other, made of copies of 2, 4, 8, … of it: as many values as bits of n, not n.
Value side_by_side(const Value& v, Index n, int dim) {
  Value power = v, result;
  for (bool any = false;; n /= 2) {
    if (n % 2 == 1) result = any ? concatenate(Values{result, power}, dim) : power;
    any = any || n % 2 == 1;
    if (n <= 1) return result;
    power = concatenate(Values{power, power}, dim);
  }
}

void repmat(Call& c) {
  std::vector<Index> times;
  if (c.count() == 2) {
    for (double x : to_vector(c[1])) times.push_back(static_cast<Index>(x));
    if (times.size() == 1) times.push_back(times[0]);
  } else {
    for (int k = 1; k < c.count(); ++k)
      for (double x : to_vector(c[k])) times.push_back(static_cast<Index>(x));
  }
  if (times.size() > Dims::max_count) fail("an array has at most 8 dimensions");
  Value v = c[0];
  Dims whole = v.dims();
  for (std::size_t k = 0; k < times.size() && k < Dims::max_count; ++k) {
    whole.set(static_cast<int>(k), whole[static_cast<int>(k)] * std::max<Index>(times[k], 0));
    checked_numel(whole);
  }
  require_memory(checked_numel(whole), 8);
  if (whole.numel() == 0 && !v.is_empty()) {
    const Value nothing = Value::zeros(Dims(1, 0));
    Value e = boxed(index_value(boxed(full(v)), std::span<const Value>(&nothing, 1)));
    if (v.kind() == Kind::complex) e = Value::complex_zeros(Dims(1, 0));
    set_dims(e, whole);
    return c.ret(e);
  }
  for (std::size_t k = 0; k < times.size(); ++k) {
    const Index n = std::max<Index>(times[k], 0);
    if (n == 1) continue;
    Dims d = v.dims();
    d.set(static_cast<int>(k), d[static_cast<int>(k)] * n);
    checked_numel(d);
    if (n == 0 || v.is_empty()) {
      const Value all = Value::zeros(Dims(1, 0));
      Value e = boxed(index_value(boxed(v), std::span<const Value>(&all, 1)));
      if (v.kind() == Kind::complex) e = Value::complex_zeros(Dims(1, 0));
      set_dims(e, d);
      v = e;
      continue;
    }
    charge_memory(static_cast<std::size_t>(d.numel()));
    memory_account().used -= static_cast<std::size_t>(d.numel());
    v = side_by_side(v, n, static_cast<int>(k));
  }
  c.ret(unboxed(stored(v)));
}

void diag(Call& c) {
  const bool sized = c.count() == 3;  // diag(v, m, n)
  const Index k = c.has(1) && !sized ? c.whole(1) : 0;
  const Value v = boxed(full(c[0]));
  const Dims d = v.dims();
  if (d == Dims(0, 0) && !sized && k == 0) return c.ret(Value::zeros(Dims(0, 1)));
  if (d.count() > 2 || (sized && !d.is_vector())) fail_argument(1, "must be a vector or matrix");
  if (d.is_vector()) {
    const Index n = d.numel() + std::abs(k);
    const Dims size = sized ? Dims(c.whole(1), c.whole(2)) : Dims(n, n);
    Value out = v.kind() == Kind::complex ? Value::complex_zeros(size) : Value::zeros(size);
    for (Index i = 0; i < d.numel(); ++i) {
      if (sized && (i >= size.rows() || i >= size.cols())) break;
      const Index r = k < 0 ? i - k : i, col = k > 0 ? i + k : i;
      if (v.kind() == Kind::complex)
        out.edit_complex().at(r, col) = v.complex()[i];
      else
        out.edit_real().at(r, col) = to_double(index_value(v, std::vector<Value>{Value(i + 1)}));
    }
    return c.ret(c[0].kind() == Kind::sparse ? to_sparse(out) : unboxed(out));
  }
  std::vector<double> index;
  for (Index r = std::max<Index>(0, -k); r < d.rows() && r + k < d.cols(); ++r) {
    index.push_back(static_cast<double>(r + (r + k) * d.rows() + 1));
  }
  if (d == Dims(0, 0)) return c.ret(v);
  const Value idx = Value::column(index);
  c.ret(index_value(v, std::span<const Value>(&idx, 1)));
}

void triangle(Call& c, bool upper) {
  const Index k = c.has(1) ? c.whole(1) : 0;
  Value v = to_numeric(c[0]);
  const Dims d = v.dims();
  if (d.count() > 2) fail_argument(1, "must be a matrix");
  for (Index col = 0; col < d.cols(); ++col) {
    for (Index r = 0; r < d.rows(); ++r) {
      if (upper ? col - r >= k : col - r <= k) continue;
      if (v.kind() == Kind::complex)
        v.edit_complex().at(r, col) = 0;
      else
        v.edit_real().at(r, col) = 0;
    }
  }
  c.ret(c[0].kind() == Kind::sparse ? to_sparse(v) : narrowed(v));
}

Value reversed(const Value& v, int dim) {
  const Dims d = v.dims();
  Values subs(static_cast<std::size_t>(std::max(d.count(), dim + 1)), Value::colon());
  const Index n = d[dim];
  if (n == 0) return v;
  subs[static_cast<std::size_t>(dim)] = Value(new Range(static_cast<double>(n), -1, n));
  return index_value(v, subs);
}

void flip(Call& c) { c.ret(reversed(c[0], dim_argument(c, 1, c[0].dims()))); }

void rot90(Call& c) {
  const Index turns = (((c.has(1) ? c.whole(1) : 1) % 4) + 4) % 4;
  Value v = stored(c[0]);
  // Of an N-d array each page is turned.
  std::vector<double> order(static_cast<std::size_t>(v.dims().count()));
  std::iota(order.begin(), order.end(), 1.0);
  if (order.size() > 2) std::swap(order[0], order[1]);
  const auto transposed = [&](const Value& a) {
    return order.size() > 2 ? c.oml.call_named("permute", {a, Value::row(order)}, 1)[0] : transpose(a, false);
  };
  for (Index k = 0; k < turns; ++k) v = reversed(transposed(v), 0);
  c.ret(v);
}

void circshift(Call& c) {
  Value v = boxed(c[0]);
  const Dims d = v.dims();
  const std::vector<double> shifts = to_vector(c[1]);
  if (shifts.empty()) fail_argument(2, "must not be empty");
  const auto shift_along = [&](int dim, Index shift) {
    const Index n = d[dim];
    if (n == 0) return;
    std::vector<double> index(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i)
      index[static_cast<std::size_t>((((i + shift) % n) + n) % n)] = static_cast<double>(i + 1);
    Values subs(static_cast<std::size_t>(std::max(d.count(), dim + 1)), Value::colon());
    subs[static_cast<std::size_t>(dim)] = Value::row(index);
    v = boxed(index_value(v, subs));
  };
  if (c.has(2))
    shift_along(dim_argument(c, 2, d), static_cast<Index>(shifts[0]));
  else if (shifts.size() == 1)
    shift_along(d.first_non_singleton(), static_cast<Index>(shifts[0]));
  else
    for (std::size_t k = 0; k < shifts.size(); ++k) shift_along(static_cast<int>(k), static_cast<Index>(shifts[k]));
  c.ret(unboxed(v));
}

void find(Call& c) {
  const Value v = boxed(full(c[0]));
  const Value mask = to_logical(v);
  const ByteArray& b = mask.bytes();
  const Index limit = c.has(1) && !c[1].is_empty() ? c.whole(1) : b.size();
  const bool last = c.has(2) && c.text(2) == "last";
  std::vector<double> at;
  if (last) {
    for (Index i = b.size() - 1; i >= 0 && static_cast<Index>(at.size()) < limit; --i)
      if (b[i]) at.push_back(static_cast<double>(i));
    std::reverse(at.begin(), at.end());
  } else {
    for (Index i = 0; i < b.size() && static_cast<Index>(at.size()) < limit; ++i)
      if (b[i]) at.push_back(static_cast<double>(i));
  }
  const bool row = b.dims.rows() == 1 && b.dims.cols() != 1;
  const bool empty = b.dims == Dims(0, 0) || (b.size() == 1 && at.empty());
  const auto shape = [&](const std::vector<double>& x) {
    if (empty) return Value::zeros(b.size() == 1 ? Dims(1, 0) : Dims(0, 0));
    return unboxed(row ? Value::row(x) : Value::column(x));
  };
  if (c.nargout <= 1) {
    for (double& x : at) x += 1;
    return c.ret(shape(at));
  }
  std::vector<double> rows, cols, index;
  const auto m = static_cast<double>(std::max<Index>(b.dims.rows(), 1));
  for (double x : at) {
    rows.push_back(std::fmod(x, m) + 1);
    cols.push_back(std::floor(x / m) + 1);
    index.push_back(x + 1);
  }
  c.ret(shape(rows));
  c.ret(shape(cols));
  if (c.nargout > 2) {
    const Value idx = row ? Value::row(index) : Value::column(index);
    c.ret(index_value(v, std::span<const Value>(&idx, 1)));
  }
}

void sub2ind(Call& c) {
  const std::vector<double> sizes = to_vector(c[0]);
  std::vector<Value> subs(c.args.begin() + 1, c.args.end());
  c.ret(zip_real(subs, [&](const double* x) {
    double index = 1, stride = 1;
    for (std::size_t k = 0; k < subs.size(); ++k) {
      const double n = k < sizes.size() ? sizes[k] : 1;
      if (x[k] < 1 || x[k] != std::floor(x[k]) || (x[k] > n && !(k + 1 == subs.size() && k + 1 < sizes.size()))) {
        fail("index out of bounds");
      }
      index += (x[k] - 1) * stride;
      stride *= n;
    }
    return index;
  }));
}

void ind2sub(Call& c) {
  const std::vector<double> sizes = to_vector(c[0]);
  const Value index = to_real(c[1]);
  const double total = std::accumulate(sizes.begin(), sizes.end(), 1.0, std::multiplies<>());
  for (double x : index.real().data)
    if (x < 1 || x > total || x != std::floor(x)) fail("index out of bounds");
  const int n = std::max(c.nargout, 1);
  double stride = 1;
  for (int k = 0; k < n; ++k) {
    const double size = k < static_cast<int>(sizes.size()) ? sizes[static_cast<std::size_t>(k)] : 1;
    c.ret(map_real(index, [&](double x) {
      const double q = std::floor((x - 1) / stride);
      return (k == n - 1 ? q : std::fmod(q, size)) + 1;
    }));
    stride *= size;
  }
}

void vec(Call& c) {
  const Value colon = Value::colon();
  c.ret(index_value(stored(c[0]), std::span<const Value>(&colon, 1)));
}

void blkdiag(Call& c) {
  Index rows = 0, cols = 0;
  for (const Value& v : c.args) rows += v.dims().rows(), cols += v.dims().cols();
  Value out = Value::zeros(Dims(rows, cols));
  Index r = 0, k = 0;
  for (const Value& v : c.args) {
    const Value m = to_real(v);
    for (Index j = 0; j < m.dims().cols(); ++j) {
      for (Index i = 0; i < m.dims().rows(); ++i) out.edit_real().at(r + i, k + j) = m.real().at(i, j);
    }
    r += m.dims().rows();
    k += m.dims().cols();
  }
  c.ret(unboxed(out));
}

void vec2mat(Call& c) {
  const Value turned = transpose(stored(full(c[0])), false);
  const Value x = to_complex(turned.dims().rows() == 1 ? full(c[0]) : turned);
  const Index cols = c.whole(1);
  const Complex pad = c.has(2) ? to_complex_scalar(c[2]) : Complex();
  const Index n = x.numel(), rows = (n + cols - 1) / cols;
  Value out = Value::complex_zeros(Dims(rows, cols));
  for (Index i = 0; i < rows * cols; ++i) out.edit_complex().at(i / cols, i % cols) = i < n ? x.complex()[i] : pad;
  c.ret(narrowed(out));
  c.ret(Value(rows * cols - n));
}

void resize(Call& c) {
  const Dims d = dims_from(c, 1);
  Value v = boxed(c[0]);
  Values subs;
  Dims keep = v.dims();
  for (int k = 0; k < std::max(d.count(), keep.count()); ++k) {
    const Index n = std::min(keep[k], d[k]);
    subs.emplace_back(new Range(1, 1, n));
  }
  v = boxed(index_value(v, subs));
  grow(v, d);
  c.ret(unboxed(v));
}

constexpr Builtin array_shape_table[] = {
    {"reshape", 2, -1, reshape, "reshape(x, m, n, ...): the same elements with other sizes; one size may be [].",
     "any, data, ..."},
    {"permute", 2, 2, permute, "permute(x, order): rearranges the dimensions.", "any, real vector"},
    {"ipermute", 2, 2, ipermute, "ipermute(x, order): undoes permute(x, order).", "any, real vector"},
    {"squeeze", 1, 1, squeeze, "squeeze(x): drops dimensions of size 1 of an N-d array.", "any"},
    {"shiftdim", 1, 2, shiftdim, "shiftdim(x, n): rotates the dimensions by n; without n drops leading singletons.",
     "any, real scalar whole"},
    {"cat", 1, -1, cat, "cat(dim, a, b, ...): joins arrays along a dimension.", "dim, any, ..."},
    {"horzcat", 0, -1, [](Call& c) { c.ret(concatenate(c.args, 1)); }, "horzcat(a, b, ...): [a, b, ...].", "any, ..."},
    {"vertcat", 0, -1, [](Call& c) { c.ret(concatenate(c.args, 0, false)); },
     "vertcat(a, b, ...): [a; b; ...], but rows of text must have one length.", "any, ..."},
    {"repmat", 2, -1, repmat, "repmat(x, m, n): x repeated m times down and n times across.",
     "any, real vector [], ..."},
    {"diag", 1, 3, diag,
     "diag(v, k): matrix with v on diagonal k; diag(A, k): that diagonal of A; diag(v, m, n): m x n matrix.",
     "any, real scalar whole, count"},
    {"triu", 1, 2, [](Call& c) { triangle(c, true); }, "triu(A, k): the part of A on and above diagonal k.",
     "data, real scalar whole"},
    {"tril", 1, 2, [](Call& c) { triangle(c, false); }, "tril(A, k): the part of A on and below diagonal k.",
     "data, real scalar whole"},
    {"flip", 1, 2, flip, "flip(x, dim): elements in reverse order along a dimension.", "any, dim?"},
    {"fliplr", 1, 1, [](Call& c) { c.ret(reversed(c[0], 1)); }, "fliplr(x): columns in reverse order.", "any"},
    {"flipud", 1, 1, [](Call& c) { c.ret(reversed(c[0], 0)); }, "flipud(x): rows in reverse order.", "any"},
    {"rot90", 1, 2, rot90, "rot90(A, k): A turned by k quarter turns counter-clockwise.", "any, real scalar whole"},
    {"circshift", 2, 3, circshift, "circshift(x, n, dim): elements moved by n places, those falling off come back in.",
     "any, real filled, dim?"},
    {"find", 1, 3, find, "find(x, n, 'first'|'last'): indices of nonzero elements; [r, c, v] = find(x).",
     "data, dim?, word:first/last"},
    {"sub2ind", 2, -1, sub2ind, "sub2ind(sizes, i, j, ...): linear index of subscripts.", "real filled, real, ..."},
    {"ind2sub", 2, 2, ind2sub, "[i, j, ...] = ind2sub(sizes, index): subscripts of linear indices.",
     "real filled, codes"},
    {"vec", 1, 1, vec, "vec(x): all elements as a column.", "any"},
    {"blkdiag", 1, -1, blkdiag, "blkdiag(A, B, ...): matrices along the diagonal.", "number, ..."},
    {"vec2mat", 2, 3, vec2mat, "vec2mat(x, cols, pad): rows of the given length filled from x.",
     "number, dim, number scalar"},
    {"resize", 2, -1, resize, "resize(x, m, n): x cut or padded with zeros to the sizes.", "any, sizes"},
};

}  // namespace

BuiltinFamily array_shape_builtins() { return array_shape_table; }

}  // namespace orrery::oml
