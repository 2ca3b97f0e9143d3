// SPDX-License-Identifier: Apache-2.0
// A curve as few points in the coordinates of a drawing: what falls into one column keeps its ends and extremes.
#pragma once

#include <vector>

#include "io/axis.h"
#include "io/chart.h"

namespace orrery::io {

struct Point {
  double x = 0;
  double y = 0;
};

// Maps time to 0 … columns and values to 0 … height, upwards.
struct Frame {
  Range time;
  Range value;
  double columns = 1;
  double height = 1;
};

// One list of points for each stretch without gaps. At most four points a column, however long the curve; points inside
// one column keep their order, so a jump stays a vertical line of full height.
std::vector<std::vector<Point>> polylines(const Curve& curve, const Frame& frame);

}  // namespace orrery::io
