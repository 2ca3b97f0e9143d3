// SPDX-License-Identifier: Apache-2.0
// Tearing: a small set of vertices whose removal leaves no cycle.
#pragma once

#include <cstdint>
#include <vector>

#include "equations/adjacency.h"

namespace orrery::equations {

struct Tearing {
  bool possible = true;              // false: a cycle runs through vertices that must not be torn alone
  std::vector<std::uint32_t> torn;   // ascending
  std::vector<std::uint32_t> order;  // the others, each after what it needs
  std::uint64_t looked_at = 0;       // edges and vertices that were read: the work done
};

// needs[v]: the vertices v depends on. Only vertices with tearable[v] may be torn. Greedy with the usual reductions
// (Cheung and Kuh, "The bordered triangular matrix and minimum essential sets of a digraph", 1974): what lies on no
// cycle goes, what has one neighbour on a side is bypassed, and else the busiest vertex is torn. About linear where all
// vertices may be torn.
Tearing tear(const Adjacency& needs, const std::vector<bool>& tearable);
Tearing tear(const std::vector<std::vector<std::uint32_t>>& needs, const std::vector<bool>& tearable);

}  // namespace orrery::equations
