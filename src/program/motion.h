// SPDX-License-Identifier: Apache-2.0
// What moves while the integrator steps, and which operations must not be applied to it.
#pragma once

#include <vector>

#include "program/program.h"

namespace orrery::program {

// By expression: whether it depends on time, a continuous state or an unknown that does. Modes and whatever only events
// change stand still.
std::vector<bool> find_moving(const Program& program);

// Whether the operation has corners or jumps where its arguments move: comparisons, min, max, abs, sign, numbers made
// whole. An integer or truth value that foreign code gives is whole already; that it comes as a double is no corner.
bool has_corner(const Graph& graph, ExprId id);

// Whether corners of operations or control flow depend on the floating arguments of a function. What a check says does
// not count: it changes nothing.
bool has_corners(const Function& function);

// Whether the operation has no value for some arguments that move: roots, logarithms, quotients.
bool may_lack_value(const Graph& graph, const std::vector<bool>& moves, ExprId id);

// Whether an assertion judges no tried points: then it is judged as it stands at those of the solution, and nothing of
// it is located.
bool judged_as_it_stands(const Graph& graph, const Assertion& assertion);

}  // namespace orrery::program
