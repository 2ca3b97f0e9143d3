// SPDX-License-Identifier: Apache-2.0
// Conversions between kinds of values.
#include "oml/convert.h"

#include <algorithm>
#include <cmath>

#include "oml/class_object.h"
#include "oml/error.h"
#include "oml/nesting.h"
#include "oml/symbolic.h"

namespace orrery::oml {
namespace {

Value real_from_range(const Range& r) {
  Value v = Value::real_uninitialised(Dims(1, r.count));
  RealArray& a = v.edit_real();
  for (Index i = 0; i < r.count; ++i) a[i] = r[i];
  return v;
}

[[noreturn]] void fail_not_numeric(const Value& v) { fail("expected a numeric value, got a " + v.class_name()); }

}  // namespace

Value settled(const Value& v, const std::string& reason, const char* otherwise) {
  const Value* known = v.symbolic().known();
  if (known == nullptr) fail(otherwise);
  v.symbolic().settle(reason);
  return *known;
}

namespace {

// The numbers of a sparse matrix in a full one, kind real or complex.
Value dense(const SparseMatrix& s) {
  if (s.is_complex()) {
    Value out = Value::complex_zeros(Dims(s.rows, s.cols));
    ComplexArray& a = out.edit_complex();
    for (Index c = 0; c < s.cols; ++c) {
      for (Index k = s.starts[c]; k < s.starts[c + 1]; ++k) a.at(s.row_of[k], c) = Complex(s.re[k], s.im[k]);
    }
    return out;
  }
  Value out = Value::zeros(Dims(s.rows, s.cols));
  RealArray& a = out.edit_real();
  for (Index c = 0; c < s.cols; ++c) {
    for (Index k = s.starts[c]; k < s.starts[c + 1]; ++k) a.at(s.row_of[k], c) = s.re[k];
  }
  return out;
}

}  // namespace

Value full(const Value& v) {
  if (v.kind() != Kind::sparse) return v;
  const Value numbers = dense(v.sparse());
  return v.sparse().logical ? to_logical(numbers) : numbers;
}

Value to_real(const Value& v) {
  switch (v.kind()) {
    case Kind::real: return v;
    case Kind::number:
    case Kind::boolean: {
      Value out = Value::real_uninitialised(Dims(1, 1));
      out.edit_real()[0] = v.number();
      return out;
    }
    case Kind::logical:
    case Kind::chars: {
      const ByteArray& b = v.bytes();
      Value out = Value::real_uninitialised(b.dims);
      std::copy(b.data.begin(), b.data.end(), out.edit_real().data.begin());
      return out;
    }
    case Kind::range: return real_from_range(v.range());
    case Kind::sparse:
      if (!v.sparse().is_complex()) return dense(v.sparse());
      [[fallthrough]];
    case Kind::complex: fail("expected a real value, got a complex one");
    case Kind::symbolic:
      return to_real(settled(v, "a function works with its number",
                             "the value depends on a signal, so it is not known before the simulation"));
    default: fail_not_numeric(v);
  }
}

Value to_complex(const Value& v) {
  if (v.kind() == Kind::complex) return v;
  if (v.kind() == Kind::sparse && v.sparse().is_complex()) return dense(v.sparse());
  const Value r = to_real(v);
  Value out = Value::complex_zeros(r.real().dims);
  std::copy(r.real().data.begin(), r.real().data.end(), out.edit_complex().data.begin());
  return out;
}

Value to_numeric(const Value& v) { return v.is_complex() ? to_complex(v) : to_real(v); }

Value stored(const Value& v) { return v.kind() == Kind::range ? real_from_range(v.range()) : v; }

Value boxed(const Value& v) {
  if (v.kind() == Kind::boolean) {
    Value out = Value::logical_zeros(Dims(1, 1));
    out.edit_bytes()[0] = v.number() != 0;
    return out;
  }
  if (v.kind() == Kind::number) return to_real(v);
  return stored(v);
}

Value unboxed(Value v) {
  if (v.kind() == Kind::real && v.real().size() == 1 && v.real().cls == NumClass::f64) return Value(v.real()[0]);
  if (v.kind() == Kind::logical && v.bytes().size() == 1) return Value(v.bytes()[0] != 0);
  return v;
}

Value to_logical(const Value& v) {
  if (v.kind() == Kind::logical) return v;
  if (v.is_complex()) {
    const Value z = to_complex(v);
    Value out = Value::logical_zeros(z.complex().dims);
    ByteArray& b = out.edit_bytes();
    for (Index i = 0; i < b.size(); ++i) b[i] = z.complex()[i] != Complex(0, 0);
    return out;
  }
  const Value r = to_real(v);
  Value out = Value::logical_zeros(r.real().dims);
  ByteArray& b = out.edit_bytes();
  for (Index i = 0; i < b.size(); ++i) b[i] = r.real()[i] != 0;
  return out;
}

Value narrowed(Value v) {
  if (v.kind() != Kind::complex) return unboxed(std::move(v));
  const ComplexArray& z = v.complex();
  for (Index i = 0; i < z.size(); ++i) {
    if (z[i].imag() != 0) return v;
  }
  Value out = Value::real_uninitialised(z.dims);
  RealArray& a = out.edit_real();
  for (Index i = 0; i < z.size(); ++i) a[i] = z[i].real();
  return unboxed(std::move(out));
}

double to_double(const Value& v) {
  switch (v.kind()) {
    case Kind::number:
    case Kind::boolean: return v.number();
    case Kind::complex:
      if (v.complex().size() > 0) return v.complex()[0].real();
      break;
    case Kind::range:
      if (v.range().count > 0) return v.range().base;
      break;
    default: {
      const Value r = to_real(v);
      if (r.real().size() > 0) return r.real()[0];
    }
  }
  fail("expected a number, got an empty value");
}

Complex to_complex_scalar(const Value& v) {
  if (v.kind() == Kind::complex && v.complex().size() > 0) return v.complex()[0];
  return to_double(v);
}

Index to_integer(const Value& v) {
  const double x = to_double(v);
  if (!(std::abs(x) < 9e15) || x != std::floor(x)) fail("expected a whole number");
  return static_cast<Index>(x);
}

std::vector<std::string> text_rows(const Value& v) {
  if (v.kind() != Kind::chars) fail("expected a string, got a " + v.class_name());
  const ByteArray& b = v.bytes();
  const Index rows = b.dims.rows();
  std::vector<std::string> out(static_cast<std::size_t>(rows));
  const Index cols = rows == 0 ? 0 : b.size() / rows;
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < cols; ++c) out[static_cast<std::size_t>(r)] += static_cast<char>(b[r + c * rows]);
  }
  return out;
}

std::string to_string(const Value& v) {
  if (v.kind() != Kind::chars) fail("expected a string, got a " + v.class_name());
  return std::string(v.bytes().data.begin(), v.bytes().data.end());
}

std::string one_text(const Value& v) {
  const NestingGuard guard;
  if (v.is_text()) {
    const std::vector<std::string> rows = text_rows(v);
    return rows.empty() ? std::string() : rows[0];
  }
  if (v.is_cell() && v.numel() > 0) return one_text(v.cell()[0]);
  if (!v.is_arithmetic() || v.is_complex()) fail("must be a string");
  const Value codes = to_real(v);
  std::string out;
  const Index rows = codes.dims().rows();
  for (Index i = 0; i < codes.numel(); i += std::max<Index>(rows, 1)) out += character_of(codes.real()[i]);
  return out;
}

std::vector<std::string> text_list(const Value& v) {
  if (!v.is_cell()) {
    std::vector<std::string> rows = text_rows(v);
    if (rows.empty()) rows.emplace_back();
    return rows;
  }
  std::vector<std::string> out;
  for (const Value& item : v.cell().data) {
    if (item.is_text())
      out.push_back(to_string(item));
    else if (item.is_empty())
      out.emplace_back();
    else
      fail("expected a cell array of strings");
  }
  return out;
}

std::vector<double> to_vector(const Value& v) {
  const Value r = to_real(v);
  return {r.real().data.begin(), r.real().data.end()};
}

bool is_true(const Value& v) {
  switch (v.kind()) {
    case Kind::number:
    case Kind::boolean: return v.number() != 0;
    case Kind::real: {
      const auto& d = v.real().data;
      return !d.empty() && std::all_of(d.begin(), d.end(), [](double x) { return x != 0; });
    }
    case Kind::logical:
    case Kind::chars: {
      const auto& d = v.bytes().data;
      return !d.empty() && std::all_of(d.begin(), d.end(), [](std::uint8_t x) { return x != 0; });
    }
    case Kind::symbolic:
      return is_true(settled(v, "a condition decides by its number",
                             "the condition depends on a signal, so it is not known before the simulation; write "
                             "If_exp(condition, a, b) or .if condition .then a .else b .end"));
    default: {
      const Value b = to_logical(v);
      return is_true(b);
    }
  }
}

char character_of(double code) {
  return std::isfinite(code) && std::abs(code) < 9e15
             ? static_cast<char>(static_cast<std::uint8_t>(static_cast<Index>(code)))
             : '\0';
}

Value text_matrix(const std::vector<std::string>& rows) {
  std::size_t width = 0;
  for (const std::string& r : rows) width = std::max(width, r.size());
  const auto n = static_cast<Index>(rows.size());
  Value out = Value::chars_filled(Dims(n, static_cast<Index>(width)), ' ');
  ByteArray& b = out.edit_bytes();
  for (Index r = 0; r < n; ++r) {
    const std::string& s = rows[static_cast<std::size_t>(r)];
    for (std::size_t c = 0; c < s.size(); ++c) b.at(r, static_cast<Index>(c)) = static_cast<std::uint8_t>(s[c]);
  }
  return out;
}

bool is_text_cell(const Value& v) {
  if (!v.is_cell()) return false;
  for (const Value& item : v.cell().data) {
    if (!item.is_text()) return false;
  }
  return true;
}

namespace {

bool structs_equal(const StructArray& a, const StructArray& b) {
  if (!(a.dims == b.dims) || a.keys.size() != b.keys.size()) return false;
  for (std::size_t k = 0; k < a.keys.size(); ++k) {
    const int j = b.find(a.keys[k]);
    if (j < 0) return false;
    for (std::size_t i = 0; i < a.columns[k].size(); ++i) {
      if (!values_equal(a.columns[k][i], b.columns[static_cast<std::size_t>(j)][i])) return false;
    }
  }
  return true;
}

}  // namespace

bool values_equal(const Value& a, const Value& b) {
  const NestingGuard guard;
  if (a.is_number() && b.is_number()) return a.number() == b.number();
  if (a.is_arithmetic() && b.is_arithmetic()) {
    if (!(a.dims() == b.dims())) return false;
    if (a.is_complex() || b.is_complex()) return to_complex(a).complex().data == to_complex(b).complex().data;
    return to_real(a).real().data == to_real(b).real().data;
  }
  if (a.kind() != b.kind()) return false;
  if (a.is_cell()) {
    if (!(a.dims() == b.dims())) return false;
    for (Index i = 0; i < a.cell().size(); ++i) {
      if (!values_equal(a.cell()[i], b.cell()[i])) return false;
    }
    return true;
  }
  if (a.is_struct()) return structs_equal(a.structure_ref(), b.structure_ref());
  if (a.kind() == Kind::handle) {
    return a.heap() == b.heap() || (!a.handle().name.empty() && a.handle().name == b.handle().name);
  }
  if (a.kind() == Kind::object && object_of(a).definition == object_of(b).definition &&
      !object_of(a).definition->has_handle_semantics())
    return values_equal(object_of(a).fields, object_of(b).fields);
  return a.heap() == b.heap();
}

Value struct_element(const StructArray& s, Index i) {
  auto* e = new StructArray();
  Value out(e);
  e->keys = s.keys;
  for (const Values& column : s.columns) e->columns.push_back({column[static_cast<std::size_t>(i)]});
  return out;
}

}  // namespace orrery::oml
