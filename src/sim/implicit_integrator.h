// SPDX-License-Identifier: Apache-2.0
// A DAE solver behind the contract of an ODE solver: states and the unknowns of loops as one implicit system.
#pragma once

#include <functional>
#include <memory>

#include "sim/compiled_program.h"
#include "solve/dae.h"

namespace orrery::sim {

// x' = f(t, x, z), 0 = g(t, x, z): the vector is x followed by the unknowns z of all loops of continuous time. The
// machine and the memory must outlive the integrator; `settle` solves all these loops in memory, for a consistent start
// (Activate, 10.2).
struct ImplicitModel {
  const CompiledProgram& machine;
  std::byte* memory;
  std::function<bool(double t, const double* x)> settle;
  std::function<int(double t, const double* x, double* dx)> derivative;  // without solving loops
  // Where formulas may have no value at a trial point: modes become what their conditions are there, with the unknowns
  // that memory holds (whether that changed any), and what they were before.
  std::function<bool(double t, const double* x)> take_modes;
  std::function<void()> hold_modes;
  double horizon = 1;  // of the run
};

// A projection of the problem moves the states back to the model's constraints after each step. The motion goes on from
// there: for what is still shown of the step, the move is added in proportion to time.
std::unique_ptr<solve::Integrator> make_implicit_integrator(const solve::SolverInfo& info, ImplicitModel model,
                                                            const solve::Problem& problem);

}  // namespace orrery::sim
