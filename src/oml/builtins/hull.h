// SPDX-License-Identifier: Apache-2.0
// Convex hulls of points in any small dimension.
#pragma once

#include <functional>
#include <vector>

namespace orrery::oml {

struct HullFacet {
  std::vector<int> vertices;  // as many as dimensions, oriented so that the normal points outwards
  std::vector<double> normal;
  double offset = 0;  // normal . x = offset on the facet
};

// Points one after the other, `dimension` coordinates each. Empty when they do not span the space. `turn` is called
// once for each point, so that long work can be interrupted.
std::vector<HullFacet> convex_hull(const std::vector<double>& points, int dimension, const std::function<void()>& turn);
double determinant(std::vector<double> m, int n);

}  // namespace orrery::oml
