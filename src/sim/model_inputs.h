// SPDX-License-Identifier: Apache-2.0
// The inputs of a model while it runs: set from outside, or by tables over time.
#pragma once

#include <span>
#include <vector>

#include "sim/event_queue.h"

namespace orrery::sim {

class ModelInputs {
 public:
  ModelInputs(RunContext& run, EventQueue& queue) : run_(run), queue_(queue) {}

  bool empty() const { return run_.options.inputs.empty(); }
  // What tables say at the start of the run, and their first events.
  void begin();
  // Before a source fires: what the table of an input takes over, and when its next point is due.
  void stage(std::uint32_t source);
  // From outside: as an event of this instant once the run has begun.
  void set(std::size_t input, std::span<const double> value, std::span<const double> slope, bool has_begun);
  void fire(std::size_t input);

  void save(class SaveWriter& out) const;
  [[nodiscard]] bool restore(class SaveReader& in);

 private:
  void write(program::SlotId slot, std::span<const double> values);
  void program_next(std::size_t series);
  std::vector<double> slope_after(const InputSeries& series, std::size_t point, std::size_t width) const;

  RunContext& run_;
  EventQueue& queue_;
  std::vector<std::size_t> next_;  // by table: the point that comes next
};

}  // namespace orrery::sim
