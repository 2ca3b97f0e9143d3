// SPDX-License-Identifier: Apache-2.0
// The palette LookupTables: values between the points of a table.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

extern const BlockType lookup_table;
extern const BlockType lookup_table_port;
extern const BlockType lookup_table_2d;
extern const BlockType lookup_table_2d_port;
extern const BlockType lookup_table_3d;
extern const BlockType lookup_table_nd;

}  // namespace orrery::blocks
