// SPDX-License-Identifier: Apache-2.0
// Both methods make the same stretch; derivatives are counted.
#include "sim/high_order.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::sim {

std::string why_high_order(const solve::Problem& problem, double start, double stop, const double* x) {
  constexpr int trial_steps = 100;
  constexpr double worth_a_trial = 2000;  // steps of dopri
  constexpr double clearly_fewer = 0.75;
  const auto fifth = solve::make_integrator(solve::solver(solve::Method::dopri), problem);
  if (fifth->start(start, x, false) != solve::Status::ok) return {};
  for (int k = 0; k < trial_steps; ++k) {
    if (fifth->step(stop) != solve::Status::ok || fifth->time() >= stop) return {};
  }
  const double span = fifth->time() - start;
  if (!(span > 0) || (stop - start) / span * trial_steps < worth_a_trial) return {};
  const auto eighth = solve::make_integrator(solve::solver(solve::Method::dopri853), problem);
  if (eighth->start(start, x, false) != solve::Status::ok) return {};
  // Its last step may end beyond what dopri made: per unit of time, the first steps apart.
  while (eighth->time() < fifth->time()) {
    if (eighth->step(stop) != solve::Status::ok) return {};
  }
  const auto rate = [start](const solve::Integrator& integrator) {
    return static_cast<double>(integrator.statistics().evaluations) / (integrator.time() - start);
  };
  const double ratio = rate(*eighth) / rate(*fifth);
  if (ratio > clearly_fewer) return {};
  return fmt::format("smooth, undisturbed and a tight tolerance: order 8 takes {:.0f} % of dopri's derivatives",
                     100 * ratio);
}

}  // namespace orrery::sim
