// SPDX-License-Identifier: Apache-2.0
// Radau IIA: the drivers of implicit one-step methods with the stages of Radau.
#include "solve/radau.h"

#include "solve/one_step_dae.h"
#include "solve/radau_stages.h"

namespace orrery::solve {

std::unique_ptr<Integrator> make_radau(const SolverInfo& info, Problem problem, MassMatrix mass) {
  return std::make_unique<AdaptiveImplicit<RadauStages>>(info, std::move(problem), std::move(mass));
}

std::unique_ptr<DaeIntegrator> make_radau_dae(const SolverInfo& info, DaeProblem problem) {
  return std::make_unique<OneStepDae<RadauStages>>(info, std::move(problem));
}

}  // namespace orrery::solve
