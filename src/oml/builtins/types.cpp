// SPDX-License-Identifier: Apache-2.0
// Questions about the kind and shape of values, and conversions between classes.
#include <algorithm>
#include <cmath>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/class_object.h"
#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

template <class F>
void ask(Call& c, F f) {
  c.ret(Value(static_cast<bool>(f(c[0]))));
}

template <class F>
void ask_elements(Call& c, F f) {
  const Value& v = c[0];
  if (v.is_cell() || v.is_struct() || v.kind() == Kind::handle) fail_argument(1, "must be numeric");
  if (v.is_complex()) {
    const Value z = to_complex(v);
    Value out = Value::logical_zeros(z.dims());
    for (Index i = 0; i < out.numel(); ++i) {
      const Complex x = z.complex()[i];
      out.edit_bytes()[i] = f(x.real(), x.imag());
    }
    return c.ret(unboxed(out));
  }
  c.ret(map_logical(full(v), [&](double x) { return f(x, 0.0); }));
}

void convert_class(Call& c, NumClass cls) {
  if (c[0].is_complex() && cls <= NumClass::f32) return c.ret(stored(c[0]));
  Value v = to_real(c[0]);
  RealArray& a = v.edit_real();
  a.cls = cls;
  for (double& x : a.data) x = saturate(x, cls);
  c.ret(unboxed(v));
}

void logical(Call& c) {
  const Value v = to_numeric(c[0]);
  if (v.kind() == Kind::complex) fail_argument(1, "must be real");
  for (double x : v.real().data)
    if (std::isnan(x)) fail("NaN cannot be converted to logical");
  c.ret(unboxed(to_logical(v)));
}

void integer_limit(Call& c, bool highest) {
  static constexpr const char* names[] = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"};
  const std::string name = c.has(0) ? (c[0].is_text() ? c.text(0) : c[0].class_name()) : "int32";
  for (int k = 0; k < 8; ++k) {
    if (name != names[k]) continue;
    const auto cls = static_cast<NumClass>(k + 2);
    Value v = Value::real_uninitialised(Dims(1, 1), cls);
    v.edit_real()[0] = saturate(highest ? INFINITY : -INFINITY, cls);
    return c.ret(v);
  }
  fail_argument(1, "must name an integer class");
}

void is_a(Call& c) {
  const std::string cls = c[0].class_name();
  const std::vector<std::string> wanted = text_list(c[1]);
  Value out = Value::logical_zeros(c[1].is_cell() ? c[1].dims() : Dims(1, 1));
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const std::string& w = wanted[k];
    const bool is_float = cls == "double" || cls == "single", is_int = c[0].is_integer_class();
    const bool inherits = c[0].kind() == Kind::object && object_of(c[0]).definition->derives_from(w);
    out.edit_bytes()[static_cast<Index>(k)] = inherits || w == cls || (w == "numeric" && (is_float || is_int)) ||
                                              (w == "float" && is_float) || (w == "integer" && is_int);
  }
  c.ret(unboxed(out));
}

// Elements of the argument that break a pattern of zeros are counted.
template <class Keep>
void ask_zeros(Call& c, Keep keep) {
  const Value& v = c[0];
  if (!v.is_arithmetic() || v.dims().count() > 2) return c.ret(Value(false));
  const Value mask = to_logical(full(v));
  bool ok = true;
  for (Index k = 0; k < mask.dims().cols(); ++k) {
    for (Index r = 0; r < mask.dims().rows(); ++r) ok = ok && (keep(r, k) || !mask.bytes().at(r, k));
  }
  c.ret(Value(ok));
}

void isbanded(Call& c) {
  const Index lower = c.whole(1), upper = c.whole(2);
  ask_zeros(c, [=](Index r, Index k) { return r - k <= lower && k - r <= upper; });
}

void symmetric(Call& c, bool conjugate) {
  const Value& v = c[0];
  if (!v.is_arithmetic() || v.dims().count() > 2 || v.dims().rows() != v.dims().cols()) return c.ret(Value(false));
  const double tolerance = c.has(1) && !c[1].is_text() ? c.number(1) : 0;
  const Value a = to_complex(full(v)), b = to_complex(transpose(full(v), conjugate));
  double worst = 0, norm = 0;
  const Index n = v.dims().rows();
  for (Index r = 0; r < n; ++r) {
    double row = 0, whole = 0;
    for (Index k = 0; k < n; ++k) {
      row += std::abs(a.complex().at(r, k) - b.complex().at(r, k));
      whole += std::abs(a.complex().at(r, k));
    }
    worst = std::max(worst, row);
    norm = std::max(norm, whole);
  }
  c.ret(Value(tolerance == 0 ? worst == 0 : worst / norm <= tolerance));
}

void isequal(Call& c) {
  bool same = true;
  for (int k = 1; k < c.count(); ++k) same = same && values_equal(stored(c[0]), stored(c[k]));
  c.ret(Value(same));
}

void validate_string(Call& c) {
  const std::string s = c.text(0);
  for (const std::string& option : text_list(c[1])) {
    if (option.size() >= s.size() && std::equal(s.begin(), s.end(), option.begin(),
                                                [](char a, char b) { return std::tolower(a) == std::tolower(b); })) {
      return c.ret(Value::text(option));
    }
  }
  fail("'" + s + "' is none of the allowed strings");
}

void nnz(Call& c) {
  if (c[0].kind() == Kind::sparse) return c.ret(Value(c[0].sparse().nonzeros()));
  const Value m = to_logical(c[0]);
  c.ret(Value(std::count(m.bytes().data.begin(), m.bytes().data.end(), std::uint8_t{1})));
}

void cast_to(Call& c) {
  for (Value& v : c.oml.call_named(c.text(1), {c[0]}, 1)) c.ret(v);
}

bool is_square(const Value& v) { return v.dims().count() == 2 && v.dims().rows() == v.dims().cols(); }

constexpr Builtin type_table[] = {
    {"class", 1, 1, [](Call& c) { c.ret(Value::text(c[0].class_name())); }, "class(x): name of the class of x.", "any"},
    {"isa", 2, 2, is_a, "isa(x, class): whether x is of the class; 'numeric', 'float' and 'integer' name groups.",
     "any, texts"},
    {"isempty", 1, 1, [](Call& c) { ask(c, [](const Value& v) { return v.is_empty(); }); },
     "isempty(x): true when x has no elements.", "any"},
    {"isscalar", 1, 1, [](Call& c) { ask(c, [](const Value& v) { return v.is_scalar(); }); },
     "isscalar(x): true when x has one element.", "any"},
    {"isvector", 1, 1, [](Call& c) { ask(c, [](const Value& v) { return v.dims().is_vector() && v.numel() >= 1; }); },
     "isvector(x): true for 1xN and Nx1.", "any"},
    {"isrow", 1, 1,
     [](Call& c) { ask(c, [](const Value& v) { return v.dims().count() == 2 && v.dims().rows() == 1; }); },
     "isrow(x): true for 1xN.", "any"},
    {"iscolumn", 1, 1,
     [](Call& c) { ask(c, [](const Value& v) { return v.dims().count() == 2 && v.dims().cols() == 1; }); },
     "iscolumn(x): true for Nx1.", "any"},
    {"ismatrix", 1, 1, [](Call& c) { ask(c, [](const Value& v) { return v.is_arithmetic(); }); },
     "ismatrix(x): true for numbers, logical values and text of any size, not for cells and structs.", "any"},
    {"issquare", 1, 1, [](Call& c) { ask(c, is_square); }, "issquare(x): true for NxN.", "any"},
    {"isnumeric", 1, 1, [](Call& c) { ask(c, [](const Value& v) { return v.is_numeric(); }); },
     "isnumeric(x): true for numbers, not for logicals and strings.", "any"},
    {"isreal", 1, 1, [](Call& c) { ask(c, [](const Value& v) { return v.is_arithmetic() && !v.is_complex(); }); },
     "isreal(x): true when x has no imaginary part.", "any"},
    {"iscomplex", 1, 1, [](Call& c) { ask(c, [](const Value& v) { return v.is_complex(); }); },
     "iscomplex(x): true when x is complex.", "any"},
    {"islogical", 1, 1, [](Call& c) { ask(c, [](const Value& v) { return v.is_logical(); }); },
     "islogical(x): true for logical values.", "any"},
    {"isbool", 1, 1, [](Call& c) { ask(c, [](const Value& v) { return v.is_logical(); }); },
     "isbool(x): true for logical values.", "any"},
    {"ischar", 1, 1, [](Call& c) { ask(c, [](const Value& v) { return v.is_text(); }); },
     "ischar(x): true for strings.", "any"},
    {"isstr", 1, 1, [](Call& c) { ask(c, [](const Value& v) { return v.is_text(); }); }, "isstr(x): true for strings.",
     "any"},
    {"iscell", 1, 1, [](Call& c) { ask(c, [](const Value& v) { return v.is_cell(); }); },
     "iscell(x): true for cell arrays.", "any"},
    {"iscellstr", 1, 1, [](Call& c) { ask(c, [](const Value& v) { return is_text_cell(v); }); },
     "iscellstr(x): true for cell arrays of strings.", "any"},
    {"isstruct", 1, 1, [](Call& c) { ask(c, [](const Value& v) { return v.is_struct(); }); },
     "isstruct(x): true for structs.", "any"},
    {"is_function_handle", 1, 1, [](Call& c) { ask(c, [](const Value& v) { return v.kind() == Kind::handle; }); },
     "is_function_handle(x): true for function handles.", "any"},
    {"isfloat", 1, 1, [](Call& c) { ask(c, [](const Value& v) { return v.is_numeric() && !v.is_integer_class(); }); },
     "isfloat(x): true for floating-point numbers.", "any"},
    {"isinteger", 1, 1, [](Call& c) { ask(c, [](const Value& v) { return v.is_integer_class(); }); },
     "isinteger(x): true for integer classes.", "any"},
    {"issparse", 1, 1, [](Call& c) { ask(c, [](const Value& v) { return v.kind() == Kind::sparse; }); },
     "issparse(x): true for sparse matrices.", "any"},
    {"isobject", 1, 1, [](Call& c) { ask(c, [](const Value& v) { return v.kind() == Kind::object; }); },
     "isobject(x): true for objects of a class.", "any"},
    {"isnan", 1, 1, [](Call& c) { ask_elements(c, [](double x, double y) { return std::isnan(x) || std::isnan(y); }); },
     "isnan(x): true where x is NaN.", "data"},
    {"isinf", 1, 1, [](Call& c) { ask_elements(c, [](double x, double y) { return std::isinf(x) || std::isinf(y); }); },
     "isinf(x): true where x is infinite.", "data"},
    {"isfinite", 1, 1,
     [](Call& c) { ask_elements(c, [](double x, double y) { return std::isfinite(x) && std::isfinite(y); }); },
     "isfinite(x): true where x is neither NaN nor infinite.", "data"},
    {"isdiag", 1, 1, [](Call& c) { ask_zeros(c, [](Index r, Index k) { return r == k; }); },
     "isdiag(A): true when A is diagonal.", "any"},
    {"istriu", 1, 1, [](Call& c) { ask_zeros(c, [](Index r, Index k) { return r <= k; }); },
     "istriu(A): true when A is upper triangular.", "any"},
    {"istril", 1, 1, [](Call& c) { ask_zeros(c, [](Index r, Index k) { return r >= k; }); },
     "istril(A): true when A is lower triangular.", "any"},
    {"isbanded", 3, 3, isbanded, "isbanded(A, lower, upper): true when A has no element outside the band.",
     "any, count, count"},
    {"issymmetric", 1, 2, [](Call& c) { symmetric(c, false); },
     "issymmetric(A, tol): true when A equals its transpose.", "any, number"},
    {"ishermitian", 1, 2, [](Call& c) { symmetric(c, true); },
     "ishermitian(A, tol): true when A equals its conjugate transpose.", "any, number"},
    {"isequal", 2, -1, isequal, "isequal(a, b, ...): true when sizes and values agree.", "any, any, ..."},
    {"double", 1, 1, [](Call& c) { convert_class(c, NumClass::f64); }, "double(x): x as double-precision numbers.",
     "data"},
    {"single", 1, 1, [](Call& c) { convert_class(c, NumClass::f32); }, "single(x): x as single-precision numbers.",
     "data"},
    {"int8", 1, 1, [](Call& c) { convert_class(c, NumClass::i8); }, "int8(x): rounded and saturated to 8-bit integers.",
     "data"},
    {"int16", 1, 1, [](Call& c) { convert_class(c, NumClass::i16); },
     "int16(x): rounded and saturated to 16-bit integers.", "data"},
    {"int32", 1, 1, [](Call& c) { convert_class(c, NumClass::i32); },
     "int32(x): rounded and saturated to 32-bit integers.", "data"},
    {"int64", 1, 1, [](Call& c) { convert_class(c, NumClass::i64); },
     "int64(x): rounded to integers; exact up to 2^53.", "data"},
    {"uint8", 1, 1, [](Call& c) { convert_class(c, NumClass::u8); },
     "uint8(x): rounded and saturated to unsigned 8-bit integers.", "data"},
    {"uint16", 1, 1, [](Call& c) { convert_class(c, NumClass::u16); },
     "uint16(x): rounded and saturated to unsigned 16-bit integers.", "data"},
    {"uint32", 1, 1, [](Call& c) { convert_class(c, NumClass::u32); },
     "uint32(x): rounded and saturated to unsigned 32-bit integers.", "data"},
    {"uint64", 1, 1, [](Call& c) { convert_class(c, NumClass::u64); },
     "uint64(x): rounded to unsigned integers; exact up to 2^53.", "data"},
    {"intmax", 0, 1, [](Call& c) { integer_limit(c, true); }, "intmax(class): largest value of an integer class.",
     "any option:int8/int16/int32/int64/uint8/uint16/uint32/uint64"},
    {"intmin", 0, 1, [](Call& c) { integer_limit(c, false); }, "intmin(class): smallest value of an integer class.",
     "any option:int8/int16/int32/int64/uint8/uint16/uint32/uint64"},
    {"logical", 1, 1, logical, "logical(x): true where x is nonzero.", "data"},
    {"boolean", 1, 1, logical, "boolean(x): the same as logical(x).", "data"},
    {"cast", 2, 2, cast_to, "cast(x, class): x converted to the class.", "data, word"},
    {"nnz", 1, 1, nnz, "nnz(x): number of nonzero elements.", "data"},
    {"validatestring", 2, -1, validate_string, "validatestring(s, options): the option that s abbreviates.",
     "text, texts, codes, ..."},
};

}  // namespace

BuiltinFamily type_builtins() { return type_table; }

}  // namespace orrery::oml
