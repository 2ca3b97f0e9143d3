// SPDX-License-Identifier: Apache-2.0
// Where the rows of a run and its events go: a block of them at a time, in order.
#pragma once

#include <cstddef>
#include <span>

#include "base/diagnostic.h"
#include "program/program.h"
#include "sim/recording.h"

namespace orrery::sim {

struct Report;
struct RunOptions;

// What a sink is told before the first row.
struct StreamHead {
  const program::Program& program;
  const RunOptions& options;
  std::span<const Column> columns;  // `first` is not 0 where a signal has no value at the first row
};

// Rows that follow those of the block before. Values lie row by row.
struct Block {
  std::span<const Column> columns;  // `first` as far as it is known: SIZE_MAX, as long as there is no value
  std::size_t first_row = 0;        // the number of the first row within the run
  std::span<const double> time;
  std::span<const Phase> phase;
  const double* values = nullptr;
  bool last = false;  // no other block follows; this one may be without rows

  std::size_t rows() const { return time.size(); }
  const double* row(std::size_t k) const { return values + k * columns.size(); }
};

class Sink {
 public:
  virtual ~Sink() = default;

  // A run begins. It may be another one than before (an End block asked for it): the rows so far are to be forgotten.
  // False, as with rows(): this sink can take no more, and the run ends.
  [[nodiscard]] virtual bool begin(const StreamHead& head) = 0;
  [[nodiscard]] virtual bool rows(const Block& block) = 0;
  // The row that came last has turned out to be the left side of an event.
  virtual void relabel_last(Phase /*phase*/) {}
  // About once a second: whatever happens to the process afterwards, the rows so far must be readable.
  virtual void flush() {}
  // No row follows. False, and a diagnostic, when what was to be made of the rows is not whole.
  [[nodiscard]] virtual bool end(const Report& /*report*/, Diagnostics& /*diagnostics*/) { return true; }
  // Whether it holds all rows in memory, which has a limit (RunOptions::results_limit).
  virtual bool keeps_rows() const { return false; }
};

// The same for the event ledger.
class LedgerSink {
 public:
  virtual ~LedgerSink() = default;

  [[nodiscard]] virtual bool begin(const program::Program& program) = 0;
  [[nodiscard]] virtual bool events(std::span<const LedgerEntry> entries) = 0;
  virtual void flush() {}
  [[nodiscard]] virtual bool end(const Report& /*report*/, Diagnostics& /*diagnostics*/) { return true; }
};

}  // namespace orrery::sim
