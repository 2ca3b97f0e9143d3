// SPDX-License-Identifier: Apache-2.0
// One element of the element-wise operations on real numbers.
#include <cmath>

#include "base/check.h"
#include "program/evaluate.h"

namespace orrery::program {
namespace {

int bits_of(Scalar s) { return 8 * byte_size(s); }

// The number of type s that equals x modulo 2^n.
double wrap(Scalar s, std::uint64_t x) {
  switch (s) {
    case Scalar::i8: return static_cast<std::int8_t>(x);
    case Scalar::i16: return static_cast<std::int16_t>(x);
    case Scalar::i32: return static_cast<std::int32_t>(x);
    case Scalar::u8: return static_cast<std::uint8_t>(x);
    case Scalar::u16: return static_cast<std::uint16_t>(x);
    default: return static_cast<std::uint32_t>(x);
  }
}

// The number of type s next to x, a whole number. Sums and products of integers of up to 32 bits are exact as doubles
// where they fit, and else beyond the limits all the same.
double saturate(Scalar s, double x) {
  if (x < lowest_value(s)) return lowest_value(s);
  return std::fmin(x, highest_value(s)) + 0.0;  // + 0.0: no negative zero among integers
}

double power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    return 0;
  }
  double result = 1;
  auto square = static_cast<double>(base);
  for (; exponent > 0; exponent >>= 1, square *= square) {
    if (exponent & 1) result *= square;
  }
  return result;
}

std::int64_t floored_mod(std::int64_t x, std::int64_t y) {
  std::int64_t r = x % y;
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

double integer_binary(Op op, Scalar s, std::int64_t a, std::int64_t b) {
  auto ua = static_cast<std::uint64_t>(a);
  auto ub = static_cast<std::uint64_t>(b);
  bool beyond = b < 0 || b >= bits_of(s);
  switch (op) {
    case Op::add: return saturate(s, static_cast<double>(a + b));
    case Op::sub: return saturate(s, static_cast<double>(a - b));
    case Op::mul: return saturate(s, static_cast<double>(a) * static_cast<double>(b));
    case Op::div: return b == 0 ? 0 : saturate(s, static_cast<double>(a / b));
    case Op::pow: return saturate(s, power(a, b));
    case Op::mod: return b == 0 ? 0 : static_cast<double>(floored_mod(a, b));
    case Op::rem: return b == 0 ? 0 : static_cast<double>(a % b);
    case Op::bit_and: return wrap(s, ua & ub);
    case Op::bit_or: return wrap(s, ua | ub);
    case Op::bit_xor: return wrap(s, ua ^ ub);
    case Op::shift_left: return beyond ? 0 : wrap(s, ua << b);
    case Op::shift_right: return beyond ? (a < 0 ? -1 : 0) : static_cast<double>(a >> b);
    default: ORRERY_CHECK(false && "an operation on integers"); return 0;
  }
}

double floating_mod(double x, double y) {
  if (y == 0) return x;
  double r = std::fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

double floating_unary(Op op, double a) {
  switch (op) {
    case Op::neg: return -a;
    case Op::abs: return std::fabs(a);
    case Op::sqrt: return std::sqrt(a);
    case Op::exp: return std::exp(a);
    case Op::log: return std::log(a);
    case Op::log10: return std::log10(a);
    case Op::sin: return std::sin(a);
    case Op::cos: return std::cos(a);
    case Op::tan: return std::tan(a);
    case Op::asin: return std::asin(a);
    case Op::acos: return std::acos(a);
    case Op::atan: return std::atan(a);
    case Op::sinh: return std::sinh(a);
    case Op::cosh: return std::cosh(a);
    case Op::tanh: return std::tanh(a);
    case Op::asinh: return std::asinh(a);
    case Op::acosh: return std::acosh(a);
    case Op::atanh: return std::atanh(a);
    case Op::floor: return std::floor(a);
    case Op::ceil: return std::ceil(a);
    case Op::round: return std::round(a);
    case Op::trunc: return std::trunc(a);
    default: ORRERY_CHECK(false && "an operation on doubles"); return 0;
  }
}

}  // namespace

double evaluate_unary(Op op, Scalar s, double a) {
  switch (op) {
    case Op::logical_not: return a == 0 ? 1 : 0;
    case Op::is_nan: return std::isnan(a) ? 1 : 0;
    case Op::sign: return a > 0 ? 1 : a < 0 ? -1 : a;
    default: break;
  }
  if (!is_integer(s)) return floating_unary(op, a);
  auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(a));
  switch (op) {
    case Op::neg: return saturate(s, 0.0 - a);
    case Op::abs: return a < 0 ? saturate(s, 0.0 - a) : a;
    case Op::bit_not: return wrap(s, ~bits);
    default: return a;  // floor, ceil, round, trunc
  }
}

double evaluate_binary(Op op, Scalar s, double a, double b) {
  switch (op) {
    case Op::min: return a < b ? a : b;
    case Op::max: return a > b ? a : b;
    case Op::less: return a < b ? 1 : 0;
    case Op::less_equal: return a <= b ? 1 : 0;
    case Op::equal: return a == b ? 1 : 0;
    case Op::not_equal: return a != b ? 1 : 0;
    case Op::logical_and: return a != 0 && b != 0 ? 1 : 0;
    case Op::logical_or: return a != 0 || b != 0 ? 1 : 0;
    case Op::logical_xor: return (a != 0) != (b != 0) ? 1 : 0;
    default: break;
  }
  if (is_integer(s)) return integer_binary(op, s, static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
  switch (op) {
    case Op::add: return a + b;
    case Op::sub: return a - b;
    case Op::mul: return a * b;
    case Op::div: return a / b;
    case Op::pow: return b == 2 ? a * a : std::pow(a, b);
    case Op::atan2: return std::atan2(a, b);
    case Op::hypot: return std::hypot(a, b);
    case Op::mod: return floating_mod(a, b);
    case Op::rem: return std::fmod(a, b);
    default: ORRERY_CHECK(false && "an operation on doubles"); return 0;
  }
}

double evaluate_cast(Scalar, Scalar to, double a) {
  if (is_floating(to)) return a;
  if (to == Scalar::boolean) return a != 0 ? 1 : 0;
  if (std::isnan(a)) return 0;
  if (a <= lowest_value(to)) return lowest_value(to);
  if (a >= highest_value(to)) return highest_value(to);
  return std::trunc(a) + 0.0;
}

}  // namespace orrery::program
