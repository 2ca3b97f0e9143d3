// SPDX-License-Identifier: Apache-2.0
// Why an integrator gave up: values at the point, the likely cause and what to do about it.
#pragma once

#include <string>
#include <vector>

#include "solve/integrator.h"

namespace orrery::sim {

struct Diagnosis {
  std::string help;
  std::vector<std::string> notes;
};

// May evaluate the derivative near the point where the integrator stands.
Diagnosis diagnose(const solve::Failure& failure, const solve::Integrator& integrator, const solve::Problem& problem,
                   const solve::SolverInfo& solver);

}  // namespace orrery::sim
