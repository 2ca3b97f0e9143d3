// SPDX-License-Identifier: Apache-2.0
// Filippov's mixture.
#include "sim/sliding.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery::sim {
namespace {

// With a of the motion of the positive side the rate a r1 + (1 - a) r0 is zero.
double share_of_positive(double r1, double r0) { return r0 == r1 ? 0.5 : std::clamp(r0 / (r0 - r1), 0.0, 1.0); }

}  // namespace

void Sliding::take_side(bool side) {
  for (const Member& member : members_) {
    mode_of(member.surface) = member.mode_there == side ? std::byte{1} : std::byte{0};
  }
}

double Sliding::rate_on(bool side, double t, const double* x) {
  take_side(side);
  machine_.surface_rates()(t, x, rates_.data(), memory_.data(), 0);
  return rates_[3 * members_[0].surface];
}

bool Sliding::may_slide(std::size_t surface) const {
  const program::Program& program = machine_.program();
  const program::Surface& what = program.surfaces[surface];
  return what.mode != program::no_slot && what.settled == program::no_expr && machine_.has_rate(surface) &&
         !what.shown && machine_.continuous_loops().empty() && program.foreign_objects.empty();
}

bool Sliding::begin(std::size_t surface, double t, const double* x, const double* g, double coincidence) {
  if (!may_slide(surface)) return false;
  find_members(surface, t, x, g, coincidence);
  std::vector<std::byte> before;
  for (const Member& member : members_) before.push_back(mode_of(member.surface));
  active_ = rate_on(true, t, x) < 0 && rate_on(false, t, x) > 0;
  for (std::size_t k = 0; k < members_.size(); ++k) mode_of(members_[k].surface) = before[k];
  return active_;
}

// Other surfaces that are zero here and whose rates are the same multiple of this one's, whatever its mode, are the
// same surface.
void Sliding::find_members(std::size_t surface, double t, const double* x, const double* g, double coincidence) {
  const program::Program& program = machine_.program();
  members_.assign(1, {surface, true});
  pins_.clear();
  const std::byte before = mode_of(surface);
  const double r1 = rate_on(true, t, x);
  true_rates_ = rates_;
  const double r0 = rate_on(false, t, x);
  mode_of(surface) = before;
  const double size = std::fabs(r1) + std::fabs(r0);
  for (std::size_t k = 0; k < program.surfaces.size(); ++k) {
    const program::Surface& other = program.surfaces[k];
    if (k == surface || other.settled != program::no_expr) continue;
    const double one = true_rates_[3 * k], two = rates_[3 * k];
    const double speed = std::fabs(one) + std::fabs(two), rounding = 1e-14 * true_rates_[3 * k + 2];
    const bool same = std::fabs(one * r0 - two * r1) <= 1e-9 * speed * size && speed > 0;
    if (!same || !(std::fabs(g[k]) <= speed * coincidence + rounding)) continue;
    const bool along = one * r1 + two * r0 > 0;
    if (other.mode == program::no_slot) {
      pins_.push_back({k, 0});
    } else if (other.shown) {
      pins_.push_back({k, mode_of(k) != std::byte{0} ? 1.0 : -1.0});
    } else {
      members_.push_back({k, along});
    }
  }
}

void Sliding::leave_to_a_side(double t, const double* x) {
  const double r1 = rate_on(true, t, x), r0 = rate_on(false, t, x);
  take_side(-r1 < r0);
  active_ = false;
}

bool Sliding::has_mode(std::size_t surface) const {
  return std::any_of(members_.begin(), members_.end(), [surface](const Member& m) { return m.surface == surface; });
}

bool Sliding::is_pinned(std::size_t surface) const {
  return std::any_of(pins_.begin(), pins_.end(), [surface](const Pin& pin) { return pin.surface == surface; });
}

void Sliding::replace(double t, const double* x, double* g) {
  for (const Member& member : members_) g[member.surface] = 1;
  g[members_[0].surface] = hold(t, x);
  for (const Pin& pin : pins_) g[pin.surface] = pin.value;
}

void Sliding::hide_rates(double* rates) const {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  for (const Member& member : members_) rates[3 * member.surface] = unknown;
  for (const Pin& pin : pins_) rates[3 * pin.surface] = unknown;
}

// Positive while both sides drive towards the surface. A little beyond zero, so that the side it leaves to is beyond
// doubt; the mixture is that side's motion by then.
double Sliding::hold(double t, const double* x) {
  const double r1 = rate_on(true, t, x), r0 = rate_on(false, t, x);
  return std::min(-r1, r0) + 1e-9 * (std::fabs(r1) + std::fabs(r0));
}

void Sliding::derivative(double t, const double* x, double* dx) {
  const double r1 = rate_on(true, t, x);
  machine_.derivatives()(t, x, other_.data(), memory_.data(), 0);
  const double r0 = rate_on(false, t, x);
  machine_.derivatives()(t, x, dx, memory_.data(), 0);
  const double a = share_of_positive(r1, r0);
  for (std::size_t k = 0; k < other_.size(); ++k) dx[k] += a * (other_[k] - dx[k]);
}

}  // namespace orrery::sim
