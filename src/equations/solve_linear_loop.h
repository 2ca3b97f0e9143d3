// SPDX-License-Identifier: Apache-2.0
// The solution of linear equations between expressions, as expressions.
#pragma once

#include <vector>

#include "program/graph.h"
#include "program/program.h"

namespace orrery::equations {

struct LinearSolution {
  bool singular = false;
  std::vector<program::ExprId> values;  // by unknown
};

// Scalars; residuals are affine in the unknowns (passes/affine.h). With constant coefficients the elimination happens
// here, with pivoting, and leaves sums of products; else one division or one Op::solve does it while the model runs.
LinearSolution solve_linear_loop(program::Graph& graph, const std::vector<program::SlotId>& unknowns,
                                 const std::vector<program::ExprId>& residuals);

// Whether some choice of the modes in the coefficients leaves the equations without a solution, or with many: then a
// formula would divide by zero and say nothing. Also where there are too many choices to try.
bool may_be_singular(program::Program& program, const std::vector<program::SlotId>& unknowns,
                     const std::vector<program::ExprId>& residuals);

}  // namespace orrery::equations
