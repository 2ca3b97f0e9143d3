// SPDX-License-Identifier: Apache-2.0
// The palette CoSimulation: models made by other tools.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

extern const BlockType fmu;

}  // namespace orrery::blocks
