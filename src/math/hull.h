// SPDX-License-Identifier: Apache-2.0
// Convex hulls and Delaunay triangulations of points in any small dimension.
#pragma once

#include <functional>
#include <vector>

namespace orrery::math {

struct HullFacet {
  std::vector<int> vertices;  // as many as dimensions, oriented so that the normal points outwards
  std::vector<double> normal;
  double offset = 0;  // normal . x = offset on the facet
};

// Points one after the other, `dimension` coordinates each. Empty when they do not span the space. `turn` is called now
// and then, so that long work can be interrupted by what it throws.
std::vector<HullFacet> convex_hull(const std::vector<double>& points, int dimension, const std::function<void()>& turn);
// Simplices of dimension + 1 points with positive volume, the lowest number first; those without volume are left out.
std::vector<std::vector<int>> delaunay(const std::vector<double>& points, int dimension,
                                       const std::function<void()>& turn);
double determinant(std::vector<double> m, int n);

}  // namespace orrery::math
