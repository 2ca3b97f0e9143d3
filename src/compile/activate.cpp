// SPDX-License-Identifier: Apache-2.0
// Spreading activations from their sources over links, conditional blocks and inheritance.
#include "compile/activate.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "compile/merge_clocks.h"

namespace orrery::compile {
namespace {

using blocks::When;
using program::SourceKind;

struct Target {
  std::uint32_t block;
  int port;
};

template <class Item>
using Edges = std::vector<std::pair<std::uint32_t, Item>>;

// What belongs to each block, in the order in which it was found, in one array.
template <class Item>
class ByBlock {
 public:
  void take(std::size_t blocks, const Edges<Item>& edges) {
    first_.assign(blocks + 1, 0);
    for (const auto& [block, item] : edges) ++first_[block + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    items_.resize(edges.size());
    for (const auto& [block, item] : edges) items_[next[block]++] = item;
  }
  std::span<const Item> operator[](std::uint32_t block) const {
    return {items_.data() + first_[block], items_.data() + first_[block + 1]};
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<Item> items_;
};

class Activating {
 public:
  Activating(const FlatModel& model, const Bodies& bodies, program::Program& program, Diagnostics& diagnostics)
      : model_(model), bodies_(bodies), program_(program), diagnostics_(diagnostics) {}

  Activations run() {
    gather_targets();
    gather_sources();
    always();
    clocks();
    for (auto& [key, source] : result_.programmed) seed_programmed(result_.sources[source]);
    common(SourceKind::step, When::step, &blocks::Body::step_ports);
    common(SourceKind::instant, When::instant, nullptr);
    common(SourceKind::final, When::final, &blocks::Body::final_ports);
    initial();
    for (Plan& plan : result_.sources) std::sort(plan.members.begin(), plan.members.end());
    std::sort(result_.always.members.begin(), result_.always.members.end());
    return std::move(result_);
  }

 private:
  enum class Mode : std::uint8_t { external, inherit, inherit_per_input, initial };

  bool is_always(std::uint32_t b) const { return is_always_itself(b) && model_.blocks[b].always_port == no_block; }
  // Always active by itself, but an EventPortZero has put its own activation in the place of continuous time.
  bool is_always_elsewhere(std::uint32_t b) const {
    return model_.blocks[b].always_port != no_block && is_always_itself(b);
  }

  bool is_always_itself(std::uint32_t b) const {
    const FlatBlock& block = model_.blocks[b];
    if (block.activation != model::Activation::by_type) return block.activation == model::Activation::always;
    // What a block of OML code needs is known only when its body is there.
    return block.type->activation == blocks::Activation::always ||
           block.type->activation == blocks::Activation::always_and_inherit || !bodies_.of_block[b].derivatives.empty();
  }

  // Whether an always active block also takes part in the events of its input sources: unless links say which events.
  bool inherits_events(std::uint32_t b) const {
    const FlatBlock& block = model_.blocks[b];
    return block.activation == model::Activation::by_type &&
           block.type->activation == blocks::Activation::always_and_inherit &&
           (block.activation_drivers.empty() || block.activation_drivers[0].empty());
  }

  Mode mode_of(std::uint32_t b) const {
    const FlatBlock& block = model_.blocks[b];
    if (block.has_activation_links()) return Mode::external;
    if (is_always_itself(b)) return Mode::external;
    if (block.activation == model::Activation::initial ||
        (block.activation == model::Activation::by_type && block.type->activation == blocks::Activation::initial)) {
      return Mode::initial;
    }
    return block.type->activation == blocks::Activation::inherit_per_input ? Mode::inherit_per_input : Mode::inherit;
  }

  void gather_targets() {
    const std::size_t count = model_.blocks.size();
    Edges<std::pair<int, Target>> linked;
    Edges<Target> heirs;
    reached_.assign(count, false);
    for (std::uint32_t b = 0; b < count; ++b) {
      const FlatBlock& block = model_.blocks[b];
      for (std::size_t p = 0; p < block.activation_drivers.size(); ++p) {
        for (const PortOf& from : block.activation_drivers[p]) {
          linked.push_back({from.block, {from.port, {b, static_cast<int>(p) + 1}}});
        }
      }
      for (const auto& [output, input] : bodies_.of_block[b].own_links) linked.push_back({b, {output, {b, input}}});
      if (is_always_elsewhere(b)) linked.push_back({block.always_port, {1, {b, 0}}});
      const Mode mode = mode_of(b);
      const bool events = inherits_events(b);
      if (mode != Mode::inherit && mode != Mode::inherit_per_input && !events) continue;
      for (std::size_t p = 0; p < block.drivers.size(); ++p) {
        const int port = events ? 0 : mode == Mode::inherit ? 1 : static_cast<int>(p) + 1;
        block.visit_inherited(p, [&](std::uint32_t from) { heirs.push_back({from, {b, port}}); });
      }
    }
    linked_.take(count, linked);
    heirs_.take(count, heirs);
  }

  // The initial source is first, then clock domains, then programmed outputs and crossings in file order.
  void gather_sources() {
    result_.sources.push_back({});
    result_.always.always = true;
    clock_of_ = merge_clocks(model_, bodies_, program_, diagnostics_);
    for (std::uint32_t d = 0; d < program_.domains.size(); ++d) {
      Plan plan;
      plan.kind = SourceKind::clock;
      plan.domain = d;
      result_.sources.push_back(std::move(plan));
    }
    for (const auto& [output, clock] : clock_of_) result_.sources[1 + clock.domain].first = clock.first;
    for (std::uint32_t b = 0; b < model_.blocks.size(); ++b) {
      for (const blocks::Rule& rule : bodies_.of_block[b].rules) {
        if (rule.kind == blocks::Rule::Kind::schedule) add_programmed(b, rule.port);
      }
      for (int port : bodies_.of_block[b].outside_ports) add_programmed(b, port);
      for (const blocks::CallRule& call : bodies_.of_block[b].calls) {
        if (call.wake_port > 0) add_programmed(b, call.wake_port);
        if (call.end_port > 0) add_programmed(b, call.end_port);
        for (int port : call.fire_ports) add_programmed(b, port);
      }
      if (!bodies_.of_block[b].surfaces.empty()) {
        Plan plan;
        plan.kind = SourceKind::crossing;
        plan.block = b;
        result_.crossing.emplace(b, static_cast<std::uint32_t>(result_.sources.size()));
        result_.sources.push_back(std::move(plan));
      }
    }
  }

  // One source for the rules of all blocks that apply then and for the activation outputs that fire then, where there
  // are any.
  void common(SourceKind kind, When when, std::vector<int> blocks::Body::*ports) {
    Plan plan;
    plan.kind = kind;
    bool needed = false;
    const std::uint32_t direct = atom_of(plan, {Atom::Kind::direct});
    for (std::uint32_t b = 0; b < model_.blocks.size(); ++b) {
      const blocks::Body& body = bodies_.of_block[b];
      const auto applies = [when](const auto& rule) { return rule.when == when; };
      needed = needed || std::any_of(body.rules.begin(), body.rules.end(), applies);
      if (ports == nullptr) continue;
      for (int port : body.*ports) {
        reach_linked(plan, b, port, direct);
        needed = true;
      }
    }
    spread(plan);
    if (needed) result_.sources.push_back(std::move(plan));
  }

  void add_programmed(std::uint32_t b, int port) {
    const auto index = static_cast<std::uint32_t>(result_.sources.size());
    if (!result_.programmed.emplace(Activations::key(b, port), index).second) return;
    Plan plan;
    plan.kind = SourceKind::programmed;
    plan.block = b;
    plan.port = port;
    const auto& queued = bodies_.of_block[b].queued_ports;
    plan.queued = std::find(queued.begin(), queued.end(), port) != queued.end();
    const auto& first = bodies_.of_block[b].first_ports;
    plan.first = std::find(first.begin(), first.end(), port) != first.end();
    result_.sources.push_back(std::move(plan));
  }

  std::uint32_t atom_of(Plan& plan, Atom atom) {
    for (std::uint32_t k = 0; k < plan.atoms.size() && atom.kind != Atom::Kind::pass; ++k) {
      if (plan.atoms[k].kind == atom.kind && plan.atoms[k].index == atom.index) return k;
    }
    plan.atoms.push_back(atom);
    return static_cast<std::uint32_t>(plan.atoms.size() - 1);
  }

  void reach(Plan& plan, std::uint32_t block, int port, std::uint32_t atom) {
    const bool fresh = !plan.contains(block);
    if (!plan.active.add(block, {port, atom})) return;
    if (fresh) plan.members.push_back(block);
    reached_[block] = true;
    work_.push_back({block, atom});
  }

  void reach_linked(Plan& plan, std::uint32_t from, int port, std::uint32_t atom) {
    for (const auto& [out, target] : linked_[from]) {
      if (out == port) reach(plan, target.block, target.port, atom);
    }
  }

  void spread(Plan& plan) {
    spread_on(plan);
    pass_atoms_.clear();
  }

  // Conditional blocks put an atom of their own on what they let through; unconditional ones hand on what they got.
  void spread_on(Plan& plan) {
    while (!work_.empty()) {
      const auto [block, atom] = work_.back();
      work_.pop_back();
      for (const Target& heir : heirs_[block]) reach(plan, heir.block, heir.port, atom);
      const auto& passes = bodies_.of_block[block].passes;
      for (std::uint32_t i = 0; i < passes.size(); ++i) {
        if (passes[i].events_only && (plan.always || plan.atoms[atom].kind == Atom::Kind::continuous)) continue;
        std::uint32_t passed = atom;
        if (passes[i].condition != program::no_expr) passed = pass_atom(plan, block, i);
        reach_linked(plan, block, passes[i].port, passed);
      }
    }
  }

  std::uint32_t pass_atom(Plan& plan, std::uint32_t block, std::uint32_t pass) {
    const auto [at, fresh] = pass_atoms_.emplace(Activations::key(block, static_cast<int>(pass)), 0);
    if (fresh) at->second = atom_of(plan, {Atom::Kind::pass, block, pass});
    return at->second;
  }

  void always() {
    Plan& plan = result_.always;
    const std::uint32_t direct = atom_of(plan, {Atom::Kind::direct});
    for (std::uint32_t b = 0; b < model_.blocks.size(); ++b) {
      if (is_always(b)) reach(plan, b, 0, direct);
      for (const auto& output : bodies_.of_block[b].timeless) {
        if (output.always) reach_linked(plan, b, output.port, direct);
      }
    }
    spread(plan);
    for (std::uint32_t b = 0; b < model_.blocks.size(); ++b) {
      if (!is_always_elsewhere(b) || bodies_.of_block[b].derivatives.empty() || plan.contains(b)) continue;
      diagnostics_.error("no-continuous-time", model_.place(model_.blocks[b]),
                         "it has a continuous state, but its diagram is not active in continuous time: " +
                             model_.blocks[model_.blocks[b].always_port].path + " is activated by events",
                         "use a discrete block, or take it out of the diagram of the EventPortZero");
    }
  }

  void clocks() {
    for (std::uint32_t domain = 0; domain < program_.domains.size(); ++domain) {
      Plan& plan = result_.sources[1 + domain];
      for (const auto& [output, clock] : clock_of_) {
        if (clock.domain != domain) continue;
        reach_linked(plan, output.block, output.port, atom_of(plan, {Atom::Kind::clock, clock.clock}));
      }
      spread(plan);
    }
  }

  void seed_programmed(Plan& plan) {
    const std::uint32_t direct = atom_of(plan, {Atom::Kind::direct});
    reach_linked(plan, plan.block, plan.port, direct);
    spread(plan);
  }

  // Last: blocks that nothing else activates run initially (Activate, 1.2.4).
  void initial() {
    Plan& plan = result_.sources[0];
    const std::uint32_t direct = atom_of(plan, {Atom::Kind::direct});
    const std::uint32_t continuous = atom_of(plan, {Atom::Kind::continuous});
    for (std::uint32_t b = 0; b < model_.blocks.size(); ++b) {
      if (is_always(b)) reach(plan, b, 0, continuous);
      if (mode_of(b) == Mode::initial) reach(plan, b, 1, direct);
      for (const auto& output : bodies_.of_block[b].timeless) {
        reach_linked(plan, b, output.port, output.always ? continuous : direct);
      }
    }
    spread_on(plan);
    for (auto seeds = without_inheritance(); !seeds.empty(); seeds = without_inheritance()) {
      for (std::uint32_t b : seeds) reach(plan, b, 1, direct);
      spread_on(plan);
    }
    pass_atoms_.clear();
  }

  bool inherits(std::uint32_t b) const {
    const Mode mode = mode_of(b);
    return mode == Mode::inherit || mode == Mode::inherit_per_input;
  }

  // Blocks that nothing reaches and that wait for no block that something may still reach: what such a one inherits
  // then keeps its guard. Where all wait for each other one must begin.
  std::vector<std::uint32_t> without_inheritance() const {
    const auto waits = [&](std::uint32_t b, bool for_linked) {
      bool found = false;
      for (std::size_t p = 0; p < model_.blocks[b].drivers.size(); ++p) {
        model_.blocks[b].visit_inherited(p, [&](std::uint32_t from) {
          if (reached_[from]) return;
          found = found || inherits(from) || (for_linked && model_.blocks[from].has_activation_links());
        });
      }
      return found;
    };
    std::vector<std::uint32_t> all, free, freer;
    for (std::uint32_t b = 0; b < model_.blocks.size(); ++b) {
      if (reached_[b] || !inherits(b)) continue;
      all.push_back(b);
      if (!waits(b, false)) freer.push_back(b);
      if (!waits(b, true)) free.push_back(b);
    }
    if (!free.empty()) return free;
    if (!freer.empty()) return freer;
    if (!all.empty()) all.resize(1);
    return all;
  }

  const FlatModel& model_;
  const Bodies& bodies_;
  program::Program& program_;
  Diagnostics& diagnostics_;
  Activations result_;
  ClockOutputs clock_of_;
  ByBlock<std::pair<int, Target>> linked_;  // (activation output, target)
  ByBlock<Target> heirs_;                   // who inherits from it
  std::vector<bool> reached_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> work_;
  std::unordered_map<std::uint64_t, std::uint32_t> pass_atoms_;
};

}  // namespace

Activations activate(const FlatModel& model, const Bodies& bodies, program::Program& program,
                     Diagnostics& diagnostics) {
  return Activating(model, bodies, program, diagnostics).run();
}

void free_constants(const Activations& activations, Bodies& bodies) {
  std::vector<std::uint32_t> freed;
  for (const auto& [block, signals] : bodies.conditions) {
    const blocks::Body& body = bodies.of_block[block];
    const auto runs = [b = block](const Plan& plan) { return plan.contains(b); };
    const auto events = std::span(activations.sources).subspan(1);
    if (body.rules.empty() && body.calls.empty() && body.passes.empty() && !runs(activations.always) &&
        std::none_of(events.begin(), events.end(), runs))
      freed.push_back(block);
  }
  for (const std::uint32_t block : freed) bodies.conditions.erase(block);
}

}  // namespace orrery::compile
