// SPDX-License-Identifier: Apache-2.0
// Levels of integration by node, swept until nothing changes.
#include "passes/smoothing_order.h"

#include <algorithm>

namespace orrery::passes {

using namespace program;

namespace {

constexpr int highest_order = 16;                 // no solver has a higher one
constexpr std::size_t most_told_apart = 1 << 26;  // histories times nodes
constexpr std::uint32_t any_history = UINT32_MAX;

// By node, how many integrations lie between it and the history (or any of them).
class Levels {
 public:
  explicit Levels(const Program& program) : program_(program) {}

  const std::vector<std::uint8_t>& of(std::uint32_t history) {
    node_.assign(program_.graph.size(), never_reached);
    slot_.assign(program_.slots.size(), never_reached);
    for (int round = 0; round <= highest_order; ++round) {
      sweep(history);
      if (!carry()) break;
    }
    return node_;
  }

 private:
  void sweep(std::uint32_t history) {
    const Graph& graph = program_.graph;
    for (ExprId id = 0; id < graph.size(); ++id) {
      const Node& node = graph[id];
      std::uint8_t level = never_reached;
      if (node.op == Op::read) level = slot_[node.payload];
      const PastOf of = PastOf::from(node.payload);
      if (node.op == Op::past && of.what == PastWhat::value && (history == any_history || of.history == history))
        level = 0;
      for (const ExprId argument : graph.arguments(id)) level = std::min(level, node_[argument]);
      node_[id] = level;
    }
  }

  bool carry() {
    bool changed = false;
    const auto lower = [&](SlotId slot, std::uint8_t level) {
      if (level >= slot_[slot]) return;
      slot_[slot] = level;
      changed = true;
    };
    for (std::size_t k = 0; k < program_.states.size(); ++k) {
      const std::uint8_t level = node_[program_.derivatives[k]];
      if (level != never_reached) lower(program_.states[k], static_cast<std::uint8_t>(level + 1));
    }
    for (const Loop& loop : program_.loops) {
      std::uint8_t level = never_reached;
      for (const ExprId residual : loop.residuals) level = std::min(level, node_[residual]);
      for (const SlotId unknown : loop.unknowns) lower(unknown, level);
    }
    for (const Assign& assign : program_.always) lower(assign.slot, node_[assign.value]);  // signals that are held
    return changed;
  }

  const Program& program_;
  std::vector<std::uint8_t> node_, slot_;
};

}  // namespace

std::vector<std::vector<std::uint8_t>> smoothing_orders(const Program& program) {
  Levels levels(program);
  const std::size_t count = program.histories.size();
  const bool apart = count * program.graph.size() <= most_told_apart;
  std::vector<std::vector<std::uint8_t>> orders;
  for (std::uint32_t from = 0; from < (apart ? count : 1); ++from) {
    const std::vector<std::uint8_t>& level = levels.of(apart ? from : any_history);
    std::vector<std::uint8_t>& row = orders.emplace_back();
    for (const History& history : program.histories) row.push_back(level[history.value]);
  }
  return orders;
}

}  // namespace orrery::passes
