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
extern const BlockType pow_block;
extern const BlockType exponential;
extern const BlockType log_block;
extern const BlockType atan2_block;
extern const BlockType hypot_block;
extern const BlockType negate;
extern const BlockType round_block;
extern const BlockType modulo;
extern const BlockType horner;
extern const BlockType math_expressions;
extern const BlockType oml_expression;

}  // namespace orrery::blocks
