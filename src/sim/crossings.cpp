// SPDX-License-Identifier: Apache-2.0
// What happens at a crossing: modes change, sides are judged, owners are called; and where crossings would not end.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/hybrid_run.h"

namespace orrery::sim {

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
// (Activate, 9.1.1: event code -1).
HybridRun::Flow HybridRun::handle_crossing(Crossed how) {
  in_instant_ = true;
  accumulation_.reset();
  for (const CrossingSurface& crossing : found_.crossings) {
    if (how == Crossed::located && !keeps_rhythm(crossing.surface)) return Flow::failed;
  }
  show(Phase::left_of_crossing);
  if (watch_.has_modes() && machine_->surface_rates() != nullptr) {
    freshen();
    surface_values(t_, states());  // with the modes of before, for their speed
  }
  histories_.enter_crossing(found_.crossings, memory_.data(), restart_needed_ || how != Crossed::located,
                            report_.events);
  const ModeChanges modes = change_modes(how);
  if (modes == ModeChanges::failed) return Flow::failed;
  histories_.leave_crossing(memory_.data());
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
  arriving_.clear();
  for (const CrossingSurface& crossing : found_.crossings) {
    if (program_.surfaces[crossing.surface].mode != program::no_slot) arriving_.push_back(crossing.surface);
  }
  const bool known =
      !sliding_ || (accumulation_ ? slides_past(*accumulation_) : arriving_.empty() || decide_sliding(arriving_));
  if (!known) return ModeChanges::failed;
  for (const CrossingSurface& crossing : found_.crossings) {
    const program::Surface& surface = program_.surfaces[crossing.surface];
    if (surface.mode == program::no_slot) continue;
    if (sensitive && !entered) {
      sensitivity_->at_surface(crossing.surface);
      entered = sensitivity_->enter(t_);
    }
    const bool decided = sliding_ && (sliding_->is_decided(crossing.surface) || is_pinned(crossing.surface));
    if (surface.settled == program::no_expr && !decided) {
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

// Which surfaces are followed from here on, where both their sides drive back to them.
bool HybridRun::decide_sliding(std::span<const std::uint32_t> arriving) {
  freshen();
  const Sliding::Outcome outcome = sliding_->decide(arriving, t_, states());
  if (outcome == Sliding::Outcome::changed) trusted_degree_ = -1;
  if (outcome == Sliding::Outcome::not_unique) report_sliding();
  return outcome != Sliding::Outcome::not_unique;
}

// Where the crossings of several modes accumulate, their surfaces meet; the run goes on along all of them if it can.
bool HybridRun::slides_past(const Accumulation& what) {
  freshen();
  evaluate_surfaces(t_, states(), g_.data());
  const double within = 10 * (what.limit - t_ + rhythms_[what.surface].interval);
  for (std::uint32_t k = 0; k < watch_.size(); ++k) {
    const bool near = std::fabs(g_[k]) <= within * speed_[k];
    const bool known = std::find(arriving_.begin(), arriving_.end(), k) != arriving_.end();
    if (near && !known && program_.surfaces[k].mode != program::no_slot) arriving_.push_back(k);
  }
  if (!decide_sliding(arriving_)) return false;
  if (!sliding_->has_mode(what.surface)) report_accumulation(what);
  return sliding_->has_mode(what.surface);
}

void HybridRun::report_sliding() {
  const std::vector<std::size_t> surfaces = sliding_->surfaces();
  auto& d = diagnostics_.error(
      "sliding-not-unique", place_of(program_.surfaces[surfaces[0]].origin),
      fmt::format(
          "the motion along {} conditions at once is not determined: more than one mixture of their sides, or none, "
          "keeps them at zero",
          surfaces.size()),
      "let each switch act on its own (not in products with others), give all but one of the conditions hysteresis, or "
      "model the motion along them as a mode of its own");
  d.time = t_;
  for (const std::size_t k : surfaces) {
    d.notes.push_back(
        fmt::format("{}: {}", program_.origins[program_.surfaces[k].origin].path, program_.surfaces[k].text));
  }
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
    if (how == Crossed::jumped && endless_cycle(program_.surfaces[owner.surface].source)) {
      report_cycle();
      flow = Flow::failed;
      break;
    }
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

// Zeno and chattering: a run would never come to its end.
bool HybridRun::keeps_rhythm(std::uint32_t surface) {
  const double horizon = options_.stop - options_.start;
  if (is_noise(surface)) {
    let_go(surface);
    return true;
  }
  const Rhythm::Answer answer = rhythms_[surface].add(t_, horizon);
  if (answer.verdict == Rhythm::Verdict::fine) return true;
  const program::Surface& what = program_.surfaces[surface];
  if (what.shown) {
    stop_locating(surface);
    return true;
  }
  if (answer.verdict == Rhythm::Verdict::accumulates) {
    accumulation_ = {surface, answer.limit,
                     fmt::format("each interval is {:.4g} of the one before, so infinitely many crossings come before "
                                 "t = {:.10g}",
                                 answer.ratio, answer.limit)};
    if (sliding_ && what.mode != program::no_slot) return true;
    report_accumulation(*accumulation_);
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

// A condition that is only shown disturbs nothing: rows show it as it stands.
void HybridRun::stop_locating(std::uint32_t surface) {
  const program::Surface& what = program_.surfaces[surface];
  watch_.mute(surface);
  auto& d = diagnostics_.warning("noisy-condition", place_of(what.origin),
                                 "its condition changes so often here that its changes are not located any more",
                                 "it may compare numbers that are equal but for roundings: compare with a margin, or "
                                 "give the switching hysteresis");
  d.time = t_;
  d.notes.push_back(what.text);
}

void HybridRun::report_accumulation(const Accumulation& accumulation) {
  const program::Surface& what = program_.surfaces[accumulation.surface];
  auto& d = diagnostics_.error(
      "zeno", place_of(what.origin),
      fmt::format("its crossings accumulate at t = {:.10g} and the run cannot pass it", accumulation.limit),
      "model what happens there as a mode of its own (a ball at rest, a sliding contact, an "
      "empty tank), give the switching hysteresis or a delay, or stop the run earlier");
  d.time = t_;
  d.notes.push_back(what.text);
  d.notes.push_back(accumulation.why);
}

// An event was to turn a surface away from zero, and left it there without motion, driven on to the side it was about
// to enter: the next event would come at once, and so on (a ball that lands without bouncing).
bool HybridRun::is_stuck_at_zero(const SurfaceValues& values) {
  for (std::uint32_t k = 0; k < watch_.size(); ++k) {
    const double fired = watch_.fired_value(k, t_);
    if (std::isnan(fired) || values.rates == nullptr || program_.surfaces[k].mode != program::no_slot) continue;
    const double rate = values.rates[3 * k], second = values.rates[3 * k + 1];
    if (!(std::fabs(values.g[k]) <= std::fabs(fired) && rate == 0 && second * watch_.fired_direction(k) > 0)) continue;
    report_accumulation({k, t_,
                         "the event leaves the surface at zero with no motion, and what drives it then points to the "
                         "side that the event was to prevent"});
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

}  // namespace orrery::sim
