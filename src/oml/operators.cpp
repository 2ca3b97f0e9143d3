// SPDX-License-Identifier: Apache-2.0
// Dispatch of operators on values, and the elementwise ones.
#include "oml/operators.h"

#include <algorithm>
#include <cmath>

#include "oml/convert.h"
#include "oml/error.h"
#include "oml/scalar_code.h"
#include "oml/sparse.h"
#include "oml/symbolic.h"

namespace orrery::oml {

const char* symbol_of(BinaryOp op) {
  static constexpr const char* symbols[] = {"+",  "-",  ".*", "./", ".\\", ".^", "<", "<=", ">",
                                            ">=", "==", "~=", "&",  "|",   "*",  "/", "\\", "^"};
  return symbols[static_cast<int>(op)];
}

const char* symbol_of(UnaryOp op) {
  static constexpr const char* symbols[] = {"+", "-", "~", ".'", "'"};
  return symbols[static_cast<int>(op)];
}

double saturate(double x, NumClass cls) {
  static constexpr double lowest[] = {0, 0, -128, -32768, -2147483648.0, -9223372036854775808.0, 0, 0, 0, 0};
  static constexpr double highest[] = {
      0, 0, 127, 32767, 2147483647.0, 9223372036854775807.0, 255, 65535, 4294967295.0, 18446744073709551615.0};
  if (cls == NumClass::f64) return x;
  if (cls == NumClass::f32) return static_cast<double>(static_cast<float>(x));
  if (std::isnan(x)) return 0;
  return std::clamp(std::round(x), lowest[static_cast<int>(cls)], highest[static_cast<int>(cls)]);
}

namespace {

[[noreturn]] void fail_operands(BinaryOp op, const Value& a, const Value& b) {
  fail(std::string("operator '") + symbol_of(op) + "' is not defined for " + a.class_name() + " and " + b.class_name());
}

// How the elements of two operands pair up: same size, one scalar, or singleton dimensions repeated.
struct Pairing {
  Dims dims;
  bool simple = true;  // steps 0 or 1 through the linear index
  Index step_a = 1, step_b = 1;
};

Pairing pair_up(BinaryOp op, const Dims& a, const Dims& b, Index na, Index nb) {
  Pairing p;
  if (a == b) {
    p.dims = a;
  } else if (nb == 1) {
    p.dims = a;
    p.step_b = 0;
  } else if (na == 1) {
    p.dims = b;
    p.step_a = 0;
  } else {
    p.simple = false;
    const bool may_repeat = op != BinaryOp::logical_and && op != BinaryOp::logical_or;
    std::vector<Index> sizes;
    for (int k = 0; k < std::max(a.count(), b.count()); ++k) {
      if (a[k] != b[k] && (!may_repeat || (a[k] != 1 && b[k] != 1))) {
        fail(std::string("operator '") + symbol_of(op) + "': sizes do not match, " + a.text() + " and " + b.text());
      }
      sizes.push_back(a[k] == 1 ? b[k] : a[k]);
    }
    p.dims = Dims(sizes);
  }
  return p;
}

// Calls body(out_index, a_index, b_index) for every element of a repeated pairing.
template <class Body>
void for_each_repeated(const Pairing& p, const Dims& a, const Dims& b, Body body) {
  const int n = std::min(p.dims.count(), Dims::max_count);
  std::array<Index, Dims::max_count> at{}, sa{}, sb{};
  for (int k = 0; k < n; ++k) {
    sa[k] = a[k] == 1 ? 0 : a.stride(k);
    sb[k] = b[k] == 1 ? 0 : b.stride(k);
  }
  const Index total = p.dims.numel();
  Index ia = 0, ib = 0;
  for (Index i = 0; i < total; ++i) {
    body(i, ia, ib);
    for (int k = 0; k < n && k < Dims::max_count; ++k) {
      ia += sa[k];
      ib += sb[k];
      if (++at[k] < p.dims[k]) break;
      ia -= sa[k] * p.dims[k];
      ib -= sb[k] * p.dims[k];
      at[k] = 0;
    }
  }
}

template <class In, class Out, class F>
void run_pairs(const Pairing& p, const Array<In>& a, const Array<In>& b, Array<Out>& out, F f) {
  const In* x = a.data.data();
  const In* y = b.data.data();
  Out* z = out.data.data();
  if (!p.simple) {
    for_each_repeated(p, a.dims, b.dims, [&](Index i, Index ia, Index ib) { z[i] = f(x[ia], y[ib]); });
    return;
  }
  const Index n = out.size();
  if (p.step_a == 1 && p.step_b == 1) {
    for (Index i = 0; i < n; ++i) z[i] = f(x[i], y[i]);
  } else if (p.step_b == 0) {
    const In s = n > 0 ? y[0] : In();
    for (Index i = 0; i < n; ++i) z[i] = f(x[i], s);
  } else {
    const In s = n > 0 ? x[0] : In();
    for (Index i = 0; i < n; ++i) z[i] = f(s, y[i]);
  }
}

double power(double x, double y) { return y == 2 ? x * x : std::pow(x, y); }

void real_arithmetic(BinaryOp op, const Pairing& p, const RealArray& a, const RealArray& b, RealArray& out) {
  switch (op) {
    case BinaryOp::add: return run_pairs(p, a, b, out, [](double x, double y) { return x + y; });
    case BinaryOp::subtract: return run_pairs(p, a, b, out, [](double x, double y) { return x - y; });
    case BinaryOp::times: return run_pairs(p, a, b, out, [](double x, double y) { return x * y; });
    case BinaryOp::divide: return run_pairs(p, a, b, out, [](double x, double y) { return x / y; });
    case BinaryOp::left_divide: return run_pairs(p, a, b, out, [](double x, double y) { return y / x; });
    default: return run_pairs(p, a, b, out, power);
  }
}

void real_logic(BinaryOp op, const Pairing& p, const RealArray& a, const RealArray& b, ByteArray& out) {
  switch (op) {
    case BinaryOp::less: return run_pairs(p, a, b, out, [](double x, double y) { return x < y; });
    case BinaryOp::less_equal: return run_pairs(p, a, b, out, [](double x, double y) { return x <= y; });
    case BinaryOp::greater: return run_pairs(p, a, b, out, [](double x, double y) { return x > y; });
    case BinaryOp::greater_equal: return run_pairs(p, a, b, out, [](double x, double y) { return x >= y; });
    case BinaryOp::equal: return run_pairs(p, a, b, out, [](double x, double y) { return x == y; });
    case BinaryOp::not_equal: return run_pairs(p, a, b, out, [](double x, double y) { return x != y; });
    case BinaryOp::logical_and: return run_pairs(p, a, b, out, [](double x, double y) { return x != 0 && y != 0; });
    default: return run_pairs(p, a, b, out, [](double x, double y) { return x != 0 || y != 0; });
  }
}

Complex complex_power(Complex x, Complex y) {
  if (x == Complex(0, 0)) {
    if (y == Complex(0, 0)) return 1;
    return y.real() > 0 ? Complex(0, 0) : Complex(INFINITY, 0);
  }
  if (y.imag() == 0 && y.real() == std::floor(y.real()) && std::abs(y.real()) <= 64) {
    Complex r = 1, base = x;
    for (auto n = static_cast<unsigned>(std::abs(y.real())); n != 0; n >>= 1U) {
      if (n & 1U) r *= base;
      base *= base;
    }
    return y.real() < 0 ? 1.0 / r : r;
  }
  return std::pow(x, y);
}

void complex_arithmetic(BinaryOp op, const Pairing& p, const ComplexArray& a, const ComplexArray& b,
                        ComplexArray& out) {
  using C = Complex;
  switch (op) {
    case BinaryOp::add: return run_pairs(p, a, b, out, [](C x, C y) { return x + y; });
    case BinaryOp::subtract: return run_pairs(p, a, b, out, [](C x, C y) { return x - y; });
    case BinaryOp::times: return run_pairs(p, a, b, out, [](C x, C y) { return x * y; });
    case BinaryOp::divide:
      return run_pairs(p, a, b, out,
                       [](C x, C y) { return y.imag() == 0 ? C(x.real() / y.real(), x.imag() / y.real()) : x / y; });
    case BinaryOp::left_divide: return run_pairs(p, a, b, out, [](C x, C y) { return y / x; });
    default: return run_pairs(p, a, b, out, complex_power);
  }
}

// Order of complex numbers goes by magnitude; equality compares both parts.
void complex_logic(BinaryOp op, const Pairing& p, const ComplexArray& a, const ComplexArray& b, ByteArray& out) {
  using C = Complex;
  switch (op) {
    case BinaryOp::less: return run_pairs(p, a, b, out, [](C x, C y) { return std::abs(x) < std::abs(y); });
    case BinaryOp::less_equal: return run_pairs(p, a, b, out, [](C x, C y) { return std::abs(x) <= std::abs(y); });
    case BinaryOp::greater: return run_pairs(p, a, b, out, [](C x, C y) { return std::abs(x) > std::abs(y); });
    case BinaryOp::greater_equal: return run_pairs(p, a, b, out, [](C x, C y) { return std::abs(x) >= std::abs(y); });
    case BinaryOp::equal: return run_pairs(p, a, b, out, [](C x, C y) { return x == y; });
    case BinaryOp::not_equal: return run_pairs(p, a, b, out, [](C x, C y) { return x != y; });
    case BinaryOp::logical_and: return run_pairs(p, a, b, out, [](C x, C y) { return x != C() && y != C(); });
    default: return run_pairs(p, a, b, out, [](C x, C y) { return x != C() || y != C(); });
  }
}

NumClass result_class(BinaryOp op, const Value& a, const Value& b) {
  const NumClass ca = a.num_class(), cb = b.num_class();
  if (ca == cb) return ca;
  if (ca >= NumClass::i8 && cb >= NumClass::i8 && !gives_logical(op)) fail_operands(op, a, b);
  if (ca >= NumClass::i8) return ca;
  if (cb >= NumClass::i8) return cb;
  return NumClass::f32;
}

// x.^y of real operands is complex when some negative x meets a fractional y.
bool power_is_complex(const RealArray& a, const RealArray& b) {
  const bool negative = std::any_of(a.data.begin(), a.data.end(), [](double x) { return x < 0; });
  return negative &&
         std::any_of(b.data.begin(), b.data.end(), [](double y) { return std::isfinite(y) && y != std::floor(y); });
}

Value complex_elementwise(BinaryOp op, const Value& a, const Value& b) {
  const auto is_complex_matrix = [](const Value& v) { return v.is_complex() && v.numel() != 1; };
  if ((op == BinaryOp::logical_and || op == BinaryOp::logical_or) && (is_complex_matrix(a) || is_complex_matrix(b)))
    fail_operands(op, a, b);
  const Value x = to_complex(a), y = to_complex(b);
  const Pairing p = pair_up(op, x.complex().dims, y.complex().dims, x.complex().size(), y.complex().size());
  if (gives_logical(op)) {
    Value out = Value::logical_zeros(p.dims);
    complex_logic(op, p, x.complex(), y.complex(), out.edit_bytes());
    return unboxed(std::move(out));
  }
  Value out = Value::complex_zeros(p.dims);
  complex_arithmetic(op, p, x.complex(), y.complex(), out.edit_complex());
  return narrowed(std::move(out));
}

}  // namespace

Value elementwise(BinaryOp op, Value a, Value b) {
  if (!a.is_arithmetic() || !b.is_arithmetic()) fail_operands(op, a, b);
  if (a.is_complex() || b.is_complex()) return complex_elementwise(op, a, b);
  const NumClass cls = result_class(op, a, b);
  Value x = to_real(a), y = to_real(b);
  a = Value();
  b = Value();
  const Pairing p = pair_up(op, x.real().dims, y.real().dims, x.real().size(), y.real().size());
  if (gives_logical(op)) {
    auto* bytes = new ByteArray(Kind::logical, p.dims);
    Value out(bytes);
    real_logic(op, p, x.real(), y.real(), *bytes);
    return unboxed(std::move(out));
  }
  if (op == BinaryOp::power && cls == NumClass::f64 && power_is_complex(x.real(), y.real())) {
    return complex_elementwise(op, x, y);
  }
  // A temporary of the right size is overwritten rather than copied.
  Value out = p.simple && p.step_a == 1 && x.unique()   ? x
              : p.simple && p.step_b == 1 && y.unique() ? y
                                                        : Value::real_uninitialised(p.dims);
  auto& target = *static_cast<RealArray*>(out.heap());
  real_arithmetic(op, p, x.real(), y.real(), target);
  target.cls = cls;
  if (cls != NumClass::f64) {
    for (double& v : target.data) v = saturate(v, cls);
  }
  return unboxed(std::move(out));
}

Value apply_binary(BinaryOp op, Value a, Value b) {
  if (a.kind() == Kind::symbolic) return a.symbolic().binary(op, a, b);
  if (b.kind() == Kind::symbolic) return b.symbolic().binary(op, a, b);
  if (a.is_none() || b.is_none()) fail("an operand has no value");
  if (a.kind() == Kind::sparse || b.kind() == Kind::sparse) return sparse_binary(op, a, b);
  switch (op) {
    case BinaryOp::matrix_times:
      if (a.is_scalar() || b.is_scalar()) return elementwise(BinaryOp::times, std::move(a), std::move(b));
      return matrix_product(a, b);
    case BinaryOp::matrix_divide:
      if (b.is_scalar()) return elementwise(BinaryOp::divide, std::move(a), std::move(b));
      return transpose(solve_left(transpose(b, true), transpose(a, true)), true);
    case BinaryOp::matrix_left_divide:
      if (a.is_scalar()) return elementwise(BinaryOp::left_divide, std::move(a), std::move(b));
      return solve_left(a, b);
    case BinaryOp::matrix_power:
      if (a.is_scalar() && b.is_scalar()) return elementwise(BinaryOp::power, std::move(a), std::move(b));
      return matrix_power(a, b);
    case BinaryOp::equal:
    case BinaryOp::not_equal:
      if (a.kind() == Kind::handle && b.kind() == Kind::handle) {
        return Value(values_equal(a, b) == (op == BinaryOp::equal));
      }
      [[fallthrough]];
    default: return elementwise(op, std::move(a), std::move(b));
  }
}

namespace {

Value negated(Value a) {
  if (a.kind() == Kind::range) {
    const Range& r = a.range();
    return Value(new Range(-r.base, -r.step, r.count));
  }
  if (a.kind() == Kind::sparse) {
    auto* s = new SparseMatrix(a.sparse());
    s->references = 0;
    s->logical = false;
    for (double& x : s->re) x = -x;
    for (double& x : s->im) x = -x;
    return Value(s);
  }
  Value v = to_numeric(a);
  a = Value();
  if (v.kind() == Kind::complex) {
    for (Complex& z : v.edit_complex().data) z = -z;
    return v;
  }
  Value out = v.unique() ? v : Value::real_uninitialised(v.real().dims, v.real().cls);
  const RealArray& from = v.real();
  RealArray& r = *static_cast<RealArray*>(out.heap());
  for (Index i = 0; i < r.size(); ++i) r[i] = -from[i];
  if (r.cls != NumClass::f64)
    for (double& x : r.data) x = saturate(x, r.cls);
  return unboxed(std::move(out));
}

}  // namespace

Value apply_unary(UnaryOp op, Value a) {
  if (a.kind() == Kind::symbolic) return a.symbolic().unary(op, a);
  if (op == UnaryOp::transpose || op == UnaryOp::conjugate_transpose) {
    return transpose(a, op == UnaryOp::conjugate_transpose);
  }
  if (!a.is_arithmetic()) {
    fail(std::string("operator '") + symbol_of(op) + "' is not defined for a " + a.class_name());
  }
  if (op == UnaryOp::plus) return a.is_numeric() ? a : unboxed(to_real(a));
  if (op == UnaryOp::minus) return a.is_number() ? Value(-a.number()) : negated(std::move(a));
  Value out = to_logical(a);
  for (std::uint8_t& x : out.edit_bytes().data) x = x == 0;
  return a.kind() == Kind::sparse ? to_sparse(out) : unboxed(std::move(out));
}

}  // namespace orrery::oml
