// SPDX-License-Identifier: Apache-2.0
// Inputs, outputs and signals of a Program.
#include "compile/declare_interface.h"

#include <algorithm>

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

void declare_signals(const Bodies& bodies, const SignalValues& values, program::Program& program) {
  for (std::uint32_t b = 0; b < bodies.signals.size(); ++b) {
    const auto& slots = bodies.signals[b];
    for (std::size_t p = 0; p < slots.size(); ++p) {
      program::ExprId value = values.constant[slots[p]];
      if (value == no_expr) value = values.always[slots[p]];
      if (value == no_expr) value = program.read(slots[p]);
      program.signals.push_back({b + 1, static_cast<int>(p) + 1, slots.size() == 1, slots[p], value});
    }
  }
}

}  // namespace orrery::compile
