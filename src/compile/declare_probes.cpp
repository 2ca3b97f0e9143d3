// SPDX-License-Identifier: Apache-2.0
// Making probes.
#include "compile/declare_probes.h"

#include <fmt/format.h>

#include <unordered_set>

namespace orrery::compile {
namespace {

std::string qualified(const program::Program& program, std::uint32_t block, const std::string& name) {
  return program.origins[block + 1].path + (name.empty() ? "" : "." + name);
}

std::uint32_t add_probe(program::Program& program, std::uint32_t block, program::SlotId slot, std::string name,
                        bool continuous, bool display) {
  program::Probe probe;
  probe.name = std::move(name);
  probe.slot = slot;
  probe.origin = block + 1;
  probe.continuous = continuous;
  probe.display = display;
  program.probes.push_back(std::move(probe));
  return static_cast<std::uint32_t>(program.probes.size() - 1);
}

}  // namespace

std::unordered_set<program::SlotId> recorded_by_rules(const blocks::Body& body) {
  std::unordered_set<program::SlotId> slots;
  for (const blocks::Rule& rule : body.rules) {
    if (rule.kind == blocks::Rule::Kind::action && rule.action == program::ActionKind::record) slots.insert(rule.slot);
  }
  return slots;
}

ProbeIndex declare_probes(const Bodies& bodies, const Activations& activations, program::Program& program) {
  ProbeIndex index;
  std::unordered_set<std::string> bare;
  for (std::uint32_t b = 0; b < bodies.of_block.size(); ++b) {
    const blocks::Body& body = bodies.of_block[b];
    const std::unordered_set<program::SlotId> by_rules = recorded_by_rules(body);
    for (const blocks::ProbeRule& rule : body.probes) {
      const bool alone = rule.bare && bare.insert(rule.name).second;
      index.of_slot.emplace(rule.slot,
                            add_probe(program, b, rule.slot, alone ? rule.name : qualified(program, b, rule.name),
                                      activations.always.contains(b) && !by_rules.contains(rule.slot), rule.display));
    }
    for (int port : body.event_probes) {
      const std::string name = fmt::format("event{}", port);
      const program::SlotId slot = program.add_slot({name, program::Type{}, program::SlotKind::discrete, b + 1});
      const std::uint32_t probe = add_probe(program, b, slot, qualified(program, b, name), false, false);
      program.probes[probe].counts = true;
      index.of_event.emplace(Activations::key(b, port), probe);
    }
  }
  return index;
}

}  // namespace orrery::compile
