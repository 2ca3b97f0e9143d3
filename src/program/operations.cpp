// SPDX-License-Identifier: Apache-2.0
// Names and type rules of the operations.
#include "program/graph.h"

namespace orrery::program {
namespace {

constexpr const char* names[] = {
    "constant",    "read",    "time",    "placeholder", "clock_active", "neg",          "not",    "bit_not", "abs",
    "sqrt",        "exp",     "log",     "log10",       "sin",          "cos",          "tan",    "asin",    "acos",
    "atan",        "sinh",    "cosh",    "tanh",        "asinh",        "acosh",        "atanh",  "floor",   "ceil",
    "round",       "trunc",   "sign",    "real",        "imag",         "conj",         "arg",    "is_nan",  "cast",
    "add",         "sub",     "mul",     "div",         "pow",          "atan2",        "hypot",  "mod",     "rem",
    "min",         "max",     "less",    "less_equal",  "equal",        "not_equal",    "and",    "or",      "xor",
    "bit_and",     "bit_or",  "bit_xor", "shift_left",  "shift_right",  "complex_pair", "select", "element", "stack",
    "transpose",   "reshape", "sum",     "product",     "minimum",      "maximum",      "matmul", "solve",   "inverse",
    "determinant", "expm",    "gather",  "update",      "concat",       "search",       "call",   "past",    "foreign",
};
static_assert(sizeof(names) / sizeof(names[0]) == static_cast<int>(Op::foreign) + 1);

}  // namespace

const char* name_of(Op op) { return names[static_cast<int>(op)]; }
bool is_elementwise_unary(Op op) { return op >= Op::neg && op <= Op::cast; }
bool is_elementwise_binary(Op op) { return op >= Op::add && op <= Op::complex_pair; }
bool is_relation(Op op) { return op >= Op::less && op <= Op::not_equal; }
std::size_t index_count(const Node& node) { return node.argument_count - (node.op == Op::update ? 2 : 1); }

bool is_reduction(Op op) { return op >= Op::sum && op <= Op::maximum; }

bool accepts(Op op, Scalar s) {
  bool number = s != Scalar::boolean;
  switch (op) {
    case Op::logical_not:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_xor: return s == Scalar::boolean;
    case Op::bit_not:
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::shift_left:
    case Op::shift_right: return is_integer(s);
    case Op::neg:
    case Op::abs:
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::pow:
    case Op::floor:
    case Op::ceil:
    case Op::round:
    case Op::trunc:
    case Op::sum:
    case Op::product: return number;
    case Op::mod:
    case Op::rem:
    case Op::sign: return number && s != Scalar::c128;
    case Op::min:
    case Op::max:
    case Op::less:
    case Op::less_equal:
    case Op::minimum:
    case Op::maximum: return s != Scalar::c128;
    case Op::equal:
    case Op::not_equal:
    case Op::cast:
    case Op::is_nan: return true;
    case Op::real:
    case Op::imag:
    case Op::conj:
    case Op::arg: return s == Scalar::c128;
    case Op::atan2:
    case Op::hypot:
    case Op::complex_pair: return s == Scalar::f64;
    default: return is_elementwise_unary(op) && is_floating(s);
  }
}

Scalar result_scalar(Op op, Scalar s) {
  if (is_relation(op) || op == Op::is_nan) return Scalar::boolean;
  if (op == Op::complex_pair) return Scalar::c128;
  if (op == Op::real || op == Op::imag || op == Op::arg) return Scalar::f64;
  if (op == Op::abs && s == Scalar::c128) return Scalar::f64;
  return s;
}

}  // namespace orrery::program
