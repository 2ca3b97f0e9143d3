// SPDX-License-Identifier: Apache-2.0
// For every block type a small model that shows it, for its page in the manual.
#pragma once

#include <optional>

#include "blocks/block.h"
#include "blocks/manual.h"
#include "model/model.h"

namespace orrery::blocks {

// Waves at the inputs and a clock at the activation inputs, a Scope at the outputs; where that shows nothing, one
// written by hand. Those that read files make them first, in the folder in which they run. Only that of CppBlock needs
// more: what `orrery new block --kind cpp my_block` and `make -C my_block` leave.
std::optional<model::Model> example_model(const BlockType& type, const TextEvaluator& evaluate);

}  // namespace orrery::blocks
