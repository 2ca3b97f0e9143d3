// SPDX-License-Identifier: Apache-2.0
// The icon of a block as a small SVG picture for the manual.
#pragma once

#include <string>

#include "blocks/block.h"

namespace orrery::blocks {

// With the default parameters of the type.
std::string icon_svg(const BlockType& type, int inputs, int outputs);

}  // namespace orrery::blocks
