// SPDX-License-Identifier: Apache-2.0
// The discrete phase: due events one after the other, each with outputs, updates and programming (Activate, 1.4).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "program/message.h"
#include "sim/hybrid_run.h"

namespace orrery::sim {

std::int64_t HybridRun::tick_after(std::uint32_t domain, std::int64_t tick) const {
  std::int64_t next = INT64_MAX;
  for (std::uint32_t c : program_.domains[domain].clocks) {
    const program::Clock& clock = program_.clocks[c];
    const std::int64_t passed = tick < clock.first_tick ? 0 : (tick - clock.first_tick) / clock.divisor + 1;
    next = std::min(next, clock.first_tick + passed * clock.divisor);
  }
  return next;
}

void HybridRun::program_tick(std::uint32_t source, std::int64_t after) {
  const std::uint32_t domain = program_.sources[source].domain;
  tick_[domain] = tick_after(domain, after);
  calendar_of(source).program(source, {tick_scale_[domain].time(tick_[domain]), tick_order + domain});
}

// A clock that ticks goes to its next tick, without leaving the calendar where it comes first in it.
inline void HybridRun::advance_clock(Calendar& calendar, std::uint32_t source) {
  const std::uint32_t domain = facts_[source].domain;
  running_tick_ = tick_[domain];
  const TickScale& scale = tick_scale_[domain];
  tick_[domain] = scale.stride > 0 ? running_tick_ + scale.stride : tick_after(domain, running_tick_);
  const Pending next{scale.time(tick_[domain]), tick_order + domain};
  if (calendar.next_source() == source) {
    calendar.postpone(next);
  } else {
    calendar.program(source, next);
  }
}

bool HybridRun::endless_cycle(std::uint32_t source) {
  if (t_ != instant_) {
    instant_ = t_;
    events_in_instant_ = 1;
    recent_sources_.clear();
    return false;
  }
  if (++events_in_instant_ > options_.zero_delay_limit - 50) recent_sources_.push_back(source);
  return events_in_instant_ > options_.zero_delay_limit;
}

// The table reads the states that the integrator has reached, and the integrator starts from those it leaves.
inline HybridRun::Flow HybridRun::fire_plain(std::uint32_t source) {
  const SourceFacts& facts = facts_[source];
  if (facts.reads_states || facts.critical) freshen();
  machine_->function(facts.procedure)(t_, states(), y_.data(), memory_.data(), running_tick_);
  ++report_.events;
  if (!facts.critical) return Flow::on;
  restart_needed_ = true;
  return states_are_finite(source) ? Flow::on : Flow::failed;
}

HybridRun::Flow HybridRun::fire(std::uint32_t source, Cause cause, double left, double right) {
  const SourceFacts& facts = facts_[source];
  if (facts.moves_shown) shown_moved_ = true;
  const Flow flow = facts.plain ? fire_plain(source) : fire_in_full(source, cause, left, right);
  if (facts.moves_modes) modes_moved_ = true;
  return flow;
}

// Runs everything due up to `limit`, in order of time and programming. An event programmed with delay 0 is due now and
// comes behind those that were programmed before it.
HybridRun::Flow HybridRun::discrete_phase(double limit) {
  while (true) {
    if (!first_sources_.empty()) {
      const Flow flow = first_phase(limit);
      if (flow != Flow::on) return flow;
    }
    const bool hard_due = hard_.next().time <= limit, soft_due = soft_.next().time <= limit;
    if (!hard_due && !soft_due) return Flow::on;
    bool hard = hard_due;
    std::uint32_t source = hard ? hard_.first_due(limit) : soft_.first_due(limit);
    if (hard_due && soft_due) {
      const std::uint32_t other = soft_.first_due(limit);
      hard = Pending::comes_first(hard_.pending(source), soft_.pending(other));
      if (!hard) source = other;
    }
    Calendar& calendar = hard ? hard_ : soft_;
    if (endless_cycle(source)) {
      report_cycle();
      return Flow::failed;
    }
    Cause cause = Cause::programmed;
    if (!facts_[source].clock) {
      calendar.pop(source);
    } else {
      cause = Cause::clock;
      advance_clock(calendar, source);
      if (!options_.final_tick && t_ >= options_.stop - time_tolerance_) continue;
    }
    const Flow flow = fire(source, cause, 0, 0);
    if (flow != Flow::on) return flow;
  }
}

// Those that come before all others of the instant, wherever they stand in the calendars.
HybridRun::Flow HybridRun::first_phase(double limit) {
  while (true) {
    std::uint32_t source = program::no_source;
    Pending due{limit, UINT64_MAX};
    for (const std::uint32_t s : first_sources_) {
      const Pending& pending = calendar_of(s).pending(s);
      if (!(pending < due)) continue;
      due = pending;
      source = s;
    }
    if (source == program::no_source) return Flow::on;
    if (endless_cycle(source)) {
      report_cycle();
      return Flow::failed;
    }
    Cause cause = Cause::programmed;
    if (facts_[source].clock) {
      cause = Cause::clock;
      running_tick_ = tick_[facts_[source].domain];
      program_tick(source, running_tick_);
      if (!options_.final_tick && t_ >= options_.stop - time_tolerance_) continue;
    } else {
      calendar_of(source).cancel(source);
    }
    const Flow flow = fire(source, cause, 0, 0);
    if (flow != Flow::on) return flow;
  }
}

// All events of an instant have been, and time is about to go on.
HybridRun::Flow HybridRun::end_instant() {
  if (!in_instant_) return Flow::on;
  in_instant_ = false;
  modes_moved_ = false;
  if (!instant_sources_.empty()) freshen();
  for (const std::uint32_t source : instant_sources_) {
    if (machine_->table(source).critical) restart_needed_ = true;
    const Flow flow = run_table(source);
    if (flow != Flow::on) return flow;
    if (!foreign_.empty() && foreign_.health() != program::ForeignHealth::well) return report_foreign_failure();
  }
  return Flow::on;
}

HybridRun::Flow HybridRun::fire_in_full(std::uint32_t source, Cause cause, double left, double right) {
  const TableCode& table = machine_->table(source);
  in_instant_ = true;
  if (!options_.inputs.empty()) stage_input(source);
  if (table.reads_states || table.critical) freshen();
  const bool shown = cause != Cause::initial && will_show(table);
  if (shown) take_row(cause == Cause::crossing ? Phase::left_of_crossing : Phase::left_of_event);
  if (sensitivity_) {
    freshen();
    set_event_time(source, cause);
    sensitivity_->enter(t_);
  }
  const Flow flow = run_table(source);
  if (sensitivity_) sensitivity_->leave(t_);
  ++report_.events;
  if (table.critical) restart_needed_ = true;
  if (shown) take_row(cause == Cause::crossing ? Phase::crossing : Phase::event);
  if (options_.record_events) {
    const program::Source& what = program_.sources[source];
    const program::OriginId origin = cause == Cause::clock ? ticking_clock(what.domain) : what.origin;
    ledger_.entries.push_back({t_, cause, source, origin, what.port, left, right, table.critical});
  }
  if (flow == Flow::on && !foreign_.empty() && foreign_.health() != program::ForeignHealth::well) {
    return report_foreign_failure();
  }
  if (flow == Flow::on && table.critical && !states_are_finite(source)) return Flow::failed;
  return flow;
}

// Crossings have set it before: only they know the surface.
void HybridRun::set_event_time(std::uint32_t source, Cause cause) {
  if (cause == Cause::programmed) {
    sensitivity_->at_source(source);
  } else if (cause != Cause::crossing) {
    sensitivity_->at_fixed_time();
  }
}

// The first clock, in file order, of those that tick now.
program::OriginId HybridRun::ticking_clock(std::uint32_t domain) const {
  for (std::uint32_t c : program_.domains[domain].clocks) {
    const program::Clock& clock = program_.clocks[c];
    if (running_tick_ >= clock.first_tick && (running_tick_ - clock.first_tick) % clock.divisor == 0)
      return clock.origin;
  }
  return 0;
}

// What an event reads is as it stands: where an earlier event of this instant has changed what modes depend on, it is
// run with the modes that are right by now, and those of before are put back for the end of the instant.
HybridRun::Flow HybridRun::run_table(std::uint32_t source) {
  const TableCode& table = machine_->table(source);
  if (!modes_moved_ || !(table.reads_modes || table.reads_sampled)) {
    if (table.reads_sampled) sample_conditions(source);
    return run_table_now(source);
  }
  freshen();
  keep_modes(false);
  find_modes(Complain::no);
  if (table.reads_sampled) sample_conditions(source);
  const Flow flow = run_table_now(source);
  keep_modes(true);
  return flow;
}

HybridRun::Flow HybridRun::run_table_now(std::uint32_t source) {
  const TableCode& table = machine_->table(source);
  for (long repeats = 0;; ++repeats) {
    if (!settle(table.loops, t_, states())) return Flow::failed;
    trouble_.clear(memory_.data());
    machine_->table_function(source)(t_, states(), y_.data(), memory_.data(), running_tick_);
    if (trouble_.look(memory_.data(), t_)) return static_cast<void>(trouble_.report(t_, diagnostics_)), Flow::failed;
    if (table.quiet) return Flow::on;
    if (!program_events(source)) return Flow::failed;
    bool repeat = false;
    const Flow called = run_calls(source);
    if (called != Flow::on) return called;
    const Flow flow = run_actions(source, repeat);
    if (flow != Flow::on || !repeat) return flow;
    if (repeats > options_.zero_delay_limit) {
      diagnostics_
          .error("endless-repetition", place_of(program_.sources[source].origin),
                 fmt::format("RepeatActivation repeated this event {} times in one instant", repeats),
                 "check the condition that ends the repetition")
          .time = t_;
      return Flow::failed;
    }
  }
}

bool HybridRun::program_events(std::uint32_t source) {
  const auto& schedules = program_.sources[source].table.schedules;
  const std::uint64_t first = programmed_;
  for (std::size_t k = 0; k < schedules.size(); ++k) {
    if (y_[2 * k] == 0) continue;
    const double delay = y_[2 * k + 1];
    const std::uint32_t target = schedules[k].source;
    if (std::isnan(delay)) {
      diagnostics_
          .error("nan-delay", place_of(schedules[k].origin), "the delay of a programmed event is not a number",
                 "look for a division by zero or a wrong parameter in what the delay depends on")
          .time = t_;
      return false;
    }
    Calendar& calendar = calendar_of(target);
    const bool pending = calendar.is_pending(target);
    // Several rules of one event may agree, as when several elements of a signal cross zero at once.
    const Pending& earlier = calendar.pending(target);
    const bool agrees = pending && earlier.time == t_ + delay && (earlier.order & ~order_within_instant) >= first;
    if (agrees && !program_.sources[target].queued) continue;
    if (pending && !program_.sources[target].queued) {
      ++report_.reprogrammed;
      warn_reprogrammed(target, delay < 0 || std::isinf(delay));
    }
    if (delay < 0 || std::isinf(delay)) {  // never
      if (!program_.sources[target].queued) calendar.cancel(target);
    } else {
      calendar.program(target, due(t_ + delay));
    }
  }
  return true;
}

HybridRun::Flow HybridRun::run_actions(std::uint32_t source, bool& repeat) {
  const program::Table& table = program_.sources[source].table;
  Flow flow = Flow::on;
  const double* next = y_.data() + 2 * table.schedules.size();
  for (const program::Action& action : table.actions) {
    const bool happens = *next++ != 0;
    const std::span<const double> values(next, action.values.size());
    next += values.size();
    if (!happens) continue;
    switch (action.kind) {
      case program::ActionKind::stop:
        flow = Flow::stop;
        if (!action.text.empty()) tell(action, values);
        break;
      case program::ActionKind::restart: flow = Flow::restart_run; break;
      case program::ActionKind::repeat: repeat = true; break;
      case program::ActionKind::fail:
        diagnostics_.error("stopped-by-model", place_of(action.origin), program::fill_in(action.text, values)).time =
            t_;
        return Flow::failed;
      case program::ActionKind::warn:
        diagnostics_.warning("model-warning", place_of(action.origin), program::fill_in(action.text, values)).time = t_;
        break;
      case program::ActionKind::note: tell(action, values); break;
      case program::ActionKind::record: break;  // rows are taken around the table
    }
  }
  return flow;
}

void HybridRun::tell(const program::Action& action, std::span<const double> values) {
  Diagnostic said;
  said.severity = Severity::note;
  said.code = "model-message";
  said.place = place_of(action.origin);
  said.message = program::fill_in(action.text, values);
  said.time = t_;
  diagnostics_.add(std::move(said));
}

// Foreign procedures, in order. What they change disturbs continuous time, and they may ask to be called again.
HybridRun::Flow HybridRun::run_calls(std::uint32_t source) {
  const program::Table& table = program_.sources[source].table;
  const double* next = y_.data() + 2 * table.schedules.size() + table.actions.size();
  for (const program::Action& action : table.actions) next += action.values.size();
  Flow flow = Flow::on;
  for (const program::Call& call : table.calls) {
    const bool made = *next++ != 0;
    const double* arguments = next;
    for (program::ExprId argument : call.arguments) next += program_.graph.type(argument).size();
    if (!made) continue;
    const auto outcome = foreign_.perform(call, t_, arguments, machine_->layout(), memory_.data());
    if (!outcome.ok) return report_foreign_failure();
    if (outcome.changed) restart_needed_ = true;
    if (!outcome.nominals.empty()) take_nominals(call, outcome.nominals);
    for (const std::uint32_t k : outcome.fired) {
      calendar_of(call.fires[k]).program(call.fires[k], due(t_));
    }
    if (outcome.stop && call.end == program::no_source) flow = Flow::stop;
    if (outcome.stop && call.end != program::no_source) calendar_of(call.end).program(call.end, due(t_));
    if (!outcome.changed || call.wake == program::no_source) continue;
    Calendar& calendar = calendar_of(call.wake);
    if (std::isfinite(outcome.wake)) {
      calendar.program(call.wake, due(std::max(t_, outcome.wake)));
    } else {
      calendar.cancel(call.wake);
    }
  }
  return flow;
}

HybridRun::Flow HybridRun::report_foreign_failure() {
  foreign_.report(
      t_, [this](program::OriginId origin) { return place_of(origin); }, diagnostics_);
  return Flow::failed;
}

HybridRun::StepQuestion HybridRun::question_of(const program::Table& table) const {
  if (!table.assigns.empty() || !table.schedules.empty() || !table.actions.empty() || table.calls.size() != 1)
    return {};
  const program::Call& call = table.calls[0];
  const program::Graph& graph = program_.graph;
  if (call.guard != program::no_expr || call.arguments.empty() || call.arguments.size() > 2) return {};
  if (graph[call.arguments[0]].op != program::Op::time) return {};
  if (call.arguments.size() == 1) return {call.object, 0};
  std::size_t first = 0;
  for (const program::SlotId slot : program_.states) {
    const program::Node& node = graph[call.arguments[1]];
    if (node.op == program::Op::read && node.payload == slot) return {call.object, first};
    first += static_cast<std::size_t>(program_.slots[slot].type.size());
  }
  return {};
}

// After every accepted step. Only what disturbs continuous time is told to the ledger and shown on both sides.
HybridRun::Flow HybridRun::fire_steps() {
  for (std::size_t k = 0; k < step_sources_.size(); ++k) {
    const StepQuestion& question = step_questions_[k];
    const bool asked = question.object != UINT32_MAX;
    const bool known = std::exchange(step_matters_, false);
    if (asked && !known && !foreign_.needs_step_call(question.object, t_, states() + question.state)) continue;
    in_instant_ = true;
    const std::uint32_t source = step_sources_[k];
    const TableCode& table = machine_->table(source);
    const bool shown = will_show(table);
    if (shown && (table.critical || asked)) take_row(Phase::left_of_event);
    if (table.critical) restart_needed_ = true;
    const Flow flow = run_table(source);
    if (flow != Flow::on) return flow;
    if (!foreign_.empty() && foreign_.health() != program::ForeignHealth::well) return report_foreign_failure();
    if (!restart_needed_) continue;
    ++report_.events;
    if (shown) take_row(Phase::event);
    if (options_.record_events) {
      ledger_.entries.push_back({t_, Cause::step, source, program_.sources[source].origin, 0, 0, 0, true});
    }
    if (!states_are_finite(source)) return Flow::failed;
  }
  return Flow::on;
}

void HybridRun::warn_reprogrammed(std::uint32_t source, bool cancelled) {
  if (!warned_.insert(source).second) return;
  Place place = place_of(program_.sources[source].origin);
  place.port = fmt::format("activation output {}", program_.sources[source].port);
  diagnostics_
      .warning(cancelled ? "event-cancelled" : "event-reprogrammed", place,
               cancelled ? "a pending event was cancelled by a negative or infinite delay"
                         : "an event was programmed again before it fired; the earlier one is lost",
               "use an EventDelayedChannel to keep every event (said once for this output)")
      .time = t_;
}

void HybridRun::report_cycle() {
  std::vector<std::uint32_t> cycle = recent_sources_;
  std::sort(cycle.begin(), cycle.end());
  cycle.erase(std::unique(cycle.begin(), cycle.end()), cycle.end());
  const Place place = place_of(cycle.empty() ? 0 : program_.sources[cycle[0]].origin);
  const auto crosses = [this](std::uint32_t source) {
    return program_.sources[source].kind == program::SourceKind::crossing;
  };
  const bool jumps = std::any_of(cycle.begin(), cycle.end(), crosses);
  auto& d = jumps ? diagnostics_.error(
                        "jump-cycle", place,
                        fmt::format("{} events in one instant: what a crossing changes leads to a crossing again, so "
                                    "that time cannot go on",
                                    options_.zero_delay_limit),
                        "leave a gap between the conditions that lead to each other (hysteresis), or model what "
                        "happens between them, motion along the surface for example, as a mode of its own")
                  : diagnostics_.error("zero-delay-cycle", place,
                                       fmt::format("{} events in one instant: events keep programming each other "
                                                   "without delay, or with one too short to move the time",
                                                   options_.zero_delay_limit),
                                       "give one of the blocks a positive delay");
  d.time = t_;
  for (std::uint32_t source : cycle) {
    const std::string& path = program_.origins[program_.sources[source].origin].path;
    d.notes.push_back(crosses(source) ? fmt::format("{} (crossing)", path)
                                      : fmt::format("{} activation output {}", path, program_.sources[source].port));
  }
}

// Nothing but one clock until `limit`: a tight loop without the calendar.
HybridRun::Flow HybridRun::run_ticks(double limit) {
  const bool hard = hard_.next() < soft_.next();
  Calendar& calendar = hard ? hard_ : soft_;
  if (calendar.empty() || (recorder_.active() && machine_->table(calendar.next_source()).shows) ||
      options_.record_events) {
    return Flow::on;
  }
  const std::uint32_t source = calendar.next_source();
  const program::Source& what = program_.sources[source];
  if (what.kind != program::SourceKind::clock || !machine_->table(source).quiet) return Flow::on;
  if (sensitivity_ || !machine_->table(source).loops.empty()) return Flow::on;
  const double other = std::min(calendar.second().time, (hard ? soft_ : hard_).next().time);
  const double end = std::min(other - time_tolerance_, limit - time_tolerance_);
  if (!(calendar.next().time < end)) return Flow::on;
  const std::uint32_t domain = what.domain;
  // Copies, because what a call may change would be read again at every tick.
  const TickScale scale = tick_scale_[domain];
  double *const x = states(), *const y = y_.data();
  std::byte* const memory = memory_.data();
  std::int64_t tick = tick_[domain];
  double t = calendar.next().time;
  native::Function function = machine_->table_function(source);
  long count = 0;
  for (double next = t; next < end;) {
    t = next;
    function(t, x, y, memory, tick);
    tick = scale.stride > 0 ? tick + scale.stride : tick_after(domain, tick);
    next = scale.time(tick);
    if ((++count & 1023) != 0) continue;
    t_ = t;
    housekeeping();
    if (interrupted()) break;
    function = machine_->table_function(source);
  }
  t_ = t;
  report_.events += count;
  tick_[domain] = tick;
  if (facts_[source].critical) restart_needed_ = true;
  calendar.program(source, {scale.time(tick), tick_order + domain});
  return Flow::on;
}

}  // namespace orrery::sim
