// SPDX-License-Identifier: Apache-2.0
// Rates of surfaces along the solution.
#include "sim/surface_functions.h"

#include <algorithm>
#include <cmath>

#include "program/evaluate.h"

namespace orrery::sim {

bool depends_on_states(const program::Program& program, const program::Surface& surface) {
  const program::ExprId roots[] = {surface.value};
  const auto reached = program::reachable(program.graph, roots);
  return std::any_of(reached.begin(), reached.end(), [&program](program::ExprId id) {
    const program::Node& node = program.graph[id];
    return node.op == program::Op::read && program.slots[node.payload].kind == program::SlotKind::state;
  });
}

SurfaceFunctions::SurfaceFunctions(RunContext& run, ModelFunctions& model)
    : run_(run),
      model_(model),
      g_(run.program.surfaces.size()),
      rates_(3 * run.program.surfaces.size()),
      speed_(run.program.surfaces.size()) {}

SurfaceValues SurfaceFunctions::values_and_rates(double t, const double* x) {
  evaluate(t, x, g_.data());
  if (run_.machine.surface_rates() == nullptr) return {g_.data(), nullptr};
  model_.settle(run_.machine.derivative_loops(), t, x);
  if (model_.is_sliding()) {
    model_.sliding()->rates(t, x, rates_.data());
  } else {
    run_.machine.surface_rates()(t, x, rates_.data(), run_.memory.data(), 0);
  }
  for (std::size_t k = 0; k < speed_.size(); ++k) {
    const double speed = std::fabs(rates_[3 * k]);
    if (t != speed_at_ || speed > speed_[k]) speed_[k] = std::isnan(speed) ? 0 : speed;
  }
  speed_at_ = t;
  if (model_.sliding() != nullptr) model_.sliding()->widen(t, g_.data(), speed_.data());
  return {g_.data(), rates_.data(), speed_.data()};
}

}  // namespace orrery::sim
