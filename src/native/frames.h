// SPDX-License-Identifier: Apache-2.0
// The memory in which functions with statements work: a pointer to the trouble record, locals, then a workspace.
//
// A function is seen as a small program whose slots are its locals; each of its statements becomes a procedure of that
// program, so what is printed for it is what is printed for any procedure.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "program/function.h"
#include "program/procedure.h"

namespace orrery::native {

constexpr std::uint32_t frame_head = 16;  // bytes: the pointer

struct FunctionFrame {
  const program::Function* function = nullptr;
  std::uint32_t index = 0;       // its name is orr_f<index>
  std::uint32_t first_site = 0;  // as in program::ListedFunction
  program::Program program;      // locals, then places for elements on their way
  program::Layout layout{};      // offsets from the beginning of the frame
  // One for each statement that computes, in the order in which statements are visited: a value goes to its local or,
  // of an element, to `element_slot`; positions, counts and conditions go to y.
  std::deque<program::Procedure> procedures{};
  std::vector<program::SlotId> element_slot{};  // by procedure
  std::uint32_t workspace = 0;                  // bytes from the beginning
  std::uint32_t doubles = 0;                    // of frame and workspace
};

// Frames of all functions of a program, callees first.
class Frames {
 public:
  explicit Frames(const program::Program& program);
  const FunctionFrame& of(const program::Function& function) const;
  const std::deque<FunctionFrame>& all() const { return frames_; }

 private:
  void add(const program::ListedFunction& listed);
  std::deque<FunctionFrame> frames_;
};

}  // namespace orrery::native
