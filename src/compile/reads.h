// SPDX-License-Identifier: Apache-2.0
// Which slots the expressions of block bodies read, remembered.
#pragma once

#include <unordered_map>
#include <vector>

#include "program/program.h"

namespace orrery::compile {

class Reads {
 public:
  explicit Reads(const program::Program& program) : program_(program) {}

  // Slots read by an expression, each once, in order of first appearance.
  const std::vector<program::SlotId>& of(program::ExprId expr);

 private:
  const program::Program& program_;
  std::unordered_map<program::ExprId, std::vector<program::SlotId>> known_;
  std::vector<std::uint32_t> seen_, read_;  // by expression, by slot: the last question in which it was met
  std::uint32_t question_ = 0;
  std::vector<program::ExprId> stack_;
};

}  // namespace orrery::compile
