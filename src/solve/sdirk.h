// SPDX-License-Identifier: Apache-2.0
// The SDIRK method of order 4 for M x' = f(t, x); with the identity for M it is one of the solvers of x' = f(t, x).
#pragma once

#include <memory>

#include "solve/integrator.h"
#include "solve/shifted_matrix.h"

namespace orrery::solve {

// A singular M needs a consistent x at the start.
std::unique_ptr<Integrator> make_sdirk(const SolverInfo& info, Problem problem, MassMatrix mass);

}  // namespace orrery::solve
