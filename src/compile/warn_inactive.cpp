// SPDX-License-Identifier: Apache-2.0
// Which sources can fire at all, and whom they reach.
#include "compile/warn_inactive.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::compile {
namespace {

using blocks::Rule;
using blocks::When;
using program::SourceKind;

class Liveness {
 public:
  Liveness(const FlatModel& model, const Bodies& bodies, const Activations& activations)
      : bodies_(bodies), activations_(activations), fires_(activations.sources.size(), false) {
    reached_.assign(model.blocks.size(), false);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t k = 0; k < activations.sources.size(); ++k) {
        if (fires_[k] || !can_fire(activations.sources[k])) continue;
        fires_[k] = changed = true;
        reach(activations.sources[k]);
      }
    }
  }

  // Whether an event can activate a block.
  bool reaches(std::uint32_t block) const { return reached_[block]; }

 private:
  bool can_fire(const Plan& plan) const {
    if (plan.kind == SourceKind::crossing) return activations_.always.contains(plan.block);
    if (plan.kind != SourceKind::programmed) return true;
    const blocks::Body& body = bodies_.of_block[plan.block];
    if (!body.calls.empty() || !body.outside_ports.empty()) return true;  // who programs them is not known here
    return std::any_of(body.rules.begin(), body.rules.end(), [&](const Rule& rule) {
      return rule.kind == Rule::Kind::schedule && rule.port == plan.port && applies(plan.block, rule);
    });
  }

  bool applies(std::uint32_t block, const Rule& rule) const {
    switch (rule.when) {
      case When::activation: return reached_[block];
      case When::fired: {
        const auto source = activations_.programmed.find(Activations::key(block, rule.fired_port));
        return source != activations_.programmed.end() && fires_[source->second];
      }
      case When::crossing: return activations_.always.contains(block);
      default: return true;
    }
  }

  // Continuous time is in the initial table too, but is no event.
  void reach(const Plan& plan) {
    for (const auto& [block, ports] : plan.active) {
      for (const ActivePort& port : ports) {
        if (plan.atoms[port.atom].kind != Atom::Kind::continuous) reached_[block] = true;
      }
    }
  }

  const Bodies& bodies_;
  const Activations& activations_;
  std::vector<bool> fires_;    // by source
  std::vector<bool> reached_;  // by block
};

bool waits_for_events(const blocks::Body& body) {
  return std::any_of(body.rules.begin(), body.rules.end(), [](const Rule& r) { return r.when == When::activation; });
}

bool is_always_by_type(const blocks::BlockType& type) {
  return type.activation == blocks::Activation::always || type.activation == blocks::Activation::always_and_inherit;
}

void warn_of_ports(const FlatModel& model, const FlatBlock& block, Diagnostics& diagnostics) {
  for (std::size_t p = 0; p < block.activation_drivers.size(); ++p) {
    if (!block.activation_drivers[p].empty()) continue;
    diagnostics.warning("unconnected-activation", model.place(block, fmt::format("activation input {}", p + 1)),
                        "nothing activates it: no event will be shown here", "link an activation output to it");
  }
}

}  // namespace

void warn_inactive(const FlatModel& model, const Bodies& bodies, const Activations& activations,
                   Diagnostics& diagnostics) {
  const Liveness liveness(model, bodies, activations);
  for (std::uint32_t b = 0; b < model.blocks.size(); ++b) {
    const FlatBlock& block = model.blocks[b];
    const blocks::Body& body = bodies.of_block[b];
    if (!body.event_probes.empty() && block.inputs.empty()) warn_of_ports(model, block, diagnostics);
    if (liveness.reaches(b) || block.type->foreign) continue;
    if (activations.always.contains(b)) {
      const bool acts_in_time = is_always_by_type(*block.type) || !body.derivatives.empty() || !body.surfaces.empty();
      if (acts_in_time || !waits_for_events(body)) continue;
      diagnostics.warning("never-activated", model.place(block),
                          fmt::format("no event reaches this {}: continuous time neither changes what it remembers nor "
                                      "programs events, so it stays as it begins",
                                      block.type->name),
                          "link a SampleClock, or another source of events, to its activation input");
    } else if (block.has_activation_links() && block.type->build != nullptr) {
      diagnostics.warning(
          "never-activated", model.place(block, "activation input 1"),
          fmt::format("this {} never runs: what is linked to its activation inputs never fires", block.type->name),
          "look at what should activate the block at the other end of the link");
    }
  }
}

}  // namespace orrery::compile
