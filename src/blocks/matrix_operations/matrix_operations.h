// SPDX-License-Identifier: Apache-2.0
// The palette MatrixOperations: products, parts and reductions of matrices.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

extern const BlockType matrix_multiplication;
extern const BlockType matrix_division;
extern const BlockType matrix_inverse;
extern const BlockType transpose_block;
extern const BlockType matrix_concatenation;
extern const BlockType matrix_extractor;
extern const BlockType assignment;
extern const BlockType matrix_reshape;
extern const BlockType diagonal_matrix;
extern const BlockType sum_elements;
extern const BlockType max_elements;
extern const BlockType min_elements;
extern const BlockType cumulative_sum;
extern const BlockType cross_product;
extern const BlockType sort_block;

}  // namespace orrery::blocks
