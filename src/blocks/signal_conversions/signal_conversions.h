// SPDX-License-Identifier: Apache-2.0
// The palette SignalConversions: from one element type to another.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

extern const BlockType data_type_conversion;
extern const BlockType scalar_expand;
extern const BlockType identity;
extern const BlockType formatted_string;
extern const BlockType unit_conversion;

}  // namespace orrery::blocks
