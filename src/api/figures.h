// SPDX-License-Identifier: Apache-2.0
// The figures of a script: what plot, subplot, title and the like have built up so far.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "io/chart.h"
#include "io/terminal_plot.h"
#include "oml/interpreter.h"

namespace orrery::api {

struct Series {
  std::string name;
  std::vector<double> x, y;
  io::CurveStyle style = io::CurveStyle::line;
};

struct Axes {
  std::string title, x_label, y_label;
  std::vector<Series> series;
  std::vector<std::string> legend;
  bool hold = false;
  bool grid = false;
  std::array<double, 4> limits = {NAN, NAN, NAN, NAN};
};

struct Figure {
  int rows = 1, cols = 1;
  int current = 1;           // place of the axes in the grid, row by row
  std::map<int, Axes> axes;  // by place
  bool changed = false;      // since it was shown
  Axes& here() { return axes[current]; }
};

struct Figures {
  std::map<int, Figure> all;
  int current = 0;  // 0: none yet
  // How a figure appears at once (drawnow); unset where nobody looks.
  std::function<void(const Figure&)> show;

  Figure& figure();
};

Figures& figures_of(oml::Interpreter& interpreter);
// The chart refers to the figure's data.
io::Chart chart_of(const Figure& figure);
std::string drawn(const Figure& figure, const io::TerminalStyle& style);
// Shows every figure that changed since it was shown last.
void show_changed(oml::Interpreter& interpreter);

}  // namespace orrery::api
