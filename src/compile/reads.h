// SPDX-License-Identifier: Apache-2.0
// Which slots the expressions of block bodies read, remembered.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compile/build_bodies.h"
#include "program/program.h"

namespace orrery::compile {

class Reads {
 public:
  Reads(const program::Program& program, const Bodies& bodies);

  // Slots read by an expression, each once, in order of first appearance. With relaxed modes, a mode counts as what its
  // condition reads.
  const std::vector<program::SlotId>& of(program::ExprId expr, bool relaxed);
  program::ExprId condition_of(program::SlotId mode) const { return condition_.at(mode); }

 private:
  struct Found {
    std::vector<program::SlotId> slots;
    std::unordered_set<program::SlotId> known;
  };
  void collect(program::ExprId expr, Found& found);

  const program::Program& program_;
  std::unordered_map<program::SlotId, program::ExprId> condition_;  // of modes
  std::unordered_map<program::ExprId, std::vector<program::SlotId>> known_[2];
};

}  // namespace orrery::compile
