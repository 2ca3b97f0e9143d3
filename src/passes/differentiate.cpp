// SPDX-License-Identifier: Apache-2.0
// Sparse gradients: forward while they are short, backward over what is wide.
#include "passes/differentiate.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <unordered_map>

#include "base/check.h"
#include "passes/differentiate_function.h"
#include "passes/function_dependencies.h"
#include "program/function.h"

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

ExprId Gradients::plus(ExprId a, ExprId b) { return a == no_expr ? b : graph_.binary(Op::add, a, b); }

// Calls of functions: one call of the derivative for each column, in the direction in which all arguments move with it.
const std::vector<Partial>& Gradients::call_tangents(ExprId id) {
  const auto [entry, is_new] = calls_.try_emplace(id);
  if (!is_new) return entry->second;
  const std::uint32_t derivative = derivative_function(graph_, static_cast<std::uint32_t>(graph_[id].payload >> 8));
  if (derivative == no_function) {
    complete_ = false;
    return entry->second;
  }
  const std::vector<ExprId> arguments(graph_.arguments(id).begin(), graph_.arguments(id).end());
  std::set<std::uint32_t> columns;
  visit_columns(id, [&](std::size_t, std::int64_t, const Partial& p) { columns.insert(p.column); });
  for (const std::uint32_t column : columns) {
    std::vector<std::vector<ExprId>> moved(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      moved[i].assign(static_cast<std::size_t>(graph_.type(arguments[i]).size()), graph_.constant(0));
    }
    visit_columns(id, [&](std::size_t i, std::int64_t k, const Partial& p) {
      if (p.column == column) moved[i][static_cast<std::size_t>(k)] = p.value;
    });
    std::vector<ExprId> all = arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (graph_.type(arguments[i]).scalar == Scalar::f64)
        all.push_back(graph_.stack(graph_.type(arguments[i]), moved[i]));
    }
    calls_[id].push_back({column, graph_.call(derivative, static_cast<std::uint32_t>(graph_[id].payload & 255), all)});
  }
  return calls_[id];
}

// Derivatives that the elements of double arguments carry.
template <class Visit>
void Gradients::visit_columns(ExprId id, const Visit& visit) const {
  const auto arguments = graph_.arguments(id);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (graph_.type(arguments[i]).scalar != Scalar::f64) continue;
    for (std::int64_t k = 0; k < graph_.type(arguments[i]).size(); ++k) {
      const Range range = ranges_[index_of(arguments[i], k)];
      for (std::uint32_t p = 0; range.count != wide && p < range.count; ++p) visit(i, k, pool_[range.first + p]);
    }
  }
}

Gradients::Range Gradients::forward_call(ExprId id, std::int64_t k) {
  if (graph_.type(id).scalar != Scalar::f64) return {};
  const Function& function = graph_.function_of(id);
  const auto [entry, is_new] = depends_on_.try_emplace(&function);
  if (is_new) entry->second = function_dependencies(function);
  auto row = static_cast<std::size_t>(k);
  for (std::size_t r = 0; r < (graph_[id].payload & 255); ++r) {
    row += static_cast<std::size_t>(function.result_type(r).size());
  }
  std::set<std::uint32_t> columns;  // through what this element depends on
  const auto arguments = graph_.arguments(id);
  std::size_t argument = 0;
  std::int64_t first = 0;
  for (const std::uint32_t c : entry->second[row]) {
    while (c >= first + graph_.type(arguments[argument]).size()) first += graph_.type(arguments[argument++]).size();
    if (graph_.type(arguments[argument]).scalar != Scalar::f64) continue;
    const Range range = ranges_[index_of(arguments[argument], c - first)];
    if (range.count == wide || columns.size() > most_carried) return {0, wide};
    for (std::uint32_t p = 0; p < range.count; ++p) columns.insert(pool_[range.first + p].column);
  }
  if (columns.size() > most_carried) return {0, wide};
  const std::vector<Partial> all = call_tangents(id);
  Range range{pool_.size(), 0};
  for (const Partial& p : all) {
    if (!columns.contains(p.column)) continue;
    const ExprId value = graph_.type(id).is_scalar() ? p.value : graph_.element(p.value, k);
    pool_.push_back({p.column, value});
    ++range.count;
  }
  return range;
}

Gradients::Range Gradients::forward(ExprId id, std::int64_t k) {
  if (graph_[id].op == Op::call) return forward_call(id, k);
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
      sum.push_back({tangent.column, contribution(graph_, p, tangent.value)});
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
        sum = plus(sum, times(graph_, adjoint, p.value));
      }
      continue;
    }
    ExprId owner = owners_[index];
    auto k = static_cast<std::int64_t>(index - places_[owner].first);
    for (const LocalPartial& p : local_partials(graph_, owner, k, active).list) {
      std::size_t below = index_of(p.argument, p.element);
      auto [place, fresh] = adjoints.try_emplace(below, no_expr);
      if (fresh) waiting.push(below);
      place->second = plus(place->second, contribution(graph_, p, adjoint));
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
