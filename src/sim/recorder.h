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
  Recorder(const program::Program& program, const program::Layout& layout);

  bool active() const { return !fields_.empty(); }
  // A row identical to the last one at the same time is not repeated.
  void take(double t, Phase phase, const std::byte* memory);
  const Recording& recording() const { return recording_; }

 private:
  struct Field {
    std::uint32_t offset;
    program::Scalar scalar;
  };
  std::vector<Field> fields_;
  std::vector<double> row_;
  Recording recording_;
};

// An element of a slot in memory, as a number.
double read_number(const std::byte* address, program::Scalar scalar);

}  // namespace orrery::sim
