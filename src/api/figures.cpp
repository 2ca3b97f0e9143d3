// SPDX-License-Identifier: Apache-2.0
// Figures as charts.
#include "api/figures.h"

namespace orrery::api {

Figure& Figures::figure() {
  if (current == 0) current = 1;
  return all[current];
}

Figures& figures_of(oml::Interpreter& interpreter) { return interpreter.extension<Figures>(); }

io::Chart chart_of(const Figure& figure) {
  io::Chart chart;
  chart.columns = figure.cols;
  for (int place = 1; place <= figure.rows * figure.cols; ++place) {
    const auto found = figure.axes.find(place);
    io::Panel panel;
    panel.own_axis = true;
    if (found == figure.axes.end()) {
      chart.panels.push_back(std::move(panel));
      continue;
    }
    const Axes& axes = found->second;
    panel.title = axes.title;
    panel.x_label = axes.x_label;
    panel.y_label = axes.y_label;
    panel.grid = axes.grid;
    panel.limits = axes.limits;
    for (std::size_t k = 0; k < axes.series.size(); ++k) {
      const Series& series = axes.series[k];
      io::Curve curve;
      curve.name = k < axes.legend.size() ? axes.legend[k] : series.name;
      curve.time = series.x.data();
      curve.value = series.y.data();
      curve.count = series.x.size();
      curve.style = series.style;
      panel.curves.push_back(std::move(curve));
    }
    chart.panels.push_back(std::move(panel));
  }
  return chart;
}

std::string drawn(const Figure& figure, const io::TerminalStyle& style) {
  std::string text;
  for (const io::Panel& panel : chart_of(figure).panels) {
    if (!panel.curves.empty()) text += io::terminal_plot(panel, style);
  }
  return text;
}

void show_changed(oml::Interpreter& interpreter) {
  Figures& figures = figures_of(interpreter);
  for (auto& [number, figure] : figures.all) {
    if (!figure.changed) continue;
    figure.changed = false;
    if (figures.show) figures.show(figure);
  }
}

}  // namespace orrery::api
