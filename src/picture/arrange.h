// SPDX-License-Identifier: Apache-2.0
// Automatic layout: signals flow from left to right in columns, feedback runs below its loop, and what only activates
// stands above what it activates.
//
// The method is that of layered drawings (Sugiyama, Tagawa, Toda 1981; Gansner et al. 1993) with the habits of block
// diagrams: links that would point backwards are found from the sources in the order of the file, and their way back is
// kept free below the path that they close.
#pragma once

#include <vector>

#include "model/model.h"

namespace orrery::picture {

using model::Point;

struct ArrangeNode {
  double width = 70;
  double height = 40;
  double room_above = 0;  // kept free besides the usual distance
  double room_below = 0;
};

struct ArrangeEdge {
  int from = 0;
  int to = 0;
  double from_offset = 0;  // of the ports, from the top of their blocks
  double to_offset = 0;
  int to_port = 1;
  bool activation = false;
  bool aligned = true;  // false: the link ends at the top or bottom of its block
};

// The upper left corners. Takes time proportional to the size of the graph, and the same graph gives the same result.
std::vector<Point> arrange(const std::vector<ArrangeNode>& nodes, const std::vector<ArrangeEdge>& edges);

}  // namespace orrery::picture
