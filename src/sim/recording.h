// SPDX-License-Identifier: Apache-2.0
// What a run leaves behind: signal values over time and the event ledger.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/event_cause.h"
#include "program/program.h"

namespace orrery::sim {

using Phase = RowPhase;
using Cause = EventCause;

// One column per scalar element of a probe; complex elements give two (".re", ".im").
struct Column {
  std::string name;
  std::uint32_t probe = 0;
  std::size_t first = 0;  // the rows before it hold NaN: the signal's block had not been activated yet
};

struct Recording {
  std::vector<Column> columns;
  std::vector<double> time;
  std::vector<Phase> phase;
  std::vector<double> values;  // row by row

  std::size_t rows() const { return time.size(); }
  double value(std::size_t row, std::size_t column) const { return values[row * columns.size() + column]; }
};

// One activation. For crossings and modes, left and right are the surface's values on both sides.
struct LedgerEntry {
  double time = 0;
  Cause cause = Cause::initial;
  std::uint32_t source = 0;  // index into Program::sources (surface index for modes)
  program::OriginId origin = 0;
  int port = 0;
  double left = 0;
  double right = 0;
  bool restarted = false;  // the integrator started cold after this instant
};

struct Ledger {
  std::vector<LedgerEntry> entries;
};

}  // namespace orrery::sim
