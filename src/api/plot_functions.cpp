// SPDX-License-Identifier: Apache-2.0
// Plotting: figures are built up as data; print and saveas write them, a console shows them.
#include "api/plot_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/figures.h"
#include "io/output_file.h"
#include "io/svg_plot.h"
#include "oml/convert.h"
#include "oml/interpreter.h"

namespace orrery::api {
namespace {

using oml::Call;
using oml::Value;

constexpr int most_panels = 100;

Figure& figure_of(Call& c) {
  Figure& figure = figures_of(c.oml).figure();
  figure.changed = true;
  return figure;
}

Axes& axes_of(Call& c) { return figure_of(c).here(); }

std::vector<double> numbers(const Call& c, int k) {
  const Value real = oml::boxed(oml::full(c.real(k)));
  return {real.real().data.begin(), real.real().data.end()};
}

// A vector is one curve, a matrix one for each column.
std::vector<std::vector<double>> columns(const Call& c, int k) {
  const oml::Dims d = c[k].dims();
  const std::vector<double> all = numbers(c, k);
  if (d.rows() == 1 || d.cols() == 1 || all.empty()) return {all};
  std::vector<std::vector<double>> result;
  const auto rows = static_cast<std::ptrdiff_t>(d.rows());
  for (auto at = all.begin(); at != all.end(); at += rows) result.emplace_back(at, at + rows);
  return result;
}

std::vector<std::vector<double>> transposed(const std::vector<std::vector<double>>& columns) {
  std::vector<std::vector<double>> rows(columns[0].size());
  for (const std::vector<double>& column : columns) {
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k].push_back(column[k]);
  }
  return rows;
}

std::vector<double> counted(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t k = 0; k < n; ++k) x[k] = static_cast<double>(k + 1);
  return x;
}

// 'o', 'r*' and the like ask for marks; with '-' or ':' among them the points are joined.
io::CurveStyle style_of(const std::string& format, io::CurveStyle otherwise) {
  const bool marks = format.find_first_of("o*+x.sd^v") != std::string::npos;
  const bool joined = format.find_first_of("-:") != std::string::npos;
  return marks && !joined ? io::CurveStyle::points : otherwise;
}

void add_series(Call& c, int x_at, int y_at, io::CurveStyle style) {
  Axes& axes = axes_of(c);
  auto ys = columns(c, y_at);
  // A matrix beside a vector may also have its curves in rows.
  if (x_at >= 0 && ys.size() > 1 && ys.size() == static_cast<std::size_t>(c[x_at].numel()) &&
      ys.size() != ys[0].size()) {
    ys = transposed(ys);
  }
  const auto xs = x_at < 0 ? std::vector<std::vector<double>>{counted(ys[0].size())} : columns(c, x_at);
  for (std::size_t k = 0; k < ys.size(); ++k) {
    Series series;
    series.x = xs[xs.size() == 1 ? 0 : std::min(k, xs.size() - 1)];
    series.y = ys[k];
    series.style = style;
    if (series.x.size() != series.y.size()) {
      oml::fail(fmt::format("x and y must have the same length, not {} and {}", series.x.size(), series.y.size()));
    }
    axes.series.push_back(std::move(series));
  }
}

// plot(y), plot(x, y), plot(x, y, format, x, y, …); property pairs such as 'LineWidth', 2 are passed over.
void plot_with(Call& c, io::CurveStyle style) {
  if (c.is_text(0)) oml::fail_argument(1, "must be numbers");
  Axes& axes = axes_of(c);
  if (!axes.hold) {
    axes.series.clear();
    axes.legend.clear();
  }
  for (int k = 0; k < c.count();) {
    if (c.is_text(k)) {
      k += 2;
      continue;
    }
    const bool pair = c.has(k + 1) && !c.is_text(k + 1);
    const int after = k + (pair ? 2 : 1);
    const bool has_format = c.is_text(after) && c.text(after).size() <= 4;
    add_series(c, pair ? k : -1, pair ? k + 1 : k, style_of(has_format ? c.text(after) : "", style));
    k = after + (has_format ? 1 : 0);
  }
  if (c.nargout > 0) c.ret(Value(static_cast<double>(axes.series.size())));
}

void open_figure(Call& c) {
  Figures& figures = figures_of(c.oml);
  const int last = figures.all.empty() ? 0 : figures.all.rbegin()->first;
  const double number = c.has(0) && !c.is_text(0) ? c.number(0) : last + 1;
  if (!(number >= 1 && number <= 1000)) oml::fail_argument(1, "must be a whole number from 1 to 1000");
  figures.current = static_cast<int>(number);
  figures.all[figures.current];
  if (c.nargout > 0) c.ret(Value(figures.current));
}

void subplot(Call& c) {
  int rows, cols, place;
  if (c.count() == 1) {
    const int code = static_cast<int>(c.whole(0));
    rows = code / 100;
    cols = code / 10 % 10;
    place = code % 10;
  } else {
    if (c.count() < 3) oml::fail("subplot needs the numbers of rows and columns and the place");
    rows = static_cast<int>(c.whole(0));
    cols = static_cast<int>(c.whole(1));
    place = static_cast<int>(c.whole(2));
  }
  if (rows < 1 || cols < 1 || rows > most_panels || cols > most_panels || rows * cols > most_panels) {
    oml::fail(fmt::format("a figure has from 1 to {} places", most_panels));
  }
  if (place < 1 || place > rows * cols) oml::fail(fmt::format("the place must be from 1 to {}", rows * cols));
  Figure& figure = figure_of(c);
  if (figure.rows != rows || figure.cols != cols) figure.axes.clear();
  figure.rows = rows;
  figure.cols = cols;
  figure.current = place;
}

void set_title(Call& c) { axes_of(c).title = c.text(0); }
void set_x_label(Call& c) { axes_of(c).x_label = c.text(0); }
void set_y_label(Call& c) { axes_of(c).y_label = c.text(0); }

void set_legend(Call& c) {
  Axes& axes = axes_of(c);
  axes.legend.clear();
  for (int k = 0; k < c.count(); ++k) {
    if (c[k].is_cell()) {
      for (const Value& item : c[k].cell().data) axes.legend.push_back(oml::to_string(item));
    } else if (c.is_text(k) && (c.text(k) == "location" || c.text(k) == "Location")) {
      ++k;
    } else {
      axes.legend.push_back(c.text(k));
    }
  }
}

// on, off, or the other way round.
bool switched(const Call& c, bool now) {
  if (!c.has(0)) return !now;
  if (c.is_text(0)) return c.text(0) == "on";
  return c.number(0) != 0;
}

void hold(Call& c) {
  Axes& axes = axes_of(c);
  axes.hold = switched(c, axes.hold);
}

void grid(Call& c) {
  Axes& axes = axes_of(c);
  axes.grid = switched(c, axes.grid);
}

void set_limits(Call& c, std::size_t first, std::size_t count) {
  Axes& axes = axes_of(c);
  if (c.is_text(0)) {  // auto, tight
    std::fill(axes.limits.begin(), axes.limits.end(), NAN);
    return;
  }
  const std::vector<double> given = numbers(c, 0);
  if (given.size() != count) oml::fail_argument(1, fmt::format("must have {} numbers", count));
  for (std::size_t k = 0; k < count; k += 2) {
    if (!(given[k] < given[k + 1])) oml::fail_argument(1, "must give limits that grow");
  }
  std::copy(given.begin(), given.end(), axes.limits.begin() + static_cast<std::ptrdiff_t>(first));
}

void clear_figure(Call& c) {
  Figure& figure = figure_of(c);
  figure = Figure{};
}

void close_figures(Call& c) {
  Figures& figures = figures_of(c.oml);
  if (c.is_text(0) && c.text(0) == "all") {
    figures.all.clear();
  } else {
    figures.all.erase(c.has(0) ? static_cast<int>(c.whole(0)) : figures.current);
  }
  figures.current = figures.all.empty() ? 0 : figures.all.rbegin()->first;
}

void write_svg(const Figure& figure, const std::string& file) {
  if (!file.ends_with(".svg")) oml::fail("figures are written as SVG: name a file that ends in .svg");
  Diagnostics diagnostics;
  if (io::write_file(file, io::svg_plot(chart_of(figure)), diagnostics)) return;
  oml::fail("cannot write " + file + (diagnostics.all().empty() ? "" : ": " + diagnostics.all()[0].message));
}

void print_figure(Call& c) {
  for (int k = 0; k < c.count(); ++k) {
    if (!c.is_text(k)) continue;
    const std::string text = c.text(k);
    if (!text.starts_with("-")) return write_svg(figures_of(c.oml).figure(), text);  // -dsvg and the like
  }
  oml::fail("print needs the name of a file: print('figure.svg')");
}

void save_as(Call& c) {
  Figures& figures = figures_of(c.oml);
  const auto found = figures.all.find(static_cast<int>(c.whole(0)));
  if (found == figures.all.end()) oml::fail_argument(1, "must be the number of a figure");
  write_svg(found->second, c.text(1));
}

void draw_now(Call& c) { show_changed(c.oml); }

constexpr oml::Builtin plot_table[] = {
    {"plot", 1, -1, [](Call& c) { plot_with(c, io::CurveStyle::line); },
     "plot(x, y, format, ...): curves of y over x; columns of a matrix are curves of their own. plot(y) counts x from "
     "1. A format such as 'o' draws marks instead of lines."},
    {"stairs", 1, -1, [](Call& c) { plot_with(c, io::CurveStyle::stairs); },
     "stairs(x, y): like plot, but each value stays until the next."},
    {"scatter", 2, -1, [](Call& c) { plot_with(c, io::CurveStyle::points); },
     "scatter(x, y): marks that are not joined."},
    {"figure", 0, -1, open_figure, "figure(n): makes figure n, or a new one, the current figure."},
    {"subplot", 1, 3, subplot, "subplot(rows, cols, place): divides the figure and goes to one of its places."},
    {"title", 1, -1, set_title, "title(text): the title above the curves."},
    {"xlabel", 1, -1, set_x_label, "xlabel(text): what the x axis shows."},
    {"ylabel", 1, -1, set_y_label, "ylabel(text): what the y axis shows."},
    {"legend", 1, -1, set_legend, "legend(name, ...) or legend({...}): names of the curves."},
    {"hold", 0, 1, hold, "hold on, hold off: whether plot adds to the curves that are there."},
    {"grid", 0, 1, grid, "grid on, grid off: lines across the plot."},
    {"axis", 1, 1, [](Call& c) { set_limits(c, 0, 4); },
     "axis([x1 x2 y1 y2]): limits of both axes; axis('auto') frees them."},
    {"xlim", 1, 1, [](Call& c) { set_limits(c, 0, 2); }, "xlim([x1 x2]): limits of the x axis."},
    {"ylim", 1, 1, [](Call& c) { set_limits(c, 2, 2); }, "ylim([y1 y2]): limits of the y axis."},
    {"clf", 0, 0, clear_figure, "clf: empties the current figure."},
    {"close", 0, 1, close_figures, "close(n), close all: removes a figure, or all."},
    {"drawnow", 0, 0, draw_now, "drawnow: shows figures that have changed, where there is a terminal to show them."},
    {"print", 1, -1, print_figure, "print(file): writes the current figure as an SVG file.", {}, Capability::write},
    {"saveas", 2, 3, save_as, "saveas(figure, file): writes a figure as an SVG file.", {}, Capability::write},
};

}  // namespace

oml::BuiltinFamily plot_builtins() { return plot_table; }

}  // namespace orrery::api
