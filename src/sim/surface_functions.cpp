// SPDX-License-Identifier: Apache-2.0
// Rates of surfaces along the solution.
#include "sim/surface_functions.h"

#include <cmath>

namespace orrery::sim {

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
