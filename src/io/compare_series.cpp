// SPDX-License-Identifier: Apache-2.0
// Two pointers walk along reference and results; at jumps the side that fits better counts.
#include "io/compare_series.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery::io {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Times that differ by roundings of their printing are one.
double slack_of(std::span<const double> time) {
  return time.empty() ? 0 : 1e-9 * std::max(std::fabs(time.front()), std::fabs(time.back()));
}

struct Band {
  double low = infinity, high = -infinity;
  void add(double y) {
    if (!std::isfinite(y)) return;
    low = std::min(low, y);
    high = std::max(high, y);
  }
  double distance(double y) const { return y < low ? low - y : y > high ? y - high : y == y ? 0 : infinity; }
};

// The unit of differences: the range of the reference, or the size of a constant one, which may be 0.
double size_of(std::span<const double> reference) {
  Band range;
  for (const double y : reference) range.add(y);
  if (!(range.high >= range.low)) return 1;
  if (range.high - range.low > 1e-9 * std::max(std::fabs(range.low), std::fabs(range.high))) {
    return range.high - range.low;
  }
  return std::max(std::max(std::fabs(range.low), std::fabs(range.high)), 1e-3);
}

// What the reference takes within the tube around t: its points there and its values at the edges.
Band tube_at(std::span<const double> time, std::span<const double> reference, std::size_t point, double tube) {
  Band range;
  range.add(reference[point]);
  if (!(tube > 0)) return range;
  const double from = time[point] - tube, to = time[point] + tube;
  const auto begin = std::lower_bound(time.begin(), time.end(), from) - time.begin();
  const auto end = std::upper_bound(time.begin(), time.end(), to) - time.begin();
  for (auto k = begin; k < end; ++k) range.add(reference[static_cast<std::size_t>(k)]);
  for (const double edge : {from, to}) {
    const Sides sides = value_at(time, reference, std::clamp(edge, time.front(), time.back()));
    range.add(sides.left);
    range.add(sides.right);
  }
  return range;
}

}  // namespace

Sides value_at(std::span<const double> time, std::span<const double> value, double t) {
  const double slack = slack_of(time);
  const auto first = static_cast<std::size_t>(std::lower_bound(time.begin(), time.end(), t - slack) - time.begin());
  const auto behind = static_cast<std::size_t>(std::upper_bound(time.begin(), time.end(), t + slack) - time.begin());
  if (behind > first) return {value[first], value[behind - 1]};
  if (first == 0) return {value[0], value[0]};
  if (first == time.size()) return {std::nan(""), std::nan("")};
  const double part = (t - time[first - 1]) / (time[first] - time[first - 1]);
  const double y = value[first - 1] + part * (value[first] - value[first - 1]);
  return {y, y};
}

ColumnComparison compare_column(std::span<const double> reference_time, std::span<const double> reference,
                                std::span<const double> time, std::span<const double> value, const CompareRule& rule) {
  ColumnComparison result;
  result.found = true;
  const double size = size_of(reference);
  for (std::size_t k = 0; k < reference.size(); ++k) {
    if (std::isnan(reference[k])) continue;
    ++result.points;
    double off = infinity;
    if (!time.empty()) {
      const Sides sides = value_at(time, value, reference_time[k]);
      const Band good = tube_at(reference_time, reference, k, rule.tube);
      off = std::min(good.distance(sides.left), good.distance(sides.right)) / size;
      // Both infinite, and alike.
      if (!std::isfinite(reference[k]) && (sides.left == reference[k] || sides.right == reference[k])) off = 0;
    }
    if (off <= rule.tolerance) ++result.within;
    if (off > result.worst) result.worst = off, result.worst_time = reference_time[k];
  }
  result.agrees = static_cast<double>(result.within) >= rule.share * static_cast<double>(result.points);
  return result;
}

std::vector<ColumnComparison> compare_series(const TimeSeries& reference, const TimeSeries& results,
                                             const CompareRule& rule) {
  std::vector<ColumnComparison> all;
  for (std::size_t k = 0; k < reference.names.size(); ++k) {
    const auto found = std::find(results.names.begin(), results.names.end(), reference.names[k]);
    ColumnComparison column;
    if (found != results.names.end()) {
      const auto at = static_cast<std::size_t>(found - results.names.begin());
      column = compare_column(reference.time, reference.columns[k], results.time, results.columns[at], rule);
    }
    column.name = reference.names[k];
    all.push_back(std::move(column));
  }
  return all;
}

}  // namespace orrery::io
