// SPDX-License-Identifier: Apache-2.0
// The chain rule: df/dt + sum of df/dv v'.
#include "equations/time_derivative.h"

#include <algorithm>

#include "passes/rates_along_solution.h"

namespace orrery::equations {

using program::ExprId;
using program::no_expr;
using program::Op;

TimeDerivative::TimeDerivative(System& system, std::function<ExprId(VariableId)> rate)
    : system_(system), rate_(std::move(rate)), time_(passes::time_slot(*system.program)) {
  to_slot_.set_node(system.program->graph.time(), system.program->read(time_));
  to_time_.set(time_, system.program->graph.time());
}

void TimeDerivative::prepare() {
  if (gradients_ && known_variables_ == system_.variables.size()) return;
  known_variables_ = system_.variables.size();
  std::vector<program::SlotId> slots;
  for (const Variable& v : system_.variables) slots.push_back(v.slot);
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  const VariableIndex index(system_);
  std::vector<passes::Variable> columns{{time_, 1}};
  variable_of_.assign(1, none);
  for (const program::SlotId slot : slots) {
    const std::int64_t size = system_.program->slots[slot].type.size();
    columns.push_back({slot, size});
    for (std::int64_t k = 0; k < size; ++k) variable_of_.push_back(index.find(slot, k));
  }
  gradients_ = std::make_unique<passes::Gradients>(system_.program->graph, columns);
}

ExprId TimeDerivative::of(ExprId expression) {
  prepare();
  program::Graph& graph = system_.program->graph;
  const std::vector<passes::Partial> partials = gradients_->of(to_slot_.apply(expression));
  if (!gradients_->complete()) {
    gradients_.reset();  // it remembers what it could not do
    return no_expr;
  }
  ExprId sum = graph.constant(0);
  for (const passes::Partial& partial : partials) {
    const VariableId variable = variable_of_[partial.column];
    ExprId term = to_time_.apply(partial.value);
    if (partial.column != 0) {
      if (variable == none || graph.is_constant(term, 0)) continue;
      const ExprId rate = rate_(variable);
      if (graph.is_constant(rate, 0)) continue;
      term = graph.binary(Op::mul, term, rate);
    }
    sum = graph.is_constant(sum, 0) ? term : graph.binary(Op::add, sum, term);
  }
  return sum;
}

}  // namespace orrery::equations
