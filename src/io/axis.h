// SPDX-License-Identifier: Apache-2.0
// Ranges and round tick marks of an axis.
#pragma once

#include <string>
#include <vector>

#include "io/chart.h"

namespace orrery::io {

// low < high, both finite.
struct Range {
  double low = 0;
  double high = 1;
  double width() const { return high - low; }
};

// What the finite values of all curves span; widened when they are all the same, so that it can be drawn.
Range time_range(const Chart& chart);
Range value_range(const Panel& panel);
// Of a panel with an axis of its own; both respect the panel's limits.
Range own_time_range(const Panel& panel);
Range padded(Range range, double fraction);

struct Tick {
  double at = 0;
  std::string label;
};

// About `count` multiples of 1, 2 or 5 times a power of ten inside the range, with just the digits they need.
std::vector<Tick> round_ticks(Range range, int count);

}  // namespace orrery::io
