// SPDX-License-Identifier: Apache-2.0
// How an ACSL program is integrated.
#pragma once

#include <string>

#include "base/diagnostic.h"
#include "cssl/program.h"

namespace orrery::cssl {

// The solver of an algorithm; empty: there is none.
std::string solver_of_algorithm(int algorithm);

// What the program says outside of its derivative sections.
struct GivenControls {
  bool algorithm = false, largest_step = false;
  std::string smallest_step;
};

// Fills program.solver, step, hmax, hmin and parts from the roles and from what derivative sections say of themselves.
void choose_methods(Program& program, const GivenControls& given, Diagnostics& diagnostics);

}  // namespace orrery::cssl
