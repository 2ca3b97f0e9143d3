// SPDX-License-Identifier: Apache-2.0
// Filippov's mixture.
#include "sim/sliding.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery::sim {
namespace {

// With a of the motion of "true" the rate a r1 + (1 - a) r0 is zero.
double share_of_true(double r1, double r0) { return r0 == r1 ? 0.5 : std::clamp(r0 / (r0 - r1), 0.0, 1.0); }

}  // namespace

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

void Sliding::enter(std::size_t surface, double t, const double* x, const double* g, const double* sides,
                    double coincidence) {
  surface_ = surface;
  active_ = true;
  pins_.clear();
  const double r1 = rate_with(true, surface, t, x);
  others_ = rates_;
  const double r0 = rate_with(false, surface, t, x);
  const double a = share_of_true(r1, r0);
  for (std::size_t k = 0; k < machine_.program().surfaces.size(); ++k) {
    if (k == surface || machine_.program().surfaces[k].settled != program::no_expr) continue;
    const double one = others_[3 * k], two = rates_[3 * k];
    const double speed = std::fabs(one) + std::fabs(two), rounding = 1e-14 * others_[3 * k + 2];
    const bool stays = std::fabs(a * one + (1 - a) * two) <= 1e-9 * speed;
    if (stays && std::fabs(g[k]) <= speed * coincidence + rounding) pins_.push_back({k, sides[k]});
  }
}

bool Sliding::is_pinned(std::size_t surface) const {
  return std::any_of(pins_.begin(), pins_.end(), [surface](const Pin& pin) { return pin.surface == surface; });
}

void Sliding::replace(double t, const double* x, double* g) {
  g[surface_] = hold(t, x);
  for (const Pin& pin : pins_) g[pin.surface] = pin.side;
}

void Sliding::hide_rates(double* rates) const {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  rates[3 * surface_] = unknown;
  for (const Pin& pin : pins_) rates[3 * pin.surface] = unknown;
}

// Positive while both sides drive towards the surface. A little beyond zero, so that the side it leaves to is beyond
// doubt; the mixture is that side's motion by then.
double Sliding::hold(double t, const double* x) {
  const double r1 = rate_with(true, surface_, t, x), r0 = rate_with(false, surface_, t, x);
  return std::min(-r1, r0) + 1e-9 * (std::fabs(r1) + std::fabs(r0));
}

void Sliding::derivative(double t, const double* x, double* dx) {
  const double r1 = rate_with(true, surface_, t, x), r0 = rate_with(false, surface_, t, x);
  const double a = share_of_true(r1, r0);
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
