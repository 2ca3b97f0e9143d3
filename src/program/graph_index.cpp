// SPDX-License-Identifier: Apache-2.0
// Arrays by computed index and calls of functions: construction and what is simplified.
#include <algorithm>

#include "base/check.h"
#include "program/function.h"
#include "program/graph.h"

namespace orrery::program {
namespace {

// Up to this size an array with one element replaced is written element by element.
constexpr std::int64_t small_array = 32;

bool same_place(const Place& a, const Place& b) {
  return a.file == b.file && a.line == b.line && a.column == b.column && a.block == b.block && a.port == b.port;
}

}  // namespace

std::uint32_t Graph::add_site(Site site) {
  const auto same = [&](const Site& other) {
    return other.kind == site.kind && other.text == site.text && same_place(other.place, site.place);
  };
  const auto found = std::ranges::find_if(sites_, same);
  if (found != sites_.end()) return static_cast<std::uint32_t>(found - sites_.begin()) + 1;
  sites_.push_back(std::move(site));
  return static_cast<std::uint32_t>(sites_.size());
}

// Positions are int32; two of them have equal sizes, or one is a scalar. A value has their size or is a scalar.
ExprId Graph::index_operation(Op op, std::span<const ExprId> arguments, std::uint32_t site) {
  const Node shape{op, {}, 0, static_cast<std::uint32_t>(arguments.size()), 0};
  const std::size_t indices = index_count(shape);
  Type positions = nodes_[arguments[1]].type;
  for (std::size_t k = 1; k <= indices; ++k) {
    const Type type = nodes_[arguments[k]].type;
    ORRERY_CHECK(type.scalar == Scalar::i32);
    ORRERY_CHECK(type.is_scalar() || positions.is_scalar() || type == positions);
    if (!type.is_scalar()) positions = type;
  }
  const Type array = nodes_[arguments[0]].type;
  if (op == Op::gather) return build(op, positions.with(array.scalar), arguments, site);
  const Type value = nodes_[arguments.back()].type;
  ORRERY_CHECK(value.scalar == array.scalar && (value.is_scalar() || value == positions.with(value.scalar)));
  return build(op, array, arguments, site);
}

ExprId Graph::gather(ExprId a, ExprId index, std::uint32_t site) {
  const ExprId arguments[] = {a, index};
  return index_operation(Op::gather, arguments, site);
}

ExprId Graph::gather_at(ExprId a, ExprId row, ExprId col, std::uint32_t site) {
  const ExprId arguments[] = {a, row, col};
  return index_operation(Op::gather, arguments, site);
}

ExprId Graph::update(ExprId a, ExprId index, ExprId value, std::uint32_t site) {
  const ExprId arguments[] = {a, index, value};
  return index_operation(Op::update, arguments, site);
}

ExprId Graph::update_at(ExprId a, ExprId row, ExprId col, ExprId value, std::uint32_t site) {
  const ExprId arguments[] = {a, row, col, value};
  return index_operation(Op::update, arguments, site);
}

ExprId Graph::slice(ExprId a, ExprId first, std::int32_t step, std::int32_t count, std::uint32_t site) {
  std::vector<double> steps;
  for (std::int32_t k = 0; k < count; ++k) steps.push_back(static_cast<double>(k) * step);
  const ExprId offsets = constant(Type{Scalar::i32, count, 1}, steps);
  return gather(a, count == 0 ? offsets : binary(Op::add, first, offsets), site);
}

ExprId Graph::concat(Type type, std::span<const ExprId> parts) {
  std::int64_t size = 0;
  for (const ExprId part : parts) {
    ORRERY_CHECK(nodes_[part].type.scalar == type.scalar);
    size += nodes_[part].type.size();
  }
  ORRERY_CHECK(size == type.size());
  return build(Op::concat, type, parts);
}

ExprId Graph::search(ExprId a, ExprId x) {
  ORRERY_CHECK(nodes_[a].type.scalar == Scalar::f64 && nodes_[x].type.scalar == Scalar::f64);
  const ExprId arguments[] = {a, x};
  return build(Op::search, nodes_[x].type.with(Scalar::i32), arguments);
}

ExprId Graph::call(std::uint32_t function, std::uint32_t result, std::span<const ExprId> arguments) {
  ORRERY_CHECK(function < functions_.size() && result < most_results);
  const Function& declared = *functions_[function];
  ORRERY_CHECK(result < declared.results.size() && arguments.size() == declared.arguments);
  for (std::size_t k = 0; k < arguments.size(); ++k) ORRERY_CHECK(type(arguments[k]) == declared.argument_type(k));
  const auto payload = static_cast<std::uint64_t>(function) << 8 | result;
  return make(Op::call, declared.result_type(result), arguments, payload);
}

std::uint32_t Graph::declare(std::shared_ptr<const Function> function) {
  const auto found = std::ranges::find(functions_, function);
  if (found != functions_.end()) return static_cast<std::uint32_t>(found - functions_.begin());
  functions_.push_back(std::move(function));
  return static_cast<std::uint32_t>(functions_.size() - 1);
}

std::int64_t Graph::constant_position(ExprId a, std::span<const ExprId> indices, std::int64_t k) const {
  std::int64_t at[2] = {0, 0};
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (!is_constant(indices[i])) return -2;
    const auto data = constant_data(indices[i]);
    at[i] = static_cast<std::int64_t>(data[nodes_[indices[i]].type.is_scalar() ? 0 : static_cast<std::size_t>(k)]);
  }
  const Type type = nodes_[a].type;
  if (indices.size() == 1) return at[0] >= 0 && at[0] < type.size() ? at[0] : -1;
  if (at[0] < 0 || at[0] >= type.rows || at[1] < 0 || at[1] >= type.cols) return -1;
  return at[0] + at[1] * type.rows;
}

ExprId Graph::simplify_gather(std::span<const ExprId> arguments) {
  const std::vector<ExprId> all(arguments.begin(), arguments.end());
  const auto indices = std::span(all).subspan(1);
  Type shape = nodes_[indices[0]].type;
  if (shape.is_scalar()) shape = nodes_[indices.back()].type;
  if (shape.size() > small_array) return no_expr;
  for (std::int64_t k = 0; k < shape.size(); ++k) {
    if (constant_position(all[0], indices, k) < 0) return no_expr;
  }
  std::vector<ExprId> elements;
  for (std::int64_t k = 0; k < shape.size(); ++k) {
    elements.push_back(element(all[0], constant_position(all[0], indices, k)));
  }
  return stack(shape.with(nodes_[all[0]].type.scalar), elements);
}

ExprId Graph::simplify_update(std::span<const ExprId> arguments) {
  const std::vector<ExprId> all(arguments.begin(), arguments.end());
  const Type type = nodes_[all[0]].type;
  const auto indices = std::span(all).subspan(1, all.size() - 2);
  Type shape = nodes_[indices[0]].type;
  if (shape.is_scalar()) shape = nodes_[indices.back()].type;
  if (type.size() > small_array || shape.size() > small_array) return no_expr;
  for (std::int64_t k = 0; k < shape.size(); ++k) {
    if (constant_position(all[0], indices, k) < 0) return no_expr;
  }
  std::vector<ExprId> elements;
  for (std::int64_t k = 0; k < type.size(); ++k) elements.push_back(element(all[0], k));
  for (std::int64_t k = 0; k < shape.size(); ++k) {
    const ExprId value = nodes_[all.back()].type.is_scalar() ? all.back() : element(all.back(), k);
    elements[static_cast<std::size_t>(constant_position(all[0], indices, k))] = value;
  }
  return stack(type, elements);
}

ExprId Graph::simplify_concat(Type type, std::span<const ExprId> parts) {
  std::vector<ExprId> kept;
  for (const ExprId part : parts) {
    if (nodes_[part].type.size() > 0) kept.push_back(part);
  }
  if (kept.size() == 1) return reshape(kept[0], type.rows, type.cols);
  if (!kept.empty() && std::ranges::all_of(kept, [&](ExprId id) { return nodes_[id].type.is_scalar(); })) {
    return stack(type, kept);
  }
  return kept.size() == parts.size() ? no_expr : concat(type, kept);
}

// Element k of a gather, an update or a concatenation, where it is the element of an argument; else no_expr.
ExprId Graph::moved_element(ExprId source, std::int64_t k) {
  const std::vector<ExprId> all(arguments(source).begin(), arguments(source).end());
  const auto part = [&](ExprId id, std::int64_t at) { return nodes_[id].type.is_scalar() ? id : element(id, at); };
  const Node node = nodes_[source];
  if (node.op == Op::concat) {
    for (const ExprId id : all) {
      if (k < nodes_[id].type.size()) return part(id, k);
      k -= nodes_[id].type.size();
    }
    return no_expr;
  }
  const auto indices = std::span(all).subspan(1, index_count(node));
  if (node.op == Op::gather) {
    const std::int64_t at = constant_position(all[0], indices, k);
    return at >= 0 ? part(all[0], at) : no_expr;
  }
  std::int64_t count = 1;
  for (const ExprId id : indices) count = std::max(count, nodes_[id].type.size());
  ExprId found = part(all[0], k);
  for (std::int64_t m = 0; m < count; ++m) {
    const std::int64_t at = constant_position(all[0], indices, m);
    if (at < 0) return no_expr;  // also outside: the error must stay
    if (at == k) found = part(all.back(), m);
  }
  return found;
}

}  // namespace orrery::program
