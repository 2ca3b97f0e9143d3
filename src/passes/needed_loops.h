// SPDX-License-Identifier: Apache-2.0
// Which loops must be solved before expressions can be evaluated, and what is read on the way.
#pragma once

#include <span>
#include <vector>

#include "program/program.h"

namespace orrery::passes {

struct LoopNeeds {
  std::vector<std::uint32_t> loops;    // indices into Program::loops, ascending: the order in which they are solved
  std::vector<program::SlotId> slots;  // read by the expressions or by these loops, ascending
};

// For expressions of the table of `source`, or of continuous time (Loop::continuous): an unknown belongs to the loop of
// that table if it has one, else to that of continuous time.
LoopNeeds needed_loops(const program::Program& program, std::span<const program::ExprId> expressions,
                       std::int32_t source);

}  // namespace orrery::passes
