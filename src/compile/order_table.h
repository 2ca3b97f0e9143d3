// SPDX-License-Identifier: Apache-2.0
// The order in which the outputs and conditions of one table are evaluated; cycles are algebraic loops.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "compile/activate.h"
#include "compile/reads.h"

namespace orrery::compile {

// One thing to evaluate: an output of a member block (or, in a loop, one element of it), or the condition of a pass.
struct Task {
  enum class Kind : std::uint8_t { output, pass };
  Kind kind = Kind::output;
  std::uint32_t block = no_block;
  std::uint32_t index = 0;    // output port - 1, or index into Body::passes
  std::int64_t element = -1;  // -1: the whole output
  std::uint32_t atom = 0;     // pass: the atom of the plan
};

// Tasks of one strongly connected part, in the order in which the parts must be evaluated. A part with more than one
// task, or a task that needs itself, is an algebraic loop as far as whole outputs can tell.
struct Part {
  std::vector<Task> tasks;
  bool cyclic = false;
  std::vector<std::vector<std::uint32_t>> needs = {};  // cyclic: by task, the tasks of this part it depends on
  std::int32_t group = -1;                             // all tasks of a group of blocks; cyclic: and others
};

// Order in the file breaks ties, so results never depend on hashing. Blocks of one group (by block) are in one part.
// A part is valid during the call only.
void order_table(const Bodies& bodies, const Plan& plan, Reads& reads,
                 const std::unordered_map<std::uint32_t, std::uint32_t>& group_of,
                 const std::function<void(const Part&)>& visit);

// The same for the elements of the outputs of one cyclic part: an artificial loop falls apart into acyclic parts.
std::vector<Part> order_elements(program::Program& program, const Bodies& bodies, const Part& part);

}  // namespace orrery::compile
