// SPDX-License-Identifier: Apache-2.0
// The body of a block in continuous time: every corner or jump of its formulas reads a mode, which has surfaces.
//
// Blocks write their formulas as they are. While the integrator steps it must see smooth functions, so here each
// operation that is not smooth is replaced (docs/semantics.md, 7):
//
//   a < b, a <= b       a boolean mode
//   a == b, a ~= b      two of them, for the instant of touching and that of leaving
//   min, max, abs, sign choices on such modes
//   floor, ceil, round, trunc, mod, rem, casts to integers    a number that is held, with the surfaces that bound it
//
// Events evaluate the body as the block has written it.
#pragma once

#include "blocks/body.h"

namespace orrery::blocks {

// What only events read (rules) stays as it is. Adds the slots of the modes to the program; `modes` of the result says
// what they stand for. A condition may read modes that come before it in the list.
// False: guard_body would change nothing, as with most blocks.
bool needs_guard(const Body& body, const program::Graph& graph);
Body guard_body(const Body& body, program::Program& program, program::OriginId origin);

// Fixed steps evaluate formulas as they stand. Only what takes the place of another one in continuous time does so here
// too where it is a memory, which no part of a step may change; a state may leave its limits within one.
bool reads_memories(const Body& body);
Body body_of_fixed_steps(const Body& body, program::Program& program);

}  // namespace orrery::blocks
