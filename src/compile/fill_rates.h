// SPDX-License-Identifier: Apache-2.0
// How fast signals change along the solution, put where surfaces ask for it.
#pragma once

#include <vector>

#include "program/program.h"

namespace orrery::compile {

// A scalar of continuous time, the placeholder for its rate, and the block that asks.
struct SignalRate {
  program::SlotId slot;
  program::ExprId value;
  std::uint32_t block;
  bool known = false;
};

// The derivatives of the program are final. A surface whose rate has no formula is never positive.
void fill_rates(program::Program& program, std::vector<SignalRate>& rates);

}  // namespace orrery::compile
