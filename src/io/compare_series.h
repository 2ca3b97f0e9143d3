// SPDX-License-Identifier: Apache-2.0
// How far a computed curve is from a reference: at the times of the reference, as a share of its range.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "io/csv.h"

namespace orrery::io {

struct CompareRule {
  double tolerance = 0.02;  // of the range of the reference
  double share = 0.99;      // of its points that have to be within the tolerance
  // Half the width in time of a tube around the reference: a value is as good as the nearest one that the reference
  // takes within it. 0: values are compared at their times.
  double tube = 0;
};

// One column of the reference.
struct ColumnComparison {
  std::string name;
  bool found = false;  // among the results
  bool agrees = false;
  std::size_t points = 0, within = 0;  // of the reference; those within the tolerance
  double worst = 0;                    // largest difference, as a share of the range
  double worst_time = 0;
};

// A curve at a time: linear between rows, and both sides of a jump.
struct Sides {
  double left = 0, right = 0;
};
Sides value_at(std::span<const double> time, std::span<const double> value, double t);

// Points of the reference after the last row of the results count as misses; so do values that are not numbers where
// the reference has numbers.
ColumnComparison compare_column(std::span<const double> reference_time, std::span<const double> reference,
                                std::span<const double> time, std::span<const double> value, const CompareRule& rule);
// Every column of the reference, by name.
std::vector<ColumnComparison> compare_series(const TimeSeries& reference, const TimeSeries& results,
                                             const CompareRule& rule);

}  // namespace orrery::io
