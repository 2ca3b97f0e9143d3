// SPDX-License-Identifier: Apache-2.0
// A scalar expression as a sum of terms, each with a factor that stays the same throughout a run.
#pragma once

#include <vector>

#include "equations/system.h"

namespace orrery::equations {

struct LinearTerm {
  program::ExprId value;                     // a variable, or anything else
  double factor = 1;                         // times
  program::ExprId scale = program::no_expr;  // this, which reads parameters alone
};

// Looks through sums, differences and products with such factors, and no further.
std::vector<LinearTerm> linear_terms(const program::Program& program, program::ExprId expression);

// The residual solved for a variable: no_expr unless it occurs in terms of its own only, with a factor that is not
// known to be zero.
program::ExprId solve_for(const System& system, VariableIndex& index, const std::vector<LinearTerm>& residual,
                          VariableId variable);

}  // namespace orrery::equations
