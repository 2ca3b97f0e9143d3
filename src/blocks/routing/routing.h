// SPDX-License-Identifier: Apache-2.0
// The palette Routing: which signal goes where.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

extern const BlockType mux;
extern const BlockType demux;
extern const BlockType switch2;
extern const BlockType select_input;
extern const BlockType set_signal;
extern const BlockType get_signal;
extern const BlockType extractor;
extern const BlockType select_output;
extern const BlockType conditional_select;
extern const BlockType conditional_n_select;
extern const BlockType switch_n;
extern const BlockType manual_switch;

}  // namespace orrery::blocks
