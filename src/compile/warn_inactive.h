// SPDX-License-Identifier: Apache-2.0
// Blocks that wait for events which cannot come.
#pragma once

#include "compile/activate.h"

namespace orrery::compile {

// Warns of every block that remembers, programs or shows something at events only, when no event ever reaches it.
void warn_inactive(const FlatModel& model, const Bodies& bodies, const Activations& activations,
                   Diagnostics& diagnostics);

}  // namespace orrery::compile
