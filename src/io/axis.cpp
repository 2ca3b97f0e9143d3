// SPDX-License-Identifier: Apache-2.0
// Finds what to show on an axis.
#include "io/axis.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "io/number_text.h"

namespace orrery::io {
namespace {

// Ranges near the ends of the number line would overflow in the arithmetic of drawing.
constexpr double largest = 1e300;

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double x) {
    if (!std::isfinite(x)) return;
    low = std::min(low, x);
    high = std::max(high, x);
  }

  Range range() const {
    if (low > high) return {};
    Range result{std::clamp(low, -largest, largest), std::clamp(high, -largest, largest)};
    const double size = std::max(std::abs(result.low), std::abs(result.high));
    // Differences below this are rounding noise; drawing them would magnify it.
    if (result.width() <= 1e-12 * size || result.width() == 0) {
      const double margin = size == 0 ? 1 : 0.1 * size;
      result.low -= margin;
      result.high += margin;
    }
    return result;
  }
};

Range limited(Range range, double low, double high) {
  if (std::isfinite(low)) range.low = low;
  if (std::isfinite(high)) range.high = high;
  if (!(range.width() > 0)) range.high = range.low + 1;
  return range;
}

std::string tick_label(double x, double step, double size) {
  const int step_exponent = static_cast<int>(std::floor(std::log10(step) + 1e-9));
  char buffer[64];
  if (size < 1e6 && step >= 0.99e-4) {
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::fixed, std::max(0, -step_exponent)).ptr;
    return {buffer, end};
  }
  if (x == 0) return "0";
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(x)) + 1e-9));
  return short_number(x, std::clamp(exponent - step_exponent + 1, 1, 15));
}

}  // namespace

Range time_range(const Chart& chart) {
  Extent extent;
  for (const Panel& panel : chart.panels) {
    for (const Curve& curve : panel.curves) {
      if (curve.count == 0) continue;
      extent.include(curve.time[0]);
      extent.include(curve.time[curve.count - 1]);
    }
  }
  return extent.range();
}

Range value_range(const Panel& panel) {
  Extent extent;
  for (const Curve& curve : panel.curves) {
    if (curve.style == CurveStyle::events) {
      extent.include(curve.level - 0.5);
      extent.include(curve.level + 0.5);
      continue;
    }
    for (std::size_t row = 0; row < curve.count; ++row) extent.include(curve.y(row));
  }
  return limited(extent.range(), panel.limits[2], panel.limits[3]);
}

Range own_time_range(const Panel& panel) {
  Extent extent;
  for (const Curve& curve : panel.curves) {
    for (std::size_t row = 0; row < curve.count; ++row) {
      if (std::isfinite(curve.y(row))) extent.include(curve.time[row]);
    }
  }
  return limited(extent.range(), panel.limits[0], panel.limits[1]);
}

Range padded(Range range, double fraction) {
  const double margin = fraction * range.width();
  return {range.low - margin, range.high + margin};
}

std::vector<Tick> round_ticks(Range range, int count) {
  const double raw = range.width() / std::max(count, 1);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  const double factor = raw / power;
  const double step = power * (factor <= 1.5 ? 1 : factor <= 3.5 ? 2 : factor <= 7.5 ? 5 : 10);
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  std::vector<Tick> ticks;
  const double slack = 1e-9 * step;
  const double first = std::ceil((range.low - slack) / step);
  for (int k = 0; k <= 4 * count; ++k) {
    const double at = (first + k) * step + 0.0;  // + 0.0 makes -0 a 0
    if (at > range.high + slack) break;
    ticks.push_back({at, tick_label(at, step, size)});
  }
  return ticks;
}

}  // namespace orrery::io
