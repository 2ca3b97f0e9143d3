// SPDX-License-Identifier: Apache-2.0
// Draws a chart as SVG text.
#include "io/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/xml_text.h"
#include "io/axis.h"
#include "io/polyline.h"
#include "io/text_table.h"

namespace orrery::io {
namespace {

// Distinguishable for colour-blind readers and on white paper.
constexpr const char* palette[] = {"#0069b4", "#d95319", "#1a9850", "#8e44ad", "#e0a100",
                                   "#17a2b8", "#c2185b", "#6d6d6d", "#7a5230", "#5c7cfa"};
constexpr std::size_t most_curves = 20;  // a panel with more is no picture any more

constexpr double width = 960, left = 74, right = 24, title_height = 44, legend_line = 20, panel_gap = 18, foot = 46;
constexpr double plot_width = width - left - right;
constexpr double columns_per_pixel = 2;  // sharp on fine screens too
constexpr double letter_width = 7.2;     // of 12 pixel text, a little generous

struct LegendItem {
  std::string text;
  double x = 0;
  int line = 0;
  std::size_t curve = 0;
};

struct PanelLayout {
  double x = left;  // of the plot area
  double top = 0;
  double width = plot_width;
  double height = 0;
  std::vector<LegendItem> legend;
  int legend_lines = 1;
};

class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart), time_(time_range(chart)) {}

  std::string draw() {
    const double height = lay_out();
    print("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:g} {:g}\" width=\"{:g}\" height=\"{:g}\" ", width,
          height, width, height);
    text_ += "font-family=\"system-ui, 'Helvetica Neue', Arial, sans-serif\" font-size=\"12\">\n";
    text_ +=
        "<style>.grid{stroke:#e7e9ec;fill:none} .frame{stroke:#9aa1a9;fill:none} .label{fill:#5b636d} "
        ".curve{fill:none;stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}</style>\n";
    text_ += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    print("<text x=\"{:g}\" y=\"26\" font-size=\"16\" font-weight=\"600\" fill=\"#1f2328\">{}</text>\n", left,
          xml_text(chart_.title));
    for (std::size_t k = 0; k < chart_.panels.size(); ++k) draw_panel(k);
    text_ += "</svg>\n";
    return std::move(text_);
  }

 private:
  template <typename... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  // Places the panels below each other, in columns if the chart has them; returns the height of the picture.
  double lay_out() {
    const std::size_t count = chart_.panels.size(), columns = static_cast<std::size_t>(std::max(chart_.columns, 1));
    const std::size_t rows = (count + columns - 1) / columns;
    const double plot_height = rows <= 1 ? 380 : rows == 2 ? 240 : 170;
    const double panel_width = (plot_width - static_cast<double>(columns - 1) * left) / static_cast<double>(columns);
    double y = title_height;
    for (std::size_t first = 0; first < count; first += columns) {
      int lines = 1;
      bool own_axis = false;
      for (std::size_t k = first; k < std::min(first + columns, count); ++k) {
        PanelLayout layout;
        layout.width = panel_width;
        layout.x = left + static_cast<double>(k - first) * (panel_width + left);
        layout.height = plot_height;
        lay_out_legend(chart_.panels[k], layout);
        lines = std::max(lines, layout.legend_lines);
        own_axis = own_axis || chart_.panels[k].own_axis;
        layouts_.push_back(std::move(layout));
      }
      y += lines * legend_line;
      for (std::size_t k = first; k < layouts_.size(); ++k) layouts_[k].top = y;
      y += plot_height + panel_gap + (own_axis && first + columns < count ? foot : 0);
    }
    return y - panel_gap + foot;
  }

  void lay_out_legend(const Panel& panel, PanelLayout& layout) {
    double x = static_cast<double>(display_width(panel.title)) * letter_width * 1.1 + 16;
    int line = 0;
    const std::size_t shown = std::min(panel.curves.size(), most_curves);
    for (std::size_t k = 0; k < panel.curves.size() && k <= shown; ++k) {
      const bool rest = k == shown;
      std::string text = rest ? fmt::format("and {} more", panel.curves.size() - shown) : panel.curves[k].name;
      if (text.empty() && panel.own_axis) continue;  // a curve without a name needs no legend
      const double needed = static_cast<double>(display_width(text)) * letter_width + 40;
      if (x + needed > layout.width && x > 0) {
        x = 0;
        ++line;
      }
      layout.legend.push_back({std::move(text), x, line, k});
      x += needed;
    }
    layout.legend_lines = line + 1;
  }

  void draw_panel(std::size_t index) {
    const Panel& panel = chart_.panels[index];
    const PanelLayout& layout = layouts_[index];
    const bool fixed = std::isfinite(panel.limits[2]) || std::isfinite(panel.limits[3]);
    const Range value = padded(value_range(panel), fixed ? 0 : 0.05);
    const Range time = panel.own_axis ? own_time_range(panel) : time_;
    draw_legend(panel, layout);
    print("<g transform=\"translate({:g} {:g})\">\n", layout.x, layout.top);
    draw_axes(panel, layout, time, value, panel.own_axis || index + 1 == chart_.panels.size());
    const bool clips = !std::isnan(panel.limits[0]) || !std::isnan(panel.limits[1]) || fixed;
    if (clips) {
      print(
          "<clipPath id=\"panel{}\"><rect width=\"{:g}\" height=\"{:g}\"/></clipPath><g clip-path=\"url(#panel{})\">\n",
          index, layout.width, layout.height, index);
    }
    const Frame frame{time, value, layout.width * columns_per_pixel, layout.height};
    const std::size_t shown = std::min(panel.curves.size(), most_curves);
    for (std::size_t k = 0; k < shown; ++k) draw_curve(panel.curves[k], k, frame);
    text_ += clips ? "</g></g>\n" : "</g>\n";
  }

  void draw_legend(const Panel& panel, const PanelLayout& layout) {
    const double base = layout.top - layout.legend_lines * legend_line + 12;
    print("<text x=\"{:g}\" y=\"{:g}\" font-weight=\"600\" fill=\"#30363d\">{}</text>\n", layout.x, base,
          xml_text(panel.title));
    for (const LegendItem& item : layout.legend) {
      const double y = base + item.line * legend_line;
      if (item.curve < most_curves) {
        print("<path d=\"M{:g} {:g}h18\" class=\"curve\" stroke=\"{}\"/>", layout.x + item.x, y - 4,
              colour(item.curve));
      }
      print("<text x=\"{:g}\" y=\"{:g}\" class=\"label\">{}</text>\n", layout.x + item.x + 24, y, xml_text(item.text));
    }
  }

  void draw_axes(const Panel& panel, const PanelLayout& layout, Range time, Range value, bool last) {
    const double h = layout.height, w = layout.width;
    std::string grid, labels;
    for (const Tick& tick : round_ticks(value, h > 200 ? 7 : 4)) {
      const double y = h - (tick.at - value.low) / value.width() * h;
      fmt::format_to(std::back_inserter(grid), "M0 {:.1f}H{:g}", y, w);
      fmt::format_to(std::back_inserter(labels), "<text x=\"-8\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", y + 4,
                     tick.label);
    }
    for (const Tick& tick : round_ticks(time, std::max(3, static_cast<int>(w / 86)))) {
      const double x = (tick.at - time.low) / time.width() * w;
      fmt::format_to(std::back_inserter(grid), "M{:.1f} 0V{:g}", x, h);
      if (last) {
        fmt::format_to(std::back_inserter(labels), "<text x=\"{:.1f}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>", x,
                       h + 18, tick.label);
      }
    }
    if (last) {
      fmt::format_to(std::back_inserter(labels), "<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>", w / 2,
                     h + 36, panel.own_axis ? xml_text(panel.x_label) : "time");
    }
    if (!panel.y_label.empty()) {
      fmt::format_to(std::back_inserter(labels),
                     "<text transform=\"translate(-58 {:g}) rotate(-90)\" text-anchor=\"middle\">{}</text>", h / 2,
                     xml_text(panel.y_label));
    }
    if (panel.grid) print("<path d=\"{}\" class=\"grid\"/>\n", grid);
    print("<rect width=\"{:g}\" height=\"{:g}\" class=\"frame\"/>\n<g class=\"label\">{}</g>\n", w, h, labels);
  }

  void draw_curve(const Curve& curve, std::size_t index, const Frame& frame) {
    std::string path;
    for (const auto& points : polylines(curve, frame)) {
      char command = 'M';
      for (const Point& point : points) {
        fmt::format_to(std::back_inserter(path), "{}{:.2f} {:.2f}", command, point.x / columns_per_pixel,
                       frame.height - point.y);
        command = 'L';
      }
      if (points.size() == 1) path += "h0";  // a dot, thanks to the round line cap
    }
    if (path.empty()) return;
    const char* thickness = curve.style == CurveStyle::points ? " style=\"stroke-width:5\"" : "";
    print("<path d=\"{}\" class=\"curve\" stroke=\"{}\"{}><title>{}</title></path>\n", path, colour(index), thickness,
          xml_text(curve.name));
  }

  static const char* colour(std::size_t index) { return palette[index % std::size(palette)]; }

  const Chart& chart_;
  Range time_;
  std::vector<PanelLayout> layouts_;
  std::string text_;
};

}  // namespace

std::string svg_plot(const Chart& chart) { return Drawing(chart).draw(); }

}  // namespace orrery::io
