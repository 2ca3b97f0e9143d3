// SPDX-License-Identifier: Apache-2.0
// The palette SignalGenerators: signals that come from nothing but time, parameters and chance.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

extern const BlockType constant;
extern const BlockType sine_wave_generator;
extern const BlockType step_generator;
extern const BlockType ramp;
extern const BlockType square_wave_generator;
extern const BlockType sawtooth;
extern const BlockType time;
extern const BlockType real_time;
extern const BlockType ramp_saturate;
extern const BlockType trapezoid;
extern const BlockType modulo_counter;
extern const BlockType toggle;
extern const BlockType signal_generator;
extern const BlockType random;

}  // namespace orrery::blocks
