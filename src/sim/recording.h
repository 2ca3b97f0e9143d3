// SPDX-License-Identifier: Apache-2.0
// What a run leaves behind: signal values over time and the event ledger.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/program.h"

namespace orrery::sim {

// Where in the course of events a row was taken (Activate, 19.2).
enum class Phase : std::int8_t {
  left_of_event = -1,
  mesh = 0,
  event = 1,
  left_of_crossing = 4,
  crossing = 5,
  initial = 6,
};

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

enum class Cause : std::uint8_t { initial, clock, programmed, crossing, mode, step, final };

// As result files have it.
constexpr const char* name_of(Cause cause) {
  constexpr const char* names[] = {"initial", "clock", "programmed", "crossing", "mode", "step", "end"};
  return names[static_cast<int>(cause)];
}

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
