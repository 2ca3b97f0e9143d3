// SPDX-License-Identifier: Apache-2.0
// The makers behind make_dae_integrator, and the start that SUNDIALS offers.
#pragma once

#include "solve/dae.h"

namespace orrery::solve {

std::unique_ptr<DaeIntegrator> make_ida(const SolverInfo& info, DaeProblem problem);
std::unique_ptr<DaeIntegrator> make_radau_dae(const SolverInfo& info, DaeProblem problem);
std::unique_ptr<DaeIntegrator> make_sdirk_dae(const SolverInfo& info, DaeProblem problem);
Status ida_calculate_start(const DaeProblem& problem, double t, double* x, double* dx, Failure& failure);

}  // namespace orrery::solve
