// SPDX-License-Identifier: Apache-2.0
// [a, b; c, d] and cat: gluing values along a dimension.
#include <algorithm>

#include "oml/convert.h"
#include "oml/error.h"
#include "oml/indexing.h"
#include "oml/operators.h"
#include "oml/sparse.h"
#include "oml/symbolic.h"

namespace orrery::oml {
namespace {

Dims joined_dims(const std::vector<Dims>& parts, int dim) {
  Dims out = parts[0];
  Index total = 0;
  for (const Dims& d : parts) {
    for (int k = 0; k < std::max(out.count(), d.count()); ++k) {
      if (k != dim && out[k] != d[k]) {
        fail(std::string(dim == 0 ? "vertical" : "horizontal") + " dimensions mismatch: " + parts[0].text() + " and " +
             d.text());
      }
    }
    total += d[dim];
  }
  out.set(dim, total);
  return out;
}

template <class T>
Value join(const std::vector<const Array<T>*>& parts, Kind kind, int dim) {
  std::vector<Dims> sizes;
  for (const auto* p : parts) sizes.push_back(p->dims);
  const Dims dims = joined_dims(sizes, dim);
  auto* out = new Array<T>(kind, dims);
  Value result(out);
  const Index stride = dims.stride(dim);
  Index outer = 1;
  for (int k = dim + 1; k < dims.count(); ++k) outer *= dims[k];
  Index at = 0;
  for (Index o = 0; o < outer; ++o) {
    for (const auto* p : parts) {
      const Index block = stride * p->dims[dim];
      std::copy_n(p->data.begin() + o * block, block, out->data.begin() + at);
      at += block;
    }
  }
  return result;
}

template <class T, class Get>
Value join_as(const Values& parts, Kind kind, int dim, Get get) {
  std::vector<const Array<T>*> arrays;
  for (const Value& v : parts) arrays.push_back(&get(v));
  return join<T>(arrays, kind, dim);
}

Value join_structs(const Values& parts, int dim) {
  std::vector<Dims> sizes;
  auto* out = new StructArray();
  Value result(out);
  for (const Value& v : parts) {
    if (!v.is_struct()) fail("a struct can only be joined with structs");
    sizes.push_back(v.dims());
    const StructArray& first = parts[0].structure_ref();
    const StructArray& other = v.structure_ref();
    const bool same =
        other.keys.size() == first.keys.size() &&
        std::all_of(other.keys.begin(), other.keys.end(), [&](const std::string& k) { return first.find(k) >= 0; });
    if (!same) fail("structs with different fields cannot be joined");
    for (const std::string& key : v.structure_ref().keys) {
      if (out->find(key) < 0) {
        out->keys.push_back(key);
        out->columns.emplace_back();
      }
    }
  }
  for (std::size_t k = 0; k < out->keys.size(); ++k) {
    Values cells;
    for (const Value& v : parts) {
      Value c = Value::cell(v.dims());
      for (Index i = 0; i < c.cell().size(); ++i) {
        const Value* x = v.structure_ref().get(out->keys[k], i);
        if (x != nullptr) c.edit_cell()[i] = *x;
      }
      cells.push_back(c);
    }
    const Value joined =
        join_as<Value>(cells, Kind::cell, dim, [](const Value& v) -> const CellArray& { return v.cell(); });
    out->columns[k].assign(joined.cell().data.begin(), joined.cell().data.end());
  }
  out->dims = joined_dims(sizes, dim);
  return result;
}

Value join_chars(const Values& parts, int dim, bool pad) {
  Values chars;
  Index width = 0;
  for (const Value& v : parts) width = std::max(width, v.dims().cols());
  for (const Value& v : parts) {
    Value c = v;
    if (!c.is_text()) {
      const Value r = to_real(v);
      c = Value::chars_filled(r.real().dims, ' ');
      ByteArray& b = c.edit_bytes();
      for (Index i = 0; i < b.size(); ++i) b[i] = static_cast<std::uint8_t>(character_of(r.real()[i]));
    }
    if (pad && dim == 0 && c.dims().count() == 2 && c.dims().cols() < width) {
      const Value from = c;
      c = Value::chars_filled(Dims(from.dims().rows(), width), ' ');
      std::copy(from.bytes().data.begin(), from.bytes().data.end(), c.edit_bytes().data.begin());
    }
    chars.push_back(c);
  }
  return join_as<std::uint8_t>(chars, Kind::chars, dim, [](const Value& v) -> const ByteArray& { return v.bytes(); });
}

Value join_sparse(const Values& parts, int dim) {
  std::vector<Triplet> all;
  Index rows = 0, cols = 0;
  for (const Value& v : parts) {
    const Value s = to_sparse(v);
    for (Triplet t : triplets_of(s.sparse())) {
      (dim == 0 ? t.row : t.col) += dim == 0 ? rows : cols;
      all.push_back(t);
    }
    if (dim == 0) {
      if (cols != 0 && cols != s.sparse().cols) fail("vertical dimensions mismatch");
      rows += s.sparse().rows;
      cols = s.sparse().cols;
    } else {
      if (rows != 0 && rows != s.sparse().rows) fail("horizontal dimensions mismatch");
      cols += s.sparse().cols;
      rows = s.sparse().rows;
    }
  }
  return sparse_from_triplets(rows, cols, std::move(all));
}

Value join_numbers(const Values& parts, int dim) {
  bool complex = false, logical = true;
  NumClass cls = NumClass::f64;
  for (const Value& v : parts) {
    complex = complex || v.is_complex();
    logical = logical && v.is_logical();
    if (cls < NumClass::i8 && v.num_class() != NumClass::f64 && (cls == NumClass::f64 || v.is_integer_class())) {
      cls = v.num_class();
    }
  }
  Values same;
  for (const Value& v : parts) same.push_back(complex ? to_complex(v) : logical ? boxed(v) : to_real(v));
  if (complex) {
    return join_as<Complex>(same, Kind::complex, dim,
                            [](const Value& v) -> const ComplexArray& { return v.complex(); });
  }
  if (logical) {
    return join_as<std::uint8_t>(same, Kind::logical, dim,
                                 [](const Value& v) -> const ByteArray& { return v.bytes(); });
  }
  Value out = join_as<double>(same, Kind::real, dim, [](const Value& v) -> const RealArray& { return v.real(); });
  if (cls != NumClass::f64) {
    RealArray& a = out.edit_real();
    a.cls = cls;
    for (double& x : a.data) x = saturate(x, cls);
  }
  return out;
}

// Cells with anything: what is not a cell becomes one element.
Value join_cells(const Values& parts, int dim) {
  Values cells;
  for (const Value& v : parts) {
    if (!v.is_cell())
      cells.push_back(v.is_empty() && v.is_numeric() ? Value::cell(Dims(0, 0)) : Value::cell_row({v}));
    else
      cells.push_back(v);
  }
  const bool all_empty = std::all_of(cells.begin(), cells.end(), [](const Value& v) { return v.is_empty(); });
  std::erase_if(cells, [&](const Value& v) { return all_empty ? v.dims() == Dims(0, 0) : v.is_empty(); });
  if (cells.empty()) return Value::cell(Dims(0, 0));
  return join_as<Value>(cells, Kind::cell, dim, [](const Value& v) -> const CellArray& { return v.cell(); });
}

}  // namespace

Value concatenate(std::span<const Value> given, int dim, bool pad_text) {
  for (const Value& v : given) {
    if (v.kind() == Kind::symbolic) return v.symbolic().concatenate(Values(given.begin(), given.end()), dim == 0);
  }
  if (given.empty()) return Value::empty();
  if (given.size() == 1) return given[0].kind() == Kind::range ? stored(given[0]) : given[0];
  bool cells = false, structs = false, chars = false, sparse = false;
  for (const Value& v : given) {
    if (v.is_none()) fail("an element has no value");
    cells = cells || v.is_cell();
    structs = structs || v.is_struct();
    chars = chars || v.is_text();
    sparse = sparse || v.kind() == Kind::sparse;
  }
  if (cells) return join_cells(Values(given.begin(), given.end()), dim);
  Values parts;
  const Value* widest_empty = nullptr;
  for (const Value& v : given) {
    const Dims d = v.dims();
    if (d.numel() == 0 && d.count() == 2 && (d.rows() == 0 || d.cols() == 0)) {
      // 0x0, and 1x0 beside anything, vanish; 0x3 over 2x3 fits anyway.
      if (widest_empty == nullptr || d.rows() + d.cols() > widest_empty->dims().rows() + widest_empty->dims().cols()) {
        widest_empty = &v;
      }
      continue;
    }
    parts.push_back(v);
  }
  if (structs) {
    if (parts.empty()) return given[0];
    return join_structs(parts, dim);
  }
  for (const Value& v : parts) {
    if (!v.is_arithmetic()) fail("a " + v.class_name() + " cannot be an element of a matrix");
  }
  if (parts.empty()) {
    if (chars) return Value::text("");
    Dims d = widest_empty->dims();
    for (const Value& v : given) {
      if (v.dims().numel() == 0 && v.dims()[1 - std::min(dim, 1)] == d[1 - std::min(dim, 1)] && &v != widest_empty &&
          dim < 2) {
        d.set(dim, d[dim] + v.dims()[dim]);
      }
    }
    return Value::zeros(d);
  }
  if (chars) return join_chars(parts, dim, pad_text);
  if (sparse && dim < 2) return join_sparse(parts, dim);
  return unboxed(join_numbers(parts, dim));
}

}  // namespace orrery::oml
