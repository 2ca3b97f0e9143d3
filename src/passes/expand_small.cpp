// SPDX-License-Identifier: Apache-2.0
// Expansion of small matrices into scalars.
#include "passes/expand_small.h"

#include <algorithm>

#include "passes/rewrite_program.h"

namespace orrery::passes {

using namespace program;

ExprId SmallExpansion::apply(ExprId expression) {
  if (expression == no_expr) return no_expr;
  visit_arguments_first(
      graph_, expression, [&](ExprId id) { return memo_[id] != no_expr; }, [&](ExprId id) { expand(id); });
  return memo_[expression];
}

bool SmallExpansion::is_small(ExprId id) const { return graph_.type(id).size() <= limit_; }

bool SmallExpansion::expandable(ExprId id) const {
  const Node& node = graph_[id];
  Op op = node.op;
  bool moves = op == Op::transpose || op == Op::reshape || op == Op::matmul || op == Op::select;
  bool elementwise = is_elementwise_unary(op) || is_elementwise_binary(op);
  if (node.type.is_scalar() && !is_reduction(op) && op != Op::matmul) return false;
  if (!moves && !elementwise && !is_reduction(op)) return false;
  return is_small(id) && node.type.size() > 0 &&
         std::ranges::all_of(graph_.arguments(id), [&](ExprId a) { return is_small(a) && graph_.type(a).size() > 0; });
}

// An element of an already expanded expression.
ExprId SmallExpansion::scalar_element(ExprId id, std::int64_t k) {
  const Node& node = graph_[id];
  if (node.type.is_scalar()) return id;
  if (node.op == Op::stack) return graph_.arguments(id)[k];
  return graph_.element(id, k);
}

ExprId SmallExpansion::matmul_entry(ExprId a, ExprId b, std::int64_t row, std::int64_t col) {
  std::int64_t rows = graph_.type(a).rows;
  std::int64_t inner = graph_.type(a).cols;
  auto left = [&](std::int64_t k) { return scalar_element(a, row + k * rows); };
  auto right = [&](std::int64_t k) { return scalar_element(b, k + col * inner); };
  auto dot = [&](auto&& x, auto&& y) {
    ExprId total = no_expr;
    for (std::int64_t k = 0; k < inner; ++k) {
      ExprId term = graph_.binary(Op::mul, x(k), y(k));
      total = k == 0 ? term : graph_.binary(Op::add, total, term);
    }
    return total;
  };
  if (graph_.type(a).scalar != Scalar::c128) return dot(left, right);
  auto part = [&](Op op, auto& of) { return [&, op](std::int64_t k) { return graph_.unary(op, of(k)); }; };
  auto ar = part(Op::real, left);
  auto ai = part(Op::imag, left);
  auto br = part(Op::real, right);
  auto bi = part(Op::imag, right);
  ExprId re = graph_.binary(Op::sub, dot(ar, br), dot(ai, bi));
  ExprId im = graph_.binary(Op::add, dot(ar, bi), dot(ai, br));
  return graph_.binary(Op::complex_pair, re, im);
}

ExprId SmallExpansion::reduction(Op op, ExprId a) {
  Op step = op == Op::sum ? Op::add : op == Op::product ? Op::mul : op == Op::minimum ? Op::min : Op::max;
  ExprId total = scalar_element(a, 0);
  for (std::int64_t k = 1; k < graph_.type(a).size(); ++k) total = graph_.binary(step, total, scalar_element(a, k));
  return total;
}

// Element k of node `id`, whose expanded arguments are in arguments_.
ExprId SmallExpansion::expanded_element(ExprId id, std::int64_t k) {
  Node node = graph_[id];
  if (node.op == Op::matmul) return matmul_entry(arguments_[0], arguments_[1], k % node.type.rows, k / node.type.rows);
  if (node.op == Op::reshape) return scalar_element(arguments_[0], k);
  if (node.op == Op::transpose) {
    return scalar_element(arguments_[0], k % node.type.rows * node.type.cols + k / node.type.rows);
  }
  ExprId scalars[3] = {};
  for (std::size_t i = 0; i < arguments_.size(); ++i) scalars[i] = scalar_element(arguments_[i], k);
  return graph_.rebuild(id, {scalars, arguments_.size()});
}

void SmallExpansion::expand(ExprId id) {
  Node node = graph_[id];
  arguments_.clear();
  bool changed = false;
  for (ExprId a : graph_.arguments(id)) {
    arguments_.push_back(memo_[a]);
    changed = changed || memo_[a] != a;
  }
  ExprId value = id;
  if (node.op == Op::element && is_small(graph_.arguments(id)[0])) {
    value = scalar_element(arguments_[0], static_cast<std::int64_t>(node.payload));
  } else if (expandable(id) && is_reduction(node.op)) {
    value = reduction(node.op, arguments_[0]);
  } else if (expandable(id)) {
    std::vector<ExprId> scalars;
    for (std::int64_t k = 0; k < node.type.size(); ++k) scalars.push_back(expanded_element(id, k));
    value = graph_.stack(node.type, scalars);
  } else if (changed) {
    value = graph_.rebuild(id, arguments_);
  }
  memo_.set(id, value);
}

void expand_small(Program& program, std::int64_t limit) {
  SmallExpansion expansion(program.graph, limit);
  rewrite_program(program, [&](ExprId id) { return expansion.apply(id); });
}

}  // namespace orrery::passes
