// SPDX-License-Identifier: Apache-2.0
// Draws a panel with characters.
#include "io/terminal_plot.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/printable.h"
#include "io/axis.h"
#include "io/polyline.h"
#include "io/text_table.h"

namespace orrery::io {
namespace {

constexpr const char* colours[] = {"\x1b[34m", "\x1b[31m", "\x1b[32m", "\x1b[35m", "\x1b[33m", "\x1b[36m"};
constexpr const char* plain = "\x1b[0m";
constexpr std::string_view marks = "*+ox#@";

// Characters of the canvas; with braille each holds 2 x 4 dots.
class Canvas {
 public:
  explicit Canvas(const TerminalStyle& style)
      : style_(style),
        across_(style.unicode ? 2 : 1),
        down_(style.unicode ? 4 : 1),
        cells_(static_cast<std::size_t>(style.columns) * static_cast<std::size_t>(style.rows)) {}

  int dot_columns() const { return style_.columns * across_; }
  int dot_rows() const { return style_.rows * down_; }

  void line(Point from, Point to, std::size_t curve) {
    const double steps = std::max({std::abs(to.x - from.x), std::abs(to.y - from.y), 1.0});
    const int count = static_cast<int>(std::ceil(steps));
    for (int k = 0; k <= count; ++k) {
      const double s = static_cast<double>(k) / count;
      dot(from.x + s * (to.x - from.x), from.y + s * (to.y - from.y), curve);
    }
  }

  // Row 0 is the top.
  std::string row_text(int row) const {
    std::string text;
    std::size_t last = 0;  // end of the last mark: no trailing blanks
    const char* current = nullptr;
    for (int column = 0; column < style_.columns; ++column) {
      const Cell& cell = cells_[index(column, row)];
      if (cell.dots == 0) {
        text += ' ';
        continue;
      }
      const char* colour = colours[cell.curve % std::size(colours)];
      if (style_.colour && colour != current) text += colour;
      current = colour;
      append_cell(text, cell);
      last = text.size();
    }
    text.resize(last);
    if (style_.colour && current) text += plain;
    return text;
  }

 private:
  struct Cell {
    unsigned dots = 0;
    std::size_t curve = 0;
  };

  std::size_t index(int column, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(style_.columns) + static_cast<std::size_t>(column);
  }

  void dot(double x, double y, std::size_t curve) {
    const int column = std::clamp(static_cast<int>(x), 0, dot_columns() - 1);
    const int row = dot_rows() - 1 - std::clamp(static_cast<int>(y), 0, dot_rows() - 1);
    // Bits of the braille patterns: dots 1 2 3 7 run down the left column, 4 5 6 8 down the right one.
    constexpr unsigned bits[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
    Cell& cell = cells_[index(column / across_, row / down_)];
    cell.dots |= style_.unicode ? bits[column % 2][row % 4] : 1;
    cell.curve = curve;
  }

  void append_cell(std::string& text, const Cell& cell) const {
    if (!style_.unicode) {
      text += marks[cell.curve % marks.size()];
      return;
    }
    const unsigned code = 0x2800 + cell.dots;
    text += static_cast<char>(0xE0 | (code >> 12));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }

  TerminalStyle style_;
  int across_, down_;
  std::vector<Cell> cells_;
};

// Labels at the characters' rows nearest to round values; rows without one are empty.
std::vector<std::string> value_labels(Range value, int rows) {
  std::vector<std::string> labels(static_cast<std::size_t>(rows));
  for (const Tick& tick : round_ticks(value, std::max(2, rows / 3))) {
    const double position = (tick.at - value.low) / value.width() * rows;
    const int row = rows - 1 - std::clamp(static_cast<int>(position), 0, rows - 1);
    labels[static_cast<std::size_t>(row)] = tick.label;
  }
  return labels;
}

std::string time_labels(Range time, int columns, std::size_t margin) {
  std::string line(margin, ' ');
  for (const Tick& tick : round_ticks(time, columns / 12)) {
    const double position = (tick.at - time.low) / time.width() * (columns - 1);
    const double start = static_cast<double>(margin) + position - static_cast<double>(tick.label.size()) / 2 + 0.5;
    const auto column = static_cast<std::size_t>(std::max(start, 0.0));
    if (column < line.size() && line.find_first_not_of(' ', column > 0 ? column - 1 : 0) != std::string::npos) continue;
    line.resize(std::max(line.size(), column), ' ');
    line.replace(column, std::string::npos, tick.label);
  }
  return line;
}

}  // namespace

std::string terminal_plot(const Panel& panel, const TerminalStyle& style) {
  const Chart whole{"", {panel}};
  const Range time = panel.own_axis ? own_time_range(panel) : time_range(whole);
  const Range value = padded(value_range(panel), 0.02);
  Canvas canvas(style);
  const Frame frame{time, value, static_cast<double>(canvas.dot_columns()) - 1e-9,
                    static_cast<double>(canvas.dot_rows()) - 1e-9};
  // The first curve is drawn last, so that it stays visible where curves overlap.
  for (std::size_t k = panel.curves.size(); k-- > 0;) {
    for (const auto& points : polylines(panel.curves[k], frame)) {
      for (std::size_t i = 0; i < points.size(); ++i) canvas.line(points[i > 0 ? i - 1 : 0], points[i], k);
    }
  }
  const std::vector<std::string> labels = value_labels(value, style.rows);
  std::size_t margin = 0;
  for (const std::string& label : labels) margin = std::max(margin, label.size());
  const char* bar = style.unicode ? "│" : "|";
  const char* tick = style.unicode ? "┤" : "+";
  const bool needs_legend = panel.curves.size() > 1 &&
                            std::any_of(panel.curves.begin(), panel.curves.end(),
                                        [&](const Curve& curve) { return !panel.own_axis || !curve.name.empty(); });
  std::string text = printable_line(panel.title);
  if (panel.curves.size() == 1 && !panel.curves[0].name.empty()) text += " " + printable_line(panel.curves[0].name);
  if (!panel.y_label.empty()) text += (text.empty() ? "" : "   ") + printable_line(panel.y_label);
  text += '\n';
  for (int row = 0; row < style.rows; ++row) {
    const std::string& label = labels[static_cast<std::size_t>(row)];
    text += std::string(margin + 1 - label.size(), ' ') + label + ' ' + (label.empty() ? bar : tick);
    text += canvas.row_text(row) + '\n';
  }
  text += std::string(margin + 2, ' ') + (style.unicode ? "└" : "+");
  for (int k = 0; k < style.columns; ++k) text += style.unicode ? "─" : "-";
  text += '\n' + time_labels(time, style.columns, margin + 3) + '\n';
  if (!panel.x_label.empty()) text += std::string(margin + 3, ' ') + printable_line(panel.x_label) + '\n';
  for (std::size_t k = 0; needs_legend && k < panel.curves.size(); ++k) {
    text += std::string(margin + 3, ' ');
    if (style.colour) text += colours[k % std::size(colours)];
    text += style.unicode ? std::string("━━") : std::string(1, marks[k % marks.size()]);
    if (style.colour) text += plain;
    text += ' ' + printable_line(panel.curves[k].name) + '\n';
  }
  return text;
}

}  // namespace orrery::io
