// SPDX-License-Identifier: Apache-2.0
// Makes a Program carry sensitivities with respect to variables of the model's context.
#pragma once

#include "api/session.h"

namespace orrery::api {

// Options with which a Program keeps its shape when a number in it changes a little.
program::GraphOptions comparable_graph();

// `program` was compiled from the model with these options and comparable_graph(). The model is compiled again with
// each variable a little larger and smaller: which numbers of the Program change with it, and how, is what the scripts
// made of the variable. False, and a diagnostic, when a variable does not exist, changes the structure of the model, or
// has an effect that cannot be differentiated.
bool add_sensitivities(const model::Model& model, const RunRequest& request, const compile::CompileOptions& options,
                       program::Program& program, Diagnostics& diagnostics);

}  // namespace orrery::api
