// SPDX-License-Identifier: Apache-2.0
// The clock of the computer, for RealTime blocks.
#pragma once

#include "program/foreign_kinds.h"

namespace orrery::foreign {

program::ForeignKind wall_clock_kind();

}  // namespace orrery::foreign
