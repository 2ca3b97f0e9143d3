// SPDX-License-Identifier: Apache-2.0
// Matching, then strongly connected components: block lower triangular form.
#include "equations/group_equations.h"

#include <algorithm>

#include "equations/adjacency.h"

namespace orrery::equations {

// Groups of this size stay in the order in which they were found: neighbours are near each other in it, and what is
// done with them next takes a fifth less time than in ascending order.
constexpr std::size_t much = 10000;

std::vector<EquationGroup> group_equations(const Adjacency& occurs, const Matching& matching) {
  Adjacency needs = occurs;
  for (std::uint32_t& unknown : needs.target) unknown = matching.equation_of[unknown];
  const Adjacency components = strong_components(needs);
  std::vector<EquationGroup> groups;
  groups.reserve(components.rows());
  for (std::uint32_t k = 0; k < components.rows(); ++k) {
    EquationGroup& group = groups.emplace_back();
    group.equations.assign(components[k].begin(), components[k].end());
    if (group.equations.size() < much) std::sort(group.equations.begin(), group.equations.end());
    for (const std::uint32_t equation : group.equations) group.unknowns.push_back(matching.unknown_of[equation]);
  }
  return groups;
}

EquationGroups group_equations(const std::vector<std::vector<std::uint32_t>>& occurs) {
  const Adjacency rows = adjacency_of(occurs);
  Matching own = empty_matching(rows.rows(), rows.rows());
  for (std::uint32_t i = 0; i < occurs.size(); ++i) {
    if (std::find(occurs[i].begin(), occurs[i].end(), i) != occurs[i].end()) own.pair(i, i);
  }
  const Matching matching = match(rows, std::move(own));
  EquationGroups result;
  for (std::uint32_t i = 0; i < occurs.size(); ++i) {
    if (matching.unknown_of[i] == none) result.unmatched_equations.push_back(i);
    if (matching.equation_of[i] == none) result.unmatched_unknowns.push_back(i);
  }
  if (result.unmatched_equations.empty()) result.groups = group_equations(rows, matching);
  return result;
}

}  // namespace orrery::equations
