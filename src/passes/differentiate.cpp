// SPDX-License-Identifier: Apache-2.0
// Sparse gradients: forward while they are short, backward over what is wide.
#include "passes/differentiate.h"

#include <algorithm>
#include <map>
#include <queue>
#include <unordered_map>

#include "base/check.h"

namespace orrery::passes {

using namespace program;

namespace {

constexpr std::uint32_t no_column = UINT32_MAX;
constexpr std::uint32_t wide = UINT32_MAX;
constexpr std::size_t most_carried = 32;

}  // namespace

Gradients::Gradients(Graph& graph, std::span<const Variable> variables) : graph_(graph) {
  for (const Variable& variable : variables) {
    if (variable.slot >= first_column_.size()) first_column_.resize(variable.slot + 1, no_column);
    first_column_[variable.slot] = columns_;
    columns_ += static_cast<std::uint32_t>(variable.size);
  }
}

std::vector<Partial> Gradients::of(ExprId expression, std::int64_t element) {
  visit_arguments_first(
      graph_, expression, [&](ExprId id) { return places_[id].first != SIZE_MAX; },
      [&](ExprId id) { differentiate(id); });
  std::size_t index = index_of(expression, element);
  Range range = ranges_[index];
  if (range.count == wide) return backward(index);
  auto first = pool_.begin() + static_cast<std::ptrdiff_t>(range.first);
  return {first, first + range.count};
}

std::size_t Gradients::index_of(ExprId id, std::int64_t k) const {
  return places_[id].first + (graph_.type(id).is_scalar() ? 0 : static_cast<std::size_t>(k));
}

bool Gradients::is_active(ExprId id, std::int64_t k) const { return ranges_[index_of(id, k)].count > 0; }

void Gradients::differentiate(ExprId id) {
  auto count = static_cast<std::size_t>(graph_.type(id).size());
  std::size_t first = ranges_.size();
  places_.set(id, Place{first});
  ranges_.resize(first + count);
  owners_.resize(first + count, id);
  if (graph_[id].op == Op::read) return read_columns(id, first);
  bool any = false;
  for (ExprId a : graph_.arguments(id)) {
    std::size_t place = places_[a].first;
    auto size = static_cast<std::size_t>(graph_.type(a).size());
    for (std::size_t i = 0; i < size && !any; ++i) any = ranges_[place + i].count > 0;
  }
  for (std::size_t k = 0; any && k < count; ++k) ranges_[first + k] = forward(id, static_cast<std::int64_t>(k));
}

void Gradients::read_columns(ExprId id, std::size_t first) {
  const Node& node = graph_[id];
  if (node.payload >= first_column_.size() || first_column_[node.payload] == no_column) return;
  std::uint32_t column = first_column_[node.payload];
  Type type = node.type;
  ORRERY_CHECK(type.scalar == Scalar::f64);
  ExprId one = graph_.constant(1);
  for (std::size_t k = 0; k < static_cast<std::size_t>(type.size()); ++k) {
    ranges_[first + k] = {pool_.size(), 1};
    pool_.push_back({column + static_cast<std::uint32_t>(k), one});
  }
}

ExprId Gradients::times(ExprId a, ExprId b) {
  if (a == no_expr || graph_.is_constant(a, 1)) return b;
  if (b == no_expr || graph_.is_constant(b, 1)) return a;
  // What a choice keeps out stays out, also where the factor has no value: the slope of sqrt(max(u, 0)) below zero.
  if (graph_[b].op == Op::select && graph_.type(b).is_scalar() && graph_.type(a).is_scalar()) {
    const ExprId condition = graph_.arguments(b)[0], yes = graph_.arguments(b)[1], no = graph_.arguments(b)[2];
    if (graph_.is_constant(no, 0)) return graph_.select(condition, times(a, yes), no);
    if (graph_.is_constant(yes, 0)) return graph_.select(condition, yes, times(a, no));
  }
  return graph_.binary(Op::mul, a, b);
}

ExprId Gradients::plus(ExprId a, ExprId b) { return a == no_expr ? b : graph_.binary(Op::add, a, b); }

ExprId Gradients::contribution(const LocalPartial& partial, ExprId tangent) {
  ExprId value = partial.factor == no_expr ? tangent : times(partial.factor, tangent);
  if (value == no_expr) value = graph_.constant(1);
  if (partial.condition == no_expr) return value;
  ExprId zero = graph_.constant(0);
  return partial.when ? graph_.select(partial.condition, value, zero) : graph_.select(partial.condition, zero, value);
}

Gradients::Range Gradients::forward(ExprId id, std::int64_t k) {
  auto active = [&](ExprId a, std::int64_t element) { return is_active(a, element); };
  LocalPartials partials = local_partials(graph_, id, k, active);
  complete_ = complete_ && partials.known;
  std::size_t total = 0;
  for (const LocalPartial& p : partials.list) {
    std::uint32_t count = ranges_[index_of(p.argument, p.element)].count;
    if (count == wide) return {0, wide};
    total += count;
  }
  if (total == 0) return {};
  if (partials.list.size() == 1 && partials.list[0].factor == no_expr && partials.list[0].condition == no_expr) {
    return ranges_[index_of(partials.list[0].argument, partials.list[0].element)];
  }
  std::vector<Partial> sum;
  sum.reserve(total);
  for (const LocalPartial& p : partials.list) {
    Range range = ranges_[index_of(p.argument, p.element)];
    for (std::uint32_t i = 0; i < range.count; ++i) {
      Partial tangent = pool_[range.first + i];
      if (sum.size() > 4 * most_carried) return {0, wide};
      sum.push_back({tangent.column, contribution(p, tangent.value)});
    }
  }
  std::ranges::stable_sort(sum, {}, &Partial::column);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    bool repeated = kept > 0 && sum[kept - 1].column == sum[i].column;
    if (repeated)
      sum[kept - 1].value = plus(sum[kept - 1].value, sum[i].value);
    else
      sum[kept++] = sum[i];
  }
  if (kept > most_carried) return {0, wide};
  Range range{pool_.size(), static_cast<std::uint32_t>(kept)};
  pool_.insert(pool_.end(), sum.begin(), sum.begin() + static_cast<std::ptrdiff_t>(kept));
  return range;
}

// Adjoints of wide elements, from the last to the first (arguments have smaller indices), then of the narrow ones.
std::vector<Partial> Gradients::backward(std::size_t root) {
  std::unordered_map<std::size_t, ExprId> adjoints;
  std::priority_queue<std::size_t> waiting;
  std::map<std::uint32_t, ExprId> sums;
  adjoints[root] = graph_.constant(1);
  waiting.push(root);
  auto active = [&](ExprId a, std::int64_t element) { return is_active(a, element); };
  while (!waiting.empty()) {
    std::size_t index = waiting.top();
    waiting.pop();
    ExprId adjoint = adjoints[index];
    Range range = ranges_[index];
    if (range.count != wide) {
      for (std::uint32_t i = 0; i < range.count; ++i) {
        Partial p = pool_[range.first + i];
        ExprId& sum = sums.try_emplace(p.column, no_expr).first->second;
        sum = plus(sum, times(adjoint, p.value));
      }
      continue;
    }
    ExprId owner = owners_[index];
    auto k = static_cast<std::int64_t>(index - places_[owner].first);
    for (const LocalPartial& p : local_partials(graph_, owner, k, active).list) {
      std::size_t below = index_of(p.argument, p.element);
      auto [place, fresh] = adjoints.try_emplace(below, no_expr);
      if (fresh) waiting.push(below);
      place->second = plus(place->second, contribution(p, adjoint));
    }
  }
  std::vector<Partial> result;
  result.reserve(sums.size());
  for (auto [column, value] : sums) result.push_back({column, value});
  return result;
}

ExprId differentiate(Graph& graph, ExprId expression, SlotId slot, std::int64_t element) {
  Variable variable{slot, element + 1};
  for (ExprId id = 0; id < graph.size(); ++id) {
    if (graph[id].op == Op::read && graph[id].payload == slot) variable.size = graph[id].type.size();
  }
  Gradients gradients(graph, {&variable, 1});
  for (const Partial& p : gradients.of(expression)) {
    if (p.column == static_cast<std::uint32_t>(element)) return p.value;
  }
  return graph.constant(0);
}

}  // namespace orrery::passes
