// SPDX-License-Identifier: Apache-2.0
// What an instant does to the sides of surfaces.
#include <algorithm>
#include <cmath>

#include "sim/surface_watch.h"

namespace orrery::sim {

void SurfaceWatch::let_turn_back(double t, const SurfaceValues& values) {
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (kinds_[k] == Kind::mode || !is_same_instant(at_zero_[k], t) || std::isnan(values.g[k])) continue;
    turn_back(k, side_after(k, values, signs_[k]));
  }
}

// Takes the side of a surface that was at zero in this instant.
void SurfaceWatch::turn_back(std::size_t k, int side) {
  const int before = signs_[k];
  take_side(k, side);
  if (before * signs_[k] < 0) at_zero_[k] = not_fired_;
}

bool SurfaceWatch::judge(double t, const SurfaceValues& values, std::span<const CrossingSurface> located, Found& found,
                         bool stepped) {
  judged_.clear();
  // What has rested since the start has a side by now, also within the first step.
  if (undecided_ && !is_same_instant(begun_at_, t)) decide();
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (kinds_[k] == Kind::mode) continue;
    double g = values.g[k];
    if (std::isnan(g)) {  // no value, no side: it keeps the one it had
      g_[k] = g;
      continue;
    }
    if (stepped && values.rates != nullptr && values.rates[3 * k] == 0 && values.rates[3 * k + 1] == 0)
      keep_still(k, g);
    const bool masked = signs_[k] == 0 && threshold_ > 0 && !(std::fabs(g) > threshold_);
    if (masked) continue;
    const int before = is_same_instant(at_zero_[k], t) ? 0 : signs_[k];
    const int after = side_after(k, values, signs_[k]);
    double left = g_[k];
    if (before == 0 && signs_[k] != 0 && located.empty() && !stepped) {
      turn_back(k, after);
    } else {
      take_side(k, after);
    }
    g_[k] = sense_[k] * g < 0 ? 0 : g;
    if (before == 0 && (!located.empty() || stepped) && is_hardly_away(k, values)) at_zero_[k] = t;
    if (program_.surfaces[k].level) {
      if (after > 0) judged_.push_back({static_cast<std::uint32_t>(k), 1, left, g});
      continue;
    }
    if (before == 0 || before == signs_[k]) continue;
    if (!is_wanted(k, -before)) {
      if (stepped || is_at_zero(k, values)) at_zero_[k] = t;
      continue;
    }
    const auto place = std::find_if(located.begin(), located.end(), [k](const auto& c) { return c.surface == k; });
    const bool is_located = stepped || place != located.end();
    if (!program_.surfaces[k].jumps && !is_located) continue;
    if (place != located.end()) left = place->left;
    judged_.push_back({static_cast<std::uint32_t>(k), -before, left, g});
    // Where steps end is not where it was zero.
    if (is_located) note_fired(k, t, -before, stepped ? 0 : g);
    if (is_at_zero(k, values)) at_zero_[k] = t;
    if (threshold_ > 0 && !(std::fabs(g) > threshold_)) set_sense(k, 0);
  }
  if (!located.empty()) note_near(t);
  t_ = t;
  found.time = t;
  std::swap(found.crossings, judged_);
  return !found.crossings.empty();
}

bool SurfaceWatch::find_levels(double t, const SurfaceValues& values, Found& found) const {
  found.time = t;
  found.crossings.clear();
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (!program_.surfaces[k].level || side_after(k, values) <= 0) continue;
    found.crossings.push_back({static_cast<std::uint32_t>(k), 1, values.g[k], values.g[k]});
  }
  return !found.crossings.empty();
}

// What was found at zero together with a crossing, or where events stop a step, has been judged now.
void SurfaceWatch::note_near(double t) {
  for (const std::size_t k : near_) at_zero_[k] = t;
  near_.clear();
}

void SurfaceWatch::note_fired(std::size_t k, double t, int direction, double value) {
  fired_at_[k] = at_zero_[k] = t;
  fired_direction_[k] = static_cast<std::int8_t>(direction);
  fired_value_[k] = value;
}

}  // namespace orrery::sim
