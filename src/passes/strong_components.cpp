// SPDX-License-Identifier: Apache-2.0
// Tarjan's algorithm without recursion (SIAM J. Comput. 1, 1972).
#include "passes/strong_components.h"

#include <algorithm>

namespace orrery::passes {

namespace {

// In large graphs without order every vertex is far from the last: what is asked of one is in 16 bytes, two of its
// edges among them where it has no more, itself apart.
struct alignas(16) Vertex {
  static constexpr std::uint32_t few = 2;
  std::uint32_t index = none;  // of its visit
  std::uint32_t length = 0;
  std::uint32_t item[few] = {};  // or where they begin

  const std::uint32_t* edges(const Adjacency& needs) const {
    return length <= few ? item : needs.target.data() + item[0];
  }
};

LargeArray<Vertex> vertices_of(const Adjacency& needs) {
  LargeArray<Vertex> vertices(needs.rows());
  for (std::uint32_t v = 0; v < needs.rows(); ++v) {
    Vertex& vertex = vertices[v];
    for (const std::uint32_t w : needs[v]) {
      if (w == v) continue;
      if (vertex.length < Vertex::few) vertex.item[vertex.length] = w;
      ++vertex.length;
    }
    if (vertex.length <= Vertex::few) continue;
    vertex.length = static_cast<std::uint32_t>(needs[v].size());
    vertex.item[0] = needs.start[v];
  }
  return vertices;
}

}  // namespace

Adjacency strong_components(const Adjacency& needs) {
  struct Call {
    std::uint32_t vertex, low, next, end;  // low: the earliest vertex it leads back to; next: the edge to be followed
  };
  constexpr std::uint32_t done = none - 1;  // the component of the vertex is known
  const std::uint32_t count = needs.rows();
  LargeArray<Vertex> vertices = vertices_of(needs);
  Indices stack;
  LargeArray<Call> calls;
  Adjacency components;
  components.target.reserve(count);
  std::uint32_t counter = 0;
  const auto enter = [&](std::uint32_t v) {
    Vertex& vertex = vertices[v];
    const std::uint32_t* edges = vertex.edges(needs);
    for (std::uint32_t k = 0; k < vertex.length; ++k) __builtin_prefetch(&vertices[edges[k]]);
    calls.push_back({v, counter, 0, vertex.length});
    vertex.index = counter++;
    stack.push_back(v);
  };
  const auto close = [&](std::uint32_t v) {
    std::uint32_t w = none;
    do {
      w = stack.back();
      stack.pop_back();
      vertices[w].index = done;
      components.target.push_back(w);
    } while (w != v);
    components.end_row();
  };
  for (std::uint32_t start = 0; start < count; ++start) {
    if (vertices[start].index != none) continue;
    enter(start);
    while (!calls.empty()) {
      Call& call = calls.back();
      if (call.next < call.end) {
        const std::uint32_t w = vertices[call.vertex].edges(needs)[call.next++];
        if (vertices[w].index == none)
          enter(w);
        else
          call.low = std::min(call.low, vertices[w].index);
        continue;
      }
      const Call ended = call;
      calls.pop_back();
      if (!calls.empty()) calls.back().low = std::min(calls.back().low, ended.low);
      if (ended.low == vertices[ended.vertex].index) close(ended.vertex);
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
