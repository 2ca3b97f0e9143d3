// SPDX-License-Identifier: Apache-2.0
// Sides of surfaces that values and rates of the instant do not tell: they are seen from just after it.
#include <algorithm>
#include <cmath>

#include "sim/step_look.h"

namespace orrery::sim {

// Fixed steps have no modes: at a corner the rates are those of one of its sides, which need not be the one it goes on
// to, and where something jumps the value in the instant need not be that of either side. Behind a loop the second rate
// is not known; where it would tell when a surface that leaves zero comes back, it is the change of the first one.
bool StepLook::is_unclear(std::size_t surface, const SurfaceValues& now, Sides sides) const {
  const bool at_zero = watch_.is_hardly_away(surface, now);
  if (run_.program.fixed_step) return at_zero || sides == Sides::unknown || watch_.changes_side(surface, now);
  if (!at_zero) return false;
  const bool is_event = run_.program.surfaces[surface].mode == program::no_slot;
  return std::isnan(now.rates[3 * surface + 1]) && (is_event || now.rates[3 * surface] == 0);
}

SurfaceValues StepLook::values_now(Sides sides) {
  SurfaceValues now = surfaces_.values_and_rates(run_.t, run_.states());
  // Motion along a surface is not that of the derivatives, which a look ahead would follow.
  if (now.rates == nullptr || !model_.foreign().empty() || model_.is_sliding()) return now;
  bool any = false;
  for (std::size_t k = 0; k < watch_.size() && !any; ++k) any = is_unclear(k, now, sides);
  if (!any) return now;
  if (run_.program.fixed_step) {
    at_zero_.resize(watch_.size());
    for (std::size_t k = 0; k < watch_.size(); ++k) at_zero_[k] = watch_.is_hardly_away(k, now) ? 1 : 0;
  }
  const double after = trial_.look_ahead(ahead_), h = after - run_.t;
  for (const auto* loops : {&run_.machine.surface_loops(), &run_.machine.derivative_loops()}) {
    if (!loops->empty() && !model_.loop_solver()->solve(*loops, after, ahead_.data(), 0)) return now;
  }
  surfaces_ahead_.resize(watch_.size());
  rates_ahead_.resize(3 * watch_.size());
  run_.machine.surfaces()(after, ahead_.data(), surfaces_ahead_.data(), run_.memory.data(), 0);
  run_.machine.surface_rates()(after, ahead_.data(), rates_ahead_.data(), run_.memory.data(), 0);
  for (std::size_t k = 0; k < watch_.size(); ++k) {
    if (!is_unclear(k, now, sides) || std::isnan(surfaces_ahead_[k])) continue;
    double& g = surfaces_.room()[k];
    double* const rates = surfaces_.room_for_rates() + 3 * k;
    if (run_.program.fixed_step) {
      g = surfaces_ahead_[k];
      std::copy_n(rates_ahead_.data() + 3 * k, 3, rates);
    } else if (std::isnan(rates[0])) {
      rates[0] = (surfaces_ahead_[k] - g) / h;
    } else if (rates[0] == 0) {
      rates[1] = 2 * (surfaces_ahead_[k] - g) / (h * h);
    } else {
      rates[1] = (rates_ahead_[3 * k] - rates[0]) / h;
    }
  }
  if (run_.program.fixed_step) now.at_zero = at_zero_.data();
  return now;
}

}  // namespace orrery::sim
