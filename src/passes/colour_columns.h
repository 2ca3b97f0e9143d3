// SPDX-License-Identifier: Apache-2.0
// Groups columns of a sparse matrix that share no row, so that one evaluation serves a whole group.
#pragma once

#include <vector>

#include "passes/sparsity.h"

namespace orrery::passes {

struct Colouring {
  std::vector<std::int32_t> colour;  // by column
  std::int32_t count = 0;
};

// Greedy, columns with the most entries first (Coleman and More 1983: distance-2 colouring).
Colouring colour_columns(const Sparsity& pattern);

}  // namespace orrery::passes
