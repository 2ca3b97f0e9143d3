// SPDX-License-Identifier: Apache-2.0
// Reduces a curve to what a drawing of given width can show.
#include "io/polyline.h"

#include <algorithm>
#include <cmath>

namespace orrery::io {
namespace {

// Collects points column by column and keeps the first, lowest, highest and last of each.
class Reducer {
 public:
  void add(Point point) {
    const double column = std::floor(point.x);
    if (empty_ || column != column_) {
      flush();
      column_ = column;
      count_ = 0;
      empty_ = false;
    }
    keep(point);
  }

  void end_stretch() {
    flush();
    empty_ = true;
    if (!points_.empty()) result_.push_back(std::move(points_));
    points_.clear();
  }

  std::vector<std::vector<Point>> take() {
    end_stretch();
    return std::move(result_);
  }

 private:
  struct Kept {
    Point point;
    long order;
  };

  void keep(Point point) {
    const Kept kept{point, count_++};
    if (kept.order == 0) first_ = low_ = high_ = kept;
    if (point.y < low_.point.y) low_ = kept;
    if (point.y > high_.point.y) high_ = kept;
    last_ = kept;
  }

  void flush() {
    if (empty_) return;
    Kept kept[] = {first_, low_, high_, last_};
    std::sort(std::begin(kept), std::end(kept), [](const Kept& a, const Kept& b) { return a.order < b.order; });
    long previous = -1;
    for (const Kept& k : kept) {
      if (k.order != previous) points_.push_back(k.point);
      previous = k.order;
    }
  }

  std::vector<std::vector<Point>> result_;
  std::vector<Point> points_;
  Kept first_{}, low_{}, high_{}, last_{};
  double column_ = 0;
  long count_ = 0;
  bool empty_ = true;
};

// A vertical stroke for each column in which events happened.
std::vector<std::vector<Point>> strokes(const Curve& curve, const Frame& frame) {
  constexpr double half = 0.4;
  std::vector<std::vector<Point>> result;
  const double y_scale = frame.height / frame.value.width();
  const double low = (curve.level - half - frame.value.low) * y_scale;
  const double high = (curve.level + half - frame.value.low) * y_scale;
  double count = 0;
  double column = -1;
  for (std::size_t row = 0; row < curve.count; ++row) {
    const double x = (curve.time[row] - frame.time.low) * frame.columns / frame.time.width();
    if (curve.y(row) > count && std::floor(x) != column) {
      column = std::floor(x);
      result.push_back({{x, low}, {x, high}});
    }
    count = curve.y(row);
  }
  return result;
}

}  // namespace

std::vector<std::vector<Point>> polylines(const Curve& curve, const Frame& frame) {
  if (curve.style == CurveStyle::events) return strokes(curve, frame);
  const bool held = curve.style == CurveStyle::stairs;
  const bool joined = curve.style != CurveStyle::points;
  Reducer reducer;
  const double x_scale = frame.columns / frame.time.width();
  const double y_scale = frame.height / frame.value.width();
  bool open = false;
  double previous_y = 0;
  for (std::size_t row = 0; row < curve.count; ++row) {
    const double value = curve.y(row);
    if (!std::isfinite(value) || !std::isfinite(curve.time[row])) {
      if (open) reducer.end_stretch();
      open = false;
      continue;
    }
    const double x = (curve.time[row] - frame.time.low) * x_scale;
    const double y = (value - frame.value.low) * y_scale;
    if (open && held && y != previous_y) reducer.add({x, previous_y});
    reducer.add({x, y});
    open = joined;
    previous_y = y;
    if (!joined) reducer.end_stretch();
  }
  return reducer.take();
}

}  // namespace orrery::io
