// SPDX-License-Identifier: Apache-2.0
// The palette SignalImporters: signals from the workspace and from files.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

extern const BlockType signal_in;
extern const BlockType from_csv;
extern const BlockType from_text;
extern const BlockType from_mat;
extern const BlockType from_hdf;

}  // namespace orrery::blocks
