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
  if (sliding_ && sliding_->active()) g[sliding_->surface()] = sliding_->hold(t, x);
}

// One step, never beyond the next critical event; what happens inside it is handled before the next one.
HybridRun::Flow HybridRun::continuous_phase() {
  if (turned_stiff_) {
    freshen();
    if (!change_solver()) return Flow::failed;
  }
  if (restart_needed_) {
    if (sliding_ && !slide_begins_) leave_sliding();
    slide_begins_ = false;
    if (watch_.has_modes() && !relax_modes()) return Flow::failed;
    if (!watch_.empty() && find_jumps()) return handle_crossing(Crossed::jumped);
  }
  const Flow ended = end_instant();
  if (ended != Flow::on) return ended;
  if (restart_needed_ && !start_integrator()) return Flow::failed;
  double limit = std::min(options_.stop, instant_at(hard_.next().time));
  if (limit <= t_) return Flow::on;
  limit = std::min(limit, first_limit_);
  first_limit_ = INFINITY;
  // Where nothing looks into steps they follow each other without a detour through the loop.
  const double look_at = unwatched_ ? std::min({limit, soft_.next().time, until_}) : t_;
  constexpr int most_at_once = 64;
  for (int k = 0; k < most_at_once; ++k) {
    if (integrator_->step(limit) != solve::Status::ok) {
      go_to(integrator_->time());
      return report_integrator_failure();
    }
    ++report_.mesh_points;
    step_end_ = integrator_->time();
    if (step_end_ >= look_at) break;
  }
  if (stiffness_) turned_stiff_ = stiffness_->look(*integrator_, options_.stop);
  foreign_.forget_trouble();
  if (unwatched_ && !(next_event_time() < step_end_ - time_tolerance_)) {
    move_to(step_end_);
    return Flow::on;
  }
  t_ = integrator_->previous_time();
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
    const bool exact = machine_->is_affine(k) && degree <= 4 && !slides(k);
    watch_.set_exact(k, exact);
    rates = rates || (!exact && machine_->has_rate(k));
  }
  search_.check_rates(!rates ? StepSearch::EndRates{} : [this](double t) {
    return surface_values(t, integrator_->state()).rates;
  });
}

bool HybridRun::find_crossing() {
  if (watch_.empty()) return false;
  const auto evaluate = [this](double t, double* g) { surfaces_inside(t, g); };
  if (search_.find(evaluate, time_tolerance_, found_)) {
    // What is about to cross as well crosses in the same instant.
    if (watch_.size() > found_.crossings.size() && watch_.is_near_zero(found_, search_.last_values(), search_.last_width())) {
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
  machine_->surface_rates()(t, x, rates_.data(), memory_.data(), 0);
  if (sliding_ && sliding_->active()) rates_[3 * sliding_->surface()] = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t k = 0; k < speed_.size(); ++k) {
    const double speed = std::fabs(rates_[3 * k]);
    if (t != speed_at_ || speed > speed_[k]) speed_[k] = std::isnan(speed) ? 0 : speed;
  }
  speed_at_ = t;
  return {g_.data(), rates_.data(), speed_.data()};
}

// An event may carry a surface across zero in one jump: that crosses it as well, once all due events have run.
bool HybridRun::find_jumps() {
  if (watch_.empty() || !integrator_started_) return false;
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
      Flow flow = discrete_phase(t_ + time_tolerance_);
      if (flow == Flow::on && !restart_needed_) flow = end_instant();
      if (flow != Flow::on || restart_needed_) return flow;
      if (shown_moved_) {
        if (!relax_shown()) return Flow::failed;
        searched = false;
      }
      continue;
    }
    record_between(t_, reach);
    move_to(reach);
    if (!crossing) {
      if (options_.interval <= 0) show(Phase::mesh);
      if (!step_sources_.empty()) freshen();
      return fire_steps();
    }
    Flow flow = before_crossing();
    if (flow == Flow::on) flow = handle_crossing(Crossed::located);
    if (flow == Flow::on && !restart_needed_) flow = end_instant();
    if (flow != Flow::on || restart_needed_) return flow;
    searched = false;
  }
  return Flow::on;
}

// A crossing ends a step too, and what comes first in an instant comes before it.
HybridRun::Flow HybridRun::before_crossing() {
  Flow flow = Flow::on;
  if (!step_sources_.empty()) {
    freshen();
    flow = fire_steps();
  }
  return flow == Flow::on && !first_sources_.empty() ? first_phase(t_ + time_tolerance_) : flow;
}

// Modes change first, so that the owners of event surfaces see the new ones, and what counts for these are their sides
// with the modes relaxed; then each owner is called once with the directions of its surfaces, in file order
// (seed 000, 9.1.1: event code -1).
HybridRun::Flow HybridRun::handle_crossing(Crossed how) {
  in_instant_ = true;
  for (const CrossingSurface& crossing : found_.crossings) {
    if (how == Crossed::located && !keeps_rhythm(crossing.surface)) return Flow::failed;
  }
  show(Phase::left_of_crossing);
  if (watch_.has_modes() && machine_->surface_rates() != nullptr) {
    freshen();
    surface_values(t_, states());  // with the modes of before, for their speed
  }
  const ModeChanges modes = change_modes(how);
  if (modes == ModeChanges::failed) return Flow::failed;
  if (modes == ModeChanges::disturbing) {
    restart_needed_ = true;
    located_ = found_.crossings;
    watch_.judge(t_, surface_values(t_, states()), located_, found_);
  }
  const Flow flow = call_owners(how);
  show(Phase::crossing);
  if (modes == ModeChanges::disturbing || how != Crossed::located) return flow;
  watch_.settle(found_);
  if (modes == ModeChanges::shown) watch_shown();
  return flow;
}

HybridRun::ModeChanges HybridRun::change_modes(Crossed how) {
  ModeChanges changes = ModeChanges::none;
  bool entered = false;
  const bool sensitive = sensitivity_ && how != Crossed::jumped;
  if (sensitive) {
    freshen();
    sensitivity_->look(t_);
  }
  for (const CrossingSurface& crossing : found_.crossings) {
    const program::Surface& surface = program_.surfaces[crossing.surface];
    if (surface.mode == program::no_slot) continue;
    if (sensitive && !entered) {
      sensitivity_->at_surface(crossing.surface);
      entered = sensitivity_->enter(t_);
    }
    if (slides(crossing.surface)) {
      leave_sliding();
    } else if (sliding_ && how == Crossed::located && !sliding_->active() && begins_to_slide(crossing.surface)) {
      slide_begins_ = true;
    } else if (surface.settled == program::no_expr) {
      auto& mode = memory_[machine_->layout().offset[surface.mode]];
      mode = mode == std::byte{0} ? std::byte{1} : std::byte{0};
    }
    if (!surface.shown) changes = ModeChanges::disturbing;
    if (changes == ModeChanges::none) changes = ModeChanges::shown;
    ++report_.mode_changes;
    if (options_.record_events && !surface.shown) {
      ledger_.entries.push_back(
          {t_, Cause::mode, crossing.surface, surface.origin, 0, crossing.left, crossing.right, true});
    }
  }
  if (changes != ModeChanges::none) {
    freshen();
    if (!relax_modes()) return ModeChanges::failed;
  }
  if (entered) sensitivity_->leave(t_);
  return changes;
}

// Both sides drive back to the surface: the run goes on along it.
bool HybridRun::begins_to_slide(std::uint32_t surface) {
  freshen();
  if (!sliding_->is_attracted(surface, t_, states())) return false;
  sliding_->enter(surface);
  trusted_degree_ = -1;
  return true;
}

void HybridRun::leave_sliding() {
  if (!sliding_->active()) return;
  sliding_->leave();
  trusted_degree_ = -1;
}

HybridRun::Flow HybridRun::call_owners(Crossed how) {
  owners_.clear();
  for (const CrossingSurface& crossing : found_.crossings) {
    const program::Surface& surface = program_.surfaces[crossing.surface];
    ++crossings_of_[crossing.surface];
    if (surface.mode != program::no_slot) continue;
    memory_[machine_->layout().offset[surface.direction]] =
        static_cast<std::byte>(static_cast<std::int8_t>(crossing.direction));
    const bool known = std::any_of(owners_.begin(), owners_.end(), [&](const CrossingSurface& other) {
      return program_.surfaces[other.surface].source == surface.source;
    });
    if (!known) owners_.push_back(crossing);
  }
  Flow flow = Flow::on;
  const bool sensitive = sensitivity_ && how != Crossed::jumped;
  for (const CrossingSurface& owner : owners_) {
    ++report_.crossings;
    if (sensitive) sensitivity_->at_surface(owner.surface);
    flow = fire(program_.surfaces[owner.surface].source, Cause::crossing, owner.left, owner.right);
    if (flow != Flow::on) break;
  }
  for (const CrossingSurface& crossing : found_.crossings) {
    const program::SlotId direction = program_.surfaces[crossing.surface].direction;
    if (direction != program::no_slot) memory_[machine_->layout().offset[direction]] = std::byte{0};
  }
  return flow;
}

// After an event within a step that changed what modes that are only shown depend on.
bool HybridRun::relax_shown() {
  shown_moved_ = false;
  freshen();
  if (!relax_modes()) return false;
  watch_shown();
  return true;
}

// Modes that are only shown changed, or what they depend on: the rest of the step is looked at anew.
void HybridRun::watch_shown() {
  evaluate_surfaces(t_, states(), g_.data());
  take_modes();
  watch_.rebase(t_, g_.data(), modes_.data());
  search_.open(step_end_);
}

// Events wait for the end of the step, sides are compared where steps end, modes do not exist (seed 000, 10.5.6).
HybridRun::Flow HybridRun::fixed_step_phase() {
  if (restart_needed_) {
    if (find_jumps()) return handle_crossing(Crossed::jumped);
  }
  const Flow ended = end_instant();
  if (ended != Flow::on) return ended;
  if (restart_needed_ && !start_integrator()) return Flow::failed;
  if (integrator_->step(options_.stop) != solve::Status::ok) return report_integrator_failure();
  ++report_.mesh_points;
  const double before = t_;
  step_end_ = integrator_->time();
  record_between(before, step_end_);
  go_to(step_end_);
  if (options_.interval <= 0) show(Phase::mesh);
  Flow stepped = fire_steps();
  if (stepped == Flow::on && !first_sources_.empty()) stepped = first_phase(t_ + time_tolerance_);
  if (stepped != Flow::on || watch_.empty()) return stepped;
  if (!watch_.judge(t_, surface_values(t_, states()), {}, found_, true)) return Flow::on;
  return handle_crossing(Crossed::stepped);
}

// Zeno and chattering: a run would never come to its end.
bool HybridRun::keeps_rhythm(std::uint32_t surface) {
  const double horizon = options_.stop - options_.start;
  const Rhythm::Answer answer = rhythms_[surface].add(t_, horizon);
  if (answer.verdict == Rhythm::Verdict::fine) return true;
  const program::Surface& what = program_.surfaces[surface];
  if (answer.verdict == Rhythm::Verdict::accumulates) {
    report_accumulation(surface, answer.limit,
                        fmt::format("each interval is {:.4g} of the one before, so infinitely many crossings come before "
                                    "t = {:.10g}",
                                    answer.ratio, answer.limit));
    return false;
  }
  auto& d = diagnostics_.error(
      "chattering", place_of(what.origin),
      fmt::format("its condition crossed zero {:.0f} times within {:.3g} s", answer.crossings, answer.within),
      "give the switching hysteresis, or model the limit case (a ball at rest, a sliding contact) as a mode "
      "of its own; --sliding goes on along the surface where it switches a mode; simulation.zero_threshold masks a "
      "block that fires again and again");
  d.time = t_;
  d.notes.push_back(what.text);
  return false;
}

void HybridRun::report_accumulation(std::uint32_t surface, double limit, std::string why) {
  const program::Surface& what = program_.surfaces[surface];
  auto& d = diagnostics_.error("zeno", place_of(what.origin),
                               fmt::format("its crossings accumulate at t = {:.10g} and the run cannot pass it", limit),
                               "model what happens there as a mode of its own (a ball at rest, a sliding contact, an "
                               "empty tank), give the switching hysteresis or a delay, or stop the run earlier");
  d.time = t_;
  d.notes.push_back(what.text);
  d.notes.push_back(std::move(why));
}

// An event was to turn a surface away from zero, and left it there without motion, driven on to the side it was about to
// enter: the next event would come at once, and so on (a ball that lands without bouncing).
bool HybridRun::is_stuck_at_zero(const SurfaceValues& values) {
  for (std::uint32_t k = 0; k < watch_.size(); ++k) {
    const double fired = watch_.fired_value(k, t_);
    if (std::isnan(fired) || values.rates == nullptr || program_.surfaces[k].mode != program::no_slot) continue;
    const double rate = values.rates[3 * k], second = values.rates[3 * k + 1];
    if (!(std::fabs(values.g[k]) <= std::fabs(fired) && rate == 0 && second * watch_.fired_direction(k) > 0)) continue;
    report_accumulation(k, t_,
                        "the event leaves the surface at zero with no motion, and what drives it then points to the "
                        "side that the event was to prevent");
    return true;
  }
  return false;
}

// The time to the next crossing that value and rates predict; infinite when there is none in sight.
double HybridRun::time_to_crossing(const SurfaceValues& values) const {
  double soonest = INFINITY;
  if (values.rates == nullptr) return soonest;
  for (std::size_t k = 0; k < watch_.size(); ++k) {
    const double side = watch_.signs()[k];
    if (side == 0 || std::isnan(values.rates[3 * k])) continue;
    const double second = values.rates[3 * k + 1];
    const double c = side * watch_.last()[k], b = side * values.rates[3 * k];
    const double a = std::isnan(second) ? 0 : 0.5 * side * second;
    const double root = std::sqrt(b * b - 4 * a * c);  // not a number: no zero
    const double q = -0.5 * (b + std::copysign(root, b));
    for (const double candidate : {q / a, c / q}) {
      if (candidate > 0 && candidate < soonest) soonest = candidate;
    }
  }
  return soonest;
}

HybridRun::Flow HybridRun::report_integrator_failure() {
  if (loop_solver_ && loop_solver_->failure().t >= t_ && !loop_solver_->failure().reason.empty())
    return report_loop_failure();
  report_foreign_failure();
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
    const bool has_value = failure.code != "nan-derivative";
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
  auto& d = diagnostics_.error(failure.code, place_of(origin), message, std::move(diagnosis.help));
  d.notes = std::move(diagnosis.notes);
  d.time = failure.t;
  return Flow::failed;
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
