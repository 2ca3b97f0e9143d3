// SPDX-License-Identifier: Apache-2.0
// One rule for each structure; element-wise operations by the rules of local_partials.h on whole matrices.
#include "passes/tangents.h"

#include <algorithm>

#include "passes/differentiate_function.h"
#include "passes/local_partials.h"
#include "program/function.h"

namespace orrery::passes {

using namespace program;

ExprId Tangents::of(ExprId expression) {
  visit_arguments_first(
      graph_, expression, [&](ExprId id) { return memo_[id].known; },
      [&](ExprId id) {
        memo_.set(id, Tangent{tangent(id), true});
      });
  return memo_[expression].value;
}

ExprId Tangents::zeros(Type type) {
  return graph_.constant(type, std::vector<double>(static_cast<std::size_t>(type.size())));
}

ExprId Tangents::or_zeros(ExprId argument) {
  const ExprId value = memo_[argument].value;
  return value == no_expr ? zeros(graph_.type(argument)) : value;
}

ExprId Tangents::plus(ExprId a, ExprId b) {
  if (a == no_expr || b == no_expr) return a == no_expr ? b : a;
  return graph_.binary(Op::add, a, b);
}

ExprId Tangents::tangent(ExprId id) {
  const Node node = graph_[id];
  if (node.op == Op::read) return node.type.scalar == Scalar::f64 ? of_read_(id) : no_expr;
  const std::vector<ExprId> arguments(graph_.arguments(id).begin(), graph_.arguments(id).end());
  const auto moves = [&](ExprId a) { return memo_[a].value != no_expr; };
  if (std::ranges::none_of(arguments, moves)) return no_expr;
  if (node.type.scalar != Scalar::f64) {
    complete_ = complete_ && node.type.scalar != Scalar::c128;
    return no_expr;
  }
  switch (node.op) {
    case Op::element:
    case Op::stack:
    case Op::transpose:
    case Op::reshape:
    case Op::sum:
    case Op::gather:
    case Op::update:
    case Op::concat: return structure(id);
    case Op::matmul:
    case Op::solve:
    case Op::inverse: return product(id);
    case Op::call: return call(id);
    default: break;
  }
  const bool elementwise = is_elementwise_unary(node.op) || is_elementwise_binary(node.op) || node.op == Op::select;
  return elementwise ? by_partials(id, whole_node) : by_elements(id);
}

// What moves elements about moves their tangents; indices stay as they are.
ExprId Tangents::structure(ExprId id) {
  std::vector<ExprId> arguments(graph_.arguments(id).begin(), graph_.arguments(id).end());
  for (ExprId& a : arguments) {
    if (graph_.type(a).scalar == Scalar::f64) a = or_zeros(a);
  }
  return graph_.rebuild(id, arguments);
}

ExprId Tangents::product(ExprId id) {
  const Node node = graph_[id];
  const ExprId a = graph_.arguments(id)[0], da = memo_[a].value;
  if (node.op == Op::inverse) return graph_.unary(Op::neg, graph_.matmul(graph_.matmul(id, da), id));
  const ExprId b = graph_.arguments(id)[1], db = memo_[b].value;
  if (node.op == Op::matmul) {
    return plus(da == no_expr ? no_expr : graph_.matmul(da, b), db == no_expr ? no_expr : graph_.matmul(a, db));
  }
  ExprId right = db;
  if (da != no_expr) right = graph_.binary(Op::sub, or_zeros(b), graph_.matmul(da, id));
  return graph_.solve(a, right);
}

ExprId Tangents::by_partials(ExprId id, std::int64_t k) {
  const auto active = [&](ExprId a, std::int64_t) { return memo_[a].value != no_expr; };
  const LocalPartials partials = local_partials(graph_, id, k, active);
  complete_ = complete_ && partials.known;
  ExprId sum = no_expr;
  for (const LocalPartial& p : partials.list) {
    ExprId moved = memo_[p.argument].value;
    if (p.element >= 0 && !graph_.type(p.argument).is_scalar()) moved = graph_.element(moved, p.element);
    sum = plus(sum, contribution(graph_, p, moved));
  }
  const Type type = k == whole_node ? graph_.type(id) : Type{};
  if (sum != no_expr && graph_.type(sum) != type) sum = graph_.binary(Op::add, zeros(type), sum);
  return sum;
}

ExprId Tangents::by_elements(ExprId id) {
  const Type type = graph_.type(id);
  std::vector<ExprId> elements;
  bool any = false;
  for (std::int64_t k = 0; k < type.size(); ++k) {
    elements.push_back(by_partials(id, k));
    any = any || elements.back() != no_expr;
    if (elements.back() == no_expr) elements.back() = graph_.constant(0);
  }
  return any ? graph_.stack(type, elements) : no_expr;
}

ExprId Tangents::call(ExprId id) {
  const std::uint32_t derivative = derivative_function(graph_, static_cast<std::uint32_t>(graph_[id].payload >> 8));
  if (derivative == no_function) {
    complete_ = false;
    return no_expr;
  }
  std::vector<ExprId> arguments(graph_.arguments(id).begin(), graph_.arguments(id).end());
  for (std::size_t k = 0, count = arguments.size(); k < count; ++k) {
    if (graph_.type(arguments[k]).scalar == Scalar::f64) arguments.push_back(or_zeros(arguments[k]));
  }
  return graph_.call(derivative, static_cast<std::uint32_t>(graph_[id].payload & 255), arguments);
}

}  // namespace orrery::passes
