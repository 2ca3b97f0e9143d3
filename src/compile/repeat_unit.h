// SPDX-License-Identifier: Apache-2.0
// An atomic super block that RepeatActivation repeats: its part of a table becomes a loop (a function with statements),
// of which the rest of the table sees what it has left.
#pragma once

#include <unordered_map>
#include <vector>

#include "compile/compose_table.h"

namespace orrery::compile {

// The blocks of a plan that are repeated together, by the innermost atomic super block around the RepeatActivation.
// `within`: a unit whose own repetition is being made; only those inside it count.
struct RepeatedUnit {
  std::uint32_t unit = no_unit;
  std::vector<std::uint32_t> members;
};
std::vector<RepeatedUnit> find_repeated_units(const FlatModel& model, const Bodies& bodies, const Plan& plan,
                                              std::uint32_t within);

// Which blocks belong to a unit that some event may repeat.
std::vector<bool> find_repeated_blocks(const FlatModel& model, const Bodies& bodies);

// The part of a plan that concerns these blocks.
Plan part_of(const Plan& plan, const std::vector<std::uint32_t>& members);

// Turns the table of a unit, which reads its memory through placeholders, into one that gives what is left when it was
// repeated as often as its RepeatActivation blocks want. False, and a diagnostic, when that cannot be.
[[nodiscard]] bool repeat_table(program::Program& program, const std::unordered_map<program::SlotId, Placed>& places,
                                const Place& place, program::Table& table, std::vector<program::ExprId>& passes,
                                Diagnostics& diagnostics);

}  // namespace orrery::compile
