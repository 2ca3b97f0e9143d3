// SPDX-License-Identifier: Apache-2.0
// What events write and a linear model reads: memories of blocks and held signals.
#pragma once

#include <cstdint>
#include <vector>

#include "analyse/linearise.h"
#include "program/program.h"

namespace orrery::analyse {

// One who writes a memory.
struct EventWrite {
  std::uint32_t source = 0;
  program::ExprId value = program::no_expr;  // no_expr: a foreign procedure gives it
  program::ExprId guard = program::no_expr;
};

// Which memories respond to deviations of states and inputs. A step of a generator, or anything else that follows from
// time and parameters alone, is the same whatever the deviations are: it is no part of a linear model.
class EventMemories {
 public:
  EventMemories(const program::Program& program, const LinearRequest& request);

  bool responds(program::SlotId slot) const { return responds_[slot]; }
  // By the events of the run, without those of the start and those that whoever runs the model fires.
  const std::vector<EventWrite>& writes(program::SlotId slot) const { return writes_[slot]; }
  // Those that respond and that rates and outputs of the request read, ascending.
  std::vector<program::SlotId> read_directly() const;
  // Those that respond and that the values of these writes read.
  std::vector<program::SlotId> read_by(const EventWrite& write) const;

 private:
  bool depends(program::ExprId expression, std::int32_t source) const;
  void find_writes();
  void find_responding();

  const program::Program& program_;
  const LinearRequest& request_;
  std::vector<std::vector<EventWrite>> writes_;  // by slot
  std::vector<bool> responds_;                   // by slot: also states, inputs, unknowns
  std::vector<bool> source_responds_;            // when it fires does
};

}  // namespace orrery::analyse
