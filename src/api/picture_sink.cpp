// SPDX-License-Identifier: Apache-2.0
// Reducing rows to a picture and a table.
#include "api/picture_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "blocks/signal_viewers/signal_viewers.h"
#include "io/number_text.h"
#include "io/text_table.h"
#include "sim/options.h"

namespace orrery::api {
namespace {

constexpr std::size_t picture_bytes = 1 << 26, fewest_points = 1 << 13, most_points = 1 << 16;
constexpr std::size_t no_panel = SIZE_MAX;

// "/Scope.speed" in the panel "/Scope" is "speed"; a watched block's only output is the panel itself.
std::string name_in_panel(const std::string& column, const std::string& title) {
  if (!column.starts_with(title)) return column;
  std::string rest = column.substr(title.size());
  if (rest.starts_with('.') || rest.starts_with(':')) rest.erase(0, 1);
  return rest;
}

io::CurveStyle style_of(const program::Probe& probe, const program::Program& program) {
  if (blocks::role_of(program.origins[probe.origin].type) == blocks::Role::event_marks) return io::CurveStyle::events;
  return probe.continuous ? io::CurveStyle::line : io::CurveStyle::stairs;
}

// The first row of a block in which a column has a value.
std::size_t first_in(const sim::Block& block, std::size_t column) {
  const std::size_t first = block.columns[column].first;
  return first <= block.first_row ? 0 : std::min(first - block.first_row, block.rows());
}

}  // namespace

void ReducedCurve::reduce() {
  const std::size_t pieces = most_ / 10;  // of at most five points: half of the room is free afterwards
  const double start = time_.front(), scale = static_cast<double>(pieces) / (time_.back() - start);
  const auto piece_of = [&](std::size_t k) {
    const double place = (time_[k] - start) * scale;
    return place < static_cast<double>(pieces) ? std::floor(place) : static_cast<double>(pieces - 1);
  };
  std::size_t to = 0;
  for (std::size_t from = 0; from < time_.size();) {
    constexpr std::size_t none = SIZE_MAX;
    std::size_t first = none, low = none, high = none, last = none, gap = none, end = from;
    for (const double piece = piece_of(from); end < time_.size() && piece_of(end) == piece; ++end) {
      if (!std::isfinite(value_[end])) {
        gap = end;
        continue;
      }
      if (first == none) first = low = high = end;
      if (value_[end] < value_[low]) low = end;
      if (value_[end] > value_[high]) high = end;
      last = end;
    }
    std::array<std::size_t, 5> kept{first, low, high, last, gap};
    std::sort(kept.begin(), kept.end());
    std::size_t previous = none;
    for (const std::size_t k : kept) {
      if (k == previous || k == none) continue;
      previous = k;
      time_[to] = time_[k];
      value_[to++] = value_[k];
    }
    from = end;
  }
  time_.resize(to);
  value_.resize(to);
}

bool PictureSink::begin(const sim::StreamHead& head) {
  title_ = head.options.name;
  panels_.clear();
  curves_.clear();
  const std::size_t share = picture_bytes / (2 * sizeof(double) * std::max<std::size_t>(head.columns.size(), 1));
  const std::size_t most = std::clamp(share, fewest_points, most_points);
  std::unordered_map<program::OriginId, std::size_t> panel_of;
  for (const sim::Column& column : head.columns) {
    const program::Probe& probe = head.program.probes[column.probe];
    const std::string& path = head.program.origins[probe.origin].path;
    if (head.program.origins[probe.origin].type == blocks::anim2d.name) {  // a figure, not curves
      curves_.push_back({no_panel, {}, io::CurveStyle::line, ReducedCurve(0)});
      continue;
    }
    const auto [place, is_new] = panel_of.try_emplace(probe.origin, panels_.size());
    if (is_new) panels_.push_back(path);
    curves_.push_back(
        {place->second, name_in_panel(column.name, path), style_of(probe, head.program), ReducedCurve(most)});
  }
  return true;
}

bool PictureSink::rows(const sim::Block& block) {
  for (std::size_t k = 0; k < curves_.size(); ++k) {
    if (curves_[k].panel == no_panel) continue;
    for (std::size_t row = first_in(block, k); row < block.rows(); ++row) {
      curves_[k].points.add(block.time[row], block.row(row)[k]);
    }
  }
  return true;
}

io::Chart PictureSink::chart() const {
  io::Chart chart{title_, {}};
  for (const std::string& path : panels_) chart.panels.push_back({path, {}});
  for (const Drawn& drawn : curves_) {
    if (drawn.panel == no_panel) continue;
    io::Panel& panel = chart.panels[drawn.panel];
    io::Curve curve;
    curve.name = drawn.name;
    curve.time = drawn.points.time().data();
    curve.value = drawn.points.value().data();
    curve.count = drawn.points.time().size();
    curve.style = drawn.style;
    curve.level = static_cast<int>(panel.curves.size()) + 1;
    panel.curves.push_back(std::move(curve));
  }
  return chart;
}

bool ValueSummary::begin(const sim::StreamHead& head) {
  values_.clear();
  rows_ = 0;
  for (const sim::Column& column : head.columns) values_.push_back({column.name});
  return true;
}

bool ValueSummary::rows(const sim::Block& block) {
  rows_ += block.rows();
  for (std::size_t k = 0; k < values_.size(); ++k) {
    Values& values = values_[k];
    for (std::size_t row = first_in(block, k); row < block.rows(); ++row) {
      values.any = true;
      values.last = block.row(row)[k];
      values.low = std::fmin(values.low, values.last);
      values.high = std::fmax(values.high, values.last);
    }
  }
  return true;
}

std::string ValueSummary::table(std::size_t most_rows) const {
  using io::Align;
  io::TextTable table{{"signal", "final", "min", "max"}, {Align::left, Align::right, Align::right, Align::right}, {}};
  const std::size_t shown = std::min(values_.size(), most_rows);
  for (std::size_t k = 0; k < shown && rows_ > 0; ++k) {
    const Values& values = values_[k];
    if (!values.any) {  // never activated
      table.rows.push_back({values.name, "-", "-", "-"});
      continue;
    }
    const bool none = values.low > values.high;  // nothing but NaN
    table.rows.push_back({values.name, io::short_number(values.last, 10),
                          io::short_number(none ? values.last : values.low),
                          io::short_number(none ? values.last : values.high)});
  }
  std::string text = io::to_text(table);
  if (shown < values_.size()) {
    text += fmt::format("… and {} more; --out FILE.csv writes them all\n", values_.size() - shown);
  }
  return text;
}

}  // namespace orrery::api
