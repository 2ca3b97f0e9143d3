// SPDX-License-Identifier: Apache-2.0
// Which sources disturb continuous time, derived from what their tables write (Activate, 10.5.3 and 12.7).
#pragma once

#include "program/program.h"

namespace orrery::compile {

// Sets Table::critical of every source.
void mark_critical(program::Program& program);

}  // namespace orrery::compile
