// SPDX-License-Identifier: Apache-2.0
// The makers behind make_integrator, one per family of methods.
#pragma once

#include <memory>

#include "solve/integrator.h"

namespace orrery::solve {

std::unique_ptr<Integrator> make_runge_kutta(const SolverInfo& info, Problem problem);
std::unique_ptr<Integrator> make_implicit_fixed(const SolverInfo& info, Problem problem);
std::unique_ptr<Integrator> make_cvode(const SolverInfo& info, Problem problem);
std::unique_ptr<Integrator> make_lsoda(const SolverInfo& info, Problem problem);
// A DAE solver on x' - f(t, x) = 0.
std::unique_ptr<Integrator> make_ode_by_dae(const SolverInfo& info, Problem problem);
// Any method without states: only time passes.
std::unique_ptr<Integrator> make_stateless(const SolverInfo& info, const Problem& problem);

}  // namespace orrery::solve
