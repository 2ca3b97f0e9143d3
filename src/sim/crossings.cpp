// SPDX-License-Identifier: Apache-2.0
// Modes first, then owners; rhythm and sliding.
#include "sim/crossings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/saved_bytes.h"

namespace orrery::sim {

Crossings::Crossings(RunContext& run, ModelFunctions& model, SurfaceFunctions& surfaces, Modes& modes, SolverSeat& seat,
                     RunResults& results, Events& events, StepLook& look, NoisyCorners& noise, SurfaceWatch& watch,
                     Histories& histories, EventSensitivity* sensitivity)
    : run_(run),
      model_(model),
      surfaces_(surfaces),
      modes_(modes),
      seat_(seat),
      results_(results),
      events_(events),
      look_(look),
      noise_(noise),
      watch_(watch),
      histories_(histories),
      sensitivity_(sensitivity),
      rhythms_(run.program.surfaces.size()),
      counts_(run.program.surfaces.size()) {}

// Modes change first, so that the owners of event surfaces see the new ones, and what counts for these are their sides
// with the modes relaxed; then each owner is called once with the directions of its surfaces, in file order
// (Activate, 9.1.1: event code -1).
Flow Crossings::handle(Crossed how) {
  run_.in_instant = true;
  accumulation_.reset();
  for (const CrossingSurface& crossing : look_.found().crossings) {
    if (how == Crossed::located && !keeps_rhythm(crossing.surface)) return Flow::failed;
  }
  results_.show(Phase::left_of_crossing);
  if (run_.has_modes && run_.machine.surface_rates() != nullptr) {
    seat_.freshen();
    surfaces_.values_and_rates(run_.t, run_.states());  // with the modes of before, for their speed
  }
  histories_.enter_crossing(look_.found().crossings, run_.memory.data(), run_.restart_needed || how != Crossed::located,
                            run_.report.events);
  const ModeChanges modes = change_modes(how);
  if (modes == ModeChanges::failed) return Flow::failed;
  histories_.leave_crossing(run_.memory.data());
  if (modes == ModeChanges::disturbing) {
    run_.restart_needed = true;
    look_.judge_again();
    note_turns();
  }
  const Flow flow = call_owners(how);
  results_.show(Phase::crossing);
  if (modes == ModeChanges::disturbing || how != Crossed::located) return flow;
  watch_.settle(look_.found());
  if (modes == ModeChanges::shown) look_.look_anew();
  return flow;
}

Crossings::ModeChanges Crossings::change_modes(Crossed how) {
  ModeChanges changes = ModeChanges::none;
  bool entered = false;
  const bool sensitive = sensitivity_ && how != Crossed::jumped;
  if (sensitive) {
    seat_.freshen();
    sensitivity_->look(run_.t);
  }
  arriving_.clear();
  switching_.clear();
  for (const CrossingSurface& crossing : look_.found().crossings) {
    if (run_.program.surfaces[crossing.surface].mode == program::no_slot) continue;
    arriving_.push_back(crossing.surface);
    switching_.push_back(crossing);
    if (run_.program.surfaces[crossing.surface].shown) continue;
    if (sensitive && !entered) {
      sensitivity_->at_surface(crossing.surface);
      entered = sensitivity_->enter(run_.t);
    }
    if (events_.run_left() != Flow::on) return ModeChanges::failed;
  }
  const bool known = model_.sliding() == nullptr ||
                     (accumulation_ ? slides_past(*accumulation_) : arriving_.empty() || decide_sliding(arriving_));
  if (!known) return ModeChanges::failed;
  for (const CrossingSurface& crossing : look_.found().crossings) {
    const program::Surface& surface = run_.program.surfaces[crossing.surface];
    if (surface.mode == program::no_slot) continue;
    if (sensitive && !entered) {
      sensitivity_->at_surface(crossing.surface);
      entered = sensitivity_->enter(run_.t);
    }
    const bool decided = model_.sliding() != nullptr &&
                         (model_.sliding()->is_decided(crossing.surface) || model_.is_pinned(crossing.surface));
    if (surface.settled == program::no_expr && !decided) {
      auto& mode = run_.mode_of(surface);
      mode = mode == std::byte{0} ? std::byte{1} : std::byte{0};
    }
    if (!surface.shown) changes = ModeChanges::disturbing;
    if (changes == ModeChanges::none) changes = ModeChanges::shown;
    ++run_.report.mode_changes;
    if (!surface.shown)
      results_.list({run_.t, Cause::mode, crossing.surface, surface.origin, 0, crossing.left, crossing.right, true});
  }
  if (changes != ModeChanges::none) {
    seat_.freshen();
    if (!modes_.relax()) return ModeChanges::failed;
  }
  if (entered) sensitivity_->leave(run_.t);
  return changes;
}

// Which surfaces are followed from here on, where both their sides drive back to them.
bool Crossings::decide_sliding(std::span<const std::uint32_t> arriving) {
  seat_.freshen();
  const Sliding::Outcome outcome = model_.sliding()->decide(arriving, run_.t, run_.states());
  if (outcome == Sliding::Outcome::changed) {
    look_.distrust_polynomials();
    tell_of_rates();
  }
  if (outcome == Sliding::Outcome::not_unique) report_sliding();
  return outcome != Sliding::Outcome::not_unique;
}

// The rates that surfaces of blocks read are those of the modes, not of the motion along a surface.
void Crossings::tell_of_rates() {
  if (rates_told_ || !events_.remembers_left() || !model_.is_sliding()) return;
  rates_told_ = true;
  run_.diagnostics
      .warning("reversal-not-located", run_.place_of(0),
               "the run slides along a surface, where the rates of signals have no formula: a Backlash, RateLimiter or "
               "the like behind what slides may notice late where its input turns back",
               "model the motion along the surface as a mode of its own, or bound the step with hmax")
      .time = run_.t;
}

// Where the crossings of several modes accumulate, their surfaces meet; the run goes on along all of them if it can.
bool Crossings::slides_past(const Accumulation& what) {
  seat_.freshen();
  const double* g = surfaces_.values(run_.t, run_.states());
  const double within = 10 * (what.limit - run_.t + rhythms_[what.surface].interval);
  for (std::uint32_t k = 0; k < watch_.size(); ++k) {
    const bool near = std::fabs(g[k]) <= within * surfaces_.largest_rate(k);
    const bool known = std::find(arriving_.begin(), arriving_.end(), k) != arriving_.end();
    if (near && !known && run_.program.surfaces[k].mode != program::no_slot) arriving_.push_back(k);
  }
  if (!decide_sliding(arriving_)) return false;
  if (!model_.sliding()->has_mode(what.surface)) report_accumulation(what);
  return model_.sliding()->has_mode(what.surface);
}

void Crossings::report_sliding() {
  const std::vector<std::size_t> surfaces = model_.sliding()->surfaces();
  auto& d = run_.diagnostics.error(
      "sliding-not-unique", run_.place_of(run_.program.surfaces[surfaces[0]].origin),
      fmt::format(
          "the motion along {} conditions at once is not determined: more than one mixture of their sides, or none, "
          "keeps them at zero",
          surfaces.size()),
      "let each switch act on its own (not in products with others), give all but one of the conditions hysteresis, or "
      "model the motion along them as a mode of its own");
  d.time = run_.t;
  for (const std::size_t k : surfaces) {
    d.notes.push_back(fmt::format("{}: {}", run_.program.origins[run_.program.surfaces[k].origin].path,
                                  run_.program.surfaces[k].text));
  }
}

Flow Crossings::call_owners(Crossed how) {
  owners_.clear();
  for (const CrossingSurface& crossing : look_.found().crossings) {
    const program::Surface& surface = run_.program.surfaces[crossing.surface];
    ++counts_[crossing.surface];
    if (surface.mode != program::no_slot) continue;
    run_.memory[run_.machine.layout().offset[surface.direction]] =
        static_cast<std::byte>(static_cast<std::int8_t>(crossing.direction));
    const bool known = std::any_of(owners_.begin(), owners_.end(), [&](const CrossingSurface& other) {
      return run_.program.surfaces[other.surface].source == surface.source;
    });
    if (!known) owners_.push_back(crossing);
  }
  Flow flow = Flow::on;
  const bool sensitive = sensitivity_ && how != Crossed::jumped;
  for (const CrossingSurface& owner : owners_) {
    ++run_.report.crossings;
    if (how == Crossed::jumped && events_.is_endless(run_.program.surfaces[owner.surface].source)) {
      flow = Flow::failed;
      break;
    }
    if (sensitive) sensitivity_->at_surface(owner.surface);
    flow = events_.fire(run_.program.surfaces[owner.surface].source, Cause::crossing, owner.left, owner.right);
    if (flow != Flow::on) break;
  }
  for (const CrossingSurface& crossing : look_.found().crossings) {
    const program::SlotId direction = run_.program.surfaces[crossing.surface].direction;
    if (direction != program::no_slot) run_.memory[run_.machine.layout().offset[direction]] = std::byte{0};
  }
  return flow;
}

bool Crossings::relax_shown() {
  run_.shown_moved = false;
  seat_.freshen();
  if (!modes_.relax()) return false;
  look_.look_anew();
  return true;
}

// Zeno and chattering: a run would never come to its end.
bool Crossings::keeps_rhythm(std::uint32_t surface) {
  if (noise_.is_possible(surface)) {
    seat_.freshen();
    if (noise_.is_noise(surface)) return noise_.let_go(surface), true;
  }
  const Rhythm::Answer answer = verdict_on(surface);
  if (answer.verdict == Rhythm::Verdict::fine) return true;
  const program::Surface& what = run_.program.surfaces[surface];
  if (what.shown) {
    stop_locating(surface);
    return true;
  }
  if (answer.verdict == Rhythm::Verdict::accumulates) {
    accumulation_ = {surface, answer.limit,
                     answer.ratio < 1
                         ? fmt::format("each interval is {:.4g} of the one before, so infinitely many crossings come "
                                       "before t = {:.10g}",
                                       answer.ratio, answer.limit)
                         : "the intervals between them shrank until only errors of the solver were left of the motion"};
    if (model_.sliding() != nullptr && what.mode != program::no_slot) return true;
    report_accumulation(*accumulation_);
    return false;
  }
  auto& d = run_.diagnostics.error(
      "chattering", run_.place_of(what.origin),
      fmt::format("its condition crossed zero {:.0f} times within {:.3g} s", answer.crossings, answer.within),
      "give the switching hysteresis, or model the limit case (a ball at rest, a sliding contact) as a mode "
      "of its own; --sliding goes on along the surface where it switches a mode; simulation.zero_threshold masks a "
      "block that fires again and again");
  d.time = run_.t;
  d.notes.push_back(what.text);
  return false;
}

// Also what crosses again and again without ever getting away from zero: far less than the tolerance, a thousand times;
// what goes on behind the instant at which its crossings would have accumulated; and what is driven back from both
// sides of its surface.
Rhythm::Answer Crossings::verdict_on(std::uint32_t surface) {
  Rhythm& rhythm = rhythms_[surface];
  const Rhythm::Answer answer = rhythm.add(run_.t, run_.horizon());
  if (answer.verdict != Rhythm::Verdict::fine) return answer;
  const Rhythm::Answer chatters{Rhythm::Verdict::chatters, run_.t, 1, rhythm.crawling, run_.t - rhythm.crawling_since};
  const double few = std::min(rhythm.crawling, rhythm.turned_back);
  if (few >= Rhythm::most_turned_back) return chatters;
  const auto is_hundredth = [](double count, double least) { return count >= least && std::fmod(count, 100) == 0; };
  if (is_hundredth(rhythm.crawling, Rhythm::most_in_window) && way_between(surface) <= 1e-4) {
    const double ratio = rhythm.slow_ratio(run_.t);
    if (ratio == 1) return chatters;
    return {Rhythm::Verdict::accumulates, run_.t + rhythm.interval * ratio / (1 - ratio), ratio, 0, 0};
  }
  if (is_hundredth(rhythm.behind, Rhythm::most_behind) && rhythm.crawling >= Rhythm::most_behind &&
      way_between(surface) <= 1e-2)
    return {Rhythm::Verdict::accumulates, rhythm.end, 1, 0, 0};
  look_for_noise(surface);
  return answer;
}

// Of the surfaces that fire events: where each crossing is less than the tolerance, errors of the solver decide, as in
// the difference between a state and the formula of its solution. Now and then is often enough to see it.
void Crossings::look_for_noise(std::uint32_t surface) {
  constexpr double looks = 3;
  Rhythm& rhythm = rhythms_[surface];
  const program::Surface& what = run_.program.surfaces[surface];
  if (std::fmod(rhythm.crossings, 8) != 0 || what.mode != program::no_slot || !(rhythm.below < looks)) return;
  rhythm.below = way_between(surface) <= 1 ? rhythm.below + 1 : 0;
  if (rhythm.below < looks || !depends_on_states(run_.program, what)) return;
  auto& d = run_.diagnostics.warning(
      "crossing-below-tolerance", run_.place_of(what.origin),
      fmt::format("it has fired {:.0f} times, each time less than the tolerance of the solver away from zero: errors "
                  "of the solver may decide when",
                  rhythm.crossings),
      "watch something that moves farther, choose smaller tolerances, or set simulation.zero_threshold");
  d.time = run_.t;
  d.notes.push_back(what.text);
}

double Crossings::way_between(std::uint32_t surface) {
  seat_.freshen();
  const SurfaceValues values = surfaces_.values_and_rates(run_.t, run_.states());
  if (values.rates == nullptr || std::isnan(values.rates[3 * surface])) return INFINITY;
  const double way = std::fabs(values.rates[3 * surface]) * rhythms_[surface].interval;
  return way / (run_.options.tolerance.absolute + run_.options.tolerance.relative * values.rates[3 * surface + 2]);
}

// With the surfaces as they are after the modes have changed: which of these are driven back to where they come from?
void Crossings::note_turns() {
  const double* rates = surfaces_.last().rates;
  for (const CrossingSurface& crossing : switching_) {
    double& turned_back = rhythms_[crossing.surface].turned_back;
    const bool back = rates != nullptr && rates[3 * crossing.surface] * crossing.direction < 0;
    turned_back = back ? turned_back + 1 : 0;
  }
}

// A condition that is only shown disturbs nothing: rows show it as it stands.
void Crossings::stop_locating(std::uint32_t surface) {
  const program::Surface& what = run_.program.surfaces[surface];
  watch_.mute(surface);
  auto& d =
      run_.diagnostics.warning("noisy-condition", run_.place_of(what.origin),
                               "its condition changes so often here that its changes are not located any more",
                               "it may compare numbers that are equal but for roundings: compare with a margin, or "
                               "give the switching hysteresis");
  d.time = run_.t;
  d.notes.push_back(what.text);
}

void Crossings::report_accumulation(const Accumulation& accumulation) {
  const program::Surface& what = run_.program.surfaces[accumulation.surface];
  auto& d = run_.diagnostics.error(
      "zeno", run_.place_of(what.origin),
      fmt::format("its crossings accumulate at t = {:.10g} and the run cannot pass it", accumulation.limit),
      "model what happens there as a mode of its own (a ball at rest, a sliding contact, an "
      "empty tank), give the switching hysteresis or a delay, or stop the run earlier");
  d.time = run_.t;
  d.notes.push_back(what.text);
  d.notes.push_back(accumulation.why);
}

bool Crossings::is_stuck_at_zero(const SurfaceValues& values) {
  for (std::uint32_t k = 0; k < watch_.size(); ++k) {
    const double fired = watch_.fired_value(k, run_.t);
    if (std::isnan(fired) || values.rates == nullptr || run_.program.surfaces[k].mode != program::no_slot) continue;
    const double rate = values.rates[3 * k], second = values.rates[3 * k + 1];
    if (!(std::fabs(values.g[k]) <= std::fabs(fired) && rate == 0 && second * watch_.fired_direction(k) > 0)) continue;
    report_accumulation({k, run_.t,
                         "the event leaves the surface at zero with no motion, and what drives it then points to the "
                         "side that the event was to prevent"});
    return true;
  }
  return false;
}

bool Crossings::settle_modes() {
  constexpr int most_rounds = 10;
  if (model_.sliding() == nullptr) return modes_.relax();
  for (int round = 0; round < most_rounds; ++round) {
    const bool slid = model_.sliding()->active();
    const std::vector<std::size_t> before = model_.sliding()->surfaces();
    if (!decide_sliding({})) return false;
    if (round > 0 && (!slid || model_.sliding()->surfaces() == before)) break;
    if (!modes_.relax()) return false;
  }
  return true;
}

std::string Crossings::busiest() const {
  std::vector<std::size_t> order(counts_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return counts_[a] > counts_[b]; });
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(3, order.size()) && counts_[order[k]] > 0; ++k) {
    const program::Surface& surface = run_.program.surfaces[order[k]];
    text += fmt::format("{}{} ({} times)", text.empty() ? "" : ", ", run_.program.origins[surface.origin].path,
                        counts_[order[k]]);
  }
  return text;
}

bool Crossings::accept_sliding() {
  if (!model_.is_sliding() || model_.sliding()->accept_step(seat_.step_end(), seat_.integrator().state())) return true;
  report_sliding();
  return false;
}

void Crossings::save(SaveWriter& out) const {
  out.write(rhythms_);
  noise_.save(out);
  out.write(model_.sliding() != nullptr ? model_.sliding()->save() : std::vector<double>{});
}

bool Crossings::restore(SaveReader& in) {
  std::vector<double> sliding;
  return in.read_same(rhythms_) && noise_.restore(in) && in.read(sliding) &&
         (model_.sliding() == nullptr || model_.sliding()->restore(sliding));
}

}  // namespace orrery::sim
