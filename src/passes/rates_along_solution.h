// SPDX-License-Identifier: Apache-2.0
// How scalar expressions of continuous time change along the solution: dg/dt = g_t + g_x f, and once more.
#pragma once

#include <span>
#include <vector>

#include "program/program.h"

namespace orrery::passes {

struct Rates {
  program::ExprId first = program::no_expr;   // no_expr: there is no rule for it
  program::ExprId second = program::no_expr;  // likewise
  program::ExprId size = program::no_expr;    // of the terms it is made of: by this the expression is rounded
  bool affine = false;                        // the expression is linear in states and time, apart from a constant
};

// Adds nodes to the graph. Modes, discrete states and held signals count as constants: they are while time goes on.
std::vector<Rates> rates_along_solution(program::Program& program, std::span<const program::ExprId> expressions);

// A slot that takes the place of time where expressions are differentiated by it.
program::SlotId time_slot(program::Program& program);

}  // namespace orrery::passes
