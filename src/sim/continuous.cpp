// SPDX-License-Identifier: Apache-2.0
// The continuous phase: integrate, look for crossings on the dense output, let non-critical events happen inside a
// step.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "passes/slice.h"
#include "sim/diagnose.h"
#include "sim/hybrid_run.h"

namespace orrery::sim {

void HybridRun::evaluate_surfaces(double t, const double* x, double* g) {
  settle(machine_->surface_loops(), t, x);
  machine_->surfaces()(t, x, g, memory_.data(), 0);
}

// One step, never beyond the next critical event; what happens inside it is handled before the next one.
HybridRun::Flow HybridRun::continuous_phase() {
  if (turned_stiff_) {
    freshen();
    if (!change_solver()) return Flow::failed;
  }
  if (restart_needed_) {
    if (watch_.has_modes() && !relax_modes()) return Flow::failed;
    if (!watch_.empty() && find_jumps()) return handle_crossing();
  }
  const Flow ended = end_instant();
  if (ended != Flow::on) return ended;
  if (restart_needed_ && !start_integrator()) return Flow::failed;
  const double limit = std::min(options_.stop, hard_.next().time);
  if (limit <= t_) return Flow::on;
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
  points_known_ = false;
  return consume_step();
}

void HybridRun::surfaces_inside(double t, double* g) {
  if (t == step_end_) {
    evaluate_surfaces(t, integrator_->state(), g);
  } else {
    integrator_->interpolate_watched(t, x_.data());
    evaluate_surfaces(t, x_.data(), g);
  }
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

// Looks at the surfaces at thirds of the stretch between the watch's time and the end of the step. False: nothing
// crosses there.
bool HybridRun::look_at_step(double from) {
  const double begin = watch_.time();
  const double end = step_end_;
  const std::size_t count = watch_.size();
  const double h = (end - begin) / 3;
  samples_.resize(3 * count);
  double* values = samples_.data();
  surfaces_inside(begin + h, values);
  surfaces_inside(begin + 2 * h, values + count);
  surfaces_inside(end, values + 2 * count);
  if (from <= begin && watch_.pass_quietly(end, values, values + count, values + 2 * count)) return false;
  points_.assign({{begin + h, values}, {begin + 2 * h, values + count}, {end, values + 2 * count}});
  if (watch_.bends(values, values + count, values + 2 * count)) add_vertices(begin, h);
  points_known_ = true;
  return true;
}

// Besides thirds, the vertex of the parabola through three of these points where it lies on the other side of zero, so
// that a surface that crosses twice within a step is seen.
void HybridRun::add_vertices(double begin, double h) {
  const std::size_t count = watch_.size();
  for (std::size_t k = 0; k < count; ++k) {
    const double g[4] = {watch_.last()[k], samples_[k], samples_[count + k], samples_[2 * count + k]};
    for (int first = 0; first < 2; ++first) {
      const double g0 = g[first], g1 = g[first + 1], g2 = g[first + 2];
      const double curvature = g0 - 2 * g1 + g2;
      if (!(std::fabs(g2 - g0) < 2 * std::fabs(curvature))) continue;  // the vertex is outside
      const double vertex = 1 - (g2 - g0) / (2 * curvature);           // in units of h, from the first of the three
      const double value = g1 - (g2 - g0) * (g2 - g0) / (8 * curvature);
      const double left = vertex < 1 ? g0 : g1, right = vertex < 1 ? g1 : g2;
      if (value * left < 0 && value * right < 0) points_.push_back({begin + (first + vertex) * h, nullptr});
    }
  }
  if (points_.size() > 3) {
    std::sort(points_.begin(), points_.end(), [](const LookPoint& a, const LookPoint& b) { return a.t < b.t; });
  }
}

// After a crossing that changes nothing continuous the points of the step are still good.
bool HybridRun::find_crossing(double from) {
  if (watch_.empty() || watch_.time() >= step_end_) return false;
  if (!points_known_ && !look_at_step(from)) return false;
  const auto evaluate = [this](double t, double* g) { surfaces_inside(t, g); };
  for (const LookPoint& point : points_) {
    if (point.t <= watch_.time() || point.t <= from) continue;
    if (point.values != nullptr && watch_.pass_quietly(point.t, point.values)) continue;
    if (point.t < step_end_ && point.values != nullptr && watch_.touches_zero(point.values)) continue;
    if (watch_.look(point.t, evaluate, time_tolerance_, found_, point.values)) return true;
  }
  return false;
}

// An event may carry a surface across zero in one jump: that crosses it as well, once all due events have run.
bool HybridRun::find_jumps() {
  if (watch_.empty() || !integrator_started_) return false;
  evaluate_surfaces(t_, states(), g_.data());
  jumped_ = watch_.jump(t_, g_.data(), found_);
  return jumped_;
}

HybridRun::Flow HybridRun::consume_step() {
  const double end = step_end_;
  bool searched = false;
  bool crossing = false;
  while (t_ < end) {
    if (!searched) crossing = find_crossing(t_);
    searched = true;
    const double reach = crossing ? found_.time : end;
    const double event = next_event_time();
    if (event < reach - time_tolerance_) {
      record_between(t_, event);
      move_to(std::max(t_, event));
      Flow flow = discrete_phase(t_ + time_tolerance_);
      if (flow == Flow::on && !restart_needed_) flow = end_instant();
      if (flow != Flow::on || restart_needed_) return flow;
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
    if (flow == Flow::on) flow = handle_crossing();
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

// Modes flip first, so that the owners of event surfaces see the new ones; then each owner is called once with the
// directions of its surfaces, in file order (seed 000, 9.1.1: event code -1).
HybridRun::Flow HybridRun::handle_crossing() {
  in_instant_ = true;
  if (too_many_crossings(found_.crossings[0].surface)) return Flow::failed;
  show(Phase::left_of_crossing);
  bool modes = false, entered = false;
  owners_.clear();
  const bool located = sensitivity_ && !jumped_;
  if (located) {
    freshen();
    sensitivity_->look(t_);
  }
  jumped_ = false;
  for (const CrossingSurface& crossing : found_.crossings) {
    ++crossings_of_[crossing.surface];
    const program::Surface& surface = program_.surfaces[crossing.surface];
    if (surface.mode != program::no_slot) {
      if (located && !entered) {
        sensitivity_->at_surface(crossing.surface);
        entered = sensitivity_->enter(t_);
      }
      auto& mode = memory_[machine_->layout().offset[surface.mode]];
      mode = mode == std::byte{0} ? std::byte{1} : std::byte{0};
      modes = true;
      ++report_.mode_changes;
      if (options_.record_events) {
        ledger_.entries.push_back(
            {t_, Cause::mode, crossing.surface, surface.origin, 0, crossing.left, crossing.right, true});
      }
      continue;
    }
    memory_[machine_->layout().offset[surface.direction]] =
        static_cast<std::byte>(static_cast<std::int8_t>(crossing.direction));
    const bool known = std::any_of(owners_.begin(), owners_.end(), [&](const CrossingSurface& other) {
      return program_.surfaces[other.surface].source == surface.source;
    });
    if (!known) owners_.push_back(crossing);
  }
  if (modes) restart_needed_ = true;
  if (modes) {
    freshen();
    if (!relax_modes()) return Flow::failed;
  }
  if (entered) sensitivity_->leave(t_);
  Flow flow = Flow::on;
  for (const CrossingSurface& owner : owners_) {
    ++report_.crossings;
    if (located) sensitivity_->at_surface(owner.surface);
    flow = fire(program_.surfaces[owner.surface].source, Cause::crossing, owner.left, owner.right);
    if (flow != Flow::on) break;
  }
  for (const CrossingSurface& crossing : found_.crossings) {
    const program::SlotId direction = program_.surfaces[crossing.surface].direction;
    if (direction != program::no_slot) memory_[machine_->layout().offset[direction]] = std::byte{0};
  }
  show(Phase::crossing);
  watch_.settle(found_);
  return flow;
}

// Events wait for the end of the step, signs are tested where a step begins, modes do not exist (seed 000, 10.5.6).
HybridRun::Flow HybridRun::fixed_step_phase() {
  if (restart_needed_) {
    if (find_jumps()) return handle_crossing();
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
  const auto evaluate = [this](double, double* g) { evaluate_surfaces(t_, states(), g); };
  if (!watch_.look(t_, evaluate, INFINITY, found_)) return Flow::on;
  return handle_crossing();
}

// A thousand crossings in a ten-millionth of the horizon: Zeno or chattering (a run would never end).
bool HybridRun::too_many_crossings(std::uint32_t surface) {
  const double first = crossing_times_[crossing_at_];
  crossing_times_[crossing_at_] = t_;
  if (++crossing_at_ == crossing_times_.size()) crossing_at_ = 0;
  if (t_ - first > 1e-7 * (options_.stop - options_.start)) return false;
  const program::Surface& what = program_.surfaces[surface];
  auto& d = diagnostics_.error(
      "chattering", place_of(what.origin),
      fmt::format("its condition crossed zero {} times within {:.3g} s", crossing_times_.size(), t_ - first),
      "give the switching hysteresis, or model the limit case (a ball at rest, a sliding contact) as a mode "
      "of its own; simulation.zero_threshold masks a block that fires again and again");
  d.time = t_;
  d.notes.push_back(what.text);
  return true;
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
