// SPDX-License-Identifier: Apache-2.0
// Structure of the Jacobian of a Program's derivatives with respect to its states.
#pragma once

#include "passes/sparsity.h"
#include "program/program.h"

namespace orrery::passes {

// Rows: elements of the derivatives; columns: elements of the states; both in the order of Program::states.
// Structural: entries that happen to vanish are counted (see find_dependencies.h).
Sparsity jacobian_pattern(const program::Program& program);

}  // namespace orrery::passes
