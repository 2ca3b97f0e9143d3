// SPDX-License-Identifier: Apache-2.0
// Finds the first change of domain within a step.
#include "fmi/indicators.h"

#include <cmath>
#include <limits>

#include "solve/locate_root.h"

namespace orrery::fmi {
namespace {

// Zero belongs to the negative domain.
double sided(double z) { return z == 0 ? -std::numeric_limits<double>::min() : z; }

}  // namespace

bool Indicators::changed(std::size_t k, double z) const {
  return !std::isnan(z) && !std::isnan(z_[k]) && (z > 0) != (z_[k] > 0);
}

// After an event an indicator may be at zero, or next to it; a step that is long may hold its way out and back.
bool Indicators::may_have_returned() const {
  constexpr double next_to_zero = 1e-6;
  for (std::size_t k = 0; k < z_.size(); ++k) {
    if (!changed(k, end_[k]) && std::fabs(z_[k]) <= next_to_zero * std::fabs(end_[k])) return true;
  }
  return false;
}

bool Indicators::quiet_until(double t) {
  const std::size_t count = z_.size();
  const double *before = z_.data(), *now = end_.data();
  bool other = look_inside_;
  for (std::size_t k = 0; k < count; ++k) other |= (now[k] > 0) != (before[k] > 0);
  if (other) return false;
  z_.swap(end_);
  t_ = t;
  return true;
}

Indicators::Found Indicators::look(double t, const Evaluate& evaluate, double tolerance, double& at) {
  double end = t;
  if (look_inside_ && may_have_returned()) {
    constexpr double first_share = 1.0 / 4096, growth = 4;
    bool out = false;
    for (double share = first_share; share < 1 && !out; share *= growth) {
      end = t_ + share * (t - t_);
      if (!evaluate(end, trial_.data())) return Found::failed;
      for (std::size_t k = 0; k < z_.size(); ++k) out = out || changed(k, trial_[k]);
    }
    if (!out) end = t;
    if (!evaluate(end, end_.data())) return Found::failed;
  }
  look_inside_ = false;
  bool any = false, ok = true;
  // Every indicator that has changed at the end pulls the end towards its own change: the first one remains.
  for (std::size_t k = 0; k < z_.size(); ++k) {
    if (!changed(k, end_[k])) continue;
    any = true;
    const auto g = [&](double when) {
      ok = ok && evaluate(when, trial_.data());
      return sided(trial_[k]);
    };
    const solve::Bracket bracket = solve::locate_root(g, {t_, end, sided(z_[k]), sided(end_[k])}, tolerance);
    end = bracket.hi;
    if (!ok || !evaluate(end, end_.data())) return Found::failed;
  }
  if (!any) {
    z_ = end_;
    t_ = t;
    return Found::nothing;
  }
  at = end;
  return Found::event;
}

}  // namespace orrery::fmi
