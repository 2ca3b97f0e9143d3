// SPDX-License-Identifier: Apache-2.0
// The palette SignalExporters: signals to files of their own.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

extern const BlockType to_csv;
extern const BlockType to_text_file;
extern const BlockType to_mat;
extern const BlockType to_hdf;

}  // namespace orrery::blocks
