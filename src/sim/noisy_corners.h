// SPDX-License-Identifier: Apache-2.0
// Corners that numerical errors cross again and again are not held for a while.
#pragma once

#include <cmath>
#include <vector>

#include "sim/surface_functions.h"
#include "sim/trial_points.h"

namespace orrery::sim {

// Near the root of something that comes to rest at zero, numerical errors cross the corner again and again: a tank that
// is nearly empty. Where they do so by less than the tolerance, and the laws of the two sides meet there, nothing is
// lost when the condition is evaluated as it stands for a while; error control sees the corner.
class NoisyCorners {
 public:
  NoisyCorners(RunContext& run, ModelFunctions& model, SurfaceFunctions& surfaces, TrialPoints& trial,
               SurfaceWatch& watch);

  // Whether the crossing that was located now, with the states of now in memory, is one of them.
  bool is_noise(std::uint32_t surface);
  // Whether memory must have the states of now before that question.
  bool is_possible(std::uint32_t surface) const;
  void let_go(std::uint32_t surface);
  // Asked before each step: whether steps have been short for so long that something may have come to rest beside a
  // corner, without crossing it; then, with the states of now in memory, let_rest() lets such corners go.
  bool stays_short();
  bool let_rest();
  void save(class SaveWriter& out) const;
  [[nodiscard]] bool restore(class SaveReader& in);
  // Holds them again when their time is over; the integrator starts again then.
  void hold_again_when_due() {
    if (!trial_.released.empty() && run_.t >= times_.until) hold_again();
  }

 private:
  // Two numbers, so that a run can save it as such.
  struct Corner {
    double last = -INFINITY;  // crossing
    double in_noise = 0;      // so many crossings in a row
  };
  void hold_again();
  void put_to_rest(std::uint32_t surface);

  RunContext& run_;
  ModelFunctions& model_;
  SurfaceFunctions& surfaces_;
  TrialPoints& trial_;
  SurfaceWatch& watch_;
  std::vector<Corner> corners_;  // by surface
  // Numbers alone, to be saved: until when the corners are let go, when the last step began, how many were short.
  struct Times {
    double until = INFINITY, last = -INFINITY, short_steps = 0;
  };
  Times times_;
  KeptModes held_;
  std::vector<double> x_, g_, rates_;  // at a point nearby
};

}  // namespace orrery::sim
