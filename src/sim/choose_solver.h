// SPDX-License-Identifier: Apache-2.0
// What `auto` does: a few trial steps tell whether stability or accuracy limits an explicit method.
#pragma once

#include <string>

#include "solve/integrator.h"

namespace orrery::sim {

struct SolverChoice {
  const solve::SolverInfo* solver;
  std::string reason;
};

// The problem is that of the initial instant with fixed modes; x is the initial state.
SolverChoice choose_solver(const solve::Problem& problem, double start, double stop, const double* x);

}  // namespace orrery::sim
