// SPDX-License-Identifier: Apache-2.0
// The palette FlipFlops: one bit of memory.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

extern const BlockType d_flip_flop;
extern const BlockType d_latch;
extern const BlockType jk_flip_flop;
extern const BlockType sr_flip_flop;

}  // namespace orrery::blocks
