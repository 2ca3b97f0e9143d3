// SPDX-License-Identifier: Apache-2.0
// Operators of expressions: promotion of element types, then the checked constructors of Graph.
#include "program/expr.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace orrery::program {
namespace {

Expr wrap(Expr like, ExprId id) { return {like.graph(), id}; }

// A number takes the element type of the expression it meets when that type holds it exactly; else it is a double.
Expr number(double value, Expr like) {
  Scalar scalar = like.scalar_type();
  bool exact = is_floating(scalar);
  if (!exact) {
    exact = value == std::trunc(value) && value >= lowest_value(scalar) && value <= highest_value(scalar);
  }
  return {like.graph(), like.graph()->constant(value, exact ? scalar : Scalar::f64)};
}

// What the operands of an element-wise operation are converted to, from what they promote to.
Scalar operand_scalar(Op op, Scalar s) {
  if (accepts(op, s)) return s;
  if (op == Op::logical_not || op == Op::logical_and || op == Op::logical_or || op == Op::logical_xor) {
    return Scalar::boolean;
  }
  if (op == Op::real || op == Op::imag || op == Op::conj || op == Op::arg) return Scalar::c128;
  ORRERY_CHECK(accepts(op, Scalar::f64) && s != Scalar::c128);
  return Scalar::f64;
}

// Bit operations on booleans are the logical ones.
Op logical_counterpart(Op op) {
  switch (op) {
    case Op::bit_not: return Op::logical_not;
    case Op::bit_and: return Op::logical_and;
    case Op::bit_or: return Op::logical_or;
    case Op::bit_xor: return Op::logical_xor;
    default: return op;
  }
}

Expr convert(Expr a, Scalar to) { return to == Scalar::boolean ? to_boolean(a) : a.as(to); }

}  // namespace

Scalar promote(Scalar a, Scalar b) {
  if (a == b || b == Scalar::boolean) return a;
  if (a == Scalar::boolean) return b;
  if (a == Scalar::c128 || b == Scalar::c128) return Scalar::c128;
  if (a == Scalar::f64 || b == Scalar::f64) return Scalar::f64;
  if (byte_size(a) != byte_size(b)) return byte_size(a) > byte_size(b) ? a : b;
  return lowest_value(a) < 0 ? b : a;  // equal widths: the unsigned one, as in C
}

Expr to_boolean(Expr a) {
  if (a.scalar_type() == Scalar::boolean) return a;
  Graph& graph = *a.graph();
  return wrap(a, graph.binary(Op::not_equal, a.id(), graph.constant(0, a.scalar_type())));
}

Expr apply(Op op, Expr a) {
  if (op == Op::transpose || is_reduction(op) || op == Op::inverse || op == Op::determinant || op == Op::expm) {
    if (!is_reduction(op) && op != Op::transpose) a = a.as(Scalar::f64);
    if ((op == Op::sum || op == Op::product) && a.scalar_type() == Scalar::boolean) a = a.as(Scalar::f64);
    return wrap(a, a.graph()->unary(op, a.id()));
  }
  if (a.scalar_type() == Scalar::boolean) op = logical_counterpart(op);
  a = convert(a, operand_scalar(op, a.scalar_type()));
  return wrap(a, a.graph()->unary(op, a.id()));
}

Expr apply(Op op, Expr a, Expr b) {
  if (op == Op::matmul) return matmul(a, b);
  if (op == Op::solve) {
    a = a.as(Scalar::f64);
    b = b.as(Scalar::f64);
    return wrap(a, a.graph()->solve(a.id(), b.id()));
  }
  Scalar common = promote(a.scalar_type(), b.scalar_type());
  if (common == Scalar::boolean) op = logical_counterpart(op);
  Scalar scalar = operand_scalar(op, common);
  a = convert(a, scalar);
  b = convert(b, scalar);
  return wrap(a, a.graph()->binary(op, a.id(), b.id()));
}

Expr select(Expr condition, Expr if_true, Expr if_false) {
  Scalar scalar = promote(if_true.scalar_type(), if_false.scalar_type());
  return wrap(condition,
              condition.graph()->select(to_boolean(condition).id(), if_true.as(scalar).id(), if_false.as(scalar).id()));
}

Expr matmul(Expr a, Expr b) {
  if (a.type().is_scalar() || b.type().is_scalar()) return apply(Op::mul, a, b);
  Scalar scalar = promote(a.scalar_type(), b.scalar_type());
  if (!is_floating(scalar)) scalar = Scalar::f64;
  return wrap(a, a.graph()->matmul(a.as(scalar).id(), b.as(scalar).id()));
}

Expr transpose(Expr a) { return wrap(a, a.graph()->transpose(a.id())); }
Expr sum(Expr a) { return apply(Op::sum, a); }

Expr stack(std::span<const Expr> scalars) {
  ORRERY_CHECK(!scalars.empty());
  Scalar scalar = scalars[0].scalar_type();
  for (Expr e : scalars) scalar = promote(scalar, e.scalar_type());
  return stack(Type{scalar, static_cast<std::int32_t>(scalars.size()), 1}, scalars);
}

Expr stack(Type type, std::span<const Expr> scalars) {
  ORRERY_CHECK(!scalars.empty());
  std::vector<ExprId> ids;
  ids.reserve(scalars.size());
  for (Expr e : scalars) ids.push_back(convert(e, type.scalar).id());
  return wrap(scalars[0], scalars[0].graph()->stack(type, ids));
}

Expr gather(Expr a, Expr index, std::uint32_t site) {
  return wrap(a, a.graph()->gather(a.id(), convert(index, Scalar::i32).id(), site));
}

Expr gather_at(Expr a, Expr row, Expr col, std::uint32_t site) {
  return wrap(a, a.graph()->gather_at(a.id(), convert(row, Scalar::i32).id(), convert(col, Scalar::i32).id(), site));
}

Expr update(Expr a, Expr index, Expr value, std::uint32_t site) {
  const ExprId at = convert(index, Scalar::i32).id();
  return wrap(a, a.graph()->update(a.id(), at, convert(value, a.scalar_type()).id(), site));
}

Expr concat(Type type, std::span<const Expr> parts) {
  ORRERY_CHECK(!parts.empty());
  std::vector<ExprId> ids;
  for (const Expr part : parts) ids.push_back(convert(part, type.scalar).id());
  return wrap(parts[0], parts[0].graph()->concat(type, ids));
}

Expr search(Expr knots, Expr x) {
  return wrap(x, x.graph()->search(convert(knots, Scalar::f64).id(), convert(x, Scalar::f64).id()));
}

Expr piece_of(Expr knots, Expr x) {
  const Expr piece = search(knots, x) - 1.0;
  const auto last = static_cast<double>(std::max<std::int64_t>(knots.size() - 2, 0));
  return max(min(piece, number(last, piece)), number(0, piece));
}

Expr min(Expr a, Expr b) { return apply(Op::min, a, b); }
Expr max(Expr a, Expr b) { return apply(Op::max, a, b); }

Expr operator+(Expr a, Expr b) { return apply(Op::add, a, b); }
Expr operator-(Expr a, Expr b) { return apply(Op::sub, a, b); }
Expr operator*(Expr a, Expr b) { return apply(Op::mul, a, b); }
Expr operator/(Expr a, Expr b) { return apply(Op::div, a, b); }
Expr operator-(Expr a) { return apply(Op::neg, a); }
Expr operator<(Expr a, Expr b) { return apply(Op::less, a, b); }
Expr operator<=(Expr a, Expr b) { return apply(Op::less_equal, a, b); }
Expr operator>(Expr a, Expr b) { return apply(Op::less, b, a); }
Expr operator>=(Expr a, Expr b) { return apply(Op::less_equal, b, a); }
Expr operator==(Expr a, Expr b) { return apply(Op::equal, a, b); }
Expr operator!=(Expr a, Expr b) { return apply(Op::not_equal, a, b); }
Expr operator&&(Expr a, Expr b) { return apply(Op::logical_and, to_boolean(a), to_boolean(b)); }
Expr operator||(Expr a, Expr b) { return apply(Op::logical_or, to_boolean(a), to_boolean(b)); }
Expr operator!(Expr a) { return apply(Op::logical_not, a); }
Expr operator&(Expr a, Expr b) { return apply(Op::bit_and, a, b); }
Expr operator|(Expr a, Expr b) { return apply(Op::bit_or, a, b); }
Expr operator^(Expr a, Expr b) { return apply(Op::bit_xor, a, b); }
Expr operator<<(Expr a, int bits) {
  return wrap(a, a.graph()->binary(Op::shift_left, a.id(), a.graph()->constant(bits, a.scalar_type())));
}
Expr operator>>(Expr a, int bits) {
  return wrap(a, a.graph()->binary(Op::shift_right, a.id(), a.graph()->constant(bits, a.scalar_type())));
}

Expr operator+(Expr a, double b) { return a + number(b, a); }
Expr operator+(double a, Expr b) { return number(a, b) + b; }
Expr operator-(Expr a, double b) { return a - number(b, a); }
Expr operator-(double a, Expr b) { return number(a, b) - b; }
Expr operator*(Expr a, double b) { return a * number(b, a); }
Expr operator*(double a, Expr b) { return number(a, b) * b; }
Expr operator/(Expr a, double b) { return a / number(b, a); }
Expr operator/(double a, Expr b) { return number(a, b) / b; }
Expr operator<(Expr a, double b) { return a < number(b, a); }
Expr operator<=(Expr a, double b) { return a <= number(b, a); }
Expr operator>(Expr a, double b) { return a > number(b, a); }
Expr operator>=(Expr a, double b) { return a >= number(b, a); }
Expr operator==(Expr a, double b) { return a == number(b, a); }
Expr operator!=(Expr a, double b) { return a != number(b, a); }

}  // namespace orrery::program
