// SPDX-License-Identifier: Apache-2.0
// Words that results of runs use: why an event happened, and where in the course of events a row was taken.
#pragma once

#include <cstdint>

namespace orrery {

enum class EventCause : std::uint8_t { initial, clock, programmed, crossing, mode, step, final };

// As result files have it.
constexpr const char* name_of(EventCause cause) {
  constexpr const char* names[] = {"initial", "clock", "programmed", "crossing", "mode", "step", "end"};
  return names[static_cast<int>(cause)];
}

// Where in the course of events a row was taken (Activate, 19.2).
enum class RowPhase : std::int8_t {
  left_of_event = -1,
  mesh = 0,
  event = 1,
  left_of_crossing = 4,
  crossing = 5,
  initial = 6,
};

}  // namespace orrery
