// SPDX-License-Identifier: Apache-2.0
// Continuous time: a mode stays only where something continuous depends on it; elsewhere its condition takes its place.
#include "compile/lower_continuous.h"

#include <fmt/format.h>

#include <unordered_set>

#include "compile/time_dependence.h"
#include "passes/substitute.h"
#include "program/print_expression.h"

namespace orrery::compile {
namespace {

using program::ExprId;
using program::no_expr;
using program::SlotId;
using program::SlotKind;

class ContinuousLowering {
 public:
  ContinuousLowering(const Bodies& bodies, const Activations& activations, TableComposer& always,
                     program::Program& program, SignalValues& values)
      : bodies_(bodies),
        activations_(activations),
        always_(always),
        program_(program),
        graph_(program.graph),
        values_(values) {}

  void run() {
    lower_states();
    lower_event_surfaces();
    gather_modes();
    for (std::uint32_t b : activations_.always.members) {
      lower_signals(b);
      lower_invariants(b);
    }
    keep_needed_modes();
    drop_other_modes();
    describe_surfaces();
    add_shadows();
  }

 private:
  // States of blocks that continuous time does not reach stand still.
  void lower_states() {
    for (std::uint32_t b = 0; b < bodies_.of_block.size(); ++b) {
      const ExprId guard = always_.guard(b);
      for (const blocks::Derivative& rule : bodies_.of_block[b].derivatives) {
        const program::Type type = program_.slots[rule.state].type;
        const ExprId zero = graph_.constant(type, std::vector<double>(static_cast<std::size_t>(type.size()), 0.0));
        ExprId value = zero;
        if (guard == no_expr) {
          value = always_.rewrite(rule.value, no_expr);
        } else if (!graph_.is_constant(guard, 0)) {
          value = graph_.select(guard, always_.rewrite(rule.value, guard), zero);
        }
        program_.states.push_back(rule.state);
        program_.derivatives.push_back(value);
      }
    }
  }

  void lower_event_surfaces() {
    for (std::uint32_t b : activations_.always.members) {
      const ExprId guard = always_.guard(b);
      for (const blocks::SurfaceRule& rule : bodies_.of_block[b].surfaces) {
        program::Surface surface;
        surface.value = always_.rewrite(rule.value, guard);
        if (guard != no_expr) surface.value = graph_.select(guard, surface.value, graph_.constant(1));
        surface.crossing = rule.crossing;
        surface.jumps = rule.jumps;
        surface.source = activations_.crossing.at(b);
        surface.direction = rule.direction;
        surface.origin = b + 1;
        described_.push_back(rule.value);
        program_.surfaces.push_back(std::move(surface));
      }
    }
  }

  struct ModeInfo {
    SlotId slot;
    ExprId condition;
    program::Surface surface;
    ExprId described;
  };

  void gather_modes() {
    if (program_.fixed_step) return;
    for (std::uint32_t b : activations_.always.members) {
      const ExprId guard = always_.guard(b);
      for (const blocks::ModeRule& rule : bodies_.of_block[b].modes) {
        ModeInfo mode;
        mode.slot = rule.mode;
        mode.condition = always_.rewrite(rule.condition, guard);
        mode.surface.value = always_.rewrite(rule.surface, guard);
        mode.surface.mode = rule.mode;
        mode.surface.strict = rule.strict;
        mode.surface.origin = b + 1;
        mode.described = rule.condition;
        modes_.push_back(std::move(mode));
      }
    }
  }

  void lower_signals(std::uint32_t b) {
    const ExprId guard = always_.guard(b);
    for (SlotId slot : bodies_.signals[b]) {
      values_.always[slot] = always_.seen(slot);
      const auto& value = always_.values().at(slot);
      if (value.guard == no_expr) continue;
      values_.held[slot] = true;
      program_.always.push_back({slot, value.fresh, value.guard, b + 1});
    }
    for (const blocks::ProbeRule& probe : bodies_.of_block[b].probes) {
      program_.always.push_back({probe.slot, always_.rewrite(probe.value, guard), guard, b + 1});
    }
  }

  // They hold while the block is active, and hold trivially else.
  void lower_invariants(std::uint32_t b) {
    const ExprId guard = always_.guard(b);
    for (ExprId invariant : bodies_.of_block[b].invariants) {
      const ExprId value = always_.rewrite(invariant, guard);
      const program::Type type = graph_.type(value);
      const ExprId zero = graph_.constant(type, std::vector<double>(static_cast<std::size_t>(type.size()), 0.0));
      program_.invariants.push_back(guard == no_expr ? value : graph_.select(guard, value, zero));
    }
    for (const blocks::Derivative& rule : bodies_.of_block[b].projections) {
      program_.projections.push_back({rule.state, always_.rewrite(rule.value, guard), no_expr, b + 1});
    }
  }

  // Marks what an expression reads; each node is visited once over all calls.
  void mark(ExprId root, std::vector<SlotId>& modes_found) {
    std::vector<ExprId> stack{root};
    while (!stack.empty()) {
      const ExprId id = stack.back();
      stack.pop_back();
      if (id == no_expr || !marked_.insert(id).second) continue;
      const program::Node& node = graph_[id];
      if (node.op == program::Op::read && program_.slots[node.payload].kind == SlotKind::mode) {
        modes_found.push_back(static_cast<SlotId>(node.payload));
      }
      for (ExprId argument : graph_.arguments(id)) stack.push_back(argument);
    }
  }

  void keep_needed_modes() {
    std::unordered_map<SlotId, std::size_t> index;
    for (std::size_t k = 0; k < modes_.size(); ++k) index.emplace(modes_[k].slot, k);
    needed_.assign(modes_.size(), false);
    std::vector<SlotId> found;
    for (ExprId derivative : program_.derivatives) mark(derivative, found);
    for (const program::Surface& surface : program_.surfaces) mark(surface.value, found);
    for (ExprId invariant : program_.invariants) mark(invariant, found);
    for (std::uint32_t b : activations_.always.members) {
      for (ExprId value : bodies_.of_block[b].followed) mark(always_.rewrite(value, always_.guard(b)), found);
    }
    for (const program::Assign& projection : program_.projections) mark(projection.value, found);
    // Equations are solved with their modes fixed: Newton's iteration sees smooth functions.
    for (const program::Loop& loop : program_.loops) {
      for (ExprId residual : loop.residuals) mark(residual, found);
    }
    // What a guarded signal held depends on when its guard changed: the guards' modes are needed too.
    for (const program::Assign& assign : program_.always) {
      const bool held = assign.slot >= values_.held.size() || values_.held[assign.slot];
      if (held) mark(assign.guard, found);
    }
    for (std::size_t k = 0; k < found.size(); ++k) {  // found grows
      const auto at = index.find(found[k]);
      if (at == index.end() || needed_[at->second]) continue;
      needed_[at->second] = true;
      mark(modes_[at->second].surface.value, found);
      mark(modes_[at->second].condition, found);
    }
    for (std::size_t k = 0; k < modes_.size(); ++k) {
      if (!needed_[k]) continue;
      program_.surfaces.push_back(modes_[k].surface);
      described_.push_back(modes_[k].described);
    }
  }

  // For messages, in the block's own terms.
  void describe_surfaces() {
    const program::ExpressionText texts(program_, described_);
    for (std::size_t k = 0; k < program_.surfaces.size(); ++k) {
      program::Surface& surface = program_.surfaces[k];
      surface.text = texts[described_[k]] + (surface.mode == program::no_slot ? " crosses 0" : "");
    }
  }

  // Conditions of dropped modes may read other dropped modes: they are substituted into each other first.
  void drop_other_modes() {
    std::vector<ExprId> conditions;
    for (std::size_t k = 0; k < modes_.size(); ++k) {
      if (!needed_[k]) conditions.push_back(modes_[k].condition);
    }
    if (conditions.empty()) return;
    bool changed = true;
    for (int round = 0; changed && round < 64; ++round) {  // doubling: 64 rounds unfold any chain
      passes::Substitution substitution = substitution_of(conditions);
      changed = false;
      for (ExprId& condition : conditions) {
        const ExprId next = substitution.apply(condition);
        changed = changed || next != condition;
        condition = next;
      }
    }
    passes::Substitution substitution = substitution_of(conditions);
    for (ExprId& value : values_.always) value = substitution.apply(value);
    for (program::Assign& assign : program_.always) {
      assign.value = substitution.apply(assign.value);
      assign.guard = substitution.apply(assign.guard);
    }
  }

  passes::Substitution substitution_of(const std::vector<ExprId>& conditions) {
    passes::Substitution substitution(graph_);
    for (std::size_t k = 0, c = 0; k < modes_.size(); ++k) {
      if (!needed_[k]) substitution.set(modes_[k].slot, conditions[c++]);
    }
    return substitution;
  }

  // A surface, or a term of one, that depends on time but on no state would be invisible to error control: integrate it
  // alongside, so that steps stay short enough to see its sign changes.
  void add_shadows() {
    if (program_.fixed_step) return;
    const std::vector<std::uint8_t> depends = time_dependence(program_);
    std::unordered_set<ExprId> shadowed;
    for (const program::Surface& surface : program_.surfaces) {
      std::vector<ExprId> terms{surface.value};
      while (!terms.empty()) {
        const ExprId id = terms.back();
        terms.pop_back();
        if ((depends[id] & on_state) != 0) {
          if (is_arithmetic(graph_[id].op)) {
            for (ExprId argument : graph_.arguments(id)) terms.push_back(argument);
          }
          continue;
        }
        const bool seen = id == surface.value ? (depends[id] & on_time) != 0 : (depends[id] & bent) != 0;
        const program::Type type = graph_.type(id);
        if (!seen || !type.is_scalar() || type.scalar != program::Scalar::f64 || !shadowed.insert(id).second) continue;
        const SlotId slot = program_.add_slot(
            {fmt::format("shadow{}", shadowed.size()), program::Type{}, SlotKind::shadow, surface.origin});
        program_.states.push_back(slot);
        program_.derivatives.push_back(id == surface.value ? id : bounded(id));
      }
    }
  }

  // A term may be infinite at an instant, as log(t) is at 0, where its surface still has a sign.
  ExprId bounded(ExprId term) {
    constexpr double bound = 1e6;
    const ExprId below = graph_.binary(program::Op::min, term, graph_.constant(bound));
    return graph_.binary(program::Op::max, below, graph_.constant(-bound));
  }

  const Bodies& bodies_;
  const Activations& activations_;
  TableComposer& always_;
  program::Program& program_;
  program::Graph& graph_;
  SignalValues& values_;
  std::vector<ModeInfo> modes_;
  std::vector<bool> needed_;
  std::vector<ExprId> described_;  // by surface: what its text says
  std::unordered_set<ExprId> marked_;
};

}  // namespace

void lower_continuous(const Bodies& bodies, const Activations& activations, TableComposer& always,
                      program::Program& program, SignalValues& values) {
  ContinuousLowering(bodies, activations, always, program, values).run();
}

}  // namespace orrery::compile
