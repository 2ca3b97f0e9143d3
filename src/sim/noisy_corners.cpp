// SPDX-License-Identifier: Apache-2.0
// When a corner is let go, and when it is held again.
#include "sim/noisy_corners.h"

#include <algorithm>
#include <cmath>

namespace orrery::sim {

NoisyCorners::NoisyCorners(RunContext& run, ModelFunctions& model, SurfaceFunctions& surfaces, TrialPoints& trial,
                           SurfaceWatch& watch)
    : run_(run),
      model_(model),
      surfaces_(surfaces),
      trial_(trial),
      watch_(watch),
      corners_(run.machine.has_partial_derivatives() ? run.program.surfaces.size() : 0) {}

bool NoisyCorners::is_possible(std::uint32_t surface) const {
  const program::Surface& what = run_.program.surfaces[surface];
  return !corners_.empty() && what.mode != program::no_slot && !what.shown && what.settled == program::no_expr &&
         run_.machine.has_rate(surface) && model_.sliding() == nullptr &&
         run_.program.sensitivities.parameters.empty() && run_.machine.surface_loops().empty() &&
         model_.foreign().empty();
}

bool NoisyCorners::is_noise(std::uint32_t surface) {
  constexpr int often = 30;
  Corner& corner = corners_[surface];
  const double interval = run_.t - corner.last;
  corner.last = run_.t;
  bool tiny = interval < 1e-3 * run_.horizon();
  if (tiny) {
    held_.keep(run_);
    trial_.take_modes_of(run_.t, run_.states());
    const double* rates = surfaces_.values_and_rates(run_.t, run_.states()).rates + 3 * surface;
    const double way = std::fabs(rates[0]) * interval;
    held_.put_back(run_);
    tiny = way <= 100 * (run_.options.tolerance.absolute + run_.options.tolerance.relative * rates[2]);
  }
  corner.in_noise = tiny ? corner.in_noise + 1 : 0;
  return corner.in_noise >= often && trial_.meets_itself(surface);
}

void NoisyCorners::let_go(std::uint32_t surface) {
  constexpr double stretch = 1e-2;  // of the horizon
  std::vector<std::uint32_t>& released = trial_.released;
  corners_[surface].in_noise = 0;
  if (std::find(released.begin(), released.end(), surface) != released.end()) return;
  released.push_back(surface);
  until_ = run_.t + stretch * run_.horizon();
  watch_.mute(surface);
}

void NoisyCorners::hold_again() {
  for (const std::uint32_t surface : trial_.released) watch_.unmute(surface);
  trial_.released.clear();
  run_.restart_needed = true;
}

}  // namespace orrery::sim
