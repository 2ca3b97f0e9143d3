// SPDX-License-Identifier: Apache-2.0
// Jumps by their operations and patterns.
#include "compile/jumps.h"

#include <vector>

#include "program/motion.h"

namespace orrery::compile {

using program::ExprId;
using program::Graph;
using program::Op;

bool jumps(const Graph& graph, ExprId id) {
  const Op op = graph[id].op;
  return program::has_corner(graph, id) && op != Op::equal && op != Op::not_equal && op != Op::min && op != Op::max &&
         op != Op::abs && op != Op::minimum && op != Op::maximum;
}

bool is_difference(const Graph& graph, ExprId id) {
  if (graph[id].op != Op::logical_or) return false;
  const auto a = graph.arguments(id);
  if (graph[a[0]].op != Op::less || graph[a[1]].op != Op::less) return false;
  const auto one = graph.arguments(a[0]), other = graph.arguments(a[1]);
  return one[0] == other[1] && one[1] == other[0];
}

bool is_continuous_choice(const Graph& graph, ExprId id) {
  if (graph[id].op != Op::select) return false;
  const auto a = graph.arguments(id);
  const Op op = graph[a[0]].op;
  if (op != Op::less && op != Op::less_equal) return false;
  const auto c = graph.arguments(a[0]);
  const auto is_negative_of = [&](ExprId n, ExprId x) { return graph[n].op == Op::neg && graph.arguments(n)[0] == x; };
  const bool compares_zero = graph.is_constant(c[0], 0) || graph.is_constant(c[1], 0);
  return (a[1] == c[0] && a[2] == c[1]) || (a[1] == c[1] && a[2] == c[0]) ||
         (compares_zero && (is_negative_of(a[2], a[1]) || is_negative_of(a[1], a[2])));
}

bool is_remainder(const Graph& graph, ExprId id) {
  return (graph[id].op == Op::mod || graph[id].op == Op::rem) && graph.type(id).scalar == program::Scalar::f64;
}

ExprId quotient_of(Graph& graph, ExprId remainder, ExprId x, ExprId y) {
  return graph.unary(graph[remainder].op == Op::mod ? Op::floor : Op::trunc, graph.binary(Op::div, x, y));
}

ExprId remainder_after(Graph& graph, ExprId as_it_stands, ExprId now, ExprId after, ExprId x, ExprId y) {
  const ExprId rest = graph.binary(Op::sub, x, graph.binary(Op::mul, after, y));
  return graph.select(graph.binary(Op::equal, after, now), as_it_stands, rest);
}

ExprId with_value(Graph& graph, ExprId sampled, ExprId as_it_stands) {
  const program::Type type = graph.type(sampled);
  if (type.scalar != program::Scalar::f64) return sampled;
  std::vector<ExprId> elements;
  for (std::int64_t k = 0; k < type.size(); ++k) {
    const ExprId value = type.is_scalar() ? sampled : graph.element(sampled, k);
    const ExprId other = type.is_scalar() ? as_it_stands : graph.element(as_it_stands, k);
    elements.push_back(value == other ? value : graph.select(graph.unary(Op::is_nan, value), other, value));
  }
  return type.is_scalar() ? elements[0] : graph.stack(type, elements);
}

}  // namespace orrery::compile
