// SPDX-License-Identifier: Apache-2.0
// Lets every block say its behaviour: bodies over signal slots, nothing scheduled yet.
#pragma once

#include "base/diagnostic.h"
#include "blocks/body.h"
#include "compile/flat_model.h"

namespace orrery::compile {

struct Bodies {
  std::vector<blocks::Body> of_block;
  std::vector<std::vector<program::SlotId>> signals;  // by block and output port
  std::vector<std::uint32_t> owner;                   // by slot: the flat block, no_block for others
};

// Origin k + 1 of the program is block k.
Bodies build_bodies(const FlatModel& model, program::Program& program, Diagnostics& diagnostics);

}  // namespace orrery::compile
