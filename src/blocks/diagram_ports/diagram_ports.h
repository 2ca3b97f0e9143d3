// SPDX-License-Identifier: Apache-2.0
// The palette Ports: super blocks and the ports of their diagrams.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

extern const BlockType super_block;
extern const BlockType input_port;
extern const BlockType output_port;
extern const BlockType event_input_port;
extern const BlockType event_output_port;
extern const BlockType linearisation_point;
extern const BlockType enable_input;
extern const BlockType include_diagram;

// Blocks that no diagram shows: the compiler puts them in the place of super blocks.
extern const BlockType unit_activation;  // of an atomic super block: whatever reaches one of its inputs
extern const BlockType part_splitter;    // the elements or columns of an input
extern const BlockType part_joiner;
extern const BlockType run_condition;  // whether the value of an EnableInput is positive

// The inside of an atomic super block compiled by itself: what activates it, what arrives, what leaves; and an
// instance.
extern const BlockType unit_clock;
extern const BlockType unit_argument;
extern const BlockType unit_result;
extern const BlockType shared_unit;

}  // namespace orrery::blocks
