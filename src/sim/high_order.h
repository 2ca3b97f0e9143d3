// SPDX-License-Identifier: Apache-2.0
// Whether the explicit method of order 8 is worth its twelve stages.
#pragma once

#include <string>

#include "solve/integrator.h"

namespace orrery::sim {

// By trial, from x at `start`: why dopri853 is to be preferred to dopri on the way to `stop`; empty: it is not.
std::string why_high_order(const solve::Problem& problem, double start, double stop, const double* x);

}  // namespace orrery::sim
