// SPDX-License-Identifier: Apache-2.0
// An FMU of Scheduled Execution as formulas: nothing happens between ticks, and at a tick a procedure runs the model
// partitions of the clocks and gives all outputs (FMI 3.0: 5).
#include "blocks/co_simulation/fmu_parts.h"

namespace orrery::blocks {

void build_scheduled_execution(Block& b, const ForeignModel& model) {
  const OwnPorts own(model);
  const std::vector<Expr> inputs = inputs_as_doubles(b, model);
  program::ForeignObject object{"fmu", 0, fmu_settings(b, model), {}};
  for (std::size_t k = 0; k < model.outputs.size(); ++k) {
    const ForeignVariable& output = model.outputs[k];
    const Variable memory = b.memory(output.name, b.fill({Scalar::f64, output.type.rows, output.type.cols}, 0));
    object.initial.push_back(memory.slot());
    b.out(static_cast<int>(k) + 1, as_port(memory, output.type));
  }
  const std::vector<SlotId> outputs = object.initial;
  const std::uint32_t index = b.foreign_object(std::move(object));
  const auto call = [&](const Trigger& trigger, int procedure, bool activated) {
    CallRule rule{index, procedure, {b.time().id()}, outputs, own.wake, b.flag("event_ports") ? end_output : 0};
    for (const Expr& input : inputs) rule.arguments.push_back(input.id());
    add_ticks(b, model, activated, rule.arguments);
    rule.fire_ports = clock_outputs(model);
    trigger.call(std::move(rule));
  };
  call(b.on_start(), fmu_calls::start, false);
  call(b.on_activation().when(any_tick(b, model) && !b.active(end_input)), fmu_calls::external_event, true);
  call(b.on_fired(own.wake), fmu_calls::time_event, false);
  if (b.flag("event_ports")) b.on_fired(own.wake).emit(event_output);
  call(b.on_activation(end_input), fmu_calls::terminate, false);
}

}  // namespace orrery::blocks
