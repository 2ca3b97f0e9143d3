// SPDX-License-Identifier: Apache-2.0
// The constants and functions that expressions may use, as two tables.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "compile/literal_arithmetic.h"

namespace orrery::compile {
namespace {

using program::Scalar;
using Complex = std::complex<double>;
using Arguments = std::span<const Value>;
using Body = Value (*)(Arguments);

struct Function {
  std::size_t least;
  std::size_t most;
  Body body;
};

const Value& number_at(Arguments arguments, std::size_t k) {
  if (!arguments[k].is_number()) {
    throw LiteralFault{"parameter-type", "the function needs numbers, not " + describe(arguments[k])};
  }
  return arguments[k];
}

const Value& real_at(Arguments arguments, std::size_t k) {
  if (number_at(arguments, k).is_complex()) {
    throw LiteralFault{"parameter-type", "the function is not defined for complex numbers"};
  }
  return arguments[k];
}

double scalar_at(Arguments arguments, std::size_t k) {
  if (!real_at(arguments, k).is_scalar()) {
    throw LiteralFault{"parameter-size", "the function needs one number here, not " + describe(arguments[k])};
  }
  return arguments[k].scalar();
}

template <double (*F)(double)>
Value map_real(Arguments arguments) {
  Value result = real_at(arguments, 0);
  result.literal.reset();
  if (result.type == Scalar::boolean) result.type = Scalar::f64;
  for (double& x : result.real) x = F(x);
  return result;
}

// F on real numbers in [low, high], G on complex ones and on reals outside.
template <double (*F)(double), Complex (*G)(const Complex&)>
Value map_complex(const Value& a, double low, double high) {
  const bool inside = std::none_of(a.real.begin(), a.real.end(), [&](double x) { return x < low || x > high; });
  const bool complex = a.is_complex() || !inside;
  Value result = Value::matrix(a.rows, a.cols, 0, complex ? Scalar::c128 : Scalar::f64);
  for (std::size_t k = 0; k < a.real.size(); ++k) {
    if (!complex) {
      result.real[k] = F(a.real[k]);
      continue;
    }
    const Complex z = G(a.at(k));
    result.real[k] = z.real();
    result.imag[k] = z.imag();
  }
  return drop_zero_imaginary(std::move(result));
}

template <double (*F)(double), Complex (*G)(const Complex&)>
Value everywhere(Arguments arguments) {
  return map_complex<F, G>(number_at(arguments, 0), -HUGE_VAL, HUGE_VAL);
}

template <double (*F)(double), Complex (*G)(const Complex&)>
Value positive(Arguments arguments) {
  return map_complex<F, G>(number_at(arguments, 0), 0, HUGE_VAL);
}

template <double (*F)(double), Complex (*G)(const Complex&)>
Value unit_interval(Arguments arguments) {
  return map_complex<F, G>(number_at(arguments, 0), -1, 1);
}

template <double (*F)(double, double)>
Value map_pairs(Arguments arguments) {
  const Value &a = real_at(arguments, 0), &b = real_at(arguments, 1);
  // The addition checks the sizes and gives the result its shape and type.
  Value result = elementwise(Operator::add, a, b);
  for (std::size_t k = 0; k < result.real.size(); ++k) {
    result.real[k] = F(a.real[a.is_scalar() ? 0 : k], b.real[b.is_scalar() ? 0 : k]);
  }
  return result;
}

// The result has the sign of the divisor, MATLAB's convention; mod(x, 0) is x.
double modulo(double x, double y) { return y == 0 ? x : x - std::floor(x / y) * y; }
double remainder_of(double x, double y) { return y == 0 ? x : std::fmod(x, y); }
double smaller(double x, double y) { return std::fmin(x, y); }
double larger(double x, double y) { return std::fmax(x, y); }
double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

// Folds a vector to a number and a matrix to one row, column by column.
Value fold(const Value& given, Value (*combine)(const Value&, const Value&), const Value& start) {
  const Value a = given.type == Scalar::boolean ? cast(given, Scalar::f64) : given;
  const bool vector = a.rows == 1 || a.cols == 1;
  const int cols = vector ? 1 : a.cols;
  const int length = cols == 0 ? 0 : static_cast<int>(a.size()) / cols;
  std::vector<Value> totals;
  for (int j = 0; j < cols; ++j) {
    Value total = start;
    for (int i = 0; i < length; ++i) {
      const auto k = static_cast<std::size_t>(j) * static_cast<std::size_t>(length) + static_cast<std::size_t>(i);
      const Value element = a.is_complex() ? Value::complex(a.at(k)) : Value::number(a.real[k], a.type);
      total = i == 0 ? element : combine(total, element);
    }
    totals.push_back(std::move(total));
  }
  return totals.empty() ? start : join({totals});
}

Value sum(Arguments arguments) {
  const auto add = [](const Value& a, const Value& b) { return elementwise(Operator::add, a, b); };
  return fold(number_at(arguments, 0), add, Value::number(0));
}

Value product(Arguments arguments) {
  const auto multiply = [](const Value& a, const Value& b) { return elementwise(Operator::multiply, a, b); };
  return fold(number_at(arguments, 0), multiply, Value::number(1));
}

template <double (*F)(double, double)>
Value extreme(Arguments arguments) {
  if (arguments.size() == 2) return map_pairs<F>(arguments);
  const auto choose = [](const Value& a, const Value& b) {
    const Value pair[] = {a, b};
    return map_pairs<F>(pair);
  };
  return fold(real_at(arguments, 0), choose, Value::matrix(0, 0));
}

template <int Fill>
Value filled(Arguments arguments) {
  if (arguments.empty()) return Value::number(Fill);
  if (arguments.size() == 1 && real_at(arguments, 0).size() == 2) {
    return checked_matrix(arguments[0].real[0], arguments[0].real[1], Scalar::f64, Fill);
  }
  const double rows = scalar_at(arguments, 0);
  return checked_matrix(rows, arguments.size() == 2 ? scalar_at(arguments, 1) : rows, Scalar::f64, Fill);
}

Value identity(Arguments arguments) {
  Value result = filled<0>(arguments);
  for (int k = 0; k < std::min(result.rows, result.cols); ++k) {
    result.real[static_cast<std::size_t>(k) * (static_cast<std::size_t>(result.rows) + 1)] = 1;
  }
  return result;
}

Value spaced(Arguments arguments) {
  const double a = scalar_at(arguments, 0), b = scalar_at(arguments, 1);
  Value result = checked_matrix(1, std::max(1.0, arguments.size() == 3 ? scalar_at(arguments, 2) : 100.0));
  const auto last = static_cast<double>(result.cols - 1);
  for (std::size_t k = 0; k < result.real.size(); ++k) {
    result.real[k] = last == 0 || static_cast<double>(k) == last ? b : a + (b - a) * (static_cast<double>(k) / last);
  }
  return result;
}

Value diagonal(Arguments arguments) {
  const Value& a = number_at(arguments, 0);
  const bool vector = a.rows == 1 || a.cols == 1;
  const auto count = vector ? a.size() : static_cast<std::size_t>(std::min(a.rows, a.cols));
  const auto side = static_cast<double>(count);
  Value result = vector ? checked_matrix(side, side, a.type) : checked_matrix(side, 1, a.type);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t from = vector ? k : k * (static_cast<std::size_t>(a.rows) + 1);
    const std::size_t to = vector ? k * (count + 1) : k;
    result.real[to] = a.real[from];
    if (!a.imag.empty()) result.imag[to] = a.imag[from];
  }
  return result;
}

int rows_of(const Value& a) { return a.is_text() ? 1 : a.rows; }
int cols_of(const Value& a) { return a.is_text() ? static_cast<int>(a.text.size()) : a.cols; }

Value size_of(Arguments arguments) {
  const double rows = rows_of(arguments[0]), cols = cols_of(arguments[0]);
  if (arguments.size() == 2) {
    const double dimension = scalar_at(arguments, 1);
    return Value::number(dimension == 1 ? rows : dimension == 2 ? cols : 1);
  }
  return join({{Value::number(rows), Value::number(cols)}});
}

Value length_of(Arguments arguments) {
  const Value& a = arguments[0];
  return Value::number(a.is_empty() ? 0 : std::max(rows_of(a), cols_of(a)));
}

Value magnitude(Arguments arguments) {
  const Value& a = number_at(arguments, 0);
  if (!a.is_complex()) return map_real<std::fabs>(arguments);
  Value result = Value::matrix(a.rows, a.cols);
  for (std::size_t k = 0; k < a.real.size(); ++k) result.real[k] = std::abs(a.at(k));
  return result;
}

Value conjugate(Arguments arguments) { return transpose(transpose(number_at(arguments, 0), true), false); }

Value real_part(Arguments arguments) {
  Value result = number_at(arguments, 0);
  result.imag.clear();
  result.literal.reset();
  if (result.is_complex()) result.type = Scalar::f64;
  return result;
}

Value imaginary_part(Arguments arguments) {
  const Value& a = number_at(arguments, 0);
  Value result = Value::matrix(a.rows, a.cols);
  if (a.is_complex()) result.real = a.imag;
  return result;
}

template <Scalar Type>
Value convert(Arguments arguments) {
  return cast(arguments[0], Type);
}

const std::map<std::string_view, Function>& functions() {
  static const std::map<std::string_view, Function> table = {
      {"sin", {1, 1, everywhere<std::sin, std::sin>}},
      {"cos", {1, 1, everywhere<std::cos, std::cos>}},
      {"tan", {1, 1, everywhere<std::tan, std::tan>}},
      {"asin", {1, 1, unit_interval<std::asin, std::asin>}},
      {"acos", {1, 1, unit_interval<std::acos, std::acos>}},
      {"atan", {1, 1, everywhere<std::atan, std::atan>}},
      {"atan2", {2, 2, map_pairs<std::atan2>}},
      {"exp", {1, 1, everywhere<std::exp, std::exp>}},
      {"log", {1, 1, positive<std::log, std::log>}},
      {"log10", {1, 1, positive<std::log10, std::log10>}},
      {"sqrt", {1, 1, positive<std::sqrt, std::sqrt>}},
      {"abs", {1, 1, magnitude}},
      {"sign", {1, 1, map_real<sign_of>}},
      {"floor", {1, 1, map_real<std::floor>}},
      {"ceil", {1, 1, map_real<std::ceil>}},
      {"round", {1, 1, map_real<std::round>}},
      {"mod", {2, 2, map_pairs<modulo>}},
      {"rem", {2, 2, map_pairs<remainder_of>}},
      {"min", {1, 2, extreme<smaller>}},
      {"max", {1, 2, extreme<larger>}},
      {"sum", {1, 1, sum}},
      {"prod", {1, 1, product}},
      {"zeros", {0, 2, filled<0>}},
      {"ones", {0, 2, filled<1>}},
      {"eye", {0, 2, [](Arguments a) { return a.empty() ? Value::number(1) : identity(a); }}},
      {"linspace", {2, 3, spaced}},
      {"diag", {1, 1, diagonal}},
      {"length", {1, 1, length_of}},
      {"size", {1, 2, size_of}},
      {"numel", {1, 1, [](Arguments a) { return Value::number(static_cast<double>(a[0].size())); }}},
      {"rows", {1, 1, [](Arguments a) { return Value::number(rows_of(a[0])); }}},
      {"cols", {1, 1, [](Arguments a) { return Value::number(cols_of(a[0])); }}},
      {"isempty", {1, 1, [](Arguments a) { return Value::boolean(a[0].is_empty()); }}},
      {"real", {1, 1, real_part}},
      {"imag", {1, 1, imaginary_part}},
      {"conj", {1, 1, conjugate}},
      {"int8", {1, 1, convert<Scalar::i8>}},
      {"int16", {1, 1, convert<Scalar::i16>}},
      {"int32", {1, 1, convert<Scalar::i32>}},
      {"uint8", {1, 1, convert<Scalar::u8>}},
      {"uint16", {1, 1, convert<Scalar::u16>}},
      {"uint32", {1, 1, convert<Scalar::u32>}},
      {"double", {1, 1, convert<Scalar::f64>}},
      {"boolean", {1, 1, convert<Scalar::boolean>}},
      {"logical", {1, 1, convert<Scalar::boolean>}},
  };
  return table;
}

}  // namespace

const std::map<std::string_view, Value>& constants() {
  static const double infinity = std::numeric_limits<double>::infinity(),
                      nan = std::numeric_limits<double>::quiet_NaN();
  static const std::map<std::string_view, Value> table = {
      {"true", Value::boolean(true)},
      {"false", Value::boolean(false)},
      {"pi", Value::number(std::numbers::pi)},
      {"e", Value::number(std::numbers::e)},
      {"inf", Value::number(infinity)},
      {"Inf", Value::number(infinity)},
      {"nan", Value::number(nan)},
      {"NaN", Value::number(nan)},
      {"eps", Value::number(std::numeric_limits<double>::epsilon())},
      {"i", Value::complex({0, 1})},
      {"j", Value::complex({0, 1})}};
  return table;
}

bool is_function(std::string_view name) { return functions().contains(name); }

std::vector<std::string_view> function_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, function] : functions()) names.push_back(name);
  return names;
}

Value call_function(std::string_view name, std::span<const Value> arguments) {
  const Function& function = functions().at(name);
  if (arguments.size() < function.least || arguments.size() > function.most) {
    throw LiteralFault{"parameter-size",
                       std::string(name) + " takes " + std::to_string(function.least) +
                           (function.most > function.least ? " to " + std::to_string(function.most) : "") +
                           " arguments, not " + std::to_string(arguments.size())};
  }
  return function.body(arguments);
}

}  // namespace orrery::compile
