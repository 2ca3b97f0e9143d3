// SPDX-License-Identifier: Apache-2.0
// Removes hierarchy: super blocks vanish, parameters are evaluated in their contexts, links become drivers.
#pragma once

#include "base/diagnostic.h"
#include "compile/evaluator.h"
#include "compile/flat_model.h"
#include "compile/services.h"

namespace orrery::compile {

// Contexts are run and parameters evaluated on the way: inner diagrams see the names of outer ones.
FlatModel flatten(const model::Model& model, Evaluator& evaluator, const Services& services, Diagnostics& diagnostics);

}  // namespace orrery::compile
