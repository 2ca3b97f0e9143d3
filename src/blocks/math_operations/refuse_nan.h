// SPDX-License-Identifier: Apache-2.0
// Formulas of users whose value is not a number end the run.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

// Where the value is not a number although the inputs are, at points of the solution and at events, the run ends with
// an error that names the innermost part of the formula to blame (Activate, 2.7). An input that has no value yet, or is
// not a number itself, is its own source's business. Formulas that always have a value are left alone.
// what: the subject of the message; when: it is judged only then.
void refuse_nan(Block& b, const Expr& value, const char* what = "the output", const Expr& when = {});
// The same for a condition, in which comparisons with what is not a number would be false: their sides are judged.
void refuse_nan_in_condition(Block& b, const Expr& value, const Expr& when);

}  // namespace orrery::blocks
