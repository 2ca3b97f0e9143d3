// SPDX-License-Identifier: Apache-2.0
// The derivative of a function with statements is another function: beside every double goes the way it moves.
#pragma once

#include <cstdint>

#include "program/graph.h"

namespace orrery::passes {

constexpr std::uint32_t no_function = UINT32_MAX;

// The function that takes the arguments of another one, then the directions of those that are doubles, and gives the
// directions in which its double results move (other results as they are). Made once for each function of a graph.
// no_function: something in it has no derivative, a complex number for example.
std::uint32_t derivative_function(program::Graph& graph, std::uint32_t function);

}  // namespace orrery::passes
