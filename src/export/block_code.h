// SPDX-License-Identifier: Apache-2.0
// The C of a model as the code of a block against vss_block4.h.
#pragma once

#include <string>

#include "base/diagnostic.h"
#include "export/c_model.h"

namespace orrery::code_export {

// How such a block looks from outside; texts are OML.
struct BlockCode {
  std::string code, function;
  std::size_t bytes = 0;          // of its memory, at most
  std::vector<bool> feedthrough;  // by regular input
};

// The model has one activation input, the last of its inputs, and before it a flag for each of `activations`, which are
// guards of one table; all other inputs are signals. Nothing, and a diagnostic for each block that cannot go.
std::optional<BlockCode> block_code(const CModel& model, std::size_t activations, Diagnostics& diagnostics);

}  // namespace orrery::code_export
