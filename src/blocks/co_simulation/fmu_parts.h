// SPDX-License-Identifier: Apache-2.0
// The two behaviours of the FMU block, and what they share.
#pragma once

#include <vector>

#include "blocks/block.h"
#include "blocks/foreign_model.h"

namespace orrery::blocks {

// Activation ports. The last of each kind are for the block itself; nothing can be linked to them.
enum FmuActivationInput : int { event_input = 1, end_input = 2, own_input = 3 };
enum FmuActivationOutput : int {
  event_output = 1,
  end_output = 2,
  wake_output = 3,
  step_output = 4,
  step_again_output = 5,
  publish_output = 6
};

// All inputs as doubles, in the order of the ports; those that nothing drives have their start values.
std::vector<Expr> inputs_as_doubles(Block& b, const ForeignModel& model);
// A result of the FMU, which gives doubles, as the type of the port.
Expr as_port(Expr value, program::Type port);
// Settings of the object: those of the model and what the block's parameters say about logs and results.
std::vector<std::pair<std::string, std::string>> fmu_settings(const Block& b, const ForeignModel& model);

void build_model_exchange(Block& b, const ForeignModel& model);
void build_co_simulation(Block& b, const ForeignModel& model);

}  // namespace orrery::blocks
