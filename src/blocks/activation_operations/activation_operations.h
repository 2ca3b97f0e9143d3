// SPDX-License-Identifier: Apache-2.0
// The palette ActivationOperations: blocks that make, delay, select and combine activations.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

extern const BlockType sample_clock;
extern const BlockType re_sample_clock;
extern const BlockType event_clock;
extern const BlockType event_generate;
extern const BlockType event_delay;
extern const BlockType event_variable_delay;
extern const BlockType event_delayed_channel;
extern const BlockType event_union;
extern const BlockType activation_intersection;
extern const BlockType if_then_else;
extern const BlockType switch_case;
extern const BlockType initial_event;
extern const BlockType final_event;
extern const BlockType always_activate;
extern const BlockType zero_cross;
extern const BlockType edge_trigger;
extern const BlockType frequency_divider;
extern const BlockType sync_tag;
extern const BlockType extract_activation;
extern const BlockType repeat_activation;
extern const BlockType end;
extern const BlockType zero_cross_up;
extern const BlockType zero_cross_down;
extern const BlockType discr_edge_trigger;
extern const BlockType and_activations;
extern const BlockType event_to_code;
extern const BlockType if_expressions;
extern const BlockType event_port_zero;

}  // namespace orrery::blocks
