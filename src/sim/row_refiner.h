// SPDX-License-Identifier: Apache-2.0
// Rows between the points that the integrator gives, where a recorded curve bends more than a line between them shows.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "program/procedure.h"

namespace orrery::sim {

// For probes that follow time itself (Probe::bent): no state bends with them, so nothing keeps steps short.
class RowRefiner {
 public:
  RowRefiner(const program::Program& program, const program::Layout& layout);

  bool active() const { return !offsets_.empty(); }
  // No row more was made because there are too many already: curves are drawn with fewer points than they need.
  bool exhausted() const { return rows_ >= most_rows; }
  // Calls take for times between two rows, in order. evaluate puts the values of a time into the memory; at the end
  // those of the later row are there.
  void between(double from, double to, const std::byte* memory, const std::function<void(double)>& evaluate,
               const std::function<void(double)>& take);
  // Ranges and rows so far, on which the rows to come depend.
  std::vector<double> save() const;
  bool restore(const std::vector<double>& saved);

 private:
  static constexpr int most_halvings = 12;
  static constexpr long most_rows = 200000;
  static constexpr double allowed = 0.005;  // distance from the line, as a share of the range so far

  void read(const std::byte* memory, std::span<double> values);
  bool bends(double from, double to);
  void halve(double from, double to, int depth);

  struct Range {
    double low = 1.0 / 0.0, high = -1.0 / 0.0;
  };
  std::vector<std::size_t> offsets_;
  std::vector<Range> ranges_;
  std::vector<std::vector<double>> ends_;  // values at the right ends of the intervals that are open, innermost last
  std::vector<double> left_, inside_;
  long rows_ = 0;
  const std::byte* memory_ = nullptr;
  const std::function<void(double)>* evaluate_ = nullptr;
  const std::function<void(double)>* take_ = nullptr;
};

}  // namespace orrery::sim
