// SPDX-License-Identifier: Apache-2.0
// Which events run, in what order, and what surrounds the table of each.
#include "sim/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "passes/slice.h"

namespace orrery::sim {

Events::Events(RunContext& run, ModelFunctions& model, TrialPoints& trial, Modes& modes, SolverSeat& seat,
               EventQueue& queue, ModelInputs& inputs, RunResults& results, EventSensitivity* sensitivity)
    : run_(run),
      model_(model),
      trial_(trial),
      modes_(modes),
      seat_(seat),
      queue_(queue),
      inputs_(inputs),
      results_(results),
      sensitivity_(sensitivity) {
  for (std::uint32_t k = 0; k < run.program.sources.size(); ++k) {
    const program::Source& source = run.program.sources[k];
    const bool left = source.kind == program::SourceKind::left;
    if (left && !run.program.fixed_step) left_sources_.push_back(k);
    if (source.kind == program::SourceKind::step || (left && run.program.fixed_step)) {
      step_sources_.push_back(k);
      steps_.push_back(question_of(source.table));
    }
    // Steps of fixed size follow what events have made of it from there on.
    if (source.kind == program::SourceKind::instant || (left && run.program.fixed_step)) instant_sources_.push_back(k);
    if (source.kind == program::SourceKind::final) final_sources_.push_back(k);
    if (source.first) first_sources_.push_back(k);
  }
  if (run.program.fixed_step) crowds_.resize(run.program.sources.size());
  describe_sources();
}

// Several events of a source that are due at different times happen one after the other at the end of a step.
void Events::note_crowd(std::uint32_t source, double due) {
  Crowd& crowd = crowds_[source];
  const bool again = crowd.at == run_.t && due > crowd.due + run_.time_tolerance;
  crowd.at = run_.t;
  crowd.due = due;
  if (!again || crowd.told) return;
  crowd.told = true;
  const program::OriginId origin =
      queue_.is_clock(source) ? queue_.ticking_clock(source) : run_.program.sources[source].origin;
  run_.diagnostics
      .warning("events-within-step", run_.place_of(origin),
               fmt::format("its events follow each other faster than steps of {} do: several of them happen at the end "
                           "of one step, one after the other",
                           run_.options.limits.fixed),
               "choose a step that is no longer than the shortest time between its events, or a solver with variable "
               "steps")
      .time = run_.t;
}

void Events::describe_sources() {
  // By slot: whether modes depend on it, and whether modes that are only shown do.
  const auto read_by = [this](const auto& chosen) {
    std::vector<program::ExprId> values;
    for (const program::Surface& surface : run_.program.surfaces) {
      if (chosen(surface)) values.insert(values.end(), {surface.value, surface.settled});
    }
    for (const program::Loop& loop : run_.program.loops) {
      if (!values.empty()) values.insert(values.end(), loop.residuals.begin(), loop.residuals.end());
    }
    std::vector<bool> read(run_.program.slots.size(), false);
    for (const program::SlotId slot : passes::slots_read(run_.program.graph, values)) read[slot] = true;
    return read;
  };
  const std::vector<bool> by_shown = read_by([](const program::Surface& surface) { return surface.shown; });
  const std::vector<bool> by_modes =
      read_by([](const program::Surface& surface) { return surface.mode != program::no_slot; });
  for (std::size_t k = 0; k < run_.program.sources.size(); ++k) {
    const program::Source& source = run_.program.sources[k];
    const TableCode& table = run_.machine.table(k);
    const bool plain = table.quiet && table.loops.empty() && !results_.may_show(table) && !results_.lists_events() &&
                       sensitivity_ == nullptr && model_.foreign().empty() && model_.trouble().empty() &&
                       !table.reads_modes && !table.reads_sampled && inputs_.empty() &&
                       (left_sources_.empty() || !table.critical);
    const auto moves = [&source](const std::vector<bool>& read) {
      const auto is_read = [&read](program::SlotId slot) { return read[slot]; };
      return std::any_of(source.table.assigns.begin(), source.table.assigns.end(),
                         [&](const program::Assign& assign) { return is_read(assign.slot); }) ||
             std::any_of(source.table.calls.begin(), source.table.calls.end(), [&](const program::Call& call) {
               return std::any_of(call.results.begin(), call.results.end(), is_read);
             });
    };
    facts_.push_back({table.critical, table.reads_states, plain, moves(by_shown), moves(by_modes), table.procedure});
  }
}

bool Events::is_endless(std::uint32_t source) {
  if (run_.t != instant_) {
    instant_ = run_.t;
    events_in_instant_ = 1;
    recent_sources_.clear();
    return false;
  }
  if (++events_in_instant_ > run_.options.zero_delay_limit - 50) recent_sources_.push_back(source);
  if (events_in_instant_ <= run_.options.zero_delay_limit) return false;
  report_cycle();
  return true;
}

// The table reads the states that the integrator has reached, and the integrator starts from those it leaves.
inline Flow Events::fire_plain(std::uint32_t source) {
  const Facts& facts = facts_[source];
  if (facts.reads_states || facts.critical) seat_.freshen();
  run_.machine.function(facts.procedure)(run_.t, run_.states(), run_.results.data(), run_.memory.data(), run_.tick);
  ++run_.report.events;
  if (!facts.critical) return Flow::on;
  run_.restart_needed = true;
  return states_are_finite(source) ? Flow::on : Flow::failed;
}

Flow Events::fire(std::uint32_t source, Cause cause, double left, double right) {
  const Facts& facts = facts_[source];
  if (facts.moves_shown) run_.shown_moved = true;
  const Flow flow = facts.plain ? fire_plain(source) : fire_in_full(source, cause, left, right);
  if (facts.moves_modes) run_.modes_moved = true;
  return flow;
}

inline Flow Events::fire_due(std::uint32_t source) {
  if (is_endless(source)) return Flow::failed;
  if (!queue_.is_clock(source)) return fire(source, Cause::programmed);
  if (!run_.options.final_tick && run_.is_at_stop()) return Flow::on;
  return fire(source, Cause::clock);
}

Flow Events::run_due(double limit) {
  while (true) {
    Flow flow = run_first(limit);
    if (flow != Flow::on) return flow;
    const double due = queue_.next_time();
    const std::uint32_t source = queue_.take_due(limit);
    if (source == program::no_source) return Flow::on;
    if (!crowds_.empty()) note_crowd(source, due);
    flow = fire_due(source);
    if (flow != Flow::on) return flow;
    if (facts_[source].critical && between_ && queue_.next_time() <= limit) between_();
  }
}

Flow Events::run_first_sources(double limit) {
  while (true) {
    const std::uint32_t source = queue_.take_due(limit, first_sources_);
    if (source == program::no_source) return Flow::on;
    const Flow flow = fire_due(source);
    if (flow != Flow::on) return flow;
  }
}

Flow Events::run_instant_sources() {
  run_.in_instant = false;
  run_.modes_moved = false;
  if (!instant_sources_.empty()) seat_.freshen();
  for (const std::uint32_t source : instant_sources_) {
    const bool disturbs = run_.program.sources[source].kind == program::SourceKind::instant;
    if (disturbs && run_.machine.table(source).critical) run_.restart_needed = true;
    Flow flow = run_.restart_needed ? run_left() : Flow::on;
    if (flow == Flow::on) flow = run_table(source);
    if (flow != Flow::on) return flow;
    if (!is_well()) return model_.report_foreign_failure();
  }
  return Flow::on;
}

Flow Events::run_left_sources() {
  left_at_ = run_.t;
  seat_.freshen();
  for (const std::uint32_t source : left_sources_) {
    const Flow flow = run_table_now(source);
    if (flow != Flow::on) return flow;
  }
  return Flow::on;
}

// The last that happens; what it programs never comes.
Flow Events::run_final_sources() {
  for (const std::uint32_t source : final_sources_) {
    const Flow flow = fire(source, Cause::final);
    if (model_.loops_failed()) return model_.report_loop_failure();
    if (flow == Flow::failed) return flow;
  }
  return Flow::on;
}

Flow Events::fire_in_full(std::uint32_t source, Cause cause, double left, double right) {
  const TableCode& table = run_.machine.table(source);
  run_.in_instant = true;
  if (!inputs_.empty()) inputs_.stage(source);
  if (table.reads_states || table.critical) seat_.freshen();
  const bool shown = cause != Cause::initial && results_.will_show(table);
  if (shown) results_.take_row(cause == Cause::crossing ? Phase::left_of_crossing : Phase::left_of_event);
  if (sensitivity_) {
    seat_.freshen();
    set_event_time(source, cause);
    sensitivity_->enter(run_.t);
  }
  Flow flow = Flow::on;
  if (cause == Cause::initial) {
    left_at_ = run_.t;  // the start has no left side
  } else if (table.critical) {
    flow = run_left();
  }
  if (flow == Flow::on) flow = run_table(source);
  if (sensitivity_) sensitivity_->leave(run_.t);
  ++run_.report.events;
  if (table.critical) run_.restart_needed = true;
  if (shown) results_.take_row(cause == Cause::crossing ? Phase::crossing : Phase::event);
  if (results_.lists_events()) {
    const program::Source& what = run_.program.sources[source];
    const program::OriginId origin = cause == Cause::clock ? queue_.ticking_clock(source) : what.origin;
    results_.list({run_.t, cause, source, origin, what.port, left, right, table.critical});
  }
  if (flow == Flow::on && !is_well()) return model_.report_foreign_failure();
  if (flow == Flow::on && table.critical && !states_are_finite(source)) return Flow::failed;
  return flow;
}

// Crossings have set it before: only they know the surface.
void Events::set_event_time(std::uint32_t source, Cause cause) {
  if (cause == Cause::programmed) {
    sensitivity_->at_source(source);
  } else if (cause != Cause::crossing) {
    sensitivity_->at_fixed_time();
  }
}

Events::StepQuestion Events::question_of(const program::Table& table) const {
  if (!table.assigns.empty() || !table.schedules.empty() || !table.actions.empty() || table.calls.size() != 1)
    return {};
  const program::Call& call = table.calls[0];
  const program::Graph& graph = run_.program.graph;
  if (call.guard != program::no_expr || call.arguments.empty() || call.arguments.size() > 2) return {};
  if (graph[call.arguments[0]].op != program::Op::time) return {};
  if (call.arguments.size() == 1) return {call.object, 0};
  std::size_t first = 0;
  for (const program::SlotId slot : run_.program.states) {
    const program::Node& node = graph[call.arguments[1]];
    if (node.op == program::Op::read && node.payload == slot) return {call.object, first};
    first += static_cast<std::size_t>(run_.program.slots[slot].type.size());
  }
  return {};
}

bool Events::does_step_matter(double t, const double* x) {
  step_matters_ = model_.foreign().needs_step_call(steps_[0].object, t, x + steps_[0].state);
  return step_matters_;
}

Flow Events::fire_steps() {
  for (std::size_t k = 0; k < step_sources_.size(); ++k) {
    const StepQuestion& question = steps_[k];
    const bool asked = question.object != UINT32_MAX;
    const bool known = std::exchange(step_matters_, false);
    if (asked && !known && !model_.foreign().needs_step_call(question.object, run_.t, run_.states() + question.state))
      continue;
    run_.in_instant = true;
    const std::uint32_t source = step_sources_[k];
    const TableCode& table = run_.machine.table(source);
    const bool shown = results_.will_show(table);
    if (shown && (table.critical || asked)) results_.take_row(Phase::left_of_event);
    // What was on the left goes on as it was: nothing starts anew because of it.
    const bool disturbs = table.critical && run_.program.sources[source].kind == program::SourceKind::step;
    if (disturbs) run_.restart_needed = true;
    Flow flow = disturbs ? run_left() : Flow::on;
    if (flow == Flow::on) flow = run_table(source);
    if (flow != Flow::on) return flow;
    if (!is_well()) return model_.report_foreign_failure();
    if (!run_.restart_needed) continue;
    ++run_.report.events;
    if (shown) results_.take_row(Phase::event);
    results_.list({run_.t, Cause::step, source, run_.program.sources[source].origin, 0, 0, 0, true});
    if (!states_are_finite(source)) return Flow::failed;
  }
  return Flow::on;
}

}  // namespace orrery::sim
