// SPDX-License-Identifier: Apache-2.0
// The chain rule along x' = f(t, x).
#include "passes/rates_along_solution.h"

#include <memory>

#include "passes/affine.h"
#include "passes/differentiate.h"
#include "passes/slice.h"
#include "passes/substitute.h"

namespace orrery::passes {

using namespace program;

namespace {

class AlongSolution {
 public:
  explicit AlongSolution(Program& program) : program_(program), graph_(program.graph) {
    time_ = time_slot(program);
    const ExprId time = program_.read(time_);
    for (ExprId id = 0; id < graph_.size(); ++id) {  // nodes need not be shared
      if (graph_[id].op == Op::time) to_slot_.set_node(id, time);
    }
    to_time_.set(time_, graph_.time());
    tangents_.push_back(graph_.constant(1));
    variables_.push_back({time_, 1});
    for (std::size_t i = 0; i < program_.states.size(); ++i) {
      const std::int64_t size = program_.slots[program_.states[i]].type.size();
      variables_.push_back({program_.states[i], size});
      for (std::int64_t k = 0; k < size; ++k) tangents_.push_back(graph_.element(program_.derivatives[i], k));
    }
    gradients_ = std::make_unique<Gradients>(graph_, variables_);
  }

  Rates of(ExprId expression) {
    Rates rates;
    rates.first = rate_of(expression);
    if (rates.first != no_expr) rates.second = rate_of(rates.first);
    rates.size = size_of(expression, 0);
    return rates;
  }

  std::vector<bool> affine(std::span<const ExprId> expressions) {
    std::vector<SlotId> slots{time_};
    slots.insert(slots.end(), program_.states.begin(), program_.states.end());
    for (SlotId id = 0; id < program_.slots.size(); ++id) {
      if (program_.slots[id].kind == SlotKind::unknown) slots.push_back(id);
    }
    std::vector<ExprId> timeless;
    for (ExprId id : expressions) timeless.push_back(to_slot_.apply(id));
    std::vector<bool> result = affine_ones(graph_, timeless, slots);
    // The value of an unknown need not be linear in time and states.
    for (std::size_t k = 0; k < result.size(); ++k) result[k] = result[k] && !reads_unknowns(expressions[k]);
    return result;
  }

 private:
  bool reads_unknowns(ExprId id) const {
    for (SlotId slot : slots_read(graph_, std::span(&id, 1))) {
      if (program_.slots[slot].kind == SlotKind::unknown) return true;
    }
    return false;
  }

  // Sums and differences cancel, so their terms count, not they themselves.
  ExprId size_of(ExprId id, int depth) {
    constexpr int deepest = 8;
    const std::vector<ExprId> arguments(graph_.arguments(id).begin(), graph_.arguments(id).end());
    const Op op = graph_[id].op;
    if (depth < deepest && (op == Op::add || op == Op::sub)) {
      return graph_.binary(Op::add, size_of(arguments[0], depth + 1), size_of(arguments[1], depth + 1));
    }
    if (depth < deepest && op == Op::neg) return size_of(arguments[0], depth + 1);
    if (depth < deepest && op == Op::select) {
      return graph_.select(arguments[0], size_of(arguments[1], depth + 1), size_of(arguments[2], depth + 1));
    }
    return graph_.unary(Op::abs, id);
  }

  // Foreign code is not asked: its derivatives are costly, and it need not be ready for the question at an event.
  bool is_foreign(ExprId id) const { return !slice(graph_, std::span(&id, 1)).foreign.empty(); }

  ExprId rate_of(ExprId expression) {
    if (reads_unknowns(expression) || is_foreign(expression)) return no_expr;
    ExprId sum = graph_.constant(0);
    for (const Partial& partial : gradients_->of(to_slot_.apply(expression))) {
      const ExprId term = graph_.binary(Op::mul, to_time_.apply(partial.value), tangents_[partial.column]);
      sum = graph_.is_constant(sum, 0) ? term : graph_.binary(Op::add, sum, term);
    }
    if (gradients_->complete()) return is_foreign(sum) ? no_expr : sum;
    gradients_ = std::make_unique<Gradients>(graph_, variables_);  // it remembers what it could not do
    return no_expr;
  }

  Program& program_;
  Graph& graph_;
  SlotId time_ = no_slot;  // time as a variable to differentiate by
  Substitution to_slot_{graph_}, to_time_{graph_};
  std::vector<Variable> variables_;
  std::vector<ExprId> tangents_;  // by column of the gradients
  std::unique_ptr<Gradients> gradients_;
};

}  // namespace

SlotId time_slot(Program& program) {
  for (SlotId id = 0; id < program.slots.size(); ++id) {
    const Slot& slot = program.slots[id];
    if (slot.kind == SlotKind::parameter && slot.origin == 0 && slot.name == "time") return id;
  }
  return program.add_slot({"time", Type{}, SlotKind::parameter, 0});
}

std::vector<Rates> rates_along_solution(Program& program, std::span<const ExprId> expressions) {
  std::vector<Rates> result;
  if (expressions.empty()) return result;
  AlongSolution along(program);
  for (ExprId id : expressions) result.push_back(along.of(id));
  const std::vector<bool> affine = along.affine(expressions);
  for (std::size_t k = 0; k < result.size(); ++k) result[k].affine = affine[k];
  return result;
}

}  // namespace orrery::passes
