// SPDX-License-Identifier: Apache-2.0
// The palette MathOperations: formulas without memory.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

extern const BlockType gain;
extern const BlockType matrix_gain;
extern const BlockType sum;
extern const BlockType product;
extern const BlockType bias;
extern const BlockType power;
extern const BlockType abs;
extern const BlockType sign;
extern const BlockType math_func;
extern const BlockType trig_func;
extern const BlockType math_expression;
extern const BlockType matrix_expression;
extern const BlockType max_min;
extern const BlockType saturation;
extern const BlockType deadzone;

}  // namespace orrery::blocks
