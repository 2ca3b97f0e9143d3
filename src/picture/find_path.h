// SPDX-License-Identifier: Apache-2.0
// One way from port to port.
#pragma once

#include <vector>

#include "picture/space.h"

namespace orrery::picture {

struct PathRequest {
  RouteEnd from, to;
  int net = 0;
  const std::vector<LinePiece>* own = nullptr;  // what the net has already: free to use again
  bool quick = false;                           // fewer places are tried
};

struct FoundPath {
  Path points;
  double cost = 0;
  bool blocked = false;  // it meets a block: nothing better was found
};

// The cheapest of the standard shapes.
FoundPath standard_path(const Space& space, const PathRequest& request);
// Looks along lines beside blocks; nothing when it takes too long.
Path search_path(const Space& space, const PathRequest& request, int most_steps);

struct PathCost {
  double value = 0;
  bool blocked = false;
  bool clean = true;  // neither blocked nor on another line
};
PathCost cost_of(const Space& space, const PathRequest& request, const Path& path);
// Without points that change nothing.
Path simplified(const Path& path);
Point outward(Side side);  // a step away from the block

}  // namespace orrery::picture
