// SPDX-License-Identifier: Apache-2.0
// The continuous phase: integrate, look for crossings on the dense output, let non-critical events happen inside a
// step.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "passes/slice.h"
#include "sim/diagnose.h"
#include "sim/hybrid_run.h"

namespace orrery::sim {

void HybridRun::evaluate_surfaces(double t, const double* x, double* g) {
  settle(machine_->surface_loops(), t, x);
  machine_->surfaces()(t, x, g, memory_.data(), 0);
  if (sliding_ && sliding_->active()) sliding_->replace(t, x, g);
}

// One step, never beyond the next critical event; what happens inside it is handled before the next one.
HybridRun::Flow HybridRun::continuous_phase() {
  if (turned_stiff_) {
    freshen();
    if (!change_solver()) return Flow::failed;
  }
  if (!released_.empty() && t_ >= released_until_) hold_again();
  if (restart_needed_) {
    if (watch_.has_modes() && !settle_modes()) return Flow::failed;
    if (!watch_.empty() && find_jumps()) return handle_crossing(Crossed::jumped);
  }
  const Flow ended = end_instant();
  if (ended != Flow::on) return ended;
  if (restart_needed_ && (!assertions_hold() || !start_integrator())) return Flow::failed;
  double limit = std::min({options_.stop, instant_at(hard_.next().time), step_limit_});
  if (limit <= t_) return Flow::on;
  limit = std::min(limit, first_limit_);
  first_limit_ = INFINITY;
  if (!foreign_.empty()) {
    if (!(bend_ > t_ + time_tolerance_)) bend_ = foreign_.next_bend(t_ + time_tolerance_);
    limit = std::min(limit, bend_);
  }
  // Where nothing looks into steps they follow each other without a detour through the loop.
  double look_at = unwatched_ || asks_only_ ? std::min({limit, soft_.next().time, until_}) : t_;
  if (asks_only_ && recorder_.active()) look_at = std::min(look_at, next_row_time() - time_tolerance_);
  const int most_at_once = single_ ? 1 : 64;
  for (int k = 0; k < most_at_once; ++k) {
    if (integrator_->step(limit) != solve::Status::ok) {
      go_to(integrator_->time());
      return report_integrator_failure();
    }
    ++report_.mesh_points;
    step_end_ = integrator_->time();
    if (step_end_ >= look_at) break;
    if (asks_only_) {
      const StepQuestion& question = step_questions_[0];
      step_matters_ = foreign_.needs_step_call(question.object, step_end_, integrator_->state() + question.state);
      if (step_matters_) break;
    }
  }
  if (stiffness_) turned_stiff_ = stiffness_->look(*integrator_, options_.stop);
  foreign_.forget_trouble();
  trouble_.forget();
  if (unwatched_ && !(next_event_time() < step_end_ - time_tolerance_)) {
    move_to(step_end_);
    return Flow::on;
  }
  t_ = integrator_->previous_time();
  if (sliding_ && sliding_->active() && !sliding_->accept_step(step_end_, integrator_->state())) {
    report_sliding();
    return Flow::failed;
  }
  if (!watch_.empty()) {
    trust_polynomials();
    search_.open(step_end_);
  }
  return consume_step();
}

void HybridRun::surfaces_inside(double t, double* g) {
  if (t == step_end_) {
    evaluate_surfaces(t, integrator_->state(), g);
  } else {
    integrator_->interpolate_watched(t, x_.data());
    evaluate_surfaces(t, x_.data(), g);
  }
  watch_.correct(t, g);
}

// The states that the surfaces need. What a slot of another kind depends on is not known here, so that takes them all.
std::vector<int> HybridRun::states_of_surfaces() const {
  std::vector<program::ExprId> values;
  for (const program::Surface& surface : program_.surfaces) values.push_back(surface.value);
  std::vector<bool> read(program_.slots.size(), false);
  using Kind = program::SlotKind;
  bool all = false;
  for (const program::SlotId slot : passes::slots_read(program_.graph, values)) {
    read[slot] = true;
    const Kind kind = program_.slots[slot].kind;
    all |= kind != Kind::state && kind != Kind::shadow && kind != Kind::parameter && kind != Kind::discrete &&
           kind != Kind::mode && kind != Kind::direction && kind != Kind::signal;
  }
  std::vector<int> states;
  int at = 0;
  for (const program::SlotId slot : program_.states) {
    const int end = at + static_cast<int>(program_.slots[slot].type.size());
    for (; at < end; ++at) {
      if (all || read[slot]) states.push_back(at);
    }
  }
  return states;
}

// Which surfaces are polynomials that five values determine: radau changes its degree on the way.
void HybridRun::trust_polynomials() {
  const int degree = integrator_->dense_degree();
  if (degree == trusted_degree_) return;
  trusted_degree_ = degree;
  bool rates = false;
  for (std::size_t k = 0; k < watch_.size(); ++k) {
    const bool exact = machine_->is_affine(k) && degree <= 4 && !slides(k) && !is_pinned(k);
    watch_.set_exact(k, exact);
    rates = rates || (!exact && machine_->has_rate(k));
  }
  search_.check_rates(!rates ? StepSearch::EndRates{}
                             : [this](double t) { return surface_values(t, integrator_->state()).rates; });
}

bool HybridRun::find_crossing() {
  if (watch_.empty()) return false;
  const auto evaluate = [this](double t, double* g) { surfaces_inside(t, g); };
  if (search_.find(evaluate, time_tolerance_, found_)) {
    // What is about to cross as well crosses in the same instant.
    if (watch_.size() > found_.crossings.size() &&
        watch_.is_near_zero(found_, search_.last_values(), search_.last_width())) {
      integrator_->interpolate(found_.time, x_.data());
      watch_.join(surface_values(found_.time, x_.data()), found_);
    }
    return true;
  }
  // Where events stop the step anyway, what is about to cross crosses in their instant.
  const bool stops = next_event_time() <= step_end_ + time_tolerance_ || step_end_ >= options_.stop - time_tolerance_;
  found_.crossings.clear();
  if (!stops || !search_.ended() || !watch_.is_near_zero(found_, search_.last_values(), search_.last_width()))
    return false;
  const SurfaceValues exact = surface_values(step_end_, integrator_->state());
  return watch_.arrives(step_end_, search_.last_values(), search_.last_width(), exact, found_);
}

SurfaceValues HybridRun::surface_values(double t, const double* x) {
  evaluate_surfaces(t, x, g_.data());
  if (machine_->surface_rates() == nullptr) return {g_.data(), nullptr};
  settle(machine_->derivative_loops(), t, x);
  if (sliding_ && sliding_->active()) {
    sliding_->rates(t, x, rates_.data());
  } else {
    machine_->surface_rates()(t, x, rates_.data(), memory_.data(), 0);
  }
  for (std::size_t k = 0; k < speed_.size(); ++k) {
    const double speed = std::fabs(rates_[3 * k]);
    if (t != speed_at_ || speed > speed_[k]) speed_[k] = std::isnan(speed) ? 0 : speed;
  }
  speed_at_ = t;
  if (sliding_) sliding_->widen(t, g_.data(), speed_.data());
  return {g_.data(), rates_.data(), speed_.data()};
}

// An event may carry a surface across zero in one jump: that crosses it as well, once all due events have run.
bool HybridRun::find_jumps() {
  if (watch_.empty()) return false;
  if (!integrator_started_) return watch_.find_levels(t_, surface_values(t_, states()), found_);
  return watch_.judge(t_, surface_values(t_, states()), {}, found_);
}

// The time of an instant at which an event is due at t: that of a tick, if one is as good as simultaneous.
double HybridRun::instant_at(double t) const {
  for (std::size_t domain = 0; domain < tick_.size(); ++domain) {
    const double tick = tick_scale_[domain].time(tick_[domain]);
    if (tick > t && tick <= t + time_tolerance_) return tick;
  }
  return t;
}

HybridRun::Flow HybridRun::consume_step() {
  const double end = step_end_;
  bool searched = false;
  bool crossing = false;
  while (t_ < end) {
    if (!searched) crossing = find_crossing();
    searched = true;
    double reach = crossing ? found_.time : end;
    const double event = next_event_time();
    if (crossing && std::fabs(event - reach) <= coincidence_) {
      reach = found_.time = std::clamp(instant_at(event), t_, end);
    } else if (!crossing && std::fabs(event - end) <= time_tolerance_) {
      reach = std::clamp(instant_at(event), t_, end);  // the step ends in the instant of the event
    } else if (event < reach - time_tolerance_) {
      record_between(t_, event);
      move_to(std::clamp(instant_at(event), t_, end));
      if (watch_.has_turned()) {
        surfaces_inside(t_, g_.data());
        watch_.go_back(t_, g_.data());
        search_.open(end);
        searched = false;
      }
      Flow flow = discrete_phase(t_ + time_tolerance_);
      if (flow == Flow::on && !restart_needed_) flow = end_instant();
      if (flow != Flow::on || restart_needed_) return flow;
      if (shown_moved_) {
        if (!relax_shown()) return Flow::failed;
        searched = false;
      }
      if (!assertions_hold()) return Flow::failed;
      continue;
    }
    record_between(t_, reach);
    move_to(reach);
    if (!crossing) {
      if (!assertions_hold()) return Flow::failed;
      if (options_.interval <= 0) show(Phase::mesh);
      if (!step_sources_.empty()) freshen();
      return fire_steps();
    }
    Flow flow = before_crossing();
    if (flow == Flow::on) flow = handle_crossing(Crossed::located);
    if (flow == Flow::on && !restart_needed_) flow = end_instant();
    if (flow != Flow::on || restart_needed_) return flow;
    if (!assertions_hold()) return Flow::failed;
    searched = false;
  }
  return Flow::on;
}

// Events wait for the end of the step, sides are compared where steps end, modes do not exist (Activate, 10.5.6).
HybridRun::Flow HybridRun::fixed_step_phase() {
  if (restart_needed_) {
    if (find_jumps()) return handle_crossing(Crossed::jumped);
  }
  const Flow ended = end_instant();
  if (ended != Flow::on) return ended;
  if (restart_needed_ && (!assertions_hold() || !start_integrator())) return Flow::failed;
  if (integrator_->step(options_.stop) != solve::Status::ok) return report_integrator_failure();
  ++report_.mesh_points;
  const double before = t_;
  step_end_ = integrator_->time();
  record_between(before, step_end_);
  go_to(step_end_);
  if (!assertions_hold()) return Flow::failed;
  trouble_.forget();
  if (options_.interval <= 0) show(Phase::mesh);
  Flow stepped = fire_steps();
  if (stepped == Flow::on && !first_sources_.empty()) stepped = first_phase(t_ + time_tolerance_);
  if (stepped != Flow::on || watch_.empty()) return stepped;
  if (!watch_.judge(t_, surface_values(t_, states()), {}, found_, true)) return Flow::on;
  return handle_crossing(Crossed::stepped);
}

HybridRun::Flow HybridRun::report_integrator_failure() {
  if (loop_solver_ && loop_solver_->failure().t >= t_ && !loop_solver_->failure().reason.empty())
    return report_loop_failure();
  if (assertions_.report_refusal(
          t_, [this](program::OriginId origin) { return place_of(origin); }, diagnostics_))
    return Flow::failed;
  if (trouble_.report(t_, diagnostics_)) return Flow::failed;
  report_foreign_failure();
  if (foreign_.has_failed()) return Flow::failed;
  const solve::Failure& failure = integrator_->failure();
  const program::Slot* blamed = [&]() -> const program::Slot* {
    std::int64_t first = 0;
    for (program::SlotId slot : solver_vector()) {
      const std::int64_t size = program_.slots[slot].type.size();
      if (failure.state >= first && failure.state < first + size) return &program_.slots[slot];
      first += size;
    }
    return nullptr;
  }();
  const program::OriginId origin = blamed != nullptr ? blamed->origin : 0;
  if (blamed != nullptr && blamed->kind == program::SlotKind::shadow) {  // not a state of the model's own
    const bool has_value = failure.code != solve::FailureCode::nan_derivative;
    diagnostics_
        .error("nan-surface", place_of(origin),
               fmt::format("what is compared with zero here {} near t = {:.6g}",
                           has_value ? "grows beyond all bounds" : "is not a finite number", failure.t),
               "look for a pole, a division by zero, a root or logarithm of a negative number in what it depends on")
        .time = failure.t;
    return Flow::failed;
  }
  std::string message = failure.message;
  if (failure.state >= 0) message += fmt::format(" (state {})", state_name(failure.state));
  Diagnosis diagnosis = diagnose(failure, *integrator_, problem(), *solver_);
  auto& d = diagnostics_.error(name_of(failure.code), place_of(origin), message, std::move(diagnosis.help));
  d.notes = std::move(diagnosis.notes);
  d.time = failure.t;
  return Flow::failed;
}

bool HybridRun::assertions_hold() {
  if (assertions_.empty()) return true;
  freshen();
  if (!settle(machine_->assertion_loops(), t_, states())) return true;  // the loop says what is wrong
  return assertions_.check(
      t_, states(), memory_.data(), [this](program::OriginId origin) { return place_of(origin); }, diagnostics_);
}

void HybridRun::report_not_finite(std::uint32_t source) {
  const double* x = states();
  for (std::size_t k = 0; k < machine_->state_count(); ++k) {
    if (std::isfinite(x[k])) continue;
    diagnostics_
        .error("nan-state", place_of(program_.sources[source].origin),
               fmt::format("this event sets the state {} to {}", state_name(static_cast<int>(k)),
                           std::isnan(x[k]) ? std::fabs(x[k]) : x[k]),
               "look for a division by zero in the value it jumps to")
        .time = t_;
    return;
  }
}

}  // namespace orrery::sim
