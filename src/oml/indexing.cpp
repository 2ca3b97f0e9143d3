// SPDX-License-Identifier: Apache-2.0
// Subscripts and reading by index.
#include "oml/indexing.h"

#include <algorithm>
#include <cmath>

#include "oml/convert.h"
#include "oml/error.h"
#include "oml/symbolic.h"

namespace orrery::oml {
namespace {

Index position_of(double x) {
  const double whole = std::floor(x);
  if (whole != x || !(std::abs(x) < 9e15)) fail("index must be a positive integer");
  if (whole < 1) fail("index out of bounds: the first element has index 1");
  return static_cast<Index>(whole) - 1;
}

}  // namespace

void Subscript::from_mask(const ByteArray& mask) {
  mask_ = true;
  for (Index i = 0; i < mask.size(); ++i) {
    if (mask[i]) list_.push_back(i);
  }
  count_ = static_cast<Index>(list_.size());
  highest_ = list_.empty() ? 0 : list_.back() + 1;
  shape_ = mask.dims.rows() == 1 && mask.dims.count() == 2 ? Dims(1, count_) : Dims(count_, 1);
}

Subscript::Subscript(const Value& v, Index extent) {
  switch (v.kind()) {
    case Kind::number:
      first_ = position_of(v.number());
      count_ = 1;
      highest_ = first_ + 1;
      shape_ = Dims(1, 1);
      return;
    case Kind::colon:
      colon_ = true;
      count_ = extent;
      highest_ = extent;
      shape_ = Dims(extent, 1);
      return;
    case Kind::range: {
      const Range& r = v.range();
      count_ = r.count;
      shape_ = Dims(1, count_);
      if (count_ == 0) return;
      if (r.step == std::floor(r.step)) {
        first_ = position_of(r.base);
        step_ = static_cast<Index>(r.step);
        highest_ = std::max(first_, position_of(r[count_ - 1])) + 1;
        return;
      }
      break;
    }
    case Kind::boolean:
    case Kind::logical: {
      const Value mask = boxed(v);
      from_mask(mask.bytes());
      return;
    }
    case Kind::chars:
      if (v.numel() == 1 && v.bytes()[0] == ':') {
        *this = Subscript(Value::colon(), extent);
        return;
      }
      break;
    case Kind::complex: fail("index must be a positive integer");
    case Kind::sparse:
      if (v.is_logical()) {
        const Value mask = full(v);
        from_mask(mask.bytes());
        return;
      }
      break;
    default:
      if (!v.is_arithmetic()) fail("index must be a positive integer, got a " + v.class_name());
  }
  const Value r = to_real(v);
  const RealArray& a = r.real();
  count_ = a.size();
  shape_ = a.dims;
  list_.resize(static_cast<std::size_t>(count_));
  for (Index i = 0; i < count_; ++i) {
    const Index p = position_of(a[i]);
    list_[static_cast<std::size_t>(i)] = p;
    highest_ = std::max(highest_, p + 1);
  }
}

Index end_value(const Value& v, int position, int count) {
  const Dims d = v.dims();
  if (count == 1) return d.numel();
  if (position < count - 1) return d[position];
  Index n = 1;
  for (int k = position; k < d.count(); ++k) n *= d[k];
  return n;
}

namespace {

// The sizes seen by n subscripts: the last one covers all remaining dimensions.
std::vector<Index> folded(const Dims& d, std::size_t n) {
  std::vector<Index> sizes(n, 1);
  for (std::size_t k = 0; k < n; ++k) sizes[k] = d[static_cast<int>(k)];
  for (int k = static_cast<int>(n); k < d.count(); ++k) sizes[n - 1] *= d[k];
  return sizes;
}

Dims linear_shape(const Dims& source, const Subscript& s) {
  if (s.is_colon()) return Dims(s.count(), 1);
  const Index n = source.numel();
  if (s.shape().is_vector() && source.is_vector() && n != 1) {
    return source.rows() == 1 ? Dims(1, s.count()) : Dims(s.count(), 1);
  }
  if (s.is_mask() && n == 1 && s.count() == 0) return Dims(0, 0);
  return s.shape();
}

[[noreturn]] void fail_bounds(Index index, Index bound) {
  fail("index out of bounds: index " + std::to_string(index) + " exceeds the size " + std::to_string(bound));
}

template <class Emit>
void walk(const std::vector<Subscript>& subs, const std::vector<Index>& sizes, Emit emit) {
  const std::size_t n = subs.size();
  std::vector<Index> stride(n, 1);
  for (std::size_t k = 1; k < n; ++k) stride[k] = stride[k - 1] * sizes[k - 1];
  for (const Subscript& s : subs)
    if (s.count() == 0) return;
  std::vector<Index> at(n, 0);
  for (;;) {
    Index base = 0;
    for (std::size_t k = 1; k < n; ++k) base += subs[k][at[k]] * stride[k];
    for (Index i = 0; i < subs[0].count(); ++i) emit(base + subs[0][i]);
    std::size_t k = 1;
    for (; k < n; ++k) {
      if (++at[k] < subs[k].count()) break;
      at[k] = 0;
    }
    if (k >= n) return;
  }
}

struct Selection {
  Dims dims;
  std::vector<Subscript> subs;
  std::vector<Index> sizes;
};

Selection select(const Dims& d, std::span<const Value> subscripts) {
  Selection sel;
  const std::size_t n = subscripts.size();
  if (n == 1) {
    const Index total = d.numel();
    sel.subs.emplace_back(subscripts[0], total);
    if (sel.subs[0].highest() > total) fail_bounds(sel.subs[0].highest(), total);
    sel.sizes = {total};
    sel.dims = linear_shape(d, sel.subs[0]);
    return sel;
  }
  sel.sizes = folded(d, n);
  std::vector<Index> out;
  sel.subs.reserve(n);
  for (std::size_t k = 0; k < n; ++k) {
    sel.subs.emplace_back(subscripts[k], sel.sizes[k]);
    if (sel.subs[k].highest() > sel.sizes[k]) fail_bounds(sel.subs[k].highest(), sel.sizes[k]);
    out.push_back(sel.subs[k].count());
  }
  sel.dims = Dims(out);
  return sel;
}

template <class T>
Value gather(const Array<T>& a, const Selection& sel) {
  auto* out = new Array<T>(a.kind, sel.dims);
  Value result(out);
  out->cls = a.cls;
  Index i = 0;
  walk(sel.subs, sel.sizes, [&](Index p) { (*out)[i++] = a[p]; });
  return result;
}

Value gather_struct(const StructArray& s, const Selection& sel) {
  auto* out = new StructArray();
  Value result(out);
  out->dims = sel.dims;
  out->keys = s.keys;
  out->columns.resize(s.columns.size());
  walk(sel.subs, sel.sizes, [&](Index p) {
    for (std::size_t k = 0; k < s.columns.size(); ++k) {
      out->columns[k].push_back(s.columns[k][static_cast<std::size_t>(p)]);
    }
  });
  return result;
}

}  // namespace

Value index_value(const Value& v, std::span<const Value> subscripts) {
  if (v.kind() == Kind::symbolic) return v.symbolic().index(v, Values(subscripts.begin(), subscripts.end()));
  for (const Value& s : subscripts) {
    if (s.kind() == Kind::symbolic) return s.symbolic().index(v, Values(subscripts.begin(), subscripts.end()));
  }
  if (subscripts.empty()) return v;
  if (v.kind() == Kind::sparse) return sparse_index(v, subscripts);
  if (v.kind() == Kind::range && subscripts.size() == 1 && subscripts[0].is_number()) {
    const Subscript s(subscripts[0], v.range().count);
    if (s.highest() > v.range().count) fail_bounds(s.highest(), v.range().count);
    return Value(v.range()[s[0]]);
  }
  if (v.kind() == Kind::handle) fail("a function handle cannot be indexed here");
  const Value b = boxed(v);
  const Selection sel = select(b.dims(), subscripts);
  switch (b.kind()) {
    case Kind::real: return unboxed(gather(b.real(), sel));
    case Kind::complex: return narrowed(gather(b.complex(), sel));
    case Kind::logical:
    case Kind::chars: return unboxed(gather(b.bytes(), sel));
    case Kind::cell: return gather(b.cell(), sel);
    case Kind::structure: return gather_struct(b.structure_ref(), sel);
    default:
      if (sel.dims.numel() == 1) return v;
      fail("a " + v.class_name() + " cannot be indexed");
  }
}

void index_cell(const Value& cell, std::span<const Value> subscripts, Values& out) {
  if (!cell.is_cell()) fail("{ } needs a cell array, got a " + cell.class_name());
  if (subscripts.empty()) {
    out.insert(out.end(), cell.cell().data.begin(), cell.cell().data.end());
    return;
  }
  const Selection sel = select(cell.dims(), subscripts);
  walk(sel.subs, sel.sizes, [&](Index p) { out.push_back(cell.cell()[p]); });
}

Index single_position(const Dims& dims, std::span<const Value> subscripts) {
  const Selection sel = select(dims, subscripts);
  if (sel.dims.numel() != 1) fail("the index must name one element");
  Index position = 0;
  walk(sel.subs, sel.sizes, [&](Index p) { position = p; });
  return position;
}

}  // namespace orrery::oml
