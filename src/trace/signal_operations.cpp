// SPDX-License-Identifier: Apache-2.0
// Operators on expressions. Integers are computed as OML does: in doubles, then rounded and saturated.
#include "trace/signal_operations.h"

#include <fmt/format.h>

#include <cmath>

#include "oml/error.h"

namespace orrery::trace {
namespace {

using oml::BinaryOp;
using program::Expr;
using program::Graph;
using program::is_integer;
using program::Op;
using program::Scalar;
using program::Type;

Expr as_double(Expr a) { return is_integer(a.scalar_type()) ? a.as(Scalar::f64) : number_like(a); }

// The integer type of an operation with an integer operand.
Scalar common_integer(Expr a, Expr b) {
  const Scalar left = a.scalar_type(), right = b.scalar_type();
  if (is_integer(left) && is_integer(right) && left != right) {
    oml::fail(fmt::format("{} and {} do not mix; convert one of them", name_of(left), name_of(right)));
  }
  return is_integer(left) ? left : right;
}

Expr relation(BinaryOp op, Expr a, Expr b) {
  switch (op) {
    case BinaryOp::less: return a < b;
    case BinaryOp::less_equal: return a <= b;
    case BinaryOp::greater: return a > b;
    case BinaryOp::greater_equal: return a >= b;
    case BinaryOp::equal: return a == b;
    default: return a != b;
  }
}

// An integer constant where it can be one: relations between integers need no crossing to be located.
Expr matching_constant(Expr a, Scalar integer) {
  Graph& g = *a.graph();
  if (a.scalar_type() != Scalar::f64 || !g.is_constant(a.id())) return a;
  for (const double x : g.constant_data(a.id())) {
    if (x != std::floor(x) || x < lowest_value(integer) || x > highest_value(integer)) return a;
  }
  return a.as(integer);
}

Expr arithmetic(BinaryOp op, Expr a, Expr b) {
  switch (op) {
    case BinaryOp::add: return a + b;
    case BinaryOp::subtract: return a - b;
    case BinaryOp::times: return a * b;
    case BinaryOp::divide: return a / b;
    case BinaryOp::left_divide: return b / a;
    case BinaryOp::power: return apply(Op::pow, a, b);
    default: break;
  }
  oml::fail(fmt::format("{} does not work on signals", symbol_of(op)));
}

Expr elementwise(BinaryOp op, Expr a, Expr b) {
  check_sizes(a, b, symbol_of(op));
  if (op == BinaryOp::logical_and) return a && b;
  if (op == BinaryOp::logical_or) return a || b;
  if (op >= BinaryOp::less && op <= BinaryOp::not_equal) {
    if (is_integer(a.scalar_type())) b = matching_constant(b, a.scalar_type());
    if (is_integer(b.scalar_type())) a = matching_constant(a, b.scalar_type());
    return relation(op, a, b);
  }
  return arithmetic(op, number_like(a), number_like(b));
}

Expr product(Expr a, Expr b) {
  if (a.type().is_scalar() || b.type().is_scalar()) return a * b;
  if (a.cols() != b.rows()) {
    oml::fail(fmt::format("sizes {}x{} and {}x{} do not fit for *", a.rows(), a.cols(), b.rows(), b.cols()));
  }
  return matmul(a, b);
}

Expr solve_left(Expr a, Expr b) {
  if (a.type().is_scalar()) return b / a;
  if (a.rows() != a.cols() || a.rows() != b.rows()) {
    oml::fail(fmt::format("sizes {}x{} and {}x{} do not fit: only square systems can be solved for signals", a.rows(),
                          a.cols(), b.rows(), b.cols()));
  }
  if (a.scalar_type() == Scalar::c128 || b.scalar_type() == Scalar::c128) {
    oml::fail("systems with complex signals cannot be solved");
  }
  return {a.graph(), a.graph()->solve(a.id(), b.id())};
}

Expr identity(Graph& g, std::int32_t n) {
  std::vector<double> data(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 0.0);
  for (std::int32_t k = 0; k < n; ++k) data[static_cast<std::size_t>(k) * static_cast<std::size_t>(n + 1)] = 1;
  return {&g, g.constant(Type{Scalar::f64, n, n}, data)};
}

Expr matrix_power(Expr a, Expr b) {
  if (a.type().is_scalar() && b.type().is_scalar()) return apply(Op::pow, a, b);
  Graph& g = *a.graph();
  if (!b.type().is_scalar() || !g.is_constant(b.id()) || a.rows() != a.cols()) {
    oml::fail("a matrix can only be raised to a constant whole power; element by element use .^");
  }
  double exponent = g.constant_data(b.id())[0];
  if (exponent != std::floor(exponent) || std::fabs(exponent) > 1024) {
    oml::fail("the power of a matrix must be a whole number of at most 1024");
  }
  Expr square = exponent < 0 ? Expr{&g, g.unary(Op::inverse, a.id())} : a;
  Expr result;
  for (auto rest = static_cast<int>(std::fabs(exponent)); rest > 0; rest /= 2) {
    if (rest % 2 != 0) result = result ? matmul(result, square) : square;
    if (rest > 1) square = matmul(square, square);
  }
  return result ? result : identity(g, a.rows());
}

Expr whole_matrix(BinaryOp op, Expr a, Expr b) {
  switch (op) {
    case BinaryOp::matrix_times: return product(a, b);
    case BinaryOp::matrix_left_divide: return solve_left(a, b);
    case BinaryOp::matrix_divide:
      return b.type().is_scalar() ? a / b : transpose(solve_left(transpose(b), transpose(a)));
    default: return matrix_power(a, b);
  }
}

bool is_whole_matrix(BinaryOp op) {
  return op == BinaryOp::matrix_times || op == BinaryOp::matrix_divide || op == BinaryOp::matrix_left_divide ||
         op == BinaryOp::matrix_power;
}

bool gives_boolean(BinaryOp op) { return op >= BinaryOp::less && op <= BinaryOp::logical_or; }

}  // namespace

Expr number_like(Expr a) { return a.scalar_type() == Scalar::boolean ? a.as(Scalar::f64) : a; }

void check_sizes(Expr a, Expr b, std::string_view operation) {
  if (a.type().is_scalar() || b.type().is_scalar()) return;
  if (a.rows() == b.rows() && a.cols() == b.cols()) return;
  oml::fail(fmt::format("sizes {}x{} and {}x{} do not fit for {}", a.rows(), a.cols(), b.rows(), b.cols(), operation));
}

Expr filled(Expr a, Type type) {
  if (!a.type().is_scalar() || type.is_scalar()) return a;
  return stack(type.with(a.scalar_type()), std::vector<Expr>(static_cast<std::size_t>(type.size()), a));
}

Expr apply_operator(BinaryOp op, Expr a, Expr b) {
  const bool integers = is_integer(a.scalar_type()) || is_integer(b.scalar_type());
  if (integers && !gives_boolean(op)) {
    const Scalar integer = common_integer(a, b);
    const Expr x = as_double(a), y = as_double(b);
    return convert(is_whole_matrix(op) ? whole_matrix(op, x, y) : elementwise(op, x, y), integer);
  }
  return is_whole_matrix(op) ? whole_matrix(op, number_like(a), number_like(b)) : elementwise(op, a, b);
}

Expr apply_operator(oml::UnaryOp op, Expr a) {
  switch (op) {
    case oml::UnaryOp::minus:
      return is_integer(a.scalar_type()) ? convert(-a.as(Scalar::f64), a.scalar_type()) : -number_like(a);
    case oml::UnaryOp::logical_not: return !a;
    case oml::UnaryOp::transpose: return transpose(a);
    case oml::UnaryOp::conjugate_transpose: return transpose(a.scalar_type() == Scalar::c128 ? apply(Op::conj, a) : a);
    default: return a;
  }
}

Expr choose(Expr condition, Expr yes, Expr no) {
  check_sizes(condition, yes, "If_exp");
  check_sizes(condition, no, "If_exp");
  check_sizes(yes, no, "If_exp");
  Type type = condition.type();
  if (type.is_scalar()) type = yes.type().is_scalar() ? no.type() : yes.type();
  return select(to_boolean(condition), filled(number_like(yes), type), filled(number_like(no), type));
}

Expr convert(Expr a, Scalar scalar) {
  if (a.scalar_type() == scalar) return a;
  if (scalar == Scalar::boolean) return to_boolean(a);
  if (a.scalar_type() == Scalar::c128) oml::fail("a complex signal cannot be converted; take its real part first");
  if (!is_integer(scalar)) return a.as(scalar);
  // By way of doubles, which hold all these integers: a cast between integers would wrap around.
  return apply(Op::round, a.as(Scalar::f64)).as(scalar);
}

}  // namespace orrery::trace
