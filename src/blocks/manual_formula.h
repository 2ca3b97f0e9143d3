// SPDX-License-Identifier: Apache-2.0
// What a block computes, as lines of formulas for its page in the manual.
#pragma once

#include <string>
#include <vector>

#include "blocks/manual.h"

namespace orrery::blocks {

// "y = k * u": the block built by itself, with its parameters and inputs as names and scalars where sizes are open.
// Empty for blocks that are no formulas, or whose formulas are texts of their users.
std::vector<std::string> formula_lines(const BlockType& type, const TextEvaluator& evaluate);

}  // namespace orrery::blocks
