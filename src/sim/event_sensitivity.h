// SPDX-License-Identifier: Apache-2.0
// Carries sensitivities across events: how the instant depends on parameters, and what that does to the states.
#pragma once

#include <span>
#include <vector>

#include "sim/loop_solver.h"

namespace orrery::sim {

// Before an event: say what fixes its instant, then enter(); tables and modes change; then leave(). See
// passes/add_sensitivities.h for the formulas. The machine, the memory and the solver of its loops (none: there are no
// loops) must outlive it. A loop that cannot be solved here cannot be solved by the run itself a moment later: it
// tells.
class EventSensitivity {
 public:
  EventSensitivity(const CompiledProgram& machine, std::span<std::byte> memory, LoopSolver* loops);

  // What fixes the instant: the run's own calendar, what a source's event was programmed with, or a surface, for which
  // look() must have been called with the states at the crossing, before anything changes.
  void at_fixed_time();
  void at_source(std::uint32_t source);
  void look(double t);
  void at_surface(std::size_t surface);

  // From sensitivities at a fixed time to total derivatives at the instant. False when it was entered already.
  bool enter(double t);
  void leave(double t);

 private:
  double* number(program::SlotId slot);
  void shift(double t, double sign);

  const CompiledProgram& machine_;
  const program::Sensitivities& info_;
  std::span<std::byte> memory_;
  LoopSolver* loops_;
  std::size_t states_;            // doubles of the model's own states
  std::vector<double> tangents_;  // by surface: rate, then the change with each parameter
  std::vector<double> rates_;
  bool inside_ = false;
};

}  // namespace orrery::sim
