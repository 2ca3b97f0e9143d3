// SPDX-License-Identifier: Apache-2.0
// Tearing: a small set of vertices whose removal leaves no cycle.
#pragma once

#include <cstdint>
#include <vector>

namespace orrery::compile {

struct Tearing {
  bool possible = true;              // false: a cycle runs through vertices that must not be torn alone
  std::vector<std::uint32_t> torn;   // ascending
  std::vector<std::uint32_t> order;  // the others, each after what it needs
};

// needs[v]: the vertices v depends on. Only vertices with tearable[v] may be torn. Greedy with the usual reductions
// (Cheung and Kuh, "The bordered triangular matrix and minimum essential sets of a digraph", 1974): what lies on no
// cycle goes, what has one neighbour on a side is bypassed, and else the busiest vertex is torn.
Tearing tear(const std::vector<std::vector<std::uint32_t>>& needs, const std::vector<bool>& tearable);

}  // namespace orrery::compile
