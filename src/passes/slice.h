// SPDX-License-Identifier: Apache-2.0
// What a set of expressions needs from outside: slots, time, clocks, foreign functions.
#pragma once

#include <span>
#include <vector>

#include "program/program.h"

namespace orrery::passes {

struct Needs {
  std::vector<program::SlotId> slots;  // ascending
  std::vector<std::uint32_t> clocks;   // ascending
  std::vector<std::uint32_t> foreign;  // ascending
  bool time = false;
};

// Visits every node once, however the expressions share them. no_expr is ignored.
Needs slice(const program::Graph& graph, std::span<const program::ExprId> expressions);

// Only the slots.
std::vector<program::SlotId> slots_read(const program::Graph& graph, std::span<const program::ExprId> expressions);

}  // namespace orrery::passes
