// SPDX-License-Identifier: Apache-2.0
// Filippov's mixture.
#include "sim/sliding.h"

#include <algorithm>

namespace orrery::sim {

double Sliding::rate_with(bool mode, std::size_t surface, double t, const double* x) {
  std::byte& stored = mode_of(surface);
  const std::byte before = stored;
  stored = mode ? std::byte{1} : std::byte{0};
  machine_.surface_rates()(t, x, rates_.data(), memory_.data(), 0);
  stored = before;
  return rates_[3 * surface];
}

bool Sliding::is_attracted(std::size_t surface, double t, const double* x) {
  const program::Program& program = machine_.program();
  const program::Surface& what = program.surfaces[surface];
  if (what.mode == program::no_slot || what.settled != program::no_expr || !machine_.has_rate(surface) || what.shown ||
      !machine_.continuous_loops().empty() || !program.foreign_objects.empty()) {
    return false;
  }
  return rate_with(true, surface, t, x) < 0 && rate_with(false, surface, t, x) > 0;
}

double Sliding::hold(double t, const double* x) {
  return std::min(-rate_with(true, surface_, t, x), rate_with(false, surface_, t, x));
}

// With a of the motion of "true" the rate a r1 + (1 - a) r0 is zero.
void Sliding::derivative(double t, const double* x, double* dx) {
  const double r1 = rate_with(true, surface_, t, x), r0 = rate_with(false, surface_, t, x);
  const double a = r0 == r1 ? 0.5 : std::clamp(r0 / (r0 - r1), 0.0, 1.0);
  std::byte& stored = mode_of(surface_);
  const std::byte before = stored;
  stored = std::byte{0};
  machine_.derivatives()(t, x, dx, memory_.data(), 0);
  stored = std::byte{1};
  machine_.derivatives()(t, x, other_.data(), memory_.data(), 0);
  stored = before;
  for (std::size_t k = 0; k < other_.size(); ++k) dx[k] += a * (other_[k] - dx[k]);
}

}  // namespace orrery::sim
