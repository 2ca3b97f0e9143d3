// SPDX-License-Identifier: Apache-2.0
// Initial equations to the start system of a Program: what is solved for once, before a run begins.
#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "equations/system.h"

namespace orrery::equations {

// One element of a state, a parameter or a memory (doubles) whose start value is only where the search begins.
struct FreeStart {
  program::SlotId slot = program::no_slot;
  std::int64_t element = 0;
  // Where equations leave a choice, the highest rank keeps its start value, then the first listed.
  int rank = 0;
  bool required = false;  // an equation must determine it
};

// Equations 0 = residual over the slots of the Program, which is causal already: states, parameters, memories, unknowns
// and modes of continuous time.
struct StartProblem {
  std::vector<FreeStart> free;
  std::vector<Equation> equations;
};

// The equations are matched with what is free, together with the loops of continuous time and the conditions they need,
// and what the initial table computes; each group becomes a loop of the start. Free values that nothing asks for keep
// their start values, which Program::start_system lists; equations for which nothing is left to solve are checked when
// a run starts. The invariants of the Program are among the equations. False: reported.
[[nodiscard]] bool add_start(program::Program& program, const StartProblem& problem, Diagnostics& diagnostics);

}  // namespace orrery::equations
