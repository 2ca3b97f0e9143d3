// SPDX-License-Identifier: Apache-2.0
// Which operations jump, and which choices are continuous where they change over (docs/semantics.md, 4.6).
#pragma once

#include "program/graph.h"

namespace orrery::compile {

// Comparisons, sign, floor and the like; not == and ~=, not what is continuous at its corner (min, max, abs).
bool jumps(const program::Graph& graph, program::ExprId id);

// a < b or b < a: what equals something for an instant only does so in it.
bool is_difference(const program::Graph& graph, program::ExprId id);

// select(a < b, a, b) and select(0 <= a, a, -a): min, max and abs as continuous time has them.
bool is_continuous_choice(const program::Graph& graph, program::ExprId id);

// Whether the operation is mod or rem of doubles: x - n y, where n jumps.
bool is_remainder(const program::Graph& graph, program::ExprId id);
// The n of such an operation, for arguments in other terms.
program::ExprId quotient_of(program::Graph& graph, program::ExprId remainder, program::ExprId x, program::ExprId y);
// x - n y with the n of just after the instant, where that is another one than `now`; else the operation as it stands.
program::ExprId remainder_after(program::Graph& graph, program::ExprId as_it_stands, program::ExprId now,
                                program::ExprId after, program::ExprId x, program::ExprId y);

// Behind the condition of just after the instant a formula may have no value yet, as sqrt(u) behind u >= 0: then it is
// taken as it stands.
program::ExprId with_value(program::Graph& graph, program::ExprId sampled, program::ExprId as_it_stands);

}  // namespace orrery::compile
