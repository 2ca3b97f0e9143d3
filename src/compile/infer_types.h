// SPDX-License-Identifier: Apache-2.0
// Sizes and element types of all ports, by unification along links and the blocks' own refinement.
#pragma once

#include "base/diagnostic.h"
#include "compile/flat_model.h"

namespace orrery::compile {

// Afterwards every port of the model is fixed, or there are errors. Negative numbers unify as in Activate, 9.2.1; what
// nothing fixes is a scalar, of type double.
void infer_types(FlatModel& model, Diagnostics& diagnostics);

}  // namespace orrery::compile
