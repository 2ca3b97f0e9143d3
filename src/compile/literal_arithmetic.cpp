// SPDX-License-Identifier: Apache-2.0
// Matrix arithmetic with MATLAB's rules for sizes and element types.
#include "compile/literal_arithmetic.h"

#include <algorithm>
#include <cmath>

namespace orrery::compile {

using program::Scalar;

namespace {

using Complex = std::complex<double>;

void need_number(const Value& a) {
  if (!a.is_number()) throw LiteralFault{"parameter-type", "an operator needs numbers, not " + describe(a)};
}

Scalar result_type(const Value& a, const Value& b) {
  const bool a_whole = program::is_integer(a.type), b_whole = program::is_integer(b.type);
  if ((a_whole && b_whole && a.type != b.type) || (a_whole && b.is_complex()) || (b_whole && a.is_complex())) {
    throw LiteralFault{"parameter-type",
                       std::string("cannot combine ") + program::name_of(a.type) + " and " + program::name_of(b.type),
                       "convert one of them, for example with double()"};
  }
  if (a_whole) return a.type;
  if (b_whole) return b.type;
  return a.is_complex() || b.is_complex() ? Scalar::c128 : Scalar::f64;
}

double apply(Operator op, double x, double y) {
  switch (op) {
    case Operator::add: return x + y;
    case Operator::subtract: return x - y;
    case Operator::multiply: return x * y;
    case Operator::divide: return x / y;
    case Operator::power: return std::pow(x, y);
    case Operator::equal: return x == y;
    case Operator::unequal: return x != y;
    case Operator::less: return x < y;
    case Operator::at_most: return x <= y;
    case Operator::greater: return x > y;
    case Operator::at_least: return x >= y;
    case Operator::both: return x != 0 && y != 0;
    case Operator::either: return x != 0 || y != 0;
  }
  return 0;
}

Complex apply(Operator op, Complex x, Complex y) {
  switch (op) {
    case Operator::add: return x + y;
    case Operator::subtract: return x - y;
    case Operator::multiply: return x * y;
    case Operator::divide: return x / y;
    case Operator::power: return x == 0.0 ? Complex(std::pow(0.0, y.real())) : std::pow(x, y);
    case Operator::equal: return x == y;
    case Operator::unequal: return x != y;
    default: throw LiteralFault{"parameter-type", "complex numbers have no order and no truth value"};
  }
}

void saturate(Value& a) {
  if (a.type == Scalar::boolean || !program::is_integer(a.type)) return;
  const double low = program::lowest_value(a.type), high = program::highest_value(a.type);
  for (double& x : a.real) x = std::isnan(x) ? 0 : std::clamp(std::round(x), low, high);
}

bool negative_root(const Value& a, const Value& b) {
  const bool has_negative = std::any_of(a.real.begin(), a.real.end(), [](double x) { return x < 0; });
  return has_negative && std::any_of(b.real.begin(), b.real.end(), [](double y) { return y != std::floor(y); });
}

[[noreturn]] void wrong_sizes(const char* what, const Value& a, const Value& b) {
  throw LiteralFault{"parameter-size", std::string("cannot ") + what + " " + describe(a) + " and " + describe(b)};
}

}  // namespace

Value elementwise(Operator op, const Value& a, const Value& b) {
  need_number(a);
  need_number(b);
  const bool a_single = a.is_scalar(), b_single = b.is_scalar();
  if (!a_single && !b_single && (a.rows != b.rows || a.cols != b.cols)) wrong_sizes("combine element by element", a, b);
  Scalar type = op >= Operator::equal ? Scalar::boolean : result_type(a, b);
  const bool complex =
      a.is_complex() || b.is_complex() || (op == Operator::power && type == Scalar::f64 && negative_root(a, b));
  if (complex && type == Scalar::f64) type = Scalar::c128;
  const Value& shape = a_single ? b : a;
  Value result = Value::matrix(shape.rows, shape.cols, 0, type);
  for (std::size_t k = 0; k < result.real.size(); ++k) {
    const std::size_t i = a_single ? 0 : k, j = b_single ? 0 : k;
    if (!complex) {
      result.real[k] = apply(op, a.real[i], b.real[j]);
      continue;
    }
    const Complex z = apply(op, a.at(i), b.at(j));
    result.real[k] = z.real();
    if (!result.imag.empty()) result.imag[k] = z.imag();
  }
  saturate(result);
  return drop_zero_imaginary(std::move(result));
}

Value matrix_product(const Value& a, const Value& b) {
  if (!a.is_number() || !b.is_number() || a.is_scalar() || b.is_scalar()) {
    return elementwise(Operator::multiply, a, b);
  }
  if (a.cols != b.rows) wrong_sizes("multiply", a, b);
  if (static_cast<double>(a.size()) * b.cols > 2e9) throw LiteralFault{"parameter-size", "the matrices are too large"};
  Value result = checked_matrix(a.rows, b.cols, result_type(a, b));
  const auto rows = static_cast<std::size_t>(a.rows), inner = static_cast<std::size_t>(a.cols);
  for (std::size_t j = 0; j < static_cast<std::size_t>(b.cols); ++j) {
    for (std::size_t k = 0; k < inner; ++k) {
      for (std::size_t i = 0; i < rows; ++i) {
        if (result.imag.empty()) {
          result.real[j * rows + i] += a.real[k * rows + i] * b.real[j * inner + k];
          continue;
        }
        const Complex z = a.at(k * rows + i) * b.at(j * inner + k);
        result.real[j * rows + i] += z.real();
        result.imag[j * rows + i] += z.imag();
      }
    }
  }
  saturate(result);
  return drop_zero_imaginary(std::move(result));
}

Value matrix_divide(const Value& a, const Value& b) {
  if (!b.is_number() || b.is_scalar()) return elementwise(Operator::divide, a, b);
  throw LiteralFault{"parameter-size", "cannot divide by " + describe(b), "use ./ to divide element by element"};
}

Value matrix_power(const Value& a, const Value& b) {
  if (!a.is_number() || !b.is_number() || (a.is_scalar() && b.is_scalar())) return elementwise(Operator::power, a, b);
  const bool whole = b.is_scalar() && !b.is_complex() && b.real[0] >= 0 && b.real[0] == std::floor(b.real[0]);
  if (a.rows != a.cols || !whole || b.real[0] > 1e6) {
    throw LiteralFault{"parameter-size", "only a square matrix has powers, whole and not negative",
                       "use .^ to take powers element by element"};
  }
  Value result = Value::matrix(a.rows, a.cols, 0, a.type == Scalar::boolean ? Scalar::f64 : a.type);
  for (int i = 0; i < a.rows; ++i)
    result.real[static_cast<std::size_t>(i) * (static_cast<std::size_t>(a.rows) + 1)] = 1;
  Value square = a;
  for (auto n = static_cast<unsigned>(b.real[0]); n > 0; n >>= 1) {
    if (n & 1u) result = matrix_product(result, square);
    if (n > 1) square = matrix_product(square, square);
  }
  return result;
}

Value negate(const Value& a) {
  need_number(a);
  Value result = a.type == Scalar::boolean ? cast(a, Scalar::f64) : a;
  result.literal.reset();
  for (double& x : result.real) x = -x;
  for (double& x : result.imag) x = -x;
  saturate(result);
  return result;
}

Value logical_not(const Value& a) { return elementwise(Operator::equal, a, Value::number(0)); }

Value transpose(const Value& a, bool conjugate) {
  need_number(a);
  Value result = a;
  result.literal.reset();
  std::swap(result.rows, result.cols);
  const auto rows = static_cast<std::size_t>(a.rows), cols = static_cast<std::size_t>(a.cols);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) {
      result.real[i * cols + j] = a.real[j * rows + i];
      if (!a.imag.empty()) result.imag[i * cols + j] = conjugate ? -a.imag[j * rows + i] : a.imag[j * rows + i];
    }
  }
  return result;
}

Value range(const Value& first, const Value& step, const Value& last) {
  for (const Value* end : {&first, &step, &last}) {
    if (!end->is_scalar() || end->is_complex()) {
      throw LiteralFault{"parameter-size", "a range needs real numbers, not " + describe(*end)};
    }
  }
  const double a = first.scalar(), h = step.scalar(), b = last.scalar();
  const double steps = (b - a) / h;
  if (std::isnan(steps) || h == 0 || steps < 0) return Value::matrix(1, 0);
  // The small excess keeps the last element of 0:0.1:1 although 0.1 is not exact.
  const double count = std::floor(steps * (1 + 4e-16) + 1e-10) + 1;
  Value result = checked_matrix(1, count);
  for (std::size_t k = 0; k < result.real.size(); ++k) result.real[k] = a + static_cast<double>(k) * h;
  return result;
}

Value cast(const Value& a, Scalar type) {
  need_number(a);
  if (a.is_complex() && program::is_integer(type)) {
    throw LiteralFault{"parameter-type", "a complex number does not become an integer", "take real() first"};
  }
  Value result = a;
  result.literal.reset();
  if (type == Scalar::f64 && a.is_complex()) return result;
  result.type = type;
  if (type == Scalar::boolean) {
    for (std::size_t k = 0; k < result.real.size(); ++k) result.real[k] = a.at(k) != 0.0;
  }
  result.imag.clear();
  if (type == Scalar::c128) result.imag = a.imag.empty() ? std::vector<double>(a.real.size()) : a.imag;
  saturate(result);
  return result;
}

Value drop_zero_imaginary(Value a) {
  if (!a.is_complex() || std::any_of(a.imag.begin(), a.imag.end(), [](double x) { return x != 0; })) return a;
  a.imag.clear();
  a.type = Scalar::f64;
  return a;
}

Value checked_matrix(double rows, double cols, Scalar type, double fill) {
  rows = std::max(rows, 0.0);
  cols = std::max(cols, 0.0);
  if (rows != std::floor(rows) || cols != std::floor(cols)) {
    throw LiteralFault{"parameter-size", "the sides of a matrix must be whole numbers"};
  }
  if (!(rows <= most_elements && cols <= most_elements && rows * cols <= most_elements)) {
    throw LiteralFault{"parameter-size", "the matrix would have more than ten million elements"};
  }
  return Value::matrix(static_cast<int>(rows), static_cast<int>(cols), fill, type);
}

}  // namespace orrery::compile
