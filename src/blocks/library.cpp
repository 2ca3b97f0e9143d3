// SPDX-License-Identifier: Apache-2.0
// The library: every block type there is, palette by palette.
#include <unordered_map>

#include "blocks/activation_operations/activation_operations.h"
#include "blocks/block.h"
#include "blocks/co_simulation/co_simulation.h"
#include "blocks/custom_blocks/custom_blocks.h"
#include "blocks/diagram_ports/diagram_ports.h"
#include "blocks/dynamical/dynamical.h"
#include "blocks/logical_operations/logical_operations.h"
#include "blocks/math_operations/math_operations.h"
#include "blocks/routing/routing.h"
#include "blocks/signal_conversions/signal_conversions.h"
#include "blocks/signal_generators/signal_generators.h"
#include "blocks/signal_viewers/signal_viewers.h"

namespace orrery::blocks {

const std::vector<const BlockType*>& library() {
  static const std::vector<const BlockType*> types = {
      // SignalGenerators
      &constant,
      &sine_wave_generator,
      &step_generator,
      &ramp,
      &square_wave_generator,
      &sawtooth,
      &time,
      &random,
      // MathOperations
      &gain,
      &matrix_gain,
      &sum,
      &product,
      &bias,
      &power,
      &abs,
      &sign,
      &math_func,
      &trig_func,
      &math_expression,
      &matrix_expression,
      &max_min,
      &saturation,
      &deadzone,
      // LogicalOperations
      &relational_op,
      &logical_op,
      // Routing
      &mux,
      &demux,
      &switch2,
      &select_input,
      &set_signal,
      &get_signal,
      // Dynamical
      &integral,
      &cont_state_space,
      &cont_trans_func,
      &jump_state_space,
      &discrete_delay,
      &discrete_integral,
      &discr_state_space,
      &discr_trans_func,
      &sample_hold,
      &memory,
      &counter,
      &constraint,
      &implicit_derivative,
      &loop_breaker,
      &invariant,
      &initial_equation,
      &projected_integral,
      &fixed_delay,
      &variable_delay,
      &automaton,
      // ActivationOperations
      &sample_clock,
      &re_sample_clock,
      &sync_tag,
      &event_clock,
      &event_generate,
      &event_delay,
      &event_variable_delay,
      &event_delayed_channel,
      &event_union,
      &activation_intersection,
      &if_then_else,
      &switch_case,
      &initial_event,
      &final_event,
      &always_activate,
      &zero_cross,
      &edge_trigger,
      &frequency_divider,
      &extract_activation,
      &repeat_activation,
      &end,
      // SignalConversions
      &data_type_conversion,
      // SignalViewers
      &scope,
      &event_scope,
      &display,
      &signal_out,
      &message,
      &assertion,
      // CustomBlocks
      &p_custom_block,
      &from_base,
      &to_base,
      // Ports
      &super_block,
      &input_port,
      &output_port,
      &event_input_port,
      &event_output_port,
      // CoSimulation
      &fmu,
  };
  return types;
}

const BlockType* find_type(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const BlockType*> map;
    for (const BlockType* type : library()) map.emplace(type->name, type);
    return map;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

Role role_of(std::string_view type) {
  const BlockType* found = find_type(type);
  return found == nullptr ? Role::ordinary : found->role;
}

}  // namespace orrery::blocks
