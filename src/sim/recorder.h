// SPDX-License-Identifier: Apache-2.0
// Takes rows of probe values out of a run's memory.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
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
  // Time of the last row.
  double last_time() const { return recording_.time.empty() ? -1.0 / 0.0 : recording_.time.back(); }
  // Recorded values that are not numbers: the first of each column, each told once.
  struct NotANumber {
    std::string name;
    std::uint32_t probe;
    double time;
  };
  std::vector<NotANumber> take_not_numbers() { return std::exchange(not_numbers_, {}); }
  const Recording& recording() const { return recording_; }
  Recording release() { return std::move(recording_); }

 private:
  struct Field {
    std::uint32_t offset;
    program::Scalar scalar;
    std::uint32_t seen;  // where the memory says that there is a value; UINT32_MAX: there always is
    bool told = false;   // that it is not a number
  };
  void read_row(double t, const std::byte* memory);

  std::vector<Field> fields_;
  std::vector<double> row_;
  double most_rows_;
  bool overflowed_ = false;
  std::vector<NotANumber> not_numbers_;
  Recording recording_;
};

// An element of a slot in memory, as a number.
double read_number(const std::byte* address, program::Scalar scalar);

}  // namespace orrery::sim
