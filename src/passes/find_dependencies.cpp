// SPDX-License-Identifier: Apache-2.0
// Structural dependency sets, built from the leaves up and shared.
#include "passes/find_dependencies.h"

#include <algorithm>
#include <unordered_set>

#include "base/check.h"
#include "passes/function_dependencies.h"

namespace orrery::passes {

using namespace program;

namespace {

// Larger sets are kept as unions.
constexpr std::size_t largest_explicit = 64;

// Whether element k of a constant is exactly zero (so that a product with it is structurally zero).
bool is_zero_element(const Graph& graph, ExprId id, std::int64_t k) {
  if (!graph.is_constant(id)) return false;
  std::span<const double> data = graph.constant_data(id);
  Type type = graph.type(id);
  if (type.is_scalar()) k = 0;
  if (type.scalar == Scalar::c128) return data[2 * k] == 0 && data[2 * k + 1] == 0;
  return data[k] == 0;
}

}  // namespace

Dependencies::Dependencies(const Graph& graph, std::span<const SlotId> slots)
    : graph_(graph), all_slots_(false), sets_(1) {
  for (SlotId slot : slots) {
    if (slot >= followed_.size()) followed_.resize(slot + 1);
    followed_[slot] = true;
  }
}

std::vector<Leaf> Dependencies::of(ExprId expression, std::int64_t element) {
  prepare(expression);
  return leaves(at(expression, element));
}

std::vector<Leaf> Dependencies::of_whole(ExprId expression) {
  prepare(expression);
  return leaves(of_all(expression));
}

void Dependencies::prepare(ExprId expression) {
  visit_arguments_first(
      graph_, expression, [&](ExprId id) { return places_[id].first != SIZE_MAX; }, [&](ExprId id) { find(id); });
}

Dependencies::SetId Dependencies::at(ExprId id, std::int64_t k) const {
  return elements_[places_[id].first + (graph_.type(id).is_scalar() ? 0 : static_cast<std::size_t>(k))];
}

Dependencies::SetId Dependencies::of_all(ExprId id) {
  std::vector<SetId> parts;
  for (std::int64_t k = 0; k < graph_.type(id).size(); ++k) parts.push_back(at(id, k));
  return unite(std::move(parts));
}

// The leaves of a set, through the unions it was made of.
std::vector<Leaf> Dependencies::leaves(SetId set) const {
  if (sets_[set].parts.empty()) return sets_[set].leaves;
  std::vector<Leaf> all;
  std::unordered_set<SetId> seen{set};
  std::vector<SetId> waiting{set};
  while (!waiting.empty()) {
    const Set& next = sets_[waiting.back()];
    waiting.pop_back();
    all.insert(all.end(), next.leaves.begin(), next.leaves.end());
    for (SetId part : next.parts) {
      if (seen.insert(part).second) waiting.push_back(part);
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

Dependencies::SetId Dependencies::unite(SetId a, SetId b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  const std::vector<Leaf>& left = sets_[a].leaves;
  const std::vector<Leaf>& right = sets_[b].leaves;
  // A set that holds the other one is the union: most nodes of a long expression add no leaf.
  if (!right.empty() && std::ranges::includes(left, right)) return a;
  if (!left.empty() && std::ranges::includes(right, left)) return b;
  return unite(std::vector<SetId>{a, b});
}

Dependencies::SetId Dependencies::unite(std::vector<SetId> parts) {
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  std::erase(parts, SetId{0});
  if (parts.size() <= 1) return parts.empty() ? 0 : parts[0];
  std::size_t total = 0;
  for (SetId part : parts) total += sets_[part].parts.empty() ? sets_[part].leaves.size() : largest_explicit + 1;
  Set set;
  if (total > largest_explicit) {
    set.parts = std::move(parts);
  } else {
    set.leaves.reserve(total);
    for (SetId part : parts) set.leaves.insert(set.leaves.end(), sets_[part].leaves.begin(), sets_[part].leaves.end());
    std::sort(set.leaves.begin(), set.leaves.end());
    set.leaves.erase(std::unique(set.leaves.begin(), set.leaves.end()), set.leaves.end());
  }
  sets_.push_back(std::move(set));
  return static_cast<SetId>(sets_.size() - 1);
}

void Dependencies::find(ExprId id) {
  const Node& node = graph_[id];
  auto count = static_cast<std::size_t>(node.type.size());
  places_.set(id, Place{elements_.size()});
  elements_.resize(elements_.size() + count, 0);
  switch (node.op) {
    case Op::constant:
    case Op::time:
    case Op::placeholder:
    case Op::clock_active: return;
    case Op::read: return find_read(id);
    case Op::element:
    case Op::stack:
    case Op::transpose:
    case Op::reshape: return find_structure(id);
    case Op::matmul: return find_matmul(id);
    case Op::gather:
    case Op::update:
    case Op::concat:
    case Op::search: return find_indexed(id);
    case Op::call: return find_call(id);
    default: break;
  }
  if (is_elementwise_unary(node.op) || is_elementwise_binary(node.op) || node.op == Op::select) {
    return find_elementwise(id);
  }
  if (node.op == Op::foreign && find_foreign(id)) return;
  SetId all = 0;
  for (ExprId a : graph_.arguments(id)) all = unite(all, of_all(a));
  std::fill_n(elements_.begin() + static_cast<std::ptrdiff_t>(places_[id].first), count, all);
}

// False when the function does not say on what its results depend.
bool Dependencies::find_foreign(ExprId id) {
  const Node& node = graph_[id];
  const ForeignFunction& function = graph_.foreign_functions()[node.payload >> 8];
  if (function.depends_on.empty()) return false;
  std::size_t row = 0;
  for (std::size_t r = 0; r < (node.payload & 255); ++r) row += static_cast<std::size_t>(function.results[r].size());
  find_listed(id, row, function.depends_on);
  return true;
}

void Dependencies::find_call(ExprId id) {
  const Function& function = graph_.function_of(id);
  const auto [entry, is_new] = functions_.try_emplace(&function);
  if (is_new) entry->second = function_dependencies(function);
  std::size_t row = 0;
  for (std::size_t r = 0; r < (graph_[id].payload & 255); ++r) {
    row += static_cast<std::size_t>(function.result_type(r).size());
  }
  find_listed(id, row, entry->second);
}

// By columns that count the elements of all arguments. Arguments of foreign calls that are no doubles always count.
void Dependencies::find_listed(ExprId id, std::size_t row, const std::vector<std::vector<std::uint32_t>>& depends_on) {
  const Node& node = graph_[id];
  std::vector<SetId> columns;
  SetId whole = 0;
  for (ExprId a : graph_.arguments(id)) {
    for (std::int64_t k = 0; k < graph_.type(a).size(); ++k) columns.push_back(at(a, k));
    if (node.op == Op::foreign && graph_.type(a).scalar != Scalar::f64) whole = unite(whole, of_all(a));
  }
  for (std::size_t k = 0; k < static_cast<std::size_t>(node.type.size()); ++k) {
    std::vector<SetId> parts{whole};
    for (std::uint32_t column : depends_on[row + k]) parts.push_back(columns[column]);
    elements_[places_[id].first + k] = unite(std::move(parts));
  }
}

void Dependencies::find_indexed(ExprId id) {
  const Node& node = graph_[id];
  const auto arguments = graph_.arguments(id);
  const auto first = elements_.begin() + static_cast<std::ptrdiff_t>(places_[id].first);
  if (node.op == Op::concat) {
    std::ptrdiff_t next = 0;
    for (const ExprId a : arguments) {
      for (std::int64_t k = 0; k < graph_.type(a).size(); ++k) first[next++] = at(a, k);
    }
    return;
  }
  const SetId array = node.op == Op::update ? 0 : of_all(arguments[0]);
  if (node.op == Op::search) {
    for (std::int64_t k = 0; k < node.type.size(); ++k) first[k] = unite(array, at(arguments[1], k));
    return;
  }
  const auto indices = arguments.subspan(1, index_count(node));
  std::int64_t count = 1;
  for (const ExprId index : indices) count = std::max(count, graph_.type(index).size());
  if (node.op == Op::update) {
    for (std::int64_t k = 0; k < node.type.size(); ++k) first[k] = at(arguments[0], k);
  }
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t position = graph_.constant_position(arguments[0], indices, k);
    SetId set = node.op == Op::update ? at(arguments.back(), k) : position >= 0 ? at(arguments[0], position) : array;
    for (const ExprId index : indices) set = unite(set, at(index, k));
    if (node.op == Op::gather) {
      if (k < node.type.size()) first[k] = set;
    } else if (position >= 0) {
      first[position] = set;
    } else if (position == -2) {
      for (std::int64_t m = 0; m < node.type.size(); ++m) first[m] = unite(first[m], set);
    }
  }
}

void Dependencies::find_read(ExprId id) {
  const Node& node = graph_[id];
  auto slot = static_cast<SlotId>(node.payload);
  if (!all_slots_ && (slot >= followed_.size() || !followed_[slot])) return;
  for (std::uint32_t k = 0; k < node.type.size(); ++k) {
    elements_[places_[id].first + k] = static_cast<SetId>(sets_.size());
    sets_.push_back({{Leaf{slot, k}}, {}});
  }
}

void Dependencies::find_elementwise(ExprId id) {
  const Node& node = graph_[id];
  auto arguments = graph_.arguments(id);
  std::size_t first = places_[id].first;
  for (std::int64_t k = 0; k < node.type.size(); ++k) {
    SetId set = 0;
    bool zero = false;
    for (ExprId a : arguments) {
      set = unite(set, at(a, k));
      zero = zero || (node.op == Op::mul && is_zero_element(graph_, a, k));
    }
    if (zero) continue;
    elements_[first + static_cast<std::size_t>(k)] = set;
  }
}

void Dependencies::find_matmul(ExprId id) {
  auto arguments = graph_.arguments(id);
  ExprId a = arguments[0];
  ExprId b = arguments[1];
  std::int64_t rows = graph_.type(a).rows;
  std::int64_t inner = graph_.type(a).cols;
  std::int64_t cols = graph_.type(b).cols;
  std::size_t next = places_[id].first;
  for (std::int64_t j = 0; j < cols; ++j) {
    for (std::int64_t i = 0; i < rows; ++i, ++next) {
      std::vector<SetId> parts;
      for (std::int64_t k = 0; k < inner; ++k) {
        std::int64_t left = i + k * rows;
        std::int64_t right = k + j * inner;
        if (is_zero_element(graph_, a, left) || is_zero_element(graph_, b, right)) continue;
        parts.insert(parts.end(), {at(a, left), at(b, right)});
      }
      elements_[next] = unite(std::move(parts));
    }
  }
}

void Dependencies::find_structure(ExprId id) {
  const Node& node = graph_[id];
  auto arguments = graph_.arguments(id);
  std::size_t first = places_[id].first;
  for (std::int64_t k = 0; k < node.type.size(); ++k) {
    SetId set = 0;
    switch (node.op) {
      case Op::element: set = at(arguments[0], static_cast<std::int64_t>(node.payload)); break;
      case Op::stack: set = at(arguments[static_cast<std::size_t>(k)], 0); break;
      case Op::transpose: set = at(arguments[0], k % node.type.rows * node.type.cols + k / node.type.rows); break;
      default: set = at(arguments[0], k); break;
    }
    elements_[first + static_cast<std::size_t>(k)] = set;
  }
}

}  // namespace orrery::passes
