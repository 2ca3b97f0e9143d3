// SPDX-License-Identifier: Apache-2.0
// The library: every block type there is, palette by palette.
#include <unordered_map>

#include "blocks/activation_operations/activation_operations.h"
#include "blocks/block.h"
#include "blocks/bus_operations/bus_operations.h"
#include "blocks/co_simulation/co_simulation.h"
#include "blocks/custom_blocks/custom_blocks.h"
#include "blocks/diagram_ports/diagram_ports.h"
#include "blocks/dynamical/dynamical.h"
#include "blocks/flip_flops/flip_flops.h"
#include "blocks/hybrid/hybrid.h"
#include "blocks/logical_operations/logical_operations.h"
#include "blocks/lookup_tables/lookup_tables.h"
#include "blocks/math_operations/math_operations.h"
#include "blocks/matrix_operations/matrix_operations.h"
#include "blocks/routing/routing.h"
#include "blocks/signal_conversions/signal_conversions.h"
#include "blocks/signal_exporters/signal_exporters.h"
#include "blocks/signal_generators/signal_generators.h"
#include "blocks/signal_importers/signal_importers.h"
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
      &real_time,
      &random,
      &ramp_saturate,
      &trapezoid,
      &signal_generator,
      &modulo_counter,
      &toggle,
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
      &pow_block,
      &exponential,
      &log_block,
      &atan2_block,
      &hypot_block,
      &negate,
      &round_block,
      &modulo,
      &horner,
      &math_expressions,
      &oml_expression,
      // MatrixOperations
      &matrix_multiplication,
      &matrix_division,
      &matrix_inverse,
      &transpose_block,
      &matrix_concatenation,
      &matrix_extractor,
      &assignment,
      &matrix_reshape,
      &diagonal_matrix,
      &sum_elements,
      &max_elements,
      &min_elements,
      &cumulative_sum,
      &cross_product,
      &sort_block,
      // LogicalOperations
      &relational_op,
      &logical_op,
      &compare_to_constant,
      &truth_table,
      // FlipFlops
      &d_flip_flop,
      &d_latch,
      &jk_flip_flop,
      &sr_flip_flop,
      // Routing
      &mux,
      &demux,
      &switch2,
      &select_input,
      &set_signal,
      &get_signal,
      &signal_scoping,
      &set_activation_signal,
      &get_activation_signal,
      &activation_signal_scoping,
      &extractor,
      &select_output,
      &conditional_select,
      &conditional_n_select,
      &switch_n,
      &manual_switch,
      // BusOperations
      &bus_creator,
      &bus_extractor,
      &bus_assignment,
      &bus_constant,
      &bus_input,
      &bus_output,
      &set_bus_signal,
      &get_bus_signal,
      &bus_signal_scoping,
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
      &cont_pole_zero,
      &discr_pole_zero,
      &sampled_data,
      &pid,
      &accumulator,
      &shift_register,
      // Hybrid
      &last_input,
      &controlled_saturation,
      &quantization,
      &hysteresis,
      &backlash,
      &rate_limiter,
      // LookupTables
      &lookup_table,
      &lookup_table_port,
      &lookup_table_2d,
      &lookup_table_2d_port,
      &lookup_table_3d,
      &lookup_table_nd,
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
      &zero_cross_up,
      &zero_cross_down,
      &discr_edge_trigger,
      &and_activations,
      &event_to_code,
      &if_expressions,
      &event_port_zero,
      // SignalConversions
      &data_type_conversion,
      &scalar_expand,
      &unit_conversion,
      &identity,
      &formatted_string,
      // SignalViewers
      &scope,
      &event_scope,
      &display,
      &signal_out,
      &message,
      &assertion,
      &anim2d,
      // SignalImporters
      &signal_in,
      &from_csv,
      &from_text,
      &from_mat,
      &from_hdf,
      // SignalExporters
      &to_csv,
      &to_text_file,
      &to_mat,
      &to_hdf,
      // CustomBlocks
      &c_custom_block,
      &oml_custom_block,
      &cpp_block,
      &p_custom_block,
      &cssl_block,
      &from_base,
      &to_base,
      &optimization,
      &exec_oml_script,
      // Ports
      &super_block,
      &input_port,
      &output_port,
      &event_input_port,
      &event_output_port,
      &linearisation_point,
      &enable_input,
      &include_diagram,
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
