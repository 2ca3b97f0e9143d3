// SPDX-License-Identifier: Apache-2.0
// The palette SignalViewers: blocks through which results leave the model.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

extern const BlockType scope;
extern const BlockType event_scope;
extern const BlockType display;
extern const BlockType signal_out;
extern const BlockType message;
extern const BlockType assertion;
extern const BlockType anim2d;  // what it records is a figure, not curves

}  // namespace orrery::blocks
