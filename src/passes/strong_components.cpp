// SPDX-License-Identifier: Apache-2.0
// Tarjan's algorithm without recursion (SIAM J. Comput. 1, 1972).
#include "passes/strong_components.h"

namespace orrery::passes {

Adjacency strong_components(const Adjacency& needs) {
  const std::uint32_t count = needs.rows();
  std::vector<std::uint32_t> index(count, none), low(count, 0), stack, calls;
  std::vector<std::uint32_t> next(needs.start.begin(), needs.start.end() - 1);  // by vertex: the edge to be followed
  std::vector<bool> on_stack(count, false);
  Adjacency components;
  components.target.reserve(count);
  std::uint32_t counter = 0;
  const auto enter = [&](std::uint32_t v) {
    index[v] = low[v] = counter++;
    stack.push_back(v);
    on_stack[v] = true;
    calls.push_back(v);
  };
  for (std::uint32_t start = 0; start < count; ++start) {
    if (index[start] != none) continue;
    enter(start);
    while (!calls.empty()) {
      const std::uint32_t v = calls.back();
      bool descended = false;
      while (next[v] < needs.start[v + std::size_t{1}]) {
        const std::uint32_t w = needs.target[next[v]++];
        if (index[w] == none) {
          enter(w);
          descended = true;
          break;
        }
        if (on_stack[w] && index[w] < low[v]) low[v] = index[w];
      }
      if (descended) continue;
      calls.pop_back();
      if (!calls.empty() && low[v] < low[calls.back()]) low[calls.back()] = low[v];
      if (low[v] != index[v]) continue;
      std::uint32_t w = none;
      do {
        w = stack.back();
        stack.pop_back();
        on_stack[w] = false;
        components.target.push_back(w);
      } while (w != v);
      components.end_row();
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
