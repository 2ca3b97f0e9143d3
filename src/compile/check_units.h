// SPDX-License-Identifier: Apache-2.0
// The units of a diagram: what remarks say of parameters and ports, what follows from the blocks, where they disagree.
#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "compile/compile.h"
#include "units/infer.h"

namespace orrery::compile {

// Remarks: the `about` of a block ("k [N/m], out1 [N]", or "[m]" for its only output), comments behind a parameter's
// value and behind a variable of a context. The behaviour of each block is built once more with its parameters as
// unknowns, so what it multiplies, adds and integrates says how units follow. Signals with their units, by block.
std::vector<units::UnitOfName> check_units(const model::Model& model, const Evaluated& evaluated,
                                           Diagnostics& diagnostics);

}  // namespace orrery::compile
