// SPDX-License-Identifier: Apache-2.0
// Strongly connected components of a graph, in evaluation order (dependencies first).
#pragma once

#include <cstdint>
#include <vector>

#include "passes/adjacency.h"

namespace orrery::passes {

// needs[v]: what v depends on. Each row of the result is a component, which depends only on earlier ones; within a
// component, and between independent ones, the order of the vertices decides. The cost is that of reading `needs`.
Adjacency strong_components(const Adjacency& needs);
std::vector<std::vector<std::uint32_t>> strong_components(const std::vector<std::vector<std::uint32_t>>& needs);

}  // namespace orrery::passes
