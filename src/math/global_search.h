// SPDX-License-Identifier: Apache-2.0
// Searches that look everywhere within the bounds: a genetic algorithm and the adaptation of a covariance matrix.
#pragma once

#include "math/minimise.h"

namespace orrery::math {

// A variable without a bound is looked for from -10 to 10 around zero at first. Points that keep the constraints come
// before all others, these by how far they are from keeping them.
Minimum search_globally(const MinimiseProblem& problem, std::vector<double> start, const MinimiseOptions& options);

}  // namespace orrery::math
