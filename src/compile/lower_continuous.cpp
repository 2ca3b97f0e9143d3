// SPDX-License-Identifier: Apache-2.0
// Continuous time: states, surfaces, modes and the signals that are shown. A mode stays where something continuous or
// shown depends on it, and what it compares moves; elsewhere its condition takes its place.
#include "compile/lower_continuous.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "base/check.h"
#include "compile/declare_probes.h"
#include "compile/time_dependence.h"
#include "equations/replace_modes.h"
#include "passes/slice.h"
#include "program/motion.h"
#include "program/print_expression.h"

namespace orrery::compile {
namespace {

constexpr double no_side = std::numeric_limits<double>::quiet_NaN();  // of a surface whose block does not run

using equations::ModeReplacement;
using program::ExprId;
using program::no_expr;
using program::SlotId;
using program::SlotKind;

class ContinuousLowering {
 public:
  ContinuousLowering(const Bodies& bodies, const Activations& activations, TableComposer& always,
                     const std::vector<SlotId>& watched, program::Program& program, SignalValues& values)
      : bodies_(bodies),
        activations_(activations),
        always_(always),
        watched_(watched.begin(), watched.end()),
        program_(program),
        graph_(program.graph),
        values_(values) {}

  ContinuousTime run() {
    lower_states();
    lower_event_surfaces();
    gather_modes();
    for (std::uint32_t b : activations_.always.members) {
      lower_signals(b);
      lower_invariants(b);
      lower_assertions(b);
      lower_left(b);
      for (ExprId value : bodies_.of_block[b].followed) followed_.push_back(always_.rewrite(value, always_.guard(b)));
    }
    lower_histories();
    replace_still_modes();
    find_readers();
    find_needed_modes();
    find_shown_modes();
    replace_other_modes();
    fill_rates(program_, rates_);
    for (const ModeInfo& mode : modes_) add_surfaces(mode);
    describe_surfaces();
    add_shadows();
    return {std::move(left_), std::move(rates_)};
  }

 private:
  // States of blocks that continuous time does not reach stand still.
  void lower_states() {
    for (std::uint32_t b = 0; b < bodies_.of_block.size(); ++b) {
      for (const blocks::Derivative& rule : bodies_.of_block[b].derivatives) {
        program_.states.push_back(rule.state);
        program_.derivatives.push_back(always_.rate_of(b, rule));
      }
    }
  }

  void lower_event_surfaces() {
    for (std::uint32_t b : activations_.always.members) {
      const ExprId guard = always_.guard(b);
      for (const blocks::SurfaceRule& rule : bodies_.of_block[b].surfaces) {
        if (program_.fixed_step && reads_rates(rule.value)) continue;  // nothing is located in their steps
        program::Surface surface;
        surface.value = always_.rewrite(rule.value, guard);
        if (guard != no_expr) {
          // Where the block does not run it has no side; what fires whenever it is positive is not.
          surface.value = graph_.select(guard, surface.value, graph_.constant(rule.level ? -1 : no_side));
        }
        surface.crossing = rule.crossing;
        surface.jumps = rule.jumps;
        surface.edge = rule.edge;
        surface.level = rule.level;
        surface.source = activations_.crossing.at(b);
        surface.direction = rule.direction;
        surface.origin = b + 1;
        described_.push_back(rule.value);
        program_.surfaces.push_back(std::move(surface));
      }
    }
  }

  bool reads_rates(ExprId value) const {
    return std::ranges::any_of(passes::slots_read(graph_, std::span(&value, 1)),
                               [&](SlotId slot) { return program_.slots[slot].kind == SlotKind::rate; });
  }

  // What blocks remember before something disturbs continuous time, and the rates their surfaces read.
  void lower_left(std::uint32_t b) {
    const ExprId guard = always_.guard(b);
    for (const blocks::Rule& rule : bodies_.of_block[b].rules) {
      if (rule.when != blocks::When::left) continue;
      ORRERY_CHECK(rule.kind == blocks::Rule::Kind::set && rule.condition == no_expr);
      left_.push_back({rule.slot, always_.rewrite(rule.value, guard), guard, b + 1});
    }
    if (program_.fixed_step) return;
    for (const blocks::RateRule& rule : bodies_.of_block[b].rates) {
      rates_.push_back({rule.slot, always_.rewrite(rule.value, guard), b});
    }
  }

  enum class Use : std::uint8_t { none, shown, needed };

  struct ModeInfo {
    SlotId slot;
    ExprId condition;
    std::vector<program::Surface> surfaces;
    ExprId described;
    Use use = Use::none;
  };

  void gather_modes() {
    for (std::uint32_t b : activations_.always.members) {
      const ExprId guard = always_.guard(b);
      for (const blocks::ModeRule& rule : bodies_.of_block[b].modes) {
        ModeInfo mode;
        mode.slot = rule.mode;
        mode.condition = always_.rewrite(rule.condition, guard);
        mode.described = rule.written;
        for (const blocks::ModeSurface& bound : rule.surfaces) {
          program::Surface surface;
          surface.value = always_.rewrite(bound.value, guard);
          surface.mode = rule.mode;
          surface.strict = bound.strict;
          surface.origin = b + 1;
          surface.history = rule.history;
          surface.steady = rule.steady;
          mode.surfaces.push_back(std::move(surface));
        }
        mode_index_.emplace(mode.slot, modes_.size());
        modes_.push_back(std::move(mode));
      }
    }
  }

  void lower_signals(std::uint32_t b) {
    const ExprId guard = always_.guard(b);
    for (SlotId slot : bodies_.signals[b]) {
      values_.always[slot] = always_.seen(slot);
      const auto& value = always_.values().at(slot);
      if (value.guard == no_expr && watched_.contains(slot)) {
        program_.always.push_back({slot, value.fresh, no_expr, b + 1});
      }
      if (value.guard == no_expr) continue;
      values_.held[slot] = true;
      program_.always.push_back({slot, value.fresh, value.guard, b + 1});
    }
    if (bodies_.of_block[b].probes.empty()) return;
    const std::unordered_set<SlotId> by_rules = recorded_by_rules(bodies_.of_block[b]);
    for (const blocks::ProbeRule& probe : bodies_.of_block[b].probes) {
      if (by_rules.contains(probe.slot)) continue;
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
    for (ExprId equation : bodies_.of_block[b].start_equations) {
      const ExprId value = always_.rewrite(equation, guard);
      const program::Type type = graph_.type(value);
      for (std::int64_t k = 0; k < type.size(); ++k) {
        const ExprId one = type.is_scalar() ? value : graph_.element(value, k);
        program_.start_system.checks.push_back({one, b + 1, {}});
      }
    }
    for (const blocks::Derivative& rule : bodies_.of_block[b].projections) {
      program_.projections.push_back({rule.state, always_.rewrite(rule.value, guard), no_expr, b + 1});
    }
  }

  void lower_assertions(std::uint32_t b) {
    const ExprId guard = always_.guard(b);
    const auto while_active = [&](ExprId holds) {
      const ExprId value = always_.rewrite(holds, guard);
      return guard == no_expr ? value : graph_.select(guard, value, graph_.constant(1, program::Scalar::boolean));
    };
    for (program::Assertion assertion : bodies_.of_block[b].assertions) {
      assertion.holds = while_active(assertion.holds);
      assertion.tried = while_active(assertion.tried);
      for (ExprId& value : assertion.values) value = always_.rewrite(value, guard);
      program_.assertions.push_back(std::move(assertion));
    }
  }

  // The past of a signal is kept also where only events look at it.
  void lower_histories() {
    for (std::uint32_t b = 0; b < bodies_.of_block.size(); ++b) {
      const ExprId guard = always_.is_member(b) ? always_.guard(b) : no_expr;
      for (const blocks::HistoryRule& rule : bodies_.of_block[b].histories) {
        program_.histories[rule.history].value = always_.rewrite(rule.value, guard);
      }
    }
  }

  // What compares numbers that stand still while the integrator steps changes at events only.
  void replace_still_modes() {
    if (modes_.empty()) return;
    const std::vector<bool> moves = program::find_moving(program_);
    ModeReplacement still(graph_);
    for (const ModeInfo& mode : modes_) {
      const bool moving = std::ranges::any_of(mode.surfaces, [&](const auto& surface) { return moves[surface.value]; });
      if (!moving) still.replace(mode.slot, mode.condition);
    }
    still.keep_cycles();
    if (still.empty()) return;
    for (ExprId& value : values_.always) value = still.apply(value);
    for (ExprId& derivative : program_.derivatives) derivative = still.apply(derivative);
    for (program::Surface& surface : program_.surfaces) surface.value = still.apply(surface.value);
    for (program::History& history : program_.histories) history.value = still.apply(history.value);
    for (ExprId& invariant : program_.invariants) invariant = still.apply(invariant);
    for (program::Assign& projection : program_.projections) projection.value = still.apply(projection.value);
    for (program::Loop& loop : program_.loops) {
      for (ExprId& residual : loop.residuals) residual = still.apply(residual);
    }
    for (ExprId& value : followed_) value = still.apply(value);
    for (program::StartCheck& check : program_.start_system.checks) check.residual = still.apply(check.residual);
    apply(still, program_.always);
    apply(still, left_);
    for (SignalRate& rate : rates_) rate.value = still.apply(rate.value);
    for (program::Assertion& assertion : program_.assertions) {
      assertion.holds = still.apply(assertion.holds);
      assertion.tried = still.apply(assertion.tried);
      for (ExprId& value : assertion.values) value = still.apply(value);
    }
    for (ModeInfo& mode : modes_) {
      mode.condition = still.apply(mode.condition);
      for (program::Surface& surface : mode.surfaces) surface.value = still.apply(surface.value);
    }
  }

  static void apply(ModeReplacement& replacement, std::vector<program::Assign>& assigns) {
    for (program::Assign& assign : assigns) {
      assign.value = replacement.apply(assign.value);
      assign.guard = replacement.apply(assign.guard);
    }
  }

  void find_readers() {
    for (std::size_t k = 0; k < program_.always.size(); ++k) assigns_of_[program_.always[k].slot].push_back(k);
  }

  // Marks the modes an expression reads, itself or through signals that memory holds, with what they depend on in turn.
  // Each node is visited once over all calls.
  void mark(ExprId root, Use use) {
    std::vector<ExprId> stack{root};
    while (!stack.empty()) {
      const ExprId id = stack.back();
      stack.pop_back();
      if (id == no_expr || !marked_.insert(id).second) continue;
      for (ExprId argument : graph_.arguments(id)) stack.push_back(argument);
      if (graph_[id].op != program::Op::read) continue;
      const auto slot = static_cast<SlotId>(graph_[id].payload);
      if (const auto held = assigns_of_.find(slot); held != assigns_of_.end()) {
        for (const std::size_t k : held->second) {
          stack.push_back(program_.always[k].value);
          stack.push_back(program_.always[k].guard);
        }
      }
      const auto mode = mode_index_.find(slot);
      if (mode != mode_index_.end() && modes_[mode->second].use == Use::none)
        use_mode(modes_[mode->second], use, stack);
    }
  }

  static void use_mode(ModeInfo& mode, Use use, std::vector<ExprId>& then) {
    mode.use = use;
    then.push_back(mode.condition);
    for (const program::Surface& surface : mode.surfaces) then.push_back(surface.value);
  }

  void find_needed_modes() {
    for (ExprId derivative : program_.derivatives) mark(derivative, Use::needed);
    for (const program::Surface& surface : program_.surfaces) mark(surface.value, Use::needed);
    for (ExprId invariant : program_.invariants) mark(invariant, Use::needed);
    for (ExprId value : followed_) mark(value, Use::needed);
    for (const SignalRate& rate : rates_) mark(rate.value, Use::needed);
    for (const program::Assign& assign : left_) {
      mark(assign.value, Use::needed);
      mark(assign.guard, Use::needed);
    }
    for (const program::History& history : program_.histories) mark(history.value, Use::needed);
    for (const program::Assign& projection : program_.projections) mark(projection.value, Use::needed);
    // Equations are solved with their modes fixed: Newton's iteration sees smooth functions.
    for (const program::Loop& loop : program_.loops) {
      for (ExprId residual : loop.residuals) mark(residual, Use::needed);
    }
    // What a guarded signal held depends on when its guard changed: the guards' modes are needed too.
    for (const program::Assign& assign : program_.always) {
      const bool held = assign.slot >= values_.held.size() || values_.held[assign.slot];
      if (held) mark(assign.guard, Use::needed);
    }
  }

  // What probes read.
  void find_shown_modes() {
    const auto show = [&](SlotId slot) {
      const auto written = assigns_of_.find(slot);
      if (written == assigns_of_.end()) return;
      for (const std::size_t k : written->second) {
        mark(program_.always[k].value, Use::shown);
        mark(program_.always[k].guard, Use::shown);
      }
    };
    for (const program::Probe& probe : program_.probes) show(probe.slot);
    for (const SlotId slot : watched_) show(slot);
    for (const program::Assertion& assertion : program_.assertions) {
      if (!program::judged_as_it_stands(graph_, assertion)) mark(assertion.holds, Use::shown);
    }
  }

  // Events evaluate conditions as they stand, unless something continuous needs the mode or an algebraic loop leads
  // from the condition back to it. What nobody reads at all is nobody's mode.
  void replace_other_modes() {
    ModeReplacement for_events(graph_);
    for (const ModeInfo& mode : modes_) {
      if (mode.use != Use::needed) for_events.replace(mode.slot, mode.condition);
    }
    for (const SlotId slot : for_events.keep_cycles()) {
      std::vector<ExprId> reads;
      ModeInfo& mode = modes_[mode_index_.at(slot)];
      if (mode.use == Use::none) use_mode(mode, Use::shown, reads);
      for (const ExprId id : reads) mark(id, Use::shown);
    }
    ModeReplacement standing(graph_);
    for (const ModeInfo& mode : modes_) standing.replace(mode.slot, mode.condition);
    standing.keep_cycles();
    values_.standing = values_.always;
    for (ExprId& value : values_.standing) value = standing.apply(value);
    for (ExprId& value : values_.always) value = for_events.apply(value);
    for (program::StartCheck& check : program_.start_system.checks) check.residual = for_events.apply(check.residual);
    ModeReplacement unread(graph_);
    for (const ModeInfo& mode : modes_) {
      if (mode.use == Use::none) unread.replace(mode.slot, mode.condition);
    }
    for (program::Assertion& assertion : program_.assertions) {
      const bool stands = program::judged_as_it_stands(graph_, assertion);
      if (stands) assertion.holds = unread.apply(standing.apply(assertion.holds));
      assertion.tried = for_events.apply(assertion.tried);
      for (ExprId& value : assertion.values)
        value = stands ? unread.apply(standing.apply(value)) : for_events.apply(value);
    }
    apply(unread, program_.always);
  }

  void add_surfaces(const ModeInfo& mode) {
    if (mode.use == Use::none) return;
    for (program::Surface surface : mode.surfaces) {
      surface.shown = mode.use == Use::shown;
      if (program_.slots[mode.slot].type.scalar == program::Scalar::f64) surface.settled = mode.condition;
      program_.surfaces.push_back(std::move(surface));
      described_.push_back(mode.described);
    }
  }

  // For messages, in the block's own terms.
  void describe_surfaces() {
    const program::ExpressionText texts(program_, described_, false);
    for (std::size_t k = 0; k < program_.surfaces.size(); ++k) {
      program::Surface& surface = program_.surfaces[k];
      const bool held = surface.settled != no_expr;
      surface.text = texts.explained(described_[k]) + (surface.mode == program::no_slot ? " crosses 0"
                                                       : held                           ? " changes"
                                                                                        : "");
    }
  }

  // A surface, or a term of one, that depends on time but on no state would be invisible to error control: integrate it
  // alongside, so that steps stay short enough to see its sign changes. What is only shown must not change the steps.
  void add_shadows() {
    if (program_.fixed_step) return;
    std::vector<ExprId> values;
    for (const program::Surface& surface : program_.surfaces) values.push_back(without_gap(surface.value));
    const std::vector<std::uint8_t> depends = time_dependence(program_);
    std::unordered_set<ExprId> shadowed;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const program::Surface& surface = program_.surfaces[k];
      if (surface.shown || surface.steady) continue;
      std::vector<ExprId> terms{values[k]};
      while (!terms.empty()) {
        const ExprId id = terms.back();
        terms.pop_back();
        if ((depends[id] & on_state) != 0) {
          if (is_arithmetic(graph_[id].op)) {
            for (ExprId argument : graph_.arguments(id)) terms.push_back(argument);
          }
          continue;
        }
        const bool seen = id == values[k] ? (depends[id] & on_time) != 0 : (depends[id] & bent) != 0;
        const program::Type type = graph_.type(id);
        if (!seen || !type.is_scalar() || type.scalar != program::Scalar::f64 || !shadowed.insert(id).second) continue;
        const SlotId slot = program_.add_slot(
            {fmt::format("shadow{}", shadowed.size()), program::Type{}, SlotKind::shadow, surface.origin});
        program_.states.push_back(slot);
        program_.derivatives.push_back(id == values[k] ? id : bounded(id));
      }
    }
  }

  // Zero where a surface has no value because its block does not run.
  ExprId without_gap(ExprId value) {
    if (graph_[value].op != program::Op::select) return value;
    const auto parts = graph_.arguments(value);
    if (!graph_.is_constant(parts[2]) || !std::isnan(graph_.constant_data(parts[2])[0])) return value;
    const ExprId guard = parts[0], inside = parts[1];
    return graph_.select(guard, inside, graph_.constant(0));
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
  std::unordered_set<SlotId> watched_;
  program::Program& program_;
  program::Graph& graph_;
  SignalValues& values_;
  std::vector<ModeInfo> modes_;
  std::unordered_map<SlotId, std::size_t> mode_index_;
  std::unordered_map<SlotId, std::vector<std::size_t>> assigns_of_;  // by slot: positions in program_.always
  std::vector<ExprId> followed_;
  std::vector<program::Assign> left_;
  std::vector<SignalRate> rates_;
  std::vector<ExprId> described_;  // by surface: what its text says
  std::unordered_set<ExprId> marked_;
};

}  // namespace

ContinuousTime lower_continuous(const Bodies& bodies, const Activations& activations, TableComposer& always,
                                const std::vector<SlotId>& watched, program::Program& program, SignalValues& values) {
  return ContinuousLowering(bodies, activations, always, watched, program, values).run();
}

}  // namespace orrery::compile
