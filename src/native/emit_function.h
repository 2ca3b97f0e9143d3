// SPDX-License-Identifier: Apache-2.0
// Functions with statements as C functions that work in a frame (frames.h).
#pragma once

#include "native/emit_procedure.h"
#include "native/frames.h"

namespace orrery::native {

EmittedProcedure emit_function(const Frames& frames, const FunctionFrame& frame, Prologue& prologue, Style style);

}  // namespace orrery::native
