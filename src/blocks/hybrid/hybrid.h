// SPDX-License-Identifier: Apache-2.0
// The palette Hybrid: blocks that remember where their input came from.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

extern const BlockType last_input;
extern const BlockType controlled_saturation;
extern const BlockType quantization;
extern const BlockType hysteresis;
extern const BlockType backlash;
extern const BlockType rate_limiter;

}  // namespace orrery::blocks
