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

Indicators::Found Indicators::look(double t, const Evaluate& evaluate, double tolerance, double& at) {
  if (!evaluate(t, end_.data())) return Found::failed;
  double end = t;
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
