// SPDX-License-Identifier: Apache-2.0
// Structures of equation systems of any size: chains, meshes, random ones with a complete matching.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "equations/adjacency.h"
#include "equations/group_equations.h"
#include "equations/tear.h"

namespace orrery::equations {

// Equation i reads unknowns i and i + 1, and the last one the first unknown: no equation gives its own at once.
inline Adjacency chain(std::uint32_t n) {
  Adjacency rows;
  for (std::uint32_t i = 0; i < n; ++i) rows.add_row(std::vector<std::uint32_t>{(i + 1) % n, (i + 2) % n});
  return rows;
}

// Five points of a square grid.
inline Adjacency mesh(std::uint32_t n) {
  const auto side = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(n)));
  Adjacency rows;
  for (std::uint32_t y = 0; y < side; ++y) {
    for (std::uint32_t x = 0; x < side; ++x) {
      const std::uint32_t at = y * side + x;
      if (y > 0) rows.target.push_back(at - side);
      if (x > 0) rows.target.push_back(at - 1);
      rows.target.push_back(at);
      if (x + 1 < side) rows.target.push_back(at + 1);
      if (y + 1 < side) rows.target.push_back(at + side);
      rows.end_row();
    }
  }
  return rows;
}

// One unknown of each equation by a random permutation, which makes it solvable, and two anywhere.
inline Adjacency random_system(std::uint32_t n, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> own(n);
  std::iota(own.begin(), own.end(), 0u);
  std::shuffle(own.begin(), own.end(), random);
  std::uniform_int_distribution<std::uint32_t> any(0, n - 1);
  Adjacency rows;
  for (std::uint32_t i = 0; i < n; ++i) {
    std::vector<std::uint32_t> row{own[i], any(random), any(random)};
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    rows.add_row(row);
  }
  return rows;
}

// Matching, components and the tearing of every component: how many unknowns are left, and the work by pass.
struct Analysis {
  bool complete = false;
  std::size_t groups = 0, torn = 0;
  std::uint64_t matching_work = 0, tearing_work = 0;
};

inline Analysis analyse(const Adjacency& occurs) {
  Analysis result;
  const std::uint32_t n = occurs.rows();
  const Matching matching = match(occurs, n);
  result.complete = matching.size() == n;
  result.matching_work = matching.looked_at;
  if (!result.complete) return result;
  const std::vector<EquationGroup> groups = group_equations(occurs, matching);
  result.groups = groups.size();
  std::vector<std::uint32_t> position(n, none);
  for (const EquationGroup& group : groups) {
    if (group.unknowns.size() == 1) continue;
    for (std::uint32_t k = 0; k < group.unknowns.size(); ++k) position[group.unknowns[k]] = k;
    Adjacency needs;
    for (std::uint32_t k = 0; k < group.equations.size(); ++k) {
      for (const std::uint32_t u : occurs[group.equations[k]]) {
        if (position[u] != none && position[u] != k) needs.target.push_back(position[u]);
      }
      needs.end_row();
    }
    for (const std::uint32_t u : group.unknowns) position[u] = none;
    const Tearing tearing = tear(needs, std::vector<bool>(group.unknowns.size(), true));
    result.torn += tearing.torn.size();
    result.tearing_work += tearing.looked_at;
  }
  return result;
}

}  // namespace orrery::equations
