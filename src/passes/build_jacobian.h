// SPDX-License-Identifier: Apache-2.0
// Exact sparse Jacobians of a Program's derivatives, or of other expressions, as a procedure.
#pragma once

#include <span>

#include "passes/sparsity.h"
#include "program/procedure.h"

namespace orrery::passes {

struct Jacobian {
  Sparsity pattern;
  // Stores the value of entry i of pattern.row to output i ("jacobian").
  program::Procedure procedure;
  // False: some derivative goes through a foreign call or another operation without a rule; the values lack that part
  // and must not be used (take differences with jacobian_pattern and colour_columns instead).
  bool exact = true;
};

// Rows and columns as in jacobian_pattern.h; entries that are structurally zero after differentiation are left out.
Jacobian build_jacobian(program::Program& program);
// Rows: the elements of the expressions in order; columns: those of the slots (doubles).
Jacobian build_jacobian(program::Program& program, std::span<const program::SlotId> columns,
                        std::span<const program::ExprId> rows);

}  // namespace orrery::passes
