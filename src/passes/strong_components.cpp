// SPDX-License-Identifier: Apache-2.0
// Tarjan's algorithm without recursion (SIAM J. Comput. 1, 1972).
#include "passes/strong_components.h"

#include <algorithm>

namespace orrery::passes {

// In large graphs without order every vertex is far from the last: one number a vertex is all that is read at an edge,
// the rest is in the calls.
Adjacency strong_components(const Adjacency& needs) {
  struct Call {
    std::uint32_t vertex, low, next, end;  // low: the earliest vertex it leads back to; next: the edge to be followed
  };
  constexpr std::uint32_t done = none - 1;  // the component of the vertex is known
  const std::uint32_t count = needs.rows();
  Indices index(count, none), stack;
  std::vector<Call> calls;
  Adjacency components;
  components.target.reserve(count);
  std::uint32_t counter = 0;
  const auto enter = [&](std::uint32_t v) {
    const std::uint32_t first = needs.start[v], end = needs.start[v + std::size_t{1}];
    for (std::uint32_t k = first; k < end; ++k) {
      __builtin_prefetch(&index[needs.target[k]]);
      __builtin_prefetch(&needs.start[needs.target[k]]);
    }
    calls.push_back({v, counter, first, end});
    index[v] = counter++;
    stack.push_back(v);
  };
  const auto close = [&](std::uint32_t v) {
    std::uint32_t w = none;
    do {
      w = stack.back();
      stack.pop_back();
      index[w] = done;
      components.target.push_back(w);
    } while (w != v);
    components.end_row();
  };
  for (std::uint32_t start = 0; start < count; ++start) {
    if (index[start] != none) continue;
    enter(start);
    while (!calls.empty()) {
      Call& call = calls.back();
      if (call.next < call.end) {
        const std::uint32_t w = needs.target[call.next++];
        if (index[w] == none)
          enter(w);
        else
          call.low = std::min(call.low, index[w]);
        continue;
      }
      const Call ended = call;
      calls.pop_back();
      if (!calls.empty()) calls.back().low = std::min(calls.back().low, ended.low);
      if (ended.low == index[ended.vertex]) close(ended.vertex);
    }
  }
  return components;
}

std::vector<std::vector<std::uint32_t>> strong_components(const std::vector<std::vector<std::uint32_t>>& needs) {
  const Adjacency components = strong_components(adjacency_of(needs));
  std::vector<std::vector<std::uint32_t>> result;
  result.reserve(components.rows());
  for (std::uint32_t k = 0; k < components.rows(); ++k) {
    result.emplace_back(components[k].begin(), components[k].end());
  }
  return result;
}

}  // namespace orrery::passes
