// SPDX-License-Identifier: Apache-2.0
// The palette LogicalOperations: signals that are true or false.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

extern const BlockType relational_op;
extern const BlockType logical_op;
extern const BlockType compare_to_constant;
extern const BlockType truth_table;

}  // namespace orrery::blocks
