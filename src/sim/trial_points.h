// SPDX-License-Identifier: Apache-2.0
// Points at which the model is evaluated but time is not: trial points of steps, and the point just after an instant.
#pragma once

#include <vector>

#include "sim/model_functions.h"

namespace orrery::sim {

// The modes in memory, put aside and back.
class KeptModes {
 public:
  void keep(const RunContext& run);
  void put_back(RunContext& run) const;

 private:
  std::vector<double> modes_;  // by surface: truth values and whole numbers
};

// Modes are held while the integrator steps. At a trial point a held mode may have chosen a formula without a value
// there, or belong to a corner that was released because numerical errors cross it again and again: then conditions are
// evaluated as they stand.
class TrialPoints {
 public:
  TrialPoints(RunContext& run, ModelFunctions& model);

  // For solvers; `user` is a TrialPoints.
  static int derivative(double t, const double* x, double* dx, void* user);
  static int jacobian(double t, const double* x, double* values, void* user);

  // Modes become what their conditions are at (t, x), with those that are only shown if asked; whether any changed.
  enum class Unknowns : std::uint8_t { solved, given };  // of loops: by the states, or as memory has them
  bool take_modes_of(double t, const double* x, bool shown = false, Unknowns unknowns = Unknowns::solved);
  // The same for a solver that searches the unknowns of loops itself; then what the modes were before.
  bool take_modes_as_given(double t, const double* x) {
    held_.keep(run_);
    return take_modes_of(t, x, false, Unknowns::given);
  }
  void hold_modes() { held_.put_back(run_); }
  // The states just after the instant, and the time there. Foreign code is not asked about times to come.
  double look_ahead(std::vector<double>& x);
  // The conditions of continuous signals that a table reads, as they are just after the instant; at the very start,
  // before anything moves (source 0), as they stand. Memory has the states of now.
  void sample_conditions(std::uint32_t source);
  // Whether the states move alike with both values of the mode of this surface.
  bool meets_itself(std::uint32_t surface);

  // Corners that are not held for a while.
  std::vector<std::uint32_t> released;

 private:
  int derivative(double t, const double* x, double* dx) { return derivative(t, x, dx, this); }

  void take_released_modes(double t, const double* x);
  void bound_slopes(double t, const double* x, double* values);

  RunContext& run_;
  ModelFunctions& model_;
  KeptModes held_;                                   // while a point is evaluated with modes of its own
  KeptModes held_in_loops_;                          // … and while a loop is solved with others
  std::vector<double> surfaces_;                     // at a trial point
  std::vector<double> ahead_, slope_, slope_ahead_;  // states just after an instant, and how they move there
};

}  // namespace orrery::sim
