// SPDX-License-Identifier: Apache-2.0
// The continuous phase: integrate, look for crossings on the dense output, let non-critical events happen inside a
// step.
#include <algorithm>
#include <cmath>

#include "sim/hybrid_run.h"

namespace orrery::sim {

// `looked`: the surfaces were evaluated in this instant, and nothing has happened since.
bool HybridRun::start_integrator(bool looked) {
  const auto sides = seat_.is_started() ? StepLook::Sides::known : StepLook::Sides::unknown;
  if (!seat_.start()) return false;
  past_.begin_stretches();
  if (!watch_.empty()) {
    // A stretch of the past that has just begun has surfaces of its own.
    const bool known = looked && model_.is_repeatable() && past_.empty();
    if (!known) model_.settle(run_.machine.surface_loops(), run_.t, run_.states());
    const SurfaceValues values = known ? surfaces_.last() : look_.values_now(sides);
    if (crossings_.is_stuck_at_zero(values)) return false;
    look_.begin(values, sides);
  }
  run_.restart_needed = false;
  return true;
}

// One step, never beyond the next critical event; what happens inside it is handled before the next one.
Flow HybridRun::continuous_phase() {
  if (seat_.turned_stiff()) {
    seat_.freshen();
    if (!seat_.change()) return Flow::failed;
  }
  noise_.hold_again_when_due();
  if (noise_.stays_short()) {
    seat_.freshen();
    if (noise_.let_rest()) run_.restart_needed = true;
  }
  const bool looked = run_.restart_needed && !events_.ends_instants();
  if (run_.restart_needed) {
    if (run_.has_modes && !crossings_.settle_modes()) return Flow::failed;
    if (look_.find_jumps()) return crossings_.handle(Crossed::jumped);
  }
  const Flow ended = events_.end_instant();
  if (ended != Flow::on) return ended;
  if (run_.restart_needed && (!assertions_hold() || !start_integrator(looked))) return Flow::failed;
  return take_steps();
}

// Where nothing looks into steps they follow each other without a detour through the loop.
Flow HybridRun::take_steps() {
  double limit = std::min({run_.options.stop, queue_.instant_at(queue_.next_critical()), pause_.step_limit});
  if (limit <= run_.t) return Flow::on;
  limit = std::min({limit, look_.take_first_limit(), past_.limit(watch_)});
  ForeignSet& foreign = model_.foreign();
  if (!foreign.empty()) {
    if (!(bend_ > run_.t + run_.time_tolerance)) bend_ = foreign.next_bend(run_.t + run_.time_tolerance);
    limit = std::min(limit, bend_);
  }
  double look_at = unwatched_ || asks_only_ ? std::min({limit, queue_.next_other(), pause_.until}) : run_.t;
  if (asks_only_ && results_.records()) look_at = std::min(look_at, results_.next_row_time() - run_.time_tolerance);
  const int most_at_once = pause_.single ? 1 : 64;
  for (int k = 0; k < most_at_once; ++k) {
    if (!seat_.step(limit)) {
      seat_.go_to(seat_.integrator().time());
      return seat_.report_failure();
    }
    if (seat_.step_end() >= look_at || k + 1 == most_at_once) break;
    if (asks_only_ && !watch_.empty()) {
      seat_.look_at_stability();
      if (seat_.turned_stiff() || !look_.passes_step()) break;
    }
    if (asks_only_ && events_.does_step_matter(seat_.step_end(), seat_.integrator().state())) break;
  }
  seat_.look_at_stability();
  foreign.forget_trouble();
  model_.trouble().forget();
  if (unwatched_ && !(queue_.next_time() < seat_.step_end() - run_.time_tolerance)) {
    seat_.move_to(seat_.step_end());
    return Flow::on;
  }
  run_.t = seat_.integrator().previous_time();
  if (!crossings_.accept_sliding()) return Flow::failed;
  if (!watch_.empty()) look_.open();
  return consume_step();
}

Flow HybridRun::consume_step() {
  const double end = seat_.step_end();
  bool searched = watch_.empty();
  bool crossing = false;
  bool crossed = false;  // just now: an event that is due comes before the search goes on
  while (run_.t < end) {
    if (interrupted()) return Flow::interrupted;  // a long step may hold millions of events
    const double event = queue_.next_time();
    if (!searched && !(crossed && event <= run_.t && look_.finds_all_at_once())) {
      crossing = look_.find_crossing();
      searched = true;
    }
    crossed = false;
    double reach = crossing ? look_.found().time : end;
    if (crossing && std::fabs(event - reach) <= run_.coincidence) {
      reach = look_.found().time = std::clamp(queue_.instant_at(event), run_.t, end);
    } else if (!crossing && std::fabs(event - end) <= run_.time_tolerance) {
      reach = std::clamp(queue_.instant_at(event), run_.t, end);  // the step ends in the instant of the event
    } else if (event < reach - run_.time_tolerance) {
      results_.record_between(run_.t, event);
      seat_.move_to(std::clamp(queue_.instant_at(event), run_.t, end));
      past_.fill();
      if (look_.go_back()) searched = false;
      Flow flow = events_.run_due(run_.t + run_.time_tolerance);
      if (flow == Flow::on && !run_.restart_needed) flow = events_.end_instant();
      if (flow != Flow::on || run_.restart_needed) return flow;
      if (run_.shown_moved) {
        if (!crossings_.relax_shown()) return Flow::failed;
        searched = watch_.empty();
      }
      if (!assertions_hold()) return Flow::failed;
      continue;
    }
    results_.record_between(run_.t, reach);
    seat_.move_to(reach);
    past_.fill();
    if (!crossing) {
      if (!assertions_hold_after_step()) return Flow::failed;
      if (run_.options.interval <= 0) results_.show(Phase::mesh);
      if (!events_.follows_steps()) return Flow::on;
      seat_.freshen();
      return events_.fire_steps();
    }
    Flow flow = before_crossing();
    if (flow == Flow::on) flow = crossings_.handle(Crossed::located);
    if (flow == Flow::on && !run_.restart_needed) flow = events_.end_instant();
    if (flow != Flow::on || run_.restart_needed) return flow;
    if (!assertions_hold()) return Flow::failed;
    searched = crossing = false;
    crossed = true;
  }
  return Flow::on;
}

// A crossing ends a step too, and what comes first in an instant comes before it.
Flow HybridRun::before_crossing() {
  if (events_.follows_steps()) {
    seat_.freshen();
    const Flow flow = events_.fire_steps();
    if (flow != Flow::on) return flow;
  }
  return events_.run_first(run_.t + run_.time_tolerance);
}

// Events wait for the end of the step, sides are compared where steps end, modes do not exist (Activate, 10.5.6).
Flow HybridRun::fixed_step_phase() {
  if (run_.restart_needed && look_.find_jumps()) return crossings_.handle(Crossed::jumped);
  const Flow ended = events_.end_instant();
  if (ended != Flow::on) return ended;
  if (run_.restart_needed && (!assertions_hold() || !start_integrator(false))) return Flow::failed;
  const double before = run_.t;
  if (!seat_.step(run_.options.stop)) return seat_.report_failure();
  results_.record_between(before, seat_.step_end());
  seat_.go_to(seat_.step_end());
  past_.fill();
  if (!assertions_hold_after_step()) return Flow::failed;
  if (run_.options.interval <= 0) results_.show(Phase::mesh);
  Flow stepped = events_.fire_steps();
  if (stepped == Flow::on) stepped = events_.run_first(run_.t + run_.time_tolerance);
  if (stepped != Flow::on || watch_.empty()) return stepped;
  return look_.find_stepped() ? crossings_.handle(Crossed::stepped) : Flow::on;
}

}  // namespace orrery::sim
