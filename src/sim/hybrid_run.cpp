// SPDX-License-Identifier: Apache-2.0
// The loop itself and its bookkeeping.
#include "sim/hybrid_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace orrery::sim {
End HybridRun::advance(double until, double limit, bool single) {
  started_ = std::chrono::steady_clock::now();
  until_ = until;
  step_limit_ = limit;
  single_ = single;
  single_from_ = t_;
  single_events_ = report_.events;
  if (!initialised_) {
    const Flow flow = initialise();
    if (loops_failed_) return report_loop_failure(), finish(End::failed);
    if (flow != Flow::on) return finish(end_of(flow));
  }
  std::optional<End> end;
  while (!end) {
    if (foreign_.empty()) {
      end = some_rounds(until);
    } else if (!foreign_.guard([&] { end = some_rounds(until); })) {
      static_cast<void>(foreign_.health());
      report_foreign_failure();
      end = End::failed;
    }
  }
  return finish(*end);
}

// Of the loop, as many as are made under one guard of foreign code. Nothing: the run goes on.
std::optional<End> HybridRun::some_rounds(double until) {
  constexpr int at_once = 64;
  for (int k = 0; k < at_once; ++k) {
    if (!housekeeping()) return End::failed;
    if (interrupted()) return End::interrupted;
    // A step may end within rounding before an event: the instant is the event's.
    if (const double event = next_event_time(); event > t_ && event <= t_ + time_tolerance_ && !program_.fixed_step) {
      if (has_continuous_ && integrator_started_) {
        move_to(std::min(instant_at(event), options_.stop));
      } else {
        t_ = std::min(instant_at(event), options_.stop);
      }
    }
    if (report_.events >= pace_events_ && !events_come_to_an_end()) return End::failed;
    Flow flow = discrete_phase(t_ + time_tolerance_);
    if (loops_failed_) flow = report_loop_failure();
    if (troubled_) flow = Flow::failed;
    if (flow != Flow::on) return end_of(flow);
    if (t_ >= options_.stop - time_tolerance_) {
      // What the events of the last instant carried across zero still fires in it.
      if (!has_continuous_ || !restart_needed_) return End::reached_stop;
      if (!relax_modes()) return End::failed;
      if (!find_jumps()) return End::reached_stop;
      flow = handle_crossing(Crossed::jumped);
      if (flow != Flow::on) return end_of(flow);
      continue;
    }
    if (t_ >= until || (single_ && (t_ > single_from_ || report_.events != single_events_))) return End::paused;
    if (has_continuous_) {
      flow = program_.fixed_step ? fixed_step_phase() : continuous_phase();
      if (loops_failed_) flow = report_loop_failure();
      if (troubled_) flow = Flow::failed;
      if (flow != Flow::on) return end_of(flow);
      continue;
    }
    flow = end_instant();
    if (flow != Flow::on) return end_of(flow);
    if (!assertions_hold()) return End::failed;
    if (!single_) run_ticks(std::min(options_.stop, until));
    const double next = std::min({next_event_time(), options_.stop, std::max(until, t_)});
    record_between(t_, next);
    t_ = std::max(t_, instant_at(next));
  }
  return std::nullopt;
}

End HybridRun::finish(End end) {
  freshen();
  if (initialised_ && end == End::stopped && watch_.has_modes() && !sensitivity_) preview_modes();
  const bool ends = initialised_ && (end == End::reached_stop || end == End::stopped || end == End::restart);
  if (ends && !ended_ && (!assertions_hold() || !run_final_sources())) end = End::failed;
  const bool is_row = end != End::failed && !(end == End::paused && options_.grid_only);
  if (initialised_ && is_row) take_row(Phase::mesh);
  warn_about_rows();
  recorder_.deliver(end != End::paused);
  ledger_stream_.drain(ledger_, true);
  if (recorder_.refused() || ledger_stream_.refused()) end = End::failed;  // their sinks say why
  if (results_overflow()) {
    report_full_results();
    end = End::failed;
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  if (!single_) report_.newton_condition = newton_condition();
  report_.end = end;
  return end;
}

// The last that happens; what it programs never comes.
bool HybridRun::run_final_sources() {
  ended_ = true;
  for (const std::uint32_t source : final_sources_) {
    const Flow flow = fire(source, Cause::final, 0, 0);
    if (loops_failed_) return report_loop_failure(), false;
    if (flow == Flow::failed) return false;
  }
  return true;
}

// Now and then: results, the second tier, progress. False: there is no room left for results.
bool HybridRun::housekeeping() {
  if ((++housekeeping_count_ & 63) != 0) return true;
  recorder_.flush_when_due();
  ledger_stream_.drain(ledger_, false);
  if (results_overflow() || recorder_.refused() || ledger_stream_.refused()) return false;
  machine_->poll();
  derivatives_ = machine_->derivatives();
  if ((housekeeping_count_ & 1023) != 0) return true;
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  if (!second_tier_asked_ && elapsed > 0.02) {
    second_tier_asked_ = true;
    machine_->request_second_tier();
  }
  if (options_.progress) options_.progress(t_);
  return true;
}

// Looks at the pace of events every few millions of them: a run that would need a lifetime says so. One burst is no
// reason to stop, three in a row are.
bool HybridRun::events_come_to_an_end() {
  constexpr long often = 2'000'000;
  const double events = static_cast<double>(report_.events - (pace_events_ - often));
  const double needed = events / std::max(t_ - pace_time_, 1e-300) * (options_.stop - t_);
  hurried_ = pace_events_ > 0 && needed > most_events ? hurried_ + 1 : 0;
  pace_events_ = report_.events + often;
  pace_time_ = t_;
  if (hurried_ < 3) return true;
  diagnostics_
      .error("too-many-events", place_of(0),
             fmt::format("{} events have brought the run to t = {:.6g}; at this pace it needs about {:.1e} more",
                         report_.events, t_, needed),
             "look for a period or delay that is far too short (--events FILE lists who fires), or a smaller stop time")
      .time = t_;
  return false;
}

bool HybridRun::results_overflow() const {
  return recorder_.overflowed() ||
         static_cast<double>(ledger_.entries.size() * sizeof(LedgerEntry)) > options_.results_limit;
}

HybridRun::Flow HybridRun::report_full_results() {
  const double wanted = options_.interval > 0 ? (options_.stop - options_.start) / options_.interval : 0;
  std::string what = fmt::format("{} events were listed", ledger_.entries.size());
  if (wanted > recorder_.most_rows()) {
    what = fmt::format("{:.3g} rows of {} values were asked for", wanted, recorder_.columns());
  } else if (recorder_.overflowed()) {
    what = fmt::format("{} rows of {} values were recorded", recorder_.rows(), recorder_.columns());
  }
  auto& d = diagnostics_.error(
      "results-too-large", place_of(0),
      fmt::format("{}, which is more than the {:.3g} GB that results may take", what, options_.results_limit / 1e9),
      "record fewer signals (--vars), at fewer points (--interval), or no events");
  d.time = t_;
  return Flow::failed;
}

Report HybridRun::report() const {
  Report report = report_;
  report.time = t_;
  report.solver = has_continuous_ && solver_ != nullptr ? solver_->name : "none";
  report.solver_reason = has_continuous_ ? solver_reason_ : "nothing continuous";
  if (loop_solver_) report.loops = loop_solver_->statistics();
  report.solver_statistics = earlier_;
  if (integrator_) report.solver_statistics.add(integrator_->statistics());
  if (earlier_.switches > 0) report.solver_statistics.stiff_steps = report.solver_statistics.steps - earlier_.steps;
  report.limited_by = limiting_states(report.solver_statistics.limiting);
  report.busiest_surfaces = busiest_surfaces();
  report.tier = machine_->code().tier();
  report.second_tier_note = machine_->code().second_tier_note();
  report.lacks_cache_folder = machine_->code().lacks_cache_folder();
  report.compile_seconds = machine_->code().first_tier_seconds();
  report.solve_seconds = seconds_;
  report.memory_bytes = memory_.size();
  report.rows = recorder_.rows();
  report.ledger_entries = ledger_stream_.sent() + ledger_.entries.size();
  report.sink_seconds = recorder_.seconds_in_sinks();
  return report;
}

double HybridRun::value(program::SlotId slot, std::size_t element, int part) const {
  const program::Type type = program_.slots[slot].type;
  const std::size_t at = element * static_cast<std::size_t>(byte_size(type.scalar)) + (part == 0 ? 0 : sizeof(double));
  return read_number(memory_.data() + machine_->layout().offset[slot] + at, type.scalar);
}

Place HybridRun::place_of(program::OriginId origin) const {
  const program::Origin& what = program_.origins[origin];
  if (origin == 0) return {what.path, 0, 0, {}, {}};
  return {program_.origins[0].path, what.line, 0, what.path, {}};
}

std::string HybridRun::state_name(int index) const {
  std::int64_t first = 0;
  for (program::SlotId slot : solver_vector()) {
    const program::Slot& state = program_.slots[slot];
    const std::int64_t size = state.type.size();
    if (index < first + size) {
      const std::string name = fmt::format("{}.{}", program_.origins[state.origin].path, state.name);
      return size == 1 ? name : fmt::format("{}[{}]", name, index - first + 1);
    }
    first += size;
  }
  return fmt::format("{}", index);
}

}  // namespace orrery::sim
