// SPDX-License-Identifier: Apache-2.0
// What the lists of solvers share: matching of names (case, spaces, '-' and '_' do not count).
#pragma once

#include <string_view>
#include <vector>

#include "solve/integrator.h"

namespace orrery::solve {

// nullptr: there is none.
const SolverInfo* find_by_name(const std::vector<SolverInfo>& list, std::string_view name);

}  // namespace orrery::solve
