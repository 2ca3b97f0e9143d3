// SPDX-License-Identifier: Apache-2.0
// How expressions depend on time and on continuous states: what error control sees of them, and what it does not.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"

namespace orrery::compile {

constexpr std::uint8_t on_time = 1, on_state = 2, bent = 4;  // bent: not linear in time

// Sums, products and quotients: what a term adds to a value can be followed by itself.
bool is_arithmetic(program::Op op);

// By expression of the program's graph. `bent_slots` (by slot, may be empty) read like something bent.
std::vector<std::uint8_t> time_dependence(const program::Program& program, const std::vector<bool>& bent_slots = {});

}  // namespace orrery::compile
