// SPDX-License-Identifier: Apache-2.0
// Maximum matching by augmenting paths, then strongly connected components: block lower triangular form.
#include "compile/group_equations.h"

#include <algorithm>

#include "compile/strong_components.h"

namespace orrery::compile {
namespace {

constexpr std::uint32_t nothing = UINT32_MAX;

class Matching {
 public:
  explicit Matching(const std::vector<std::vector<std::uint32_t>>& occurs)
      : occurs_(occurs), unknown_of(occurs.size(), nothing), equation_of(occurs.size(), nothing) {
    for (std::uint32_t i = 0; i < occurs.size(); ++i) {
      if (std::find(occurs[i].begin(), occurs[i].end(), i) != occurs[i].end()) unknown_of[i] = equation_of[i] = i;
    }
    for (std::uint32_t i = 0; i < occurs.size(); ++i) {
      if (unknown_of[i] == nothing) augment(i);
    }
  }

 private:
  // Breadth first from a free equation along alternating edges to a free unknown.
  void augment(std::uint32_t start) {
    std::vector<std::uint32_t> reached_from(occurs_.size(), nothing);  // by unknown: the equation that found it
    std::vector<std::uint32_t> queue{start};
    for (std::size_t at = 0; at < queue.size(); ++at) {
      for (std::uint32_t unknown : occurs_[queue[at]]) {
        if (reached_from[unknown] != nothing) continue;
        reached_from[unknown] = queue[at];
        if (equation_of[unknown] != nothing) {
          queue.push_back(equation_of[unknown]);
          continue;
        }
        while (unknown != nothing) {
          const std::uint32_t equation = reached_from[unknown];
          equation_of[unknown] = equation;
          std::swap(unknown, unknown_of[equation]);
        }
        return;
      }
    }
  }

  const std::vector<std::vector<std::uint32_t>>& occurs_;

 public:
  std::vector<std::uint32_t> unknown_of, equation_of;
};

}  // namespace

EquationGroups group_equations(const std::vector<std::vector<std::uint32_t>>& occurs) {
  const Matching matching(occurs);
  EquationGroups result;
  for (std::uint32_t i = 0; i < occurs.size(); ++i) {
    if (matching.unknown_of[i] == nothing) result.unmatched_equations.push_back(i);
    if (matching.equation_of[i] == nothing) result.unmatched_unknowns.push_back(i);
  }
  if (!result.unmatched_equations.empty()) return result;
  std::vector<std::vector<std::uint32_t>> needs(occurs.size());
  for (std::size_t i = 0; i < occurs.size(); ++i) {
    for (std::uint32_t unknown : occurs[i]) needs[i].push_back(matching.equation_of[unknown]);
  }
  for (auto& component : strong_components(needs)) {
    std::sort(component.begin(), component.end());
    EquationGroup group;
    for (std::uint32_t equation : component) group.unknowns.push_back(matching.unknown_of[equation]);
    group.equations = std::move(component);
    result.groups.push_back(std::move(group));
  }
  return result;
}

}  // namespace orrery::compile
