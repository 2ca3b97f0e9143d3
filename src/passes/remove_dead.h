// SPDX-License-Identifier: Apache-2.0
// Drops assignments to signals that nothing reads.
#pragma once

#include <span>

#include "program/program.h"

namespace orrery::passes {

// Needed are: slots of probes, what signals are computed from, the slots in `kept`, and what is read by derivatives,
// surfaces, events, actions, guards, and assignments to needed slots or to slots other than signals. Returns how many
// assignments were dropped.
std::size_t remove_dead(program::Program& program, std::span<const program::SlotId> kept = {});

}  // namespace orrery::passes
