// SPDX-License-Identifier: Apache-2.0
// A message of a model that asks whoever drives the run to stop and look.
#pragma once

#include <cstdint>

#include "program/program.h"

namespace orrery::program {

// Action::probe of a note in whose instant the run pauses, and of one where nobody waits: then it is nothing but a
// note.
constexpr std::uint32_t pausing_note = 1, passed_note = 2;

inline bool asks_for_pause(const Action& action) {
  return action.kind == ActionKind::note && action.probe == pausing_note;
}

inline void forget_pauses(Program& program) {
  for (Source& source : program.sources) {
    for (Action& action : source.table.actions) {
      if (asks_for_pause(action)) action.probe = passed_note;
    }
  }
}

}  // namespace orrery::program
