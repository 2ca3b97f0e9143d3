// SPDX-License-Identifier: Apache-2.0
// The palette CustomBlocks: blocks whose behaviour or values come from OML.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

extern const BlockType c_custom_block;
extern const BlockType oml_custom_block;
extern const BlockType cpp_block;
extern const BlockType p_custom_block;
extern const BlockType cssl_block;
extern const BlockType from_base;
extern const BlockType to_base;
extern const BlockType optimization;
extern const BlockType exec_oml_script;

}  // namespace orrery::blocks
