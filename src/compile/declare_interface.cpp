// SPDX-License-Identifier: Apache-2.0
// Inputs, outputs and signals of a Program.
#include "compile/declare_interface.h"

#include <algorithm>

#include "program/variables.h"

namespace orrery::compile {
namespace {

using program::no_expr;

// By the numbers of the ports; equal ones in the order of the file.
template <class Port>
void sort_by_number(std::vector<Port>& ports) {
  std::stable_sort(ports.begin(), ports.end(), [](const Port& a, const Port& b) { return a.number < b.number; });
}

}  // namespace

void declare_interface(const FlatModel& model, const Bodies& bodies, const Activations& activations,
                       const ProbeIndex& probes, program::Program& program) {
  for (std::uint32_t b = 0; b < model.blocks.size(); ++b) {
    const blocks::Body& body = bodies.of_block[b];
    if (body.interface.empty()) continue;
    const blocks::InterfaceRule& rule = body.interface[0];
    const std::string name = model.blocks[b].path.substr(1);
    if (!body.outside_ports.empty()) {
      program.inputs.push_back({name, rule.number, b + 1, activations.programmed.at(Activations::key(b, 1)), rule.value,
                                rule.slope, rule.since, rule.next, rule.next_slope});
    } else if (!body.event_probes.empty()) {
      program.outputs.push_back({name, rule.number, b + 1, probes.of_event.at(Activations::key(b, 1)), true});
    } else {
      program.outputs.push_back({name, rule.number, b + 1, probes.of_slot.at(body.probes[0].slot), false});
    }
  }
  sort_by_number(program.inputs);
  sort_by_number(program.outputs);
}

namespace {

using program::SlotKind;
using program::Variable;
using program::VariableKind;

// What an output of a block is worth between events: a constant, an expression, or what events have left.
void add_signals(const Bodies& bodies, const SignalValues& values, program::Program& program) {
  std::vector<bool> is_input(program.origins.size(), false);
  for (const program::InputPort& port : program.inputs) is_input[port.origin] = true;
  for (std::uint32_t b = 0; b < bodies.signals.size(); ++b) {
    const auto& slots = bodies.signals[b];
    for (std::size_t p = 0; p < slots.size(); ++p) {
      Variable variable;
      variable.kind = is_input[b + 1] ? VariableKind::input : VariableKind::signal;
      variable.only = slots.size() == 1;
      variable.port = static_cast<std::uint16_t>(p + 1);
      variable.origin = b + 1;
      variable.slot = slots[p];
      variable.value = values.constant[slots[p]] != no_expr ? values.constant[slots[p]] : values.always[slots[p]];
      program.variables.push_back(variable);
    }
  }
}

// Slots that hold what blocks remember and what the integrator moves. The ports of the model and what the compiler
// makes for itself are not among them.
void add_slots(program::Program& program) {
  std::vector<bool> is_port(program.origins.size(), false), is_mode(program.slots.size(), false);
  for (const program::InputPort& port : program.inputs) is_port[port.origin] = true;
  for (const program::Surface& surface : program.surfaces) {
    if (surface.mode != program::no_slot) is_mode[surface.mode] = true;
  }
  for (program::SlotId id = 0; id < program.slots.size(); ++id) {
    const program::Slot& slot = program.slots[id];
    Variable variable;
    variable.origin = slot.origin;
    variable.slot = id;
    switch (slot.kind) {
      case SlotKind::state: variable.kind = VariableKind::state; break;
      case SlotKind::unknown: variable.kind = VariableKind::unknown; break;
      case SlotKind::discrete: variable.kind = VariableKind::memory; break;
      case SlotKind::mode: variable.kind = VariableKind::mode; break;
      default: continue;
    }
    const bool hidden = slot.origin == 0 || (slot.kind == SlotKind::mode && !is_mode[id]) ||
                        (slot.kind == SlotKind::discrete && is_port[slot.origin]);
    if (!hidden) program.variables.push_back(variable);
  }
}

}  // namespace

void declare_variables(const Bodies& bodies, const SignalValues& values, bool keep_signals, program::Program& program) {
  program::TextTable texts(program);
  for (const program::Parameter& parameter : program.parameters) {
    Variable variable;
    variable.kind = VariableKind::parameter;
    variable.slot = parameter.slot;
    variable.name = texts.add(parameter.name);
    variable.unit = texts.add(parameter.unit);
    program.variables.push_back(variable);
  }
  for (const program::OutputPort& port : program.outputs) {
    Variable variable;
    variable.kind = VariableKind::output;
    variable.origin = port.origin;
    variable.slot = program.probes[port.probe].slot;
    variable.name = texts.add(program.origins[port.origin].path);
    variable.unit = texts.add(program.probes[port.probe].unit);
    program.variables.push_back(variable);
  }
  if (keep_signals) add_signals(bodies, values, program);
  add_slots(program);
}

}  // namespace orrery::compile
