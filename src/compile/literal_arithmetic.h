// SPDX-License-Identifier: Apache-2.0
// Operators, concatenation, indexing and functions on parameter values.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/value.h"

namespace orrery::compile {

// A mistake in an expression. Thrown only inside the literal evaluator, which makes a Diagnostic of it.
struct LiteralFault {
  const char* code;
  std::string message;
  std::string help = {};
};

// Elementwise operators on matrices of equal size or with a scalar; `both` and `either` are the logical ones.
enum class Operator {
  add,
  subtract,
  multiply,
  divide,
  power,
  equal,
  unequal,
  less,
  at_most,
  greater,
  at_least,
  both,
  either
};

// No parameter has more elements; protects from zeros(1e9).
inline constexpr double most_elements = 1e7;

Value elementwise(Operator op, const Value& a, const Value& b);
Value matrix_product(const Value& a, const Value& b);
Value matrix_divide(const Value& a, const Value& b);
Value matrix_power(const Value& a, const Value& b);
Value negate(const Value& a);
Value logical_not(const Value& a);
Value transpose(const Value& a, bool conjugate);
Value range(const Value& first, const Value& step, const Value& last);

// Rounds and saturates to the element type; for complex numbers only c128 and boolean are possible.
Value cast(const Value& a, program::Scalar type);
// The same numbers as real ones when no imaginary part is left.
Value drop_zero_imaginary(Value a);
// A matrix after a check of its size; the sides are numbers that a user gave.
Value checked_matrix(double rows, double cols, program::Scalar type = program::Scalar::f64, double fill = 0);

// [a, b; c]: the rows of a bracket, joined.
Value join(const std::vector<std::vector<Value>>& rows);
// {a, b; c}
Value make_list(std::vector<std::vector<Value>> rows);
// v(k) or m(i, j), from 1; a text argument ":" means all.
Value index(const Value& a, std::span<const Value> arguments);

const std::map<std::string_view, Value>& constants();
bool is_function(std::string_view name);
std::vector<std::string_view> function_names();
Value call_function(std::string_view name, std::span<const Value> arguments);

}  // namespace orrery::compile
