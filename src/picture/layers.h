// SPDX-License-Identifier: Apache-2.0
// The first half of a layout: which links point backwards, and in which column each block stands.
#pragma once

#include <vector>

#include "picture/arrange.h"

namespace orrery::picture {

struct Layers {
  std::vector<int> component;  // of each node, by all of its links
  int components = 0;
  std::vector<int> host;       // of nodes without signals: the one whose column they share; -1: none
  std::vector<char> above;     // of those: whether they stand above it
  std::vector<int> layer;      // column; of nodes without a host
  std::vector<int> parent;     // the edge that a depth-first search came by; -1: none
  std::vector<int> visit;      // when it came
  std::vector<char> backward;  // of each edge: it closes a loop
};

Layers find_layers(const std::vector<ArrangeNode>& nodes, const std::vector<ArrangeEdge>& edges);

}  // namespace orrery::picture
