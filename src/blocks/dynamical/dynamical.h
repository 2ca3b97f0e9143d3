// SPDX-License-Identifier: Apache-2.0
// The palette Dynamical: blocks with states and memories.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

extern const BlockType integral;
extern const BlockType cont_state_space;
extern const BlockType cont_trans_func;
extern const BlockType jump_state_space;
extern const BlockType discrete_delay;
extern const BlockType discrete_integral;
extern const BlockType discr_state_space;
extern const BlockType discr_trans_func;
extern const BlockType sample_hold;
extern const BlockType memory;
extern const BlockType counter;
extern const BlockType constraint;
extern const BlockType implicit_derivative;
extern const BlockType loop_breaker;
extern const BlockType invariant;
extern const BlockType initial_equation;
extern const BlockType projected_integral;
extern const BlockType automaton;
extern const BlockType cont_pole_zero;
extern const BlockType discr_pole_zero;
extern const BlockType sampled_data;
extern const BlockType pid;
extern const BlockType accumulator;
extern const BlockType shift_register;
extern const BlockType fixed_delay;
extern const BlockType variable_delay;

}  // namespace orrery::blocks
