// SPDX-License-Identifier: Apache-2.0
// Complex nodes as pairs of real ones.
#include "passes/split_complex.h"

#include <cmath>

#include "base/check.h"
#include "passes/rewrite_program.h"
#include "program/complex_formulas.h"
#include "program/expr.h"

namespace orrery::program {

template <>
struct RealMath<Expr> {
  static Expr sqrt(Expr x) { return apply(Op::sqrt, x); }
  static Expr exp(Expr x) { return apply(Op::exp, x); }
  static Expr log(Expr x) { return apply(Op::log, x); }
  static Expr log10(Expr x) { return apply(Op::log10, x); }
  static Expr sin(Expr x) { return apply(Op::sin, x); }
  static Expr cos(Expr x) { return apply(Op::cos, x); }
  static Expr tan(Expr x) { return apply(Op::tan, x); }
  static Expr sinh(Expr x) { return apply(Op::sinh, x); }
  static Expr cosh(Expr x) { return apply(Op::cosh, x); }
  static Expr tanh(Expr x) { return apply(Op::tanh, x); }
  static Expr fabs(Expr x) { return apply(Op::abs, x); }
  static Expr hypot(Expr x, Expr y) { return apply(Op::hypot, x, y); }
  static Expr atan2(Expr y, Expr x) { return apply(Op::atan2, y, x); }
  static Expr select(Expr condition, Expr a, Expr b) { return program::select(condition, a, b); }
  static Expr like(Expr x, double value) { return {x.graph(), x.graph()->constant(value)}; }
};

}  // namespace orrery::program

namespace orrery::passes {

using namespace program;

namespace {

using C = Complex<Expr>;
using Math = ComplexMath<Expr>;

C unary(Op op, const C& a) {
  return program::complex_function(op, a, [](Op part, const C& z) -> C {
    return {program::apply(part, z.re), program::apply(part, z.im)};
  });
}

C binary(Op op, const C& a, const C& b) {
  switch (op) {
    case Op::add: return Math::add(a, b);
    case Op::sub: return Math::sub(a, b);
    case Op::mul: return Math::mul(a, b);
    case Op::div: return Math::div(a, b);
    case Op::pow: return Math::pow(a, b);
    default: ORRERY_CHECK(false && "an operation on complex numbers"); return a;
  }
}

}  // namespace

ExprId ComplexSplit::apply(ExprId expression) {
  if (expression == no_expr) return no_expr;
  visit_arguments_first(
      graph_, expression, [&](ExprId id) { return memo_[id].re != no_expr; }, [&](ExprId id) { split(id); });
  Parts parts = memo_[expression];
  return parts.im == no_expr ? parts.re : graph_.binary(Op::complex_pair, parts.re, parts.im);
}

void ComplexSplit::split(ExprId id) {
  bool complex = graph_.type(id).scalar == Scalar::c128;
  bool from_complex = false;
  for (ExprId a : graph_.arguments(id)) from_complex = from_complex || graph_.type(a).scalar == Scalar::c128;
  if (complex)
    memo_.set(id, split_node(id));
  else if (from_complex && graph_[id].op != Op::foreign && graph_[id].op != Op::call)
    memo_.set(id, {to_real(id), no_expr});
  else
    memo_.set(id, {rebuild_real(id), no_expr});
}

// A node whose value is real; complex arguments (of foreign calls) are paired again.
ExprId ComplexSplit::rebuild_real(ExprId id) {
  std::vector<ExprId> arguments;
  bool changed = false;
  for (ExprId a : graph_.arguments(id)) arguments.push_back(a);
  for (ExprId& a : arguments) {
    Parts parts = memo_[a];
    ExprId value = parts.im == no_expr ? parts.re : graph_.binary(Op::complex_pair, parts.re, parts.im);
    changed = changed || value != a;
    a = value;
  }
  return changed ? graph_.rebuild(id, arguments) : id;
}

// A real or boolean result of complex arguments.
ExprId ComplexSplit::to_real(ExprId id) {
  Node node = graph_[id];
  auto arguments = graph_.arguments(id);
  Parts a = memo_[arguments[0]];
  Parts b = arguments.size() > 1 ? memo_[arguments[1]] : Parts{};
  ExprId zero = graph_.constant(0);
  switch (node.op) {
    case Op::real: return a.re;
    case Op::imag: return a.im;
    case Op::abs: return graph_.binary(Op::hypot, a.re, a.im);
    case Op::arg: return graph_.binary(Op::atan2, a.im, a.re);
    case Op::is_nan:
      return graph_.binary(Op::logical_or, graph_.unary(Op::is_nan, a.re), graph_.unary(Op::is_nan, a.im));
    case Op::equal:
      return graph_.binary(Op::logical_and, graph_.binary(Op::equal, a.re, b.re), graph_.binary(Op::equal, a.im, b.im));
    case Op::not_equal:
      return graph_.binary(Op::logical_or, graph_.binary(Op::not_equal, a.re, b.re),
                           graph_.binary(Op::not_equal, a.im, b.im));
    case Op::cast:
      if (node.type.scalar != Scalar::boolean) return graph_.cast(node.type.scalar, a.re);
      return graph_.binary(Op::logical_or, graph_.binary(Op::not_equal, a.re, zero),
                           graph_.binary(Op::not_equal, a.im, zero));
    default: ORRERY_CHECK(false && "a real result of complex numbers"); return no_expr;
  }
}

ComplexSplit::Parts ComplexSplit::split_node(ExprId id) {
  Node node = graph_[id];
  switch (node.op) {
    case Op::constant: return constant_parts(id);
    case Op::read:
    case Op::call:
    case Op::foreign: return leaf_parts(id);
    case Op::complex_pair: return {spread(id, 0), spread(id, 1)};
    case Op::cast: {
      ExprId re = graph_.cast(Scalar::f64, memo_[graph_.arguments(id)[0]].re);
      std::vector<double> zeros(static_cast<std::size_t>(node.type.size()));
      return {re, graph_.constant(node.type.with(Scalar::f64), zeros)};
    }
    case Op::element:
    case Op::stack:
    case Op::transpose:
    case Op::reshape:
    case Op::gather:
    case Op::update:
    case Op::concat:
    case Op::select:
    case Op::sum: return structure_parts(id);
    case Op::product:
    case Op::matmul: return product_parts(id);
    default: return function_parts(id);
  }
}

// A part of a complex_pair; a scalar one that stands for a matrix is spread by a select that always takes it.
ExprId ComplexSplit::spread(ExprId id, std::size_t part) {
  Type type = graph_.type(id).with(Scalar::f64);
  ExprId value = memo_[graph_.arguments(id)[part]].re;
  if (graph_.type(value) == type) return value;
  std::vector<double> ones(static_cast<std::size_t>(type.size()), 1);
  return graph_.select(graph_.constant(type.with(Scalar::boolean), ones), value, value);
}

ComplexSplit::Parts ComplexSplit::constant_parts(ExprId id) {
  Type type = graph_.type(id).with(Scalar::f64);
  std::vector<double> re;
  std::vector<double> im;
  std::span<const double> data = graph_.constant_data(id);
  for (std::size_t i = 0; i < data.size(); i += 2) {
    re.push_back(data[i]);
    im.push_back(data[i + 1]);
  }
  return {graph_.constant(type, re), graph_.constant(type, im)};
}

ComplexSplit::Parts ComplexSplit::leaf_parts(ExprId id) {
  ExprId leaf = rebuild_real(id);
  return {graph_.unary(Op::real, leaf), graph_.unary(Op::imag, leaf)};
}

// Operations that treat both parts alike.
ComplexSplit::Parts ComplexSplit::structure_parts(ExprId id) {
  Node node = graph_[id];
  std::vector<ExprId> arguments(graph_.arguments(id).begin(), graph_.arguments(id).end());
  std::vector<ExprId> re;
  std::vector<ExprId> im;
  for (ExprId a : arguments) {
    Parts parts = memo_[a];
    re.push_back(parts.re);
    im.push_back(parts.im == no_expr ? parts.re : parts.im);  // the condition of a select belongs to both
  }
  Type type = node.type.with(Scalar::f64);
  if (node.op == Op::stack) return {graph_.stack(type, re), graph_.stack(type, im)};
  if (node.op == Op::concat) return {graph_.concat(type, re), graph_.concat(type, im)};
  return {graph_.rebuild(id, re), graph_.rebuild(id, im)};
}

ComplexSplit::Parts ComplexSplit::product_parts(ExprId id) {
  Node node = graph_[id];
  Parts a = memo_[graph_.arguments(id)[0]];
  if (node.op == Op::matmul) {
    Parts b = memo_[graph_.arguments(id)[1]];
    ExprId re = graph_.binary(Op::sub, graph_.matmul(a.re, b.re), graph_.matmul(a.im, b.im));
    ExprId im = graph_.binary(Op::add, graph_.matmul(a.re, b.im), graph_.matmul(a.im, b.re));
    return {re, im};
  }
  std::int64_t size = graph_.type(a.re).size();
  if (size == 0) return {graph_.constant(1), graph_.constant(0)};
  auto element = [&](std::int64_t k) {
    return C{{&graph_, graph_.element(a.re, k)}, {&graph_, graph_.element(a.im, k)}};
  };
  C total = element(0);
  for (std::int64_t k = 1; k < size; ++k) total = Math::mul(total, element(k));
  return {total.re.id(), total.im.id()};
}

ComplexSplit::Parts ComplexSplit::function_parts(ExprId id) {
  Node node = graph_[id];
  auto arguments = graph_.arguments(id);
  auto pair = [&](Parts p) { return C{{&graph_, p.re}, {&graph_, p.im}}; };
  Parts first = memo_[arguments[0]];
  Parts second = node.argument_count > 1 ? memo_[arguments[1]] : Parts{};
  C result = node.argument_count > 1 ? binary(node.op, pair(first), pair(second)) : unary(node.op, pair(first));
  return {result.re.id(), result.im.id()};
}

void split_complex(Program& program) {
  ComplexSplit split(program.graph);
  rewrite_program(program, [&](ExprId id) { return split.apply(id); });
}

}  // namespace orrery::passes
