// SPDX-License-Identifier: Apache-2.0
// Formulas of users whose value is not a number end the run.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

// Where the value is not a number although the inputs are, at points of the solution and at events, the run ends with
// an error that names the innermost part of the formula to blame (Activate, 2.7). An input that has no value yet, or is
// not a number itself, is its own source's business. Formulas that always have a value are left alone.
void refuse_nan(Block& b, const Expr& value);

}  // namespace orrery::blocks
