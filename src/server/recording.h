// SPDX-License-Identifier: Apache-2.0
// The rows of a run beside a pyramid of minima and maxima, so that a view costs what it shows, however long the run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "server/channel.h"

namespace orrery::server {

struct RecordedColumn {
  std::string name, block;
};

// What a page wants to see.
struct SampleView {
  std::vector<std::size_t> columns;
  double from = 0, to = 0;  // NaN: from the first, to the last row
  int pixels = 1000;
};

class RunRecording {
 public:
  static constexpr std::size_t bucket = 64, fan = 4;

  // A run begins, or begins anew.
  void begin(std::vector<RecordedColumn> columns);
  // False: it does not fit into the memory that there is for it.
  bool add(std::span<const double> time, std::span<const double> values, std::span<const signed char> phase);
  void relabel_last(signed char phase);

  const std::vector<RecordedColumn>& columns() const { return columns_; }
  std::size_t rows() const { return time_.size(); }
  const std::vector<double>& time() const { return time_; }
  const std::vector<signed char>& phase() const { return phase_; }
  double value(std::size_t row, std::size_t column) const { return data_[column].values[row]; }
  std::size_t bytes() const;

  // Smallest and largest of rows [first, last) that are numbers; NaN when none is.
  struct Extent {
    double low, high;
  };
  Extent extent(std::size_t column, std::size_t first, std::size_t last) const;
  // A sample frame (docs/protocol.md).
  std::string frame(const SampleView& view, std::uint32_t run, std::uint32_t watch, bool ended) const;

  // Events.
  std::vector<EventRecord> events;
  std::vector<std::string> origins;

 private:
  struct Channel {
    std::vector<double> values;
    std::vector<std::vector<Extent>> levels;  // [0] of 64 rows each, then of 4 buckets each
  };
  static Extent join(Extent a, Extent b);
  void extend(Channel& channel) const;

  std::vector<RecordedColumn> columns_;
  std::vector<double> time_;
  std::vector<signed char> phase_;
  std::vector<Channel> data_;
};

}  // namespace orrery::server
