// SPDX-License-Identifier: Apache-2.0
// Writing by index, growth and deletion.
#include <algorithm>
#include <cmath>

#include "oml/convert.h"
#include "oml/error.h"
#include "oml/indexing.h"
#include "oml/operators.h"
#include "oml/sparse.h"
#include "oml/symbolic.h"

namespace orrery::oml {
namespace {

template <class T>
T filler();
template <>
double filler<double>() {
  return 0;
}
template <>
Complex filler<Complex>() {
  return 0;
}
template <>
std::uint8_t filler<std::uint8_t>() {
  return 0;
}
template <>
Value filler<Value>() {
  return Value::empty();
}

template <class Buffer, class T>
void grow_buffer(Buffer& data, const Dims& from, const Dims& to, const T& fill) {
  const Index n = checked_numel(to);
  // A vector that gets longer keeps its elements where they are: amortised growth.
  bool same_layout = from.numel() == 0 || from.rows() == to.rows();
  for (int k = 1; k < from.count() - 1 && same_layout; ++k) same_layout = from[k] == to[k];
  if (same_layout && (from.count() <= 2 || to.count() == from.count())) {
    if (static_cast<std::size_t>(n) > data.capacity()) {
      data.reserve(std::max<std::size_t>(static_cast<std::size_t>(n), data.size() + data.size() / 2));
    }
    data.resize(static_cast<std::size_t>(n), fill);
    return;
  }
  Buffer out(static_cast<std::size_t>(n), fill);
  std::vector<Index> at(Dims::max_count, 0);
  const Index total = from.numel();
  Index target = 0;
  for (Index i = 0; i < total; ++i) {
    out[static_cast<std::size_t>(target)] = std::move(data[static_cast<std::size_t>(i)]);
    for (int k = 0; k < from.count(); ++k) {
      target += to.stride(k);
      if (++at[static_cast<std::size_t>(k)] < from[k]) break;
      target -= to.stride(k) * from[k];
      at[static_cast<std::size_t>(k)] = 0;
    }
  }
  data = std::move(out);
}

template <class T>
void grow_array(Array<T>& a, const Dims& to) {
  grow_buffer(a.data, a.dims, to, filler<T>());
  a.dims = to;
}

}  // namespace

void grow(Value& target, const Dims& dims) {
  if (target.dims() == dims) return;
  target = boxed(target);
  switch (target.kind()) {
    case Kind::real: return grow_array(target.edit_real(), dims);
    case Kind::complex: return grow_array(target.edit_complex(), dims);
    case Kind::logical:
    case Kind::chars: return grow_array(target.edit_bytes(), dims);
    case Kind::cell: return grow_array(target.edit_cell(), dims);
    case Kind::structure: {
      StructArray& s = target.edit_structure();
      for (Values& column : s.columns) grow_buffer(column, s.dims, dims, Value::empty());
      s.dims = dims;
      return;
    }
    default: fail("a " + target.class_name() + " cannot grow");
  }
}

namespace {

struct TargetElements {
  std::vector<Subscript> subs;
  std::vector<Index> sizes;  // after growth, folded to the number of subscripts
  Dims dims;                 // after growth
  Index count = 1;
};

// What the subscripts select in an array of sizes d that may grow; a colon on an empty dimension takes rhs's size.
TargetElements locate(const Dims& d, std::span<const Value> subscripts, const Dims& rhs) {
  TargetElements t;
  const std::size_t n = subscripts.size();
  const bool was_empty = d.numel() == 0;
  if (n == 0) fail("an assignment needs at least one index");
  if (n == 1) {
    const Index total = d.numel();
    t.subs.emplace_back(subscripts[0], total == 0 && subscripts[0].kind() == Kind::colon ? rhs.numel() : total);
    const Index high = t.subs[0].highest();
    t.dims = d;
    if (high > total) {
      if (d.rows() == 0 && d.cols() == 0)
        t.dims = t.subs[0].is_colon() ? rhs : Dims(1, high);
      else if (d.count() == 2 && d.rows() == 1)
        t.dims = Dims(1, high);
      else if (d.count() == 2 && d.cols() == 1)
        t.dims = Dims(high, 1);
      else if (was_empty)
        t.dims = Dims(1, high);
      else
        fail("index out of bounds: a matrix does not grow through one index");
    }
    t.sizes = {t.dims.numel()};
    t.count = t.subs[0].count();
    return t;
  }
  std::vector<Index> sizes(n, 1);
  for (std::size_t k = 0; k < n; ++k) sizes[k] = d[static_cast<int>(k)];
  for (int k = static_cast<int>(n); k < d.count(); ++k) sizes[n - 1] *= d[k];
  // Sizes of the right side for colons on an array without elements, singletons left out when counts differ.
  std::vector<Index> wanted;
  for (int k = 0; k < rhs.count(); ++k)
    if (rhs[k] != 1) wanted.push_back(rhs[k]);
  std::size_t colons = 0;
  for (const Value& s : subscripts)
    if (s.kind() == Kind::colon) ++colons;
  std::size_t next = 0;
  int colon = 0;
  std::vector<Index> out(sizes);
  for (std::size_t k = 0; k < n; ++k) {
    Index extent = sizes[k];
    const bool is_colon = subscripts[k].kind() == Kind::colon;
    if (was_empty && is_colon && (extent == 0 || (k >= 2 && d == Dims(0, 0)))) {
      if (colons == static_cast<std::size_t>(rhs.count()))
        extent = rhs[colon++];
      else
        extent = next < wanted.size() ? wanted[next++] : 1;
    } else if (was_empty && subscripts[k].numel() > 1 && next < wanted.size()) {
      ++next;
    }
    t.subs.emplace_back(subscripts[k], extent);
    out[k] = std::max(sizes[k], t.subs[k].highest());
    t.count *= t.subs[k].count();
  }
  if (static_cast<int>(n) < d.count() && out != sizes) fail("index out of bounds: wrong number of subscripts");
  t.sizes = out;
  t.dims = static_cast<int>(n) < d.count() ? d : Dims(out);
  return t;
}

template <class Emit>
void walk(const TargetElements& t, Emit emit) {
  const std::size_t n = t.subs.size();
  if (t.count == 0) return;
  std::vector<Index> stride(n, 1);
  for (std::size_t k = 1; k < n; ++k) stride[k] = stride[k - 1] * t.sizes[k - 1];
  std::vector<Index> at(n, 0);
  for (;;) {
    Index base = 0;
    for (std::size_t k = 1; k < n; ++k) base += t.subs[k][at[k]] * stride[k];
    for (Index i = 0; i < t.subs[0].count(); ++i) emit(base + t.subs[0][i]);
    std::size_t k = 1;
    for (; k < n; ++k) {
      if (++at[k] < t.subs[k].count()) break;
      at[k] = 0;
    }
    if (k >= n) return;
  }
}

void check_count(const TargetElements& t, const Value& value) {
  const Index have = value.numel();
  if (have == 1 || have == t.count) {
    if (have == 1 || t.subs.size() == 1) return;
    // Sizes must agree once singletons are left out.
    std::vector<Index> left, right;
    for (const Subscript& s : t.subs)
      if (s.count() != 1) left.push_back(s.count());
    const Dims d = value.dims();
    for (int k = 0; k < d.count(); ++k)
      if (d[k] != 1) right.push_back(d[k]);
    if (left == right) return;
  }
  std::string text;
  for (const Subscript& s : t.subs) text += (text.empty() ? "" : " x ") + std::to_string(s.count());
  fail("assignment of " + value.dims().text() + " elements to " + text + " places");
}

template <class T>
void scatter(Array<T>& a, const TargetElements& t, const Array<T>& from) {
  if (!(a.dims == t.dims)) grow_array(a, t.dims);
  if (from.size() == 1) {
    const T x = from[0];  // NOLINT(performance-unnecessary-copy-initialization): the compiler keeps it in a register
    walk(t, [&](Index p) { a[p] = x; });
    return;
  }
  Index i = 0;
  walk(t, [&](Index p) { a[p] = from[i++]; });
}

// Numbers that can be characters: assigned to some of a text they leave it a text.
bool is_codes(const Value& v) {
  if (v.kind() != Kind::real) return false;
  const auto& data = v.real().data;
  return std::all_of(data.begin(), data.end(), [](double x) { return x >= 0 && x < 256 && x == std::floor(x); });
}

// Both sides brought to the kind that holds them: cell, struct, complex, real, char or logical.
Kind common_kind(const Value& target, const Value& value) {
  const bool fresh =
      target.is_none() || (target.is_empty() && target.kind() == Kind::real && target.real().cls == NumClass::f64);
  const Value b = boxed(value);
  if (fresh) return b.kind() == Kind::sparse ? Kind::real : b.kind();
  const Kind t = boxed(target).kind();
  if (t == b.kind()) return t;
  if (t == Kind::cell || b.kind() == Kind::cell) return Kind::cell;
  if (t == Kind::complex || b.is_complex()) return Kind::complex;
  return t == Kind::chars && is_codes(b) ? Kind::chars : Kind::real;
}

Value converted(const Value& v, Kind kind) {
  switch (kind) {
    case Kind::real: return to_real(v);
    case Kind::complex: return to_complex(v);
    case Kind::cell: return v.is_cell() ? v : Value::cell_row({v});
    case Kind::chars:
      if (!v.is_text()) {
        const Value codes = to_real(v);
        Value text = Value::chars_filled(codes.dims(), 0);
        for (Index i = 0; i < codes.numel(); ++i) text.edit_bytes()[i] = static_cast<std::uint8_t>(codes.real()[i]);
        return text;
      }
      return boxed(v);
    default: return boxed(v);
  }
}

void assign_struct(Value& target, const TargetElements& t, const Value& value) {
  if (!value.is_struct()) fail("only a struct can be assigned to an element of a struct array");
  if (!target.is_struct()) {
    auto* fresh = new StructArray();
    fresh->dims = Dims(0, 0);
    target = Value(fresh);
  }
  grow(target, t.dims);
  StructArray& a = target.edit_structure();
  const StructArray& from = value.structure_ref();
  for (const std::string& key : from.keys) a.find_or_add(key);
  Index i = 0;
  const Index n = from.dims.numel();
  walk(t, [&](Index p) {
    for (std::size_t k = 0; k < a.keys.size(); ++k) {
      const Value* x = from.get(a.keys[k], n == 1 ? 0 : i);
      a.columns[k][static_cast<std::size_t>(p)] = x == nullptr ? Value::empty() : *x;
    }
    ++i;
  });
}

}  // namespace

void assign_index(Value& target, std::span<const Value> subscripts, Value value) {
  if (target.kind() == Kind::symbolic) {
    target = target.symbolic().assign(target, Values(subscripts.begin(), subscripts.end()), value);
    return;
  }
  if (value.kind() == Kind::symbolic) {
    target = value.symbolic().assign(target, Values(subscripts.begin(), subscripts.end()), value);
    return;
  }
  for (const Value& s : subscripts) {
    if (s.kind() != Kind::symbolic) continue;
    target = s.symbolic().assign(target, Values(subscripts.begin(), subscripts.end()), value);
    return;
  }
  if (target.kind() == Kind::sparse) {
    Value dense = full(target);
    target = Value();
    assign_index(dense, subscripts, full(value));
    target = to_sparse(dense);
    return;
  }
  if (subscripts.empty()) fail("an assignment needs at least one index");
  const Kind kind = common_kind(target, value);
  if (kind == Kind::handle || kind == Kind::environment) {
    const Dims d = target.is_none() ? Dims(0, 0) : target.dims();
    if (locate(d, subscripts, Dims(1, 1)).dims.numel() != 1) fail("function handles form arrays only in cells");
    target = value;
    return;
  }
  Value source = converted(value, kind);
  value = Value();
  const TargetElements t = locate(target.is_none() ? Dims(0, 0) : target.dims(), subscripts, source.dims());
  check_count(t, source);
  if (kind == Kind::structure) return assign_struct(target, t, source);
  const bool fresh = target.is_none();
  if (fresh || boxed(target).kind() != kind || !target.is_heap()) {
    const NumClass cls = target.num_class();
    if (fresh || target.is_empty()) {
      const Dims d = fresh ? Dims(0, 0) : target.dims();
      target = kind == Kind::cell      ? Value::cell(d)
               : kind == Kind::complex ? Value::complex_zeros(d)
               : kind == Kind::real    ? Value::real_uninitialised(d, source.num_class())
               : kind == Kind::chars   ? Value::chars_filled(d, 0)
                                       : Value::logical_zeros(d);
    } else {
      target = converted(target, kind);
      if (kind == Kind::real && cls != NumClass::f64) target.edit_real().cls = cls;
    }
  }
  switch (kind) {
    case Kind::real: {
      RealArray& a = target.edit_real();
      if (a.cls == NumClass::f64 && source.real().cls != NumClass::f64) {
        a.cls = source.real().cls;
        for (double& x : a.data) x = saturate(x, a.cls);
      }
      if (a.cls != NumClass::f64)
        for (double& x : source.edit_real().data) x = saturate(x, a.cls);
      return scatter(a, t, source.real());
    }
    case Kind::complex: return scatter(target.edit_complex(), t, source.complex());
    case Kind::logical:
    case Kind::chars: return scatter(target.edit_bytes(), t, source.bytes());
    case Kind::cell: return scatter(target.edit_cell(), t, source.cell());
    default: fail("a " + source.class_name() + " cannot be assigned to an element");
  }
}

namespace {

template <class Buffer>
void erase_positions(Buffer& data, const std::vector<bool>& drop) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (drop[i]) continue;
    if (out != i) data[out] = std::move(data[i]);
    ++out;
  }
  data.resize(out);
}

void erase_from(Value& target, const std::vector<bool>& drop, const Dims& dims) {
  switch (target.kind()) {
    case Kind::real:
      erase_positions(target.edit_real().data, drop);
      target.edit_real().dims = dims;
      return;
    case Kind::complex:
      erase_positions(target.edit_complex().data, drop);
      target.edit_complex().dims = dims;
      return;
    case Kind::logical:
    case Kind::chars:
      erase_positions(target.edit_bytes().data, drop);
      target.edit_bytes().dims = dims;
      return;
    case Kind::cell:
      erase_positions(target.edit_cell().data, drop);
      target.edit_cell().dims = dims;
      return;
    case Kind::structure: {
      StructArray& s = target.edit_structure();
      for (Values& column : s.columns) erase_positions(column, drop);
      s.dims = dims;
      return;
    }
    default: fail("elements of a " + target.class_name() + " cannot be deleted");
  }
}

}  // namespace

void delete_elements(Value& target, std::span<const Value> subscripts) {
  if (target.kind() == Kind::symbolic) {
    target = target.symbolic().remove(target, Values(subscripts.begin(), subscripts.end()));
    return;
  }
  if (target.kind() == Kind::sparse && !subscripts.empty()) {
    Value dense = full(target);
    delete_elements(dense, subscripts);
    target = to_sparse(dense);
    return;
  }
  if (subscripts.empty()) fail("a deletion needs at least one index");
  target = boxed(target);
  const Dims d = target.dims();
  const Index total = d.numel();
  std::vector<bool> drop(static_cast<std::size_t>(total), false);
  if (subscripts.size() == 1) {
    const Subscript s(subscripts[0], total);
    if (s.highest() > total) fail("index out of bounds: cannot delete element " + std::to_string(s.highest()));
    Index gone = 0;
    for (Index i = 0; i < s.count(); ++i) {
      if (!drop[static_cast<std::size_t>(s[i])]) ++gone;
      drop[static_cast<std::size_t>(s[i])] = true;
    }
    if (gone == 0) return;
    const bool row = d.count() == 2 && d.rows() == 1;
    const Dims left = s.is_colon() ? Dims(0, 0) : row ? Dims(1, total - gone) : Dims(total - gone, 1);
    erase_from(target, drop, left);
    return;
  }
  std::vector<Subscript> subs;
  int along = -1;
  for (std::size_t k = 0; k < subscripts.size(); ++k) {
    const Index extent = end_value(target, static_cast<int>(k), static_cast<int>(subscripts.size()));
    subs.emplace_back(subscripts[k], extent);
    if (subs[k].highest() > extent) fail("index out of bounds: cannot delete what is not there");
    if (subs[k].count() == 0) return;
    std::vector<bool> seen(static_cast<std::size_t>(extent), false);
    Index distinct = 0;
    for (Index i = 0; i < subs[k].count(); ++i) {
      if (!seen[static_cast<std::size_t>(subs[k][i])]) ++distinct;
      seen[static_cast<std::size_t>(subs[k][i])] = true;
    }
    if (distinct == extent) continue;
    if (along >= 0) fail("only whole rows, columns or pages can be deleted");
    along = static_cast<int>(k);
  }
  // Everything: a dimension that is named by numbers goes, or else the first.
  for (std::size_t k = 0; k < subs.size() && along < 0; ++k)
    if (!subs[k].is_colon()) along = static_cast<int>(k);
  along = std::max(along, 0);
  const Index stride = d.stride(along);
  const Index extent = d[along];
  std::vector<bool> gone(static_cast<std::size_t>(extent), false);
  Index removed = 0;
  for (Index i = 0; i < subs[static_cast<std::size_t>(along)].count(); ++i) {
    const auto p = static_cast<std::size_t>(subs[static_cast<std::size_t>(along)][i]);
    if (!gone[p]) ++removed;
    gone[p] = true;
  }
  for (Index i = 0; i < total; ++i) {
    if (gone[static_cast<std::size_t>((i / stride) % extent)]) drop[static_cast<std::size_t>(i)] = true;
  }
  Dims left = d;
  left.set(along, extent - removed);
  erase_from(target, drop, left);
}

Value& cell_element(Value& target, std::span<const Value> subscripts) {
  if (target.is_none() || (target.is_empty() && !target.is_cell())) target = Value::cell(Dims(0, 0));
  if (!target.is_cell()) fail("{ } needs a cell array, got a " + target.class_name());
  const TargetElements t = locate(target.dims(), subscripts, Dims(1, 1));
  if (t.count != 1) fail("the index must name one element");
  grow(target, t.dims);
  Index position = 0;
  walk(t, [&](Index p) { position = p; });
  return target.edit_cell()[position];
}

Value& struct_field(Value& target, std::span<const Value> subscripts, const std::string& field) {
  if (target.is_none() || (target.is_empty() && !target.is_struct())) {
    auto* fresh = new StructArray();
    fresh->dims = Dims(0, 0);
    target = Value(fresh);
  }
  if (!target.is_struct()) fail("a field needs a struct, got a " + target.class_name());
  Index position = 0;
  if (subscripts.empty()) {
    if (target.structure_ref().dims.numel() == 0) grow(target, Dims(1, 1));
    if (target.structure_ref().dims.numel() != 1) fail("a field of a struct array needs an index to be assigned");
  } else {
    const TargetElements t = locate(target.dims(), subscripts, Dims(1, 1));
    if (t.count != 1) fail("the index must name one element");
    grow(target, t.dims);
    walk(t, [&](Index p) { position = p; });
  }
  StructArray& s = target.edit_structure();
  return s.columns[static_cast<std::size_t>(s.find_or_add(field))][static_cast<std::size_t>(position)];
}

}  // namespace orrery::oml
