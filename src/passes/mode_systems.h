// SPDX-License-Identifier: Apache-2.0
// Which conditions and which loops of continuous time have to be settled together.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"

namespace orrery::passes {

// A condition that depends on unknowns whose equations read its mode, directly or through others: surfaces (of boolean
// modes) and loops, ascending. Without loops: conditions that read each other's modes, or one alone.
struct ModeSystem {
  std::vector<std::uint32_t> surfaces, loops;
};

// Each depends on earlier ones only. `loops` are those that surfaces need.
std::vector<ModeSystem> mode_systems(const program::Program& program, const std::vector<std::uint32_t>& loops);

}  // namespace orrery::passes
