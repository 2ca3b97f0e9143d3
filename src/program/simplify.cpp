// SPDX-License-Identifier: Apache-2.0
// Simplification of nodes as they are made: only rewrites that keep every bit of the result.
//
// So x * 1, x - 0 and -(-x) go, while x + 0 (wrong for -0), 0 * x and x - x (wrong for NaN and Inf) stay for doubles.
// Constants fold through evaluate.h, whose functions and kernels are those of the generated code.
#include <algorithm>
#include <bit>
#include <vector>

#include "program/evaluate.h"
#include "program/graph.h"

namespace orrery::program {
namespace {

// Up to this size, taking an element of an element-wise operation on slots makes it an operation on elements.
constexpr std::int64_t small_size = 32;

bool is_rounding(Op op) { return op >= Op::floor && op <= Op::trunc; }

// Factorising a large constant matrix is left to run time: compiling should not take seconds.
constexpr std::int64_t largest_factorised = 64 * 64;

bool is_foldable(Op op, std::int64_t size) {
  if (op >= Op::solve && op <= Op::expm) return size <= largest_factorised;
  return op > Op::clock_active && op != Op::past && op != Op::call && op != Op::foreign;
}

}  // namespace

ExprId Graph::filled(Type type, double value) {
  if (type.is_scalar()) return constant(value, type.scalar);
  std::vector<double> data(static_cast<std::size_t>(type.size()), value);
  return constant(type, data);
}

bool Graph::is_exactly(ExprId id, double value) const {
  const Node& node = nodes_[id];
  if (node.op != Op::constant || node.type.scalar == Scalar::c128) return false;
  for (double x : constant_data(id)) {
    if (std::bit_cast<std::uint64_t>(x) != std::bit_cast<std::uint64_t>(value)) return false;
  }
  return true;
}

bool Graph::opposite(ExprId a, ExprId b) const {
  return (nodes_[a].op == Op::logical_not && arguments(a)[0] == b) ||
         (nodes_[b].op == Op::logical_not && arguments(b)[0] == a);
}

ExprId Graph::simplify(Op op, Type type, std::span<const ExprId> arguments, std::uint64_t payload) {
  if (op == Op::element) return simplify_element(arguments[0], payload);
  if (op == Op::gather) {
    if (ExprId id = simplify_gather(arguments); id != no_expr) return id;
  }
  if (op == Op::update) {
    if (ExprId id = simplify_update(arguments); id != no_expr) return id;
  }
  if (ExprId id = fold_constants(op, type, arguments, payload); id != no_expr) return id;
  if (op == Op::stack) return simplify_stack(type, arguments);
  if (op == Op::concat) return simplify_concat(type, arguments);
  if (op >= Op::gather) return no_expr;
  if (op == Op::select) return simplify_select(type, arguments[0], arguments[1], arguments[2]);
  if (is_elementwise_binary(op)) return simplify_binary(op, type, arguments[0], arguments[1]);
  if (op == Op::cast) return simplify_cast(type, arguments[0]);
  if (arguments.size() == 1) return simplify_unary(op, type, arguments[0]);
  return no_expr;
}

ExprId Graph::fold_constants(Op op, Type type, std::span<const ExprId> arguments, std::uint64_t payload) {
  if (!is_foldable(op, arguments.empty() ? 0 : nodes_[arguments[0]].type.size())) return no_expr;
  for (ExprId a : arguments) {
    if (nodes_[a].op != Op::constant) return no_expr;
  }
  if (op == Op::gather || op == Op::update) {  // an index outside stays an error of the run
    const std::vector<ExprId> all(arguments.begin(), arguments.end());
    const auto indices = std::span(all).subspan(1, all.size() - (op == Op::update ? 2 : 1));
    std::int64_t count = 0;
    for (const ExprId id : indices) count = std::max(count, nodes_[id].type.size());
    for (std::int64_t k = 0; k < count; ++k) {
      if (constant_position(all[0], indices, k) < 0) return no_expr;
    }
  }
  std::vector<Operand> operands;
  operands.reserve(arguments.size());
  for (ExprId a : arguments) operands.push_back({nodes_[a].type, constant_data(a)});
  std::vector<double> result(static_cast<std::size_t>(type.size()) * (type.scalar == Scalar::c128 ? 2 : 1));
  evaluate_operation(op, type, payload, operands, result);
  return constant(type, result);
}

ExprId Graph::simplify_unary(Op op, Type type, ExprId a) {
  Node inner = nodes_[a];
  ExprId below = inner.argument_count > 0 ? arguments_[inner.first_argument] : no_expr;
  switch (op) {
    case Op::neg:
      if (inner.op == op && is_floating(type.scalar)) return below;
      break;
    case Op::bit_not:
    case Op::conj:
      if (inner.op == op) return below;
      break;
    case Op::logical_not:
      if (inner.op == op) return below;
      if (inner.op == Op::equal || inner.op == Op::not_equal) {
        return binary(inner.op == Op::equal ? Op::not_equal : Op::equal, below, arguments_[inner.first_argument + 1]);
      }
      break;
    case Op::abs:
      if (inner.op == Op::abs && inner.type.scalar == type.scalar) return a;
      if (inner.op == Op::neg && is_floating(inner.type.scalar)) return unary(Op::abs, below);
      break;
    case Op::floor:
    case Op::ceil:
    case Op::round:
    case Op::trunc:
      if (is_integer(type.scalar) || is_rounding(inner.op)) return a;
      break;
    case Op::real:
      if (inner.op == Op::complex_pair && nodes_[below].type == type) return below;
      if (inner.op == Op::cast) return cast(Scalar::f64, below);
      break;
    case Op::imag:
      if (inner.op == Op::complex_pair && nodes_[arguments_[inner.first_argument + 1]].type == type) {
        return arguments_[inner.first_argument + 1];
      }
      if (inner.op == Op::cast) return filled(type, 0);
      break;
    case Op::is_nan:
      if (!is_floating(inner.type.scalar)) return filled(type, 0);
      break;
    case Op::transpose:
      if (inner.op == Op::transpose) return below;
      if (type.rows == 1 || type.cols == 1) return reshape(a, type.rows, type.cols);
      break;
    case Op::reshape:
      if (inner.op == Op::reshape) return reshape(below, type.rows, type.cols);
      break;
    default: break;
  }
  return no_expr;
}

ExprId Graph::simplify_cast(Type type, ExprId a) {
  if (nodes_[a].op != Op::cast) return no_expr;
  ExprId below = arguments(a)[0];
  Scalar from = nodes_[below].type.scalar;
  Scalar middle = nodes_[a].type.scalar;
  // The inner cast must have kept the value: it widened.
  bool widened = from == Scalar::boolean || (is_integer(from) && is_floating(middle)) ||
                 (from == Scalar::f64 && middle == Scalar::c128);
  if (!widened) return no_expr;
  if (type.scalar == from) return below;
  if (from == Scalar::boolean || is_floating(type.scalar)) return cast(type.scalar, below);
  return no_expr;
}

ExprId Graph::simplify_binary(Op op, Type type, ExprId a, ExprId b) {
  if (is_relation(op)) return simplify_relation(op, type, a, b);
  if ((op == Op::min || op == Op::max) && a == b) return a;
  Scalar scalar = nodes_[a].type.scalar;
  if (scalar == Scalar::boolean) return simplify_logic(op, type, a, b);
  if (op == Op::complex_pair || scalar == Scalar::c128) return no_expr;
  if (scalar != Scalar::f64) return simplify_integer(op, type, a, b);  // signs do not cancel at the limits of integers
  if ((op == Op::mul || op == Op::div) && nodes_[a].op == Op::neg && nodes_[b].op == Op::neg) {
    return binary(op, arguments(a)[0], arguments(b)[0]);
  }
  if (op == Op::add && nodes_[b].op == Op::neg) return binary(Op::sub, a, arguments(b)[0]);
  if (op == Op::add && nodes_[a].op == Op::neg) return binary(Op::sub, b, arguments(a)[0]);
  if (op == Op::sub && nodes_[b].op == Op::neg) return binary(Op::add, a, arguments(b)[0]);
  return simplify_double(op, type, a, b);
}

ExprId Graph::simplify_double(Op op, Type type, ExprId a, ExprId b) {
  bool keeps_a = nodes_[a].type == type;
  bool keeps_b = nodes_[b].type == type;
  switch (op) {
    case Op::add:
      if (keeps_a && is_exactly(b, -0.0)) return a;
      if (keeps_b && is_exactly(a, -0.0)) return b;
      break;
    case Op::sub:
      if (keeps_a && is_exactly(b, 0.0)) return a;
      if (keeps_b && is_exactly(a, -0.0)) return unary(Op::neg, b);
      break;
    case Op::mul:
      if (keeps_a && is_exactly(b, 1)) return a;
      if (keeps_b && is_exactly(a, 1)) return b;
      if (keeps_a && is_exactly(b, -1)) return unary(Op::neg, a);
      if (keeps_b && is_exactly(a, -1)) return unary(Op::neg, b);
      break;
    case Op::div:
      if (keeps_a && is_exactly(b, 1)) return a;
      if (keeps_a && is_exactly(b, -1)) return unary(Op::neg, a);
      break;
    case Op::pow:
      if (keeps_a && is_exactly(b, 1)) return a;
      if (keeps_a && is_exactly(b, 2)) return binary(Op::mul, a, a);
      if (is_constant(b, 0)) return filled(type, 1);
      break;
    default: break;
  }
  return no_expr;
}

ExprId Graph::simplify_integer(Op op, Type type, ExprId a, ExprId b) {
  bool keeps_a = nodes_[a].type == type;
  bool keeps_b = nodes_[b].type == type;
  bool zero_a = is_constant(a, 0);
  bool zero_b = is_constant(b, 0);
  switch (op) {
    case Op::add:
    case Op::bit_or:
    case Op::bit_xor:
      if (keeps_a && zero_b) return a;
      if (keeps_b && zero_a) return b;
      break;
    case Op::sub:
    case Op::shift_left:
    case Op::shift_right:
      if (keeps_a && zero_b) return a;
      if (op == Op::sub && a == b) return filled(type, 0);
      break;
    case Op::mul:
      if (zero_a || zero_b) return filled(type, 0);
      if (keeps_a && is_constant(b, 1)) return a;
      if (keeps_b && is_constant(a, 1)) return b;
      break;
    case Op::div:
    case Op::pow:
      if (keeps_a && is_constant(b, 1)) return a;
      if (op == Op::pow && keeps_a && is_constant(b, 2)) return binary(Op::mul, a, a);
      break;
    case Op::bit_and:
      if (zero_a || zero_b) return filled(type, 0);
      if (a == b) return a;
      break;
    default: break;
  }
  return no_expr;
}

ExprId Graph::simplify_logic(Op op, Type type, ExprId a, ExprId b) {
  if (op == Op::logical_xor) {
    if (a == b) return filled(type, 0);
    if (nodes_[a].type == type && is_constant(b, 0)) return a;
    if (nodes_[b].type == type && is_constant(a, 0)) return b;
    if (nodes_[a].type == type && is_constant(b, 1)) return unary(Op::logical_not, a);
    if (nodes_[b].type == type && is_constant(a, 1)) return unary(Op::logical_not, b);
    return no_expr;
  }
  if (op != Op::logical_and && op != Op::logical_or) return no_expr;
  double neutral = op == Op::logical_and ? 1 : 0;
  double decides = 1 - neutral;
  if (a == b) return a;
  if (nodes_[a].type == type && is_constant(b, neutral)) return a;
  if (nodes_[b].type == type && is_constant(a, neutral)) return b;
  if (is_constant(a, decides) || is_constant(b, decides) || opposite(a, b)) return filled(type, decides);
  // a && (a && b) is the inner one, a && (a || b) is a.
  for (auto [one, other] : {std::pair{a, b}, std::pair{b, a}}) {
    Op inner = nodes_[other].op;
    if (inner != Op::logical_and && inner != Op::logical_or) continue;
    if (arguments(other)[0] != one && arguments(other)[1] != one) continue;
    ExprId result = inner == op ? other : one;
    if (nodes_[result].type == type) return result;
  }
  return no_expr;
}

ExprId Graph::simplify_relation(Op op, Type type, ExprId a, ExprId b) {
  Scalar scalar = nodes_[a].type.scalar;
  if (a == b) {
    if (op == Op::less) return filled(type, 0);
    if (!is_floating(scalar)) return filled(type, op == Op::not_equal ? 0 : 1);
  }
  // A boolean, possibly widened, against a constant: the relation is a constant, the boolean, or its negation.
  bool constant_first = nodes_[a].op == Op::constant;
  ExprId fixed = constant_first ? a : b;
  ExprId other = constant_first ? b : a;
  if (nodes_[fixed].op != Op::constant || !nodes_[fixed].type.is_scalar() || scalar == Scalar::c128) return no_expr;
  if (nodes_[other].op == Op::cast) other = arguments(other)[0];
  if (nodes_[other].type != type) return no_expr;  // relations are boolean, so `other` is one
  double c = constant_data(fixed)[0];
  auto holds = [&](double x) {
    return constant_first ? evaluate_binary(op, scalar, c, x) : evaluate_binary(op, scalar, x, c);
  };
  double at_false = holds(0);
  double at_true = holds(1);
  if (at_false == at_true) return filled(type, at_true);
  return at_true != 0 ? other : unary(Op::logical_not, other);
}

ExprId Graph::simplify_select(Type type, ExprId condition, ExprId if_true, ExprId if_false) {
  bool keeps_true = nodes_[if_true].type == type;
  bool keeps_false = nodes_[if_false].type == type;
  if (keeps_true && (if_true == if_false || is_constant(condition, 1))) return if_true;
  if (keeps_false && is_constant(condition, 0)) return if_false;
  if (nodes_[condition].op == Op::logical_not) return select(arguments(condition)[0], if_false, if_true);
  if (type == nodes_[condition].type) {
    if (is_constant(if_true, 1) && is_constant(if_false, 0)) return condition;
    if (is_constant(if_true, 0) && is_constant(if_false, 1)) return unary(Op::logical_not, condition);
  }
  // A branch that asks the same question again already knows the answer.
  if (nodes_[if_true].op == Op::select && arguments(if_true)[0] == condition && keeps_true) {
    ExprId inner = arguments(if_true)[1];
    if (nodes_[inner].type == type) return select(condition, inner, if_false);
  }
  if (nodes_[if_false].op == Op::select && arguments(if_false)[0] == condition && keeps_false) {
    ExprId inner = arguments(if_false)[2];
    if (nodes_[inner].type == type) return select(condition, if_true, inner);
  }
  return no_expr;
}

ExprId Graph::simplify_element(ExprId a, std::uint64_t index) {
  ExprId source = a;
  while (nodes_[source].op == Op::reshape || nodes_[source].op == Op::transpose) {
    if (nodes_[source].op == Op::transpose) {
      auto rows = static_cast<std::uint64_t>(nodes_[source].type.rows);
      index = index % rows * static_cast<std::uint64_t>(nodes_[source].type.cols) + index / rows;
    }
    source = arguments(source)[0];
  }
  auto k = static_cast<std::int64_t>(index);
  Node node = nodes_[source];
  if (node.op == Op::stack) return arguments(source)[index];
  if (node.op == Op::constant) {
    std::size_t width = node.type.scalar == Scalar::c128 ? 2 : 1;
    return constant(node.type.element(), constant_data(source).subspan(index * width, width));
  }
  if (node.op == Op::gather || node.op == Op::update || node.op == Op::concat) {
    if (ExprId id = moved_element(source, k); id != no_expr) return id;
  }
  bool elementwise = is_elementwise_unary(node.op) || is_elementwise_binary(node.op) || node.op == Op::select;
  for (std::uint32_t i = 0; elementwise && i < node.argument_count; ++i) {
    const Node& argument = nodes_[arguments_[node.first_argument + i]];
    bool small_leaf = argument.op == Op::read && argument.type.size() <= small_size;
    elementwise = argument.type.is_scalar() || argument.op == Op::stack || argument.op == Op::constant || small_leaf;
  }
  if (elementwise) {
    ExprId elements[3] = {};
    for (std::uint32_t i = 0; i < node.argument_count; ++i) {
      ExprId argument = arguments_[node.first_argument + i];
      elements[i] = nodes_[argument].type.is_scalar() ? argument : element(argument, k);
    }
    return rebuild(source, {elements, node.argument_count});
  }
  return source == a ? no_expr : element(source, k);
}

ExprId Graph::simplify_stack(Type type, std::span<const ExprId> scalars) {
  // The elements of one matrix in their order are that matrix.
  if (scalars.empty() || nodes_[scalars[0]].op != Op::element) return no_expr;
  ExprId source = arguments(scalars[0])[0];
  if (nodes_[source].type.size() != type.size()) return no_expr;
  for (std::size_t k = 0; k < scalars.size(); ++k) {
    const Node& node = nodes_[scalars[k]];
    if (node.op != Op::element || arguments_[node.first_argument] != source || node.payload != k) return no_expr;
  }
  return reshape(source, type.rows, type.cols);
}

}  // namespace orrery::program
