// SPDX-License-Identifier: Apache-2.0
// Which sources can fire at all, and whom they reach.
#include "compile/warn_inactive.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "passes/strong_components.h"

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
    again_ = reached_;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t k = 0; k < activations.sources.size(); ++k) {
        if (fires_[k] || !can_fire(activations.sources[k])) continue;
        fires_[k] = changed = true;
        reach(activations.sources[k], k == 0);
      }
    }
  }

  // Whether an event can activate a block.
  bool reaches(std::uint32_t block) const { return reached_[block]; }
  // … after the start.
  bool reaches_again(std::uint32_t block) const { return again_[block]; }

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

  // Continuous time is in the initial table too, but is no event, nor does it become one behind a conditional block.
  void reach(const Plan& plan, bool at_start) {
    std::vector<bool> found(reached_.size(), false);
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::uint32_t block : plan.members) {
        const auto ports = plan.active.of(block);
        if (found[block] || !std::any_of(ports.begin(), ports.end(), [&](const ActivePort& port) {
              const Atom& atom = plan.atoms[port.atom];
              return atom.kind == Atom::Kind::pass ? found[atom.index] : atom.kind != Atom::Kind::continuous;
            }))
          continue;
        found[block] = reached_[block] = changed = true;
        if (!at_start) again_[block] = true;
      }
    }
  }

  const Bodies& bodies_;
  const Activations& activations_;
  std::vector<bool> fires_;    // by source
  std::vector<bool> reached_;  // by block
  std::vector<bool> again_;    // … after the start
};

bool waits_for_events(const blocks::Body& body) {
  return std::any_of(body.rules.begin(), body.rules.end(), [](const Rule& r) { return r.when == When::activation; });
}

// Accepted steps change what it remembers.
bool acts_at_steps(const blocks::Body& body) {
  return std::any_of(body.rules.begin(), body.rules.end(),
                     [](const Rule& r) { return r.when == When::step || r.when == When::left; });
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

// Blocks that no event reaches, and because of which others that is so.
class Silence {
 public:
  Silence(const FlatModel& model, const Bodies& bodies, const Activations& activations)
      : model_(model), bodies_(bodies), activations_(activations), liveness_(model, bodies, activations) {
    const auto count = static_cast<std::uint32_t>(model.blocks.size());
    silent_.assign(count, false);
    owner_.assign(count, no_block);
    find_rings();
    for (std::uint32_t b = 0; b < count; ++b) silent_[b] = waits_in_vain(b);
    // What inherits from them does so in vain as well.
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t b = 0; b < count; ++b) {
        if (silent_[b] || !inherits_only_from_silent(b)) continue;
        silent_[b] = changed = true;
      }
    }
  }

  void warn(Diagnostics& diagnostics) {
    for (std::uint32_t b = 0; b < silent_.size(); ++b) {
      if (silent_[b] && causes_of(b).empty()) warn_of(b, diagnostics);
    }
    for (std::uint32_t b = 0; b < silent_.size(); ++b) {  // those that wait for each other
      if (silent_[b] && owner_[b] == no_block) warn_of(first_of_cycle(b), diagnostics);
    }
  }

 private:
  // Blocks that inherit their activations from each other and that no event reaches after the start.
  void find_rings() {
    const auto count = static_cast<std::uint32_t>(model_.blocks.size());
    in_ring_.assign(count, false);
    std::vector<std::vector<std::uint32_t>> needs(count);
    for (std::uint32_t b = 0; b < count; ++b) {
      const FlatBlock& block = model_.blocks[b];
      const bool inherits = block.activation == model::Activation::by_type && !block.has_activation_links() &&
                            (block.type->activation == blocks::Activation::inherit ||
                             block.type->activation == blocks::Activation::inherit_per_input);
      if (!inherits || activations_.always.contains(b) || liveness_.reaches_again(b)) continue;
      for (std::size_t p = 0; p < block.drivers.size(); ++p) {
        block.visit_inherited(p, [&](std::uint32_t from) { needs[b].push_back(from); });
      }
    }
    for (const auto& ring : passes::strong_components(needs)) {
      const bool closed = ring.size() > 1 || std::ranges::find(needs[ring[0]], ring[0]) != needs[ring[0]].end();
      for (const std::uint32_t b : ring) in_ring_[b] = closed;
    }
  }

  bool waits_in_vain(std::uint32_t b) const {
    const FlatBlock& block = model_.blocks[b];
    const blocks::Body& body = bodies_.of_block[b];
    if (in_ring_[b] && waits_for_events(body)) return true;
    if (liveness_.reaches(b) || block.type->foreign) return false;
    if (!activations_.always.contains(b)) return block.has_activation_links() && block.type->build != nullptr;
    const bool acts_in_time = is_always_by_type(*block.type) || !body.derivatives.empty() || !body.surfaces.empty() ||
                              !body.assertions.empty() || acts_at_steps(body);
    return !acts_in_time && waits_for_events(body);
  }

  bool inherits_only_from_silent(std::uint32_t b) const {
    const FlatBlock& block = model_.blocks[b];
    if (block.has_activation_links() || activations_.always.contains(b) || liveness_.reaches_again(b)) return false;
    return !block.type->foreign && !causes_of(b).empty();
  }

  // The silent blocks it waits for.
  std::vector<std::uint32_t> causes_of(std::uint32_t b) const {
    const FlatBlock& block = model_.blocks[b];
    std::vector<std::uint32_t> causes;
    const auto add = [&](std::uint32_t from) {
      if (from != no_block && silent_[from]) causes.push_back(from);
    };
    for (const auto& port : block.activation_drivers) {
      for (const PortOf& from : port) add(from.block);
    }
    if (!block.has_activation_links()) {
      for (std::size_t p = 0; p < block.drivers.size(); ++p) block.visit_inherited(p, add);
    }
    return causes;
  }

  std::uint32_t first_of_cycle(std::uint32_t b) const {
    std::vector<std::uint32_t> path;
    while (std::find(path.begin(), path.end(), b) == path.end()) {
      path.push_back(b);
      b = causes_of(b)[0];
    }
    return *std::min_element(std::find(path.begin(), path.end(), b), path.end());
  }

  // The root of a silence, and whom it concerns.
  void warn_of(std::uint32_t root, Diagnostics& diagnostics) {
    std::vector<std::string> others;
    owner_[root] = root;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t b = 0; b < silent_.size(); ++b) {
        if (!silent_[b] || owner_[b] != no_block) continue;
        const auto causes = causes_of(b);
        if (std::none_of(causes.begin(), causes.end(), [&](std::uint32_t c) { return owner_[c] == root; })) continue;
        owner_[b] = root;
        changed = true;
      }
    }
    for (std::uint32_t b = 0; b < silent_.size(); ++b) {
      const FlatBlock& block = model_.blocks[b];
      const bool counts = block.has_activation_links() || waits_for_events(bodies_.of_block[b]);
      if (b != root && owner_[b] == root && counts) others.push_back(block.path);
    }
    Diagnostic& d = describe(root, diagnostics);
    constexpr std::size_t shown = 10;
    if (others.empty()) return;
    const std::string rest = others.size() > shown ? fmt::format(" and {} more", others.size() - shown) : "";
    others.resize(std::min(others.size(), shown));
    d.notes.push_back(fmt::format("because of this these never run either: {}{}", fmt::join(others, ", "), rest));
  }

  Diagnostic& describe(std::uint32_t root, Diagnostics& diagnostics) {
    const FlatBlock& block = model_.blocks[root];
    if (activations_.always.contains(root)) {
      return diagnostics.warning("never-activated", model_.place(block),
                                 fmt::format("no event reaches this {}: continuous time neither changes what it "
                                             "remembers nor programs events, so it stays as it begins",
                                             block.type->name),
                                 "link a SampleClock, or another source of events, to its activation input");
    }
    if (in_ring_[root]) {
      return diagnostics.warning(
          "never-activated", model_.place(block),
          fmt::format("this {} runs at the start only: it inherits its activations from blocks that inherit theirs "
                      "from it, and no event reaches any of them",
                      block.type->name),
          "link a SampleClock, or another source of events, to the activation input of one of them");
    }
    const Place place = model_.place(block, "activation input 1");
    if (causes_of(root).empty()) {
      return diagnostics.warning(
          "never-activated", place,
          fmt::format("this {} never runs: what is linked to its activation inputs never fires", block.type->name),
          "look at what should activate the block at the other end of the link");
    }
    return diagnostics.warning("never-activated", place,
                               fmt::format("this {} never runs: its events could only come from events of its own, and "
                                           "nothing fires the first one",
                                           block.type->name),
                               "link something that fires first to it as well, as a SampleClock of period -1, which is "
                               "the initial activation");
  }

  const FlatModel& model_;
  const Bodies& bodies_;
  const Activations& activations_;
  Liveness liveness_;
  std::vector<bool> silent_;
  std::vector<bool> in_ring_;
  std::vector<std::uint32_t> owner_;  // by block: the root it was reported with
};

}  // namespace

void warn_inactive(const FlatModel& model, const Bodies& bodies, const Activations& activations,
                   Diagnostics& diagnostics) {
  for (std::uint32_t b = 0; b < model.blocks.size(); ++b) {
    const FlatBlock& block = model.blocks[b];
    if (!bodies.of_block[b].event_probes.empty() && block.inputs.empty()) warn_of_ports(model, block, diagnostics);
  }
  Silence(model, bodies, activations).warn(diagnostics);
}

}  // namespace orrery::compile
