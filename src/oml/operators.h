// SPDX-License-Identifier: Apache-2.0
// The one place where operators meet values; symbolic operands are intercepted here.
#pragma once

#include <cmath>

#include "oml/value.h"

namespace orrery::oml {

enum class BinaryOp : std::uint8_t {
  add,
  subtract,
  times,
  divide,
  left_divide,
  power,  // elementwise
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  matrix_times,
  matrix_divide,
  matrix_left_divide,
  matrix_power,
};
enum class UnaryOp : std::uint8_t { plus, minus, logical_not, transpose, conjugate_transpose };

const char* symbol_of(BinaryOp op);
const char* symbol_of(UnaryOp op);

Value apply_binary(BinaryOp op, Value a, Value b);
Value apply_unary(UnaryOp op, Value a);

// The parts apply_binary is made of.
Value elementwise(BinaryOp op, Value a, Value b);
Value matrix_product(const Value& a, const Value& b);
Value solve_left(const Value& a, const Value& b);  // a \ b
Value matrix_power(const Value& a, const Value& b);
Value transpose(const Value& a, bool conjugate);
// Eigenvalues (column) and vectors of a square value, both complex.
void eigen_decomposition(const Value& a, Value& values, Value& vectors);
// Products, sums and quotients where an operand is sparse.
Value sparse_binary(BinaryOp op, const Value& a, const Value& b);
Value sparse_solve(const Value& a, const Value& b);

double saturate(double x, NumClass cls);

}  // namespace orrery::oml
