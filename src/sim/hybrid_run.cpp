// SPDX-License-Identifier: Apache-2.0
// The loop itself and its bookkeeping.
#include "sim/hybrid_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace orrery::sim {
namespace {

End end_of(Flow flow) {
  switch (flow) {
    case Flow::stop: return End::stopped;
    case Flow::restart_run: return End::restart;
    case Flow::interrupted: return End::interrupted;
    default: return End::failed;
  }
}

}  // namespace

End HybridRun::advance(double until, double limit, bool single) {
  started_ = std::chrono::steady_clock::now();
  pause_ = {until, limit, single, run_.t, run_.report.events};
  if (!initialised_) {
    const Flow flow = initialise();
    if (model_.loops_failed()) return finish(end_of(model_.report_loop_failure()));
    if (flow != Flow::on) return finish(end_of(flow));
  }
  ForeignSet& foreign = model_.foreign();
  std::optional<End> end;
  while (!end) {
    if (foreign.empty()) {
      end = some_rounds();
    } else if (!foreign.guard([&] { end = some_rounds(); })) {
      static_cast<void>(foreign.health());
      end = end_of(model_.report_foreign_failure());
    }
  }
  return finish(model_.is_troubled() ? End::failed : *end);
}

// Of the loop, as many as are made under one guard of foreign code. Nothing: the run goes on.
std::optional<End> HybridRun::some_rounds() {
  constexpr int at_once = 64;
  for (int k = 0; k < at_once; ++k) {
    if (!housekeeping()) return End::failed;
    if (interrupted()) return End::interrupted;
    // A step may end within rounding before an event: the instant is the event's.
    const double event = queue_.next_time();
    if (event > run_.t && event <= run_.t + run_.time_tolerance && !run_.program.fixed_step) {
      const double instant = std::min(queue_.instant_at(event), run_.options.stop);
      if (has_continuous_ && seat_.is_started()) {
        seat_.move_to(instant);
      } else {
        run_.t = instant;
      }
    }
    if (!pace_.allows(run_)) return End::failed;
    Flow flow = events_.run_due(run_.t + run_.time_tolerance);
    if (model_.loops_failed()) flow = model_.report_loop_failure();
    if (model_.is_troubled()) flow = Flow::failed;
    if (flow != Flow::on) return end_of(flow);
    if (run_.is_at_stop()) {
      // What the events of the last instant carried across zero still fires in it.
      if (!has_continuous_ || !run_.restart_needed) return End::reached_stop;
      if (!modes_.relax()) return End::failed;
      if (!look_.find_jumps()) return End::reached_stop;
      flow = crossings_.handle(Crossed::jumped);
      if (flow != Flow::on) return end_of(flow);
      continue;
    }
    // Who has named an exact time is not stopped before it.
    if (events_.take_pause() && std::isinf(pause_.step_limit)) return End::paused;
    if (pause_.is_reached(run_)) return End::paused;
    if (has_continuous_) {
      flow = run_.program.fixed_step ? fixed_step_phase() : continuous_phase();
      if (model_.loops_failed()) flow = model_.report_loop_failure();
      if (model_.is_troubled()) flow = Flow::failed;
      if (flow != Flow::on) return end_of(flow);
      continue;
    }
    flow = events_.end_instant();
    if (flow != Flow::on) return end_of(flow);
    if (!assertions_hold()) return End::failed;
    if (!pause_.single) run_ticks(std::min(run_.options.stop, pause_.until));
    const double next = std::min({queue_.next_time(), run_.options.stop, std::max(pause_.until, run_.t)});
    results_.record_between(run_.t, next);
    run_.t = std::max(run_.t, queue_.instant_at(next));
  }
  return std::nullopt;
}

End HybridRun::finish(End end) {
  seat_.freshen();
  if (initialised_ && end == End::stopped && modes_.can_preview()) modes_.preview();
  const bool ends = initialised_ && (end == End::reached_stop || end == End::stopped || end == End::restart);
  if (ends && !ended_) {
    const bool holds = assertions_hold();
    ended_ = holds;
    if (!holds || events_.run_final_sources() != Flow::on) end = End::failed;
  }
  const bool is_row = end != End::failed && !(end == End::paused && run_.options.grid_only);
  if (initialised_ && is_row) results_.take_row(Phase::mesh);
  if (!results_.finish(end != End::paused)) end = End::failed;
  seconds_ += elapsed();
  if (!pause_.single) run_.report.newton_condition = seat_.newton_condition();
  run_.report.end = end;
  return end;
}

// Now and then: results, the second tier, progress. False: there is no room left for results.
bool HybridRun::housekeeping() {
  if ((++housekeeping_count_ & 63) != 0) return true;
  if (!results_.hand_out()) return false;
  run_.machine.poll();
  model_.take_code();
  if ((housekeeping_count_ & 1023) != 0) return true;
  if (!second_tier_asked_ && elapsed() > 0.02) {
    second_tier_asked_ = true;
    run_.machine.request_second_tier();
  }
  if (run_.options.progress) run_.options.progress(run_.t);
  return true;
}

// Nothing but one clock until `limit`: a tight loop without the queue.
void HybridRun::run_ticks(double limit) {
  if (queue_.empty() || results_.lists_events() || sensitivity_) return;
  const std::uint32_t source = queue_.next_source();
  const TableCode& table = run_.machine.table(source);
  if (!queue_.is_clock(source) || !table.quiet || !table.loops.empty() || (results_.records() && table.shows)) return;
  const double end = std::min(queue_.second_time(), limit) - run_.time_tolerance;
  if (!(queue_.next_time() < end)) return;
  // Copies, because what a call may change would be read again at every tick.
  const EventQueue::Ticks ticks = queue_.ticks_of(source);
  double *const x = run_.states(), *const y = run_.results.data();
  std::byte* const memory = run_.memory.data();
  std::int64_t tick = ticks.tick;
  double t = queue_.next_time();
  native::Function function = run_.machine.table_function(source);
  long count = 0;
  for (double next = t; next < end;) {
    t = next;
    function(t, x, y, memory, tick);
    tick = ticks.scale.stride > 0 ? tick + ticks.scale.stride : queue_.tick_after(ticks.domain, tick);
    next = ticks.scale.time(tick);
    if ((++count & 1023) != 0) continue;
    run_.t = t;
    housekeeping();
    if (interrupted()) break;
    function = run_.machine.table_function(source);
  }
  run_.t = t;
  run_.report.events += count;
  if (table.critical) run_.restart_needed = true;
  queue_.go_on_with(source, tick);
}

Report HybridRun::report() const {
  Report report = run_.report;
  report.time = run_.t;
  if (has_continuous_) {
    seat_.fill_in(report);
  } else {
    report.solver = "none";
    report.solver_reason = "nothing continuous";
  }
  if (model_.loop_solver() != nullptr) report.loops = model_.loop_solver()->statistics();
  report.busiest_surfaces = crossings_.busiest();
  const native::Code& code = run_.machine.code();
  report.tier = code.tier();
  report.second_tier_note = code.second_tier_note();
  report.lacks_cache_folder = code.lacks_cache_folder();
  report.compile_seconds = code.first_tier_seconds();
  report.solve_seconds = seconds_;
  report.memory_bytes = run_.memory.size();
  results_.fill_in(report);
  return report;
}

double HybridRun::value(program::SlotId slot, std::size_t element, int part) const {
  const program::Type type = run_.program.slots[slot].type;
  const std::size_t at = element * static_cast<std::size_t>(byte_size(type.scalar)) + (part == 0 ? 0 : sizeof(double));
  return read_number(run_.memory.data() + run_.machine.layout().offset[slot] + at, type.scalar);
}

}  // namespace orrery::sim
