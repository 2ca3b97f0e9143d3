// SPDX-License-Identifier: Apache-2.0
// Takes rows of probe values out of a run's memory and hands them to sinks, a block at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "program/procedure.h"
#include "sim/memory_sink.h"
#include "sim/sink.h"

namespace orrery::sim {

// "y", or "y[1]", "y[2]", … column by column; of complex ones "y.re", "y.im".
std::vector<std::string> element_names(const std::string& name, const program::Type& type);
// One for each scalar element of the probes.
std::vector<Column> columns_of(const program::Program& program);

class Recorder {
 public:
  // Program and options must outlive it. Without sinks of the options' own, the rows are kept in memory.
  Recorder(const program::Program& program, const program::Layout& layout, const RunOptions& options);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  bool active() const { return !fields_.empty(); }
  // A row identical to the last one at the same time is not repeated.
  void take(double t, Phase phase, const std::byte* memory);
  // Rows that wait go to the sinks; with `last`, the run is over.
  void deliver(bool last);
  // The same, and the sinks flush, when a second has passed since they last did.
  void flush_when_due();

  std::size_t rows() const { return rows_; }
  double most_rows() const { return most_rows_; }
  std::size_t columns() const { return fields_.size(); }
  // A row had no room and is lost, as are all that follow.
  bool overflowed() const { return overflowed_; }
  // A sink takes no more.
  bool refused() const { return refused_; }
  bool is_full() const { return overflowed_ || refused_; }
  // Time of the last row.
  double last_time() const { return rows_ == 0 ? -1.0 / 0.0 : time_[waiting_]; }
  double seconds_in_sinks() const { return seconds_; }
  // Recorded values that are not numbers, or infinite: the first of each column, each told once.
  struct NotFinite {
    std::string name;
    std::uint32_t probe;
    double time;
    double value;
  };
  bool saw_not_finite() const { return !not_finite_.empty(); }
  std::vector<NotFinite> take_not_finite() { return std::exchange(not_finite_, {}); }
  // What is kept where there are no other sinks.
  const Recording& recording() const { return memory_.recording(); }
  Recording release() { return memory_.release(); }

 private:
  using Clock = std::chrono::steady_clock;

  struct Field {
    std::uint32_t offset;
    program::Scalar scalar;
    std::uint32_t seen;          // where the memory says that there is a value; UINT32_MAX: there always is
    bool told = false;           // that it is not a number,
    bool told_infinite = false;  // or infinite
    std::size_t first = 0;       // as that of its column
  };
  void read_row(double t, const std::byte* memory, double* row);

  const program::Program& program_;
  const RunOptions& options_;
  MemorySink memory_;
  std::vector<Sink*> sinks_;
  std::vector<Field> fields_;
  std::vector<Column> columns_;
  // Rows 1 … waiting_ wait for the sinks; row 0 is the last one that went there.
  std::vector<double> time_, values_;
  std::vector<Phase> phase_;
  std::size_t waiting_ = 0;
  std::size_t capacity_;  // rows of a block
  std::size_t rows_ = 0;  // of the run
  double most_rows_;
  bool begun_ = false;
  bool overflowed_ = false;
  bool refused_ = false;
  std::vector<NotFinite> not_finite_;
  Clock::time_point flushed_ = Clock::now();
  double seconds_ = 0;
};

// An element of a slot in memory, as a number.
double read_number(const std::byte* address, program::Scalar scalar);

}  // namespace orrery::sim
