// SPDX-License-Identifier: Apache-2.0
// Building one table from the rules of its member blocks.
#include "compile/lower_table.h"

#include "compile/repeat_unit.h"

namespace orrery::compile {
namespace {

using blocks::Rule;
using blocks::When;
using program::ExprId;
using program::no_expr;
using program::SlotId;

class TableLowering {
 public:
  TableLowering(const FlatModel& model, const Bodies& bodies, const Activations& activations, const Plan& plan,
                Reads& reads, SignalValues& values, const ProbeIndex& probes, program::Program& program)
      : model_(model),
        bodies_(bodies),
        activations_(activations),
        plan_(plan),
        reads_(reads),
        values_(values),
        probes_(probes),
        program_(program),
        composer_(program, model, bodies, plan, reads, values) {}

  program::Source run(std::int32_t index, Diagnostics& diagnostics, bool& ok) {
    source_.kind = plan_.kind;
    source_.port = plan_.port;
    source_.domain = plan_.domain;
    source_.queued = plan_.queued;
    source_.first = plan_.first;
    source_.origin = plan_.block == no_block ? 0 : plan_.block + 1;
    if (plan_.kind != program::SourceKind::initial) composer_.sample_jumps(activations_.always);
    group_units(no_unit, diagnostics);
    if (!composer_.evaluate_outputs(diagnostics) || !composer_.close_loops(index, diagnostics)) {
      ok = false;
      return source_;
    }
    lower_members();
    lower_triggers();
    for (std::uint32_t b : composer_.order()) source_.activates.push_back(b + 1);
    for (std::uint32_t b : plan_.members) {
      if (bodies_.of_block[b].outputs.empty()) source_.activates.push_back(b + 1);
    }
    return std::move(source_);
  }

 private:
  void lower_members() {
    for (std::uint32_t b : plan_.members) {
      if (!grouped_.contains(b)) lower_member(b);
    }
    for (std::uint32_t k = 0; k < source_.table.assigns.size(); ++k) set_by_.emplace(source_.table.assigns[k].slot, k);
  }

  // Atomic super blocks that repeat are evaluated as a whole.
  void group_units(std::uint32_t within, Diagnostics& diagnostics) {
    units_ = find_repeated_units(model_, bodies_, plan_, within);
    if (units_.empty()) return;
    for (std::uint32_t k = 0; k < units_.size(); ++k) {
      for (std::uint32_t b : units_[k].members) grouped_.emplace(b, k);
    }
    composer_.set_groups(grouped_, units_.size(),
                         [this, &diagnostics](std::uint32_t group) { return lower_unit(units_[group], diagnostics); });
  }

  bool lower_unit(const RepeatedUnit& unit, Diagnostics& diagnostics) {
    const Place place = model_.place(model_.blocks[model_.units[unit.unit].block]);
    const auto refuse = [&](const char* why) {
      diagnostics.error("cannot-repeat", place,
                        std::string("the atomic super block cannot be repeated by itself: ") + why,
                        "keep only what is to be repeated in the atomic super block");
      return false;
    };
    for (std::uint32_t b : unit.members) {
      if (activations_.always.contains(b)) return refuse("it is active in continuous time");
    }
    const Plan part = part_of(plan_, unit.members);
    TableLowering inner(model_, bodies_, activations_, part, reads_, values_, probes_, program_);
    inner.composer_.be_inside(composer_);
    inner.group_units(unit.unit, diagnostics);
    if (!inner.composer_.evaluate_outputs(diagnostics)) return false;
    if (inner.composer_.has_equations()) return refuse("it has an algebraic loop that is not linear");
    inner.lower_members();
    program::Table& table = inner.source_.table;
    for (const program::Assign& assign : table.assigns) inner.composer_.place_of(assign.slot);
    std::vector<std::uint32_t> atoms;
    std::vector<ExprId> passes;
    for (std::uint32_t a = 0; a < plan_.atoms.size(); ++a) {
      if (plan_.atoms[a].kind != Atom::Kind::pass || !part.contains(plan_.atoms[a].index)) continue;
      atoms.push_back(a);
      passes.push_back(inner.composer_.pass_guard(a));
    }
    if (!repeat_table(program_, inner.composer_.places(), place, table, passes, diagnostics)) return false;
    for (std::size_t k = 0; k < atoms.size(); ++k) composer_.give_pass(atoms[k], passes[k]);
    for (const program::Assign& assign : table.assigns) {
      if (inner.composer_.values().contains(assign.slot)) composer_.give(assign.slot, assign.value);
    }
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(source_.table.assigns, table.assigns);
    append(source_.table.actions, table.actions);
    append(source_.table.schedules, table.schedules);
    return true;
  }

  void lower_member(std::uint32_t b) {
    const blocks::Body& body = bodies_.of_block[b];
    for (SlotId slot : bodies_.signals[b]) {
      if (values_.constant[slot] != no_expr || !is_held(slot)) continue;
      const auto& value = composer_.values().at(slot);
      source_.table.assigns.push_back({slot, value.fresh, value.guard, b + 1});
    }
    const ExprId active = composer_.guard(b);
    if (!activations_.always.contains(b)) record(b, active);
    for (int port : body.event_probes) record_event(b, port);
    const ExprId updates = composer_.guard(b, true);
    if (updates != no_expr && program_.graph.is_constant(updates, 0)) return;
    for (const Rule& rule : body.rules) {
      if (rule.when == When::activation) lower_rule(b, rule, updates);
    }
  }

  // A signal with an unguarded continuous-time expression is never read from memory.
  bool is_held(SlotId slot) const { return values_.always[slot] == no_expr || values_.held[slot]; }

  void record(std::uint32_t b, ExprId active) {
    for (const blocks::ProbeRule& probe : bodies_.of_block[b].probes) {
      source_.table.assigns.push_back({probe.slot, composer_.rewrite(probe.value, active), active, b + 1});
      source_.table.actions.push_back({program::ActionKind::record, active, b + 1, probes_.of_slot.at(probe.slot), {}});
    }
  }

  // Events are counted, so that a column of the results steps by one at each of them.
  void record_event(std::uint32_t b, int port) {
    const SlotId placeholder = bodies_.of_block[b].active_slots[static_cast<std::size_t>(port - 1)];
    ExprId active = composer_.rewrite(program_.read(placeholder), no_expr);
    if (program_.graph.is_constant(active, 0)) return;
    if (program_.graph.is_constant(active, 1)) active = no_expr;
    const std::uint32_t probe = probes_.of_event.at(Activations::key(b, port));
    const SlotId slot = program_.probes[probe].slot;
    const ExprId next = program_.graph.binary(program::Op::add, program_.read(slot), program_.graph.constant(1));
    source_.table.assigns.push_back({slot, next, active, b + 1});
    source_.table.actions.push_back({program::ActionKind::record, active, b + 1, probe, {}});
  }

  void lower_triggers() {
    if (plan_.kind == program::SourceKind::initial) {
      for (std::uint32_t b = 0; b < bodies_.of_block.size(); ++b) lower_rules(b, When::start, 0);
    } else if (plan_.kind == program::SourceKind::programmed) {
      lower_rules(plan_.block, When::fired, plan_.port);
    } else if (plan_.kind == program::SourceKind::crossing) {
      lower_rules(plan_.block, When::crossing, 0);
    } else if (plan_.kind == program::SourceKind::step) {
      for (std::uint32_t b = 0; b < bodies_.of_block.size(); ++b) lower_rules(b, When::step, 0);
    } else if (plan_.kind == program::SourceKind::instant) {
      for (std::uint32_t b = 0; b < bodies_.of_block.size(); ++b) lower_rules(b, When::instant, 0);
    } else if (plan_.kind == program::SourceKind::final) {
      for (std::uint32_t b = 0; b < bodies_.of_block.size(); ++b) lower_rules(b, When::final, 0);
    }
  }

  void lower_rules(std::uint32_t b, When when, int fired_port) {
    // What a block has programmed for itself goes on while it may not run: a clock does not stop for ever.
    const bool always = when == When::start || when == When::fired;
    for (const Rule& rule : bodies_.of_block[b].rules) {
      if (rule.when == when && rule.fired_port == fired_port)
        lower_rule(b, rule, always ? no_expr : composer_.condition(b));
    }
  }

  void lower_rule(std::uint32_t b, const Rule& rule, ExprId active) {
    ExprId guard = active;
    if (rule.condition != no_expr) guard = program_.graph.both(active, composer_.rewrite(rule.condition, active));
    if (guard != no_expr && program_.graph.is_constant(guard, 0)) return;
    if (guard != no_expr && program_.graph.is_constant(guard, 1)) guard = no_expr;
    switch (rule.kind) {
      case Rule::Kind::set: set(b, rule.slot, composer_.rewrite(rule.value, guard), guard); break;
      case Rule::Kind::schedule:
        source_.table.schedules.push_back({activations_.programmed.at(Activations::key(b, rule.port)),
                                           composer_.rewrite(rule.value, guard), guard, b + 1});
        break;
      case Rule::Kind::call: call(b, bodies_.of_block[b].calls[rule.call], guard); break;
      case Rule::Kind::action: act(b, rule, guard); break;
    }
  }

  void act(std::uint32_t b, const Rule& rule, ExprId guard) {
    if (rule.action == program::ActionKind::record) {
      source_.table.actions.push_back({rule.action, guard, b + 1, probes_.of_slot.at(rule.slot), {}});
      return;
    }
    program::Action action{rule.action, guard, b + 1, 0, rule.text};
    if (rule.action == program::ActionKind::note) action.probe = static_cast<std::uint32_t>(rule.port);  // pause.h
    for (ExprId value : rule.values) action.values.push_back(composer_.rewrite(value, guard));
    source_.table.actions.push_back(std::move(action));
  }

  void call(std::uint32_t b, const blocks::CallRule& rule, ExprId guard) {
    program::Call call;
    call.object = rule.object;
    call.procedure = rule.procedure;
    for (ExprId argument : rule.arguments) call.arguments.push_back(composer_.rewrite(argument, guard));
    call.results = rule.results;
    call.guard = guard;
    call.origin = b + 1;
    if (rule.end_port > 0) call.end = activations_.programmed.at(Activations::key(b, rule.end_port));
    if (rule.wake_port > 0) call.wake = activations_.programmed.at(Activations::key(b, rule.wake_port));
    for (int port : rule.fire_ports) call.fires.push_back(activations_.programmed.at(Activations::key(b, port)));
    source_.table.calls.push_back(std::move(call));
  }

  // Later rules win where both apply.
  void set(std::uint32_t b, SlotId slot, ExprId value, ExprId guard) {
    const auto [at, fresh] = set_by_.emplace(slot, source_.table.assigns.size());
    if (fresh) {
      source_.table.assigns.push_back({slot, value, guard, b + 1});
      return;
    }
    program::Assign& earlier = source_.table.assigns[at->second];
    earlier.value = guard == no_expr ? value : program_.graph.select(guard, value, earlier.value);
    earlier.guard = program_.graph.either(earlier.guard, guard);
  }

  const FlatModel& model_;
  const Bodies& bodies_;
  const Activations& activations_;
  const Plan& plan_;
  Reads& reads_;
  SignalValues& values_;
  const ProbeIndex& probes_;
  program::Program& program_;
  TableComposer composer_;
  program::Source source_;
  std::unordered_map<SlotId, std::size_t> set_by_;  // assignment of a memory in this table
  std::vector<RepeatedUnit> units_;
  std::unordered_map<std::uint32_t, std::uint32_t> grouped_;  // blocks of repeated units
};

}  // namespace

program::Source lower_table(const FlatModel& model, const Bodies& bodies, const Activations& activations,
                            const Plan& plan, Reads& reads, SignalValues& values, const ProbeIndex& probes,
                            program::Program& program, Diagnostics& diagnostics, bool& ok) {
  return TableLowering(model, bodies, activations, plan, reads, values, probes, program)
      .run(static_cast<std::int32_t>(program.sources.size()), diagnostics, ok);
}

}  // namespace orrery::compile
