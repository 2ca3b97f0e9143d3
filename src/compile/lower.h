// SPDX-License-Identifier: Apache-2.0
// Activation plans and block bodies to the tables, derivatives and surfaces of a Program.
#pragma once

#include "base/diagnostic.h"
#include "compile/activate.h"
#include "compile/compile.h"

namespace orrery::compile {

// False when there was an error.
[[nodiscard]] bool lower(const FlatModel& model, const Bodies& bodies, const Activations& activations,
                         const CompileOptions& options, program::Program& program, Diagnostics& diagnostics);

}  // namespace orrery::compile
