// SPDX-License-Identifier: Apache-2.0
// Which equations determine which unknowns, and in which order groups of them can be solved.
#pragma once

#include <cstdint>
#include <vector>

#include "equations/match.h"

namespace orrery::equations {

// Equations and unknowns that must be solved together; equation i of the group determines unknown i.
struct EquationGroup {
  std::vector<std::uint32_t> equations;
  std::vector<std::uint32_t> unknowns;
};

struct EquationGroups {
  std::vector<EquationGroup> groups;  // each after those whose unknowns it needs
  // Where there is no way to match them the system is structurally singular (its index is above 1): equations without
  // an unknown of their own and unknowns that no equation determines.
  std::vector<std::uint32_t> unmatched_equations, unmatched_unknowns;
};

// occurs[i]: the unknowns that occur in equation i; there are as many unknowns as equations. Equation i is given
// unknown i where it occurs, so that what a block declares together stays together.
EquationGroups group_equations(const std::vector<std::vector<std::uint32_t>>& occurs);
// With a complete matching.
std::vector<EquationGroup> group_equations(const Adjacency& occurs, const Matching& matching);

}  // namespace orrery::equations
