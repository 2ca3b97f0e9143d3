// SPDX-License-Identifier: Apache-2.0
// How many integrations smooth a break on its way from where a history is looked at to where one is kept.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"

namespace orrery::passes {

constexpr std::uint8_t never_reached = 255;

// [looked at][kept], or one row for all where telling them apart would take long: 0 where the kept signal is computed
// from the past one, 1 where it reads a state that integrates it, and so on; never_reached where it does not depend on
// it.
std::vector<std::vector<std::uint8_t>> smoothing_orders(const program::Program& program);

}  // namespace orrery::passes
