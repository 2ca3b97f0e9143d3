// SPDX-License-Identifier: Apache-2.0
// The behaviours of the FMU block, one for each kind of FMU, and what they share.
#pragma once

#include <vector>

#include "blocks/block.h"
#include "blocks/foreign_model.h"

namespace orrery::blocks {

// Activation ports; those for clocks follow each other from the first one on.
enum FmuActivationInput : int { event_input = 1, end_input = 2, first_clock_input = 3 };
enum FmuActivationOutput : int { event_output = 1, end_output = 2, first_clock_output = 3 };
// Ports of the block for itself, beyond those that can be linked.
struct OwnPorts {
  explicit OwnPorts(const ForeignModel& model)
      : input(first_clock_input + static_cast<int>(model.input_clocks.size())),
        wake(first_clock_output + static_cast<int>(model.output_clocks.size())) {}
  int input;
  int wake;
  int step = wake + 1;
  int step_again = wake + 2;
  int publish = wake + 3;
};

// All inputs as doubles, in the order of the ports; those that nothing drives have their start values.
std::vector<Expr> inputs_as_doubles(Block& b, const ForeignModel& model);
// A result of the FMU, which gives doubles, as the type of the port.
Expr as_port(Expr value, program::Type port);
// Settings of the object: those of the model and what the block's parameters say about logs and results.
std::vector<std::pair<std::string, std::string>> fmu_settings(const Block& b, const ForeignModel& model);

// Whether each of the input clocks ticks in this activation, as doubles; or none does.
void add_ticks(Block& b, const ForeignModel& model, bool activated, std::vector<ExprId>& arguments);
Expr any_tick(Block& b, const ForeignModel& model);
std::vector<int> clock_outputs(const ForeignModel& model);

void build_model_exchange(Block& b, const ForeignModel& model);
void build_co_simulation(Block& b, const ForeignModel& model);
void build_scheduled_execution(Block& b, const ForeignModel& model);

}  // namespace orrery::blocks
