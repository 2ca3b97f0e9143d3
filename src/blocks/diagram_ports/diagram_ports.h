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

}  // namespace orrery::blocks
