// SPDX-License-Identifier: Apache-2.0
// Unknowns that an equation gives as they stand, as expressions.
#pragma once

#include <vector>

#include "equations/system.h"
#include "equations/unfold.h"

namespace orrery::equations {

// v = expression, which reads neither v nor anything that needs v.
struct Given {
  std::uint32_t equation;
  VariableId variable;
};

// An equation gives v when v occurs linearly, with a coefficient that stays the same throughout a run, and either no
// other unknown occurs that is not given itself, or v is a derivative and no other derivative occurs. Sets what they
// are in `values`.
std::vector<Given> presolve(System& system, Unfolding& values);

}  // namespace orrery::equations
