// SPDX-License-Identifier: Apache-2.0
// Complex operations on numbers: the formulas of complex_formulas.h with doubles.
#include "program/evaluate_complex.h"

#include <cmath>

#include "base/check.h"
#include "program/complex_formulas.h"

namespace orrery::program {

template <>
struct RealMath<double> {
  static double sqrt(double x) { return std::sqrt(x); }
  static double exp(double x) { return std::exp(x); }
  static double log(double x) { return std::log(x); }
  static double log10(double x) { return std::log10(x); }
  static double sin(double x) { return std::sin(x); }
  static double cos(double x) { return std::cos(x); }
  static double tan(double x) { return std::tan(x); }
  static double sinh(double x) { return std::sinh(x); }
  static double cosh(double x) { return std::cosh(x); }
  static double tanh(double x) { return std::tanh(x); }
  static double fabs(double x) { return std::fabs(x); }
  static double hypot(double x, double y) { return std::hypot(x, y); }
  static double atan2(double y, double x) { return std::atan2(y, x); }
  static double select(bool condition, double a, double b) { return condition ? a : b; }
  static double like(double, double value) { return value; }
};

namespace {

using C = Complex<double>;
using Math = ComplexMath<double>;

C complex_at(const Operand& operand, std::int64_t k) {
  if (operand.type.is_scalar()) k = 0;
  if (operand.type.scalar != Scalar::c128) return {operand.data[k], 0};
  return {operand.data[2 * k], operand.data[2 * k + 1]};
}

C unary(Op op, C a) {
  return complex_function(op, a, [](Op part, const C& z) -> C {
    return {evaluate_unary(part, Scalar::f64, z.re), evaluate_unary(part, Scalar::f64, z.im)};
  });
}

C binary(Op op, C a, C b) {
  switch (op) {
    case Op::add: return Math::add(a, b);
    case Op::sub: return Math::sub(a, b);
    case Op::mul: return Math::mul(a, b);
    case Op::div: return Math::div(a, b);
    case Op::pow: return Math::pow(a, b);
    case Op::complex_pair: return {a.re, b.re};
    default: ORRERY_CHECK(false && "an operation on complex numbers"); return {};
  }
}

// Operations that make a real number or a boolean of complex ones.
double to_real(Op op, Scalar to, C a, C b) {
  switch (op) {
    case Op::abs: return Math::abs(a);
    case Op::arg: return Math::arg(a);
    case Op::real: return a.re;
    case Op::imag: return a.im;
    case Op::is_nan: return std::isnan(a.re) || std::isnan(a.im) ? 1 : 0;
    case Op::equal: return a.re == b.re && a.im == b.im ? 1 : 0;
    case Op::not_equal: return a.re != b.re || a.im != b.im ? 1 : 0;
    case Op::cast:
      if (to == Scalar::boolean) return a.re != 0 || a.im != 0 ? 1 : 0;
      return evaluate_cast(Scalar::f64, to, a.re);
    default: ORRERY_CHECK(false && "an operation from complex to real numbers"); return 0;
  }
}

// Four real sums, so that a complex product of matrices is four real ones.
C product_entry(const Operand& a, const Operand& b, std::int64_t row, std::int64_t col) {
  if (a.type.cols == 0) return {0, 0};
  double sums[4] = {};
  for (std::int64_t k = 0; k < a.type.cols; ++k) {
    C x = complex_at(a, row + k * a.type.rows);
    C y = complex_at(b, k + col * b.type.rows);
    double terms[4] = {x.re * y.re, x.im * y.im, x.re * y.im, x.im * y.re};
    for (int i = 0; i < 4; ++i) sums[i] = k == 0 ? terms[i] : sums[i] + terms[i];
  }
  return {sums[0] - sums[1], sums[2] + sums[3]};
}

C reduction(Op op, const Operand& a) {
  if (a.type.size() == 0) return {op == Op::product ? 1.0 : 0.0, 0};
  C value = complex_at(a, 0);
  for (std::int64_t k = 1; k < a.type.size(); ++k) {
    value = op == Op::sum ? Math::add(value, complex_at(a, k)) : Math::mul(value, complex_at(a, k));
  }
  return value;
}

}  // namespace

void evaluate_complex(Op op, Type type, std::span<const Operand> arguments, std::span<double> result) {
  bool two = arguments.size() > 1;
  for (std::int64_t k = 0; k < type.size(); ++k) {
    if (type.scalar != Scalar::c128) {
      result[k] = to_real(op, type.scalar, complex_at(arguments[0], k), two ? complex_at(arguments[1], k) : C{});
      continue;
    }
    C value{};
    if (op == Op::cast)
      value = complex_at(arguments[0], k);
    else if (op == Op::matmul)
      value = product_entry(arguments[0], arguments[1], k % type.rows, k / type.rows);
    else if (is_reduction(op))
      value = reduction(op, arguments[0]);
    else if (two)
      value = binary(op, complex_at(arguments[0], k), complex_at(arguments[1], k));
    else
      value = unary(op, complex_at(arguments[0], k));
    result[2 * k] = value.re;
    result[2 * k + 1] = value.im;
  }
}

}  // namespace orrery::program
