// SPDX-License-Identifier: Apache-2.0
// Tarjan's strongly connected components without recursion, in evaluation order (dependencies first).
#pragma once

#include <cstdint>
#include <vector>

namespace orrery::compile {

// needs[v]: what v depends on. Components come out so that each depends only on earlier ones; within a component, and
// between independent ones, the order of the vertices decides.
inline std::vector<std::vector<std::uint32_t>> strong_components(const std::vector<std::vector<std::uint32_t>>& needs) {
  const auto count = static_cast<std::uint32_t>(needs.size());
  constexpr std::uint32_t unseen = UINT32_MAX;
  std::vector<std::uint32_t> index(count, unseen), low(count, 0), stack;
  std::vector<bool> on_stack(count, false);
  struct Frame {
    std::uint32_t vertex;
    std::uint32_t next;
  };
  std::vector<Frame> calls;
  std::vector<std::vector<std::uint32_t>> components;
  std::uint32_t counter = 0;
  for (std::uint32_t start = 0; start < count; ++start) {
    if (index[start] != unseen) continue;
    calls.push_back({start, 0});
    while (!calls.empty()) {
      const std::uint32_t v = calls.back().vertex;
      if (calls.back().next == 0) {
        index[v] = low[v] = counter++;
        stack.push_back(v);
        on_stack[v] = true;
      }
      bool descended = false;
      while (calls.back().next < needs[v].size()) {
        const std::uint32_t w = needs[v][calls.back().next++];
        if (index[w] == unseen) {
          calls.push_back({w, 0});
          descended = true;
          break;
        }
        if (on_stack[w] && index[w] < low[v]) low[v] = index[w];
      }
      if (descended) continue;
      calls.pop_back();
      if (!calls.empty() && low[v] < low[calls.back().vertex]) low[calls.back().vertex] = low[v];
      if (low[v] != index[v]) continue;
      std::vector<std::uint32_t> component;
      std::uint32_t w = unseen;
      do {
        w = stack.back();
        stack.pop_back();
        on_stack[w] = false;
        component.push_back(w);
      } while (w != v);
      components.push_back(std::move(component));
    }
  }
  return components;
}

}  // namespace orrery::compile
