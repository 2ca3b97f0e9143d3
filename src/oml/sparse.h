// SPDX-License-Identifier: Apache-2.0
// Sparse matrices: building, converting, reading.
#pragma once

#include <vector>

#include "oml/value.h"

namespace orrery::oml {

struct Triplet {
  Index row, col;
  Complex value;
};

// Sums duplicates and drops zeros.
Value sparse_from_triplets(Index rows, Index cols, std::vector<Triplet> triplets);
std::vector<Triplet> triplets_of(const SparseMatrix& s);
Value to_sparse(const Value& dense);

}  // namespace orrery::oml
