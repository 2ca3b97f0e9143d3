// SPDX-License-Identifier: Apache-2.0
// Degrees of expressions in some slots: 0, 1, or more than that.
#include "passes/affine.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "passes/visit.h"

namespace orrery::passes {

using namespace program;

namespace {

enum Degree : std::uint8_t { free = 0, affine = 1, other = 2 };

class Degrees {
 public:
  Degrees(const Graph& graph, std::span<const SlotId> slots) : graph_(graph), slots_(slots.begin(), slots.end()) {}

  Degree of(ExprId root) {
    visit_arguments_first(
        graph_, root, [&](ExprId id) { return known_.contains(id); },
        [&](ExprId id) { known_.emplace(id, combine(id)); });
    return known_.at(root);
  }

 private:
  Degree argument(ExprId id, std::size_t k) const { return known_.at(graph_.arguments(id)[k]); }

  Degree highest(ExprId id) const {
    Degree degree = free;
    for (ExprId a : graph_.arguments(id)) degree = std::max(degree, known_.at(a));
    return degree;
  }

  Degree combine(ExprId id) const {
    const Node& node = graph_[id];
    if (node.op == Op::read) return slots_.contains(static_cast<SlotId>(node.payload)) ? affine : free;
    const Degree degree = highest(id);
    if (degree == free) return free;
    switch (node.op) {
      case Op::neg:
      case Op::add:
      case Op::sub:
      case Op::element:
      case Op::stack:
      case Op::transpose:
      case Op::reshape:
      case Op::concat:
      case Op::sum: return degree;
      case Op::gather: {
        const bool fixed = argument(id, 1) == free && (node.argument_count == 2 || argument(id, 2) == free);
        return fixed ? degree : other;
      }
      case Op::mul:
      case Op::matmul: return argument(id, 0) == free || argument(id, 1) == free ? degree : other;
      case Op::div: return argument(id, 1) == free ? degree : other;
      case Op::solve:
      case Op::select: return argument(id, 0) == free ? degree : other;
      case Op::cast: return graph_.type(graph_.arguments(id)[0]).scalar == node.type.scalar ? degree : other;
      default: return other;
    }
  }

  const Graph& graph_;
  std::unordered_set<SlotId> slots_;
  std::unordered_map<ExprId, Degree> known_;
};

}  // namespace

std::vector<bool> affine_ones(const Graph& graph, std::span<const ExprId> expressions, std::span<const SlotId> slots) {
  Degrees degrees(graph, slots);
  std::vector<bool> result;
  for (ExprId id : expressions) result.push_back(degrees.of(id) != other);
  return result;
}

bool is_affine(const Graph& graph, std::span<const ExprId> expressions, std::span<const SlotId> slots) {
  const std::vector<bool> each = affine_ones(graph, expressions, slots);
  return std::all_of(each.begin(), each.end(), [](bool yes) { return yes; });
}

}  // namespace orrery::passes
