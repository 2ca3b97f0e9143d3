// SPDX-License-Identifier: Apache-2.0
// What is drawn: panels of curves over a common time axis or axes of their own, independent of how they are drawn.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace orrery::io {

enum class CurveStyle {
  line,
  stairs,  // the value stays until the next row
  events,  // the value counts events: a stroke at `level` wherever it grows
  points,  // not joined
};

// A view of one column of recorded rows; the data must outlive the chart. Values that are not finite are gaps.
struct Curve {
  std::string name;
  const double* time = nullptr;
  const double* value = nullptr;
  std::size_t count = 0;
  std::size_t stride = 1;  // between values; times lie side by side
  CurveStyle style = CurveStyle::line;
  int level = 1;

  double y(std::size_t row) const { return value[row * stride]; }
};

struct Panel {
  std::string title;
  std::vector<Curve> curves;
  std::string x_label = {}, y_label = {};
  bool own_axis = false;  // any x and y: the values of `time` need not grow, and the axis is this panel's alone
  bool grid = true;
  std::array<double, 4> limits = {NAN, NAN, NAN, NAN};  // of x and y, from and to; NaN: what the curves need
};

struct Chart {
  std::string title;
  std::vector<Panel> panels;
  int columns = 1;  // panels side by side, filled row by row; more than one only with axes of their own
};

}  // namespace orrery::io
