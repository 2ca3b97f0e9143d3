// SPDX-License-Identifier: Apache-2.0
// Pure scalar expressions as flat code on an accumulator: what loops spend their time on runs without making values.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "oml/operators.h"
#include "oml/value.h"

namespace orrery::oml {

struct Node;

struct ScalarStep {
  enum class Action : std::uint8_t {
    operate,  // accumulator := accumulator op operand
    load,
    negate,
    invert,
    truth,          // 0 or 1
    leave_if_zero,  // goes to step `slot` when the accumulator decides && or ||
    leave_if_true,
    element,     // of the array in the slot, at the accumulator
    element_2d,  // row from the stack, column in the accumulator
  };
  enum class Operand : std::uint8_t { none, constant, slot, stack };

  Action action = Action::operate;
  BinaryOp op = BinaryOp::add;
  Operand operand = Operand::none;
  bool push = false;  // load: keep the accumulator on the stack first
  std::int32_t slot = 0;
  double constant = 0;
};

struct ScalarCode {
  static constexpr int stack_size = 16;
  std::vector<ScalarStep> steps;  // empty: the expression is too deep for the stack
};

// `n` must be pure.
ScalarCode compile_scalar(const Node& n);
// False when an operand is no scalar or an element does not exist; as nothing has happened, another way may be tried.
bool run_scalar(const ScalarCode& code, const Value* slots, double& x);

// False when the result is no real number. Inlined by force: a call would keep the accumulator of run_scalar in memory.
[[gnu::always_inline]] inline bool scalar_operation(BinaryOp op, double a, double b, double& x) {
  switch (op) {
    case BinaryOp::add: x = a + b; return true;
    case BinaryOp::subtract: x = a - b; return true;
    case BinaryOp::times:
    case BinaryOp::matrix_times: x = a * b; return true;
    case BinaryOp::divide:
    case BinaryOp::matrix_divide: x = a / b; return true;
    case BinaryOp::power:
    case BinaryOp::matrix_power:
      if (a < 0 && b != std::floor(b)) return false;
      x = b == 2 ? a * a : std::pow(a, b);
      return true;
    case BinaryOp::less: x = a < b; return true;
    case BinaryOp::less_equal: x = a <= b; return true;
    case BinaryOp::greater: x = a > b; return true;
    case BinaryOp::greater_equal: x = a >= b; return true;
    case BinaryOp::equal: x = a == b; return true;
    case BinaryOp::not_equal: x = a != b; return true;
    case BinaryOp::logical_and: x = a != 0 && b != 0; return true;
    case BinaryOp::logical_or: x = a != 0 || b != 0; return true;
    default: return false;
  }
}

inline bool gives_logical(BinaryOp op) { return op >= BinaryOp::less && op <= BinaryOp::logical_or; }

// Zero-based position, or -1 when x is no valid index below n.
inline Index quick_position(double x, Index n) {
  if (!(x >= 1 && x <= static_cast<double>(n))) return -1;
  const auto i = static_cast<Index>(x);
  return static_cast<double>(i) == x ? i - 1 : -1;
}

}  // namespace orrery::oml
