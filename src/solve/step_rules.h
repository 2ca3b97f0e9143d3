// SPDX-License-Identifier: Apache-2.0
// Rules about step sizes and settings that all our integrators share.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "solve/integrator.h"

namespace orrery::solve {

// Below this a step does not move t reliably.
inline double smallest_step(double t, const StepLimits& limits) {
  return std::max(
      {limits.minimum, 4 * std::numeric_limits<double>::epsilon() * std::abs(t), std::numeric_limits<double>::min()});
}

inline double largest_step(const StepLimits& limits) {
  return limits.maximum > 0 ? limits.maximum : std::numeric_limits<double>::infinity();
}

// What is wrong with the settings of a problem, if anything is.
std::optional<Failure> check_settings(const SolverInfo& info, const Problem& problem);

// The points t0 + k h, computed, not accumulated, so that long runs do not drift.
class StepGrid {
 public:
  explicit StepGrid(double h) : h_(h) {}
  void start(double t) {
    t0_ = t;
    k_ = 0;
  }
  // The end of the step from t: the next point, or t_stop when that comes first or within rounding of it.
  double advance(double t, double t_stop) {
    const double point = t0_ + static_cast<double>(k_ + 1) * h_;
    const double rounding = 1e-9 * h_ + 4 * std::numeric_limits<double>::epsilon() * std::abs(t);
    if (point > t_stop + rounding) return t_stop;
    ++k_;
    return point >= t_stop - rounding ? t_stop : point;
  }

 private:
  double h_, t0_ = 0;
  long long k_ = 0;
};

}  // namespace orrery::solve
