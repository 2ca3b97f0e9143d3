// SPDX-License-Identifier: Apache-2.0
// Takes rows of probe values out of a run's memory.
#pragma once

#include <cstddef>
#include <vector>

#include "program/procedure.h"
#include "sim/recording.h"

namespace orrery::sim {

class Recorder {
 public:
  // Keeps at most `limit` bytes.
  Recorder(const program::Program& program, const program::Layout& layout, double limit);

  bool active() const { return !fields_.empty(); }
  // A row identical to the last one at the same time is not repeated.
  void take(double t, Phase phase, const std::byte* memory);
  double most_rows() const { return most_rows_; }
  std::size_t columns() const { return fields_.size(); }
  // A row had no room and is lost, as are all that follow.
  bool overflowed() const { return overflowed_; }
  const Recording& recording() const { return recording_; }
  Recording release() { return std::move(recording_); }

 private:
  struct Field {
    std::uint32_t offset;
    program::Scalar scalar;
  };
  std::vector<Field> fields_;
  std::vector<double> row_;
  double most_rows_;
  bool overflowed_ = false;
  Recording recording_;
};

// An element of a slot in memory, as a number.
double read_number(const std::byte* address, program::Scalar scalar);

}  // namespace orrery::sim
