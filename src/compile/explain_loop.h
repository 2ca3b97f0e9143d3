// SPDX-License-Identifier: Apache-2.0
// An algebraic loop as a diagnostic: the path of blocks and ports, and why each step feeds through.
#pragma once

#include "base/diagnostic.h"
#include "compile/order_table.h"

namespace orrery::compile {

Diagnostic& explain_loop(const program::Program& program, const FlatModel& model, const Bodies& bodies,
                         const Part& loop, Reads& reads, Diagnostics& diagnostics);

}  // namespace orrery::compile
