// SPDX-License-Identifier: Apache-2.0
// Modes: relaxed at instants, previewed for rows, put aside and back.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/modes.h"

namespace orrery::sim {

Modes::Modes(RunContext& run, ModelFunctions& model, SurfaceFunctions& surfaces, TrialPoints& trial,
             SurfaceWatch& watch, EventSensitivity* sensitivity)
    : run_(run),
      model_(model),
      surfaces_(surfaces),
      trial_(trial),
      watch_(watch),
      sensitivity_(sensitivity),
      settled_(run.machine.held().size()),
      for_watch_(run.program.surfaces.size()),
      has_systems_(std::any_of(run.machine.mode_systems().begin(), run.machine.mode_systems().end(),
                               [](const auto& system) { return !system.surfaces.empty() && !system.loops.empty(); })) {}

// Modes take the values that their conditions have just after this instant until nothing changes: a mode may depend on
// another one (Activate, 10.2). Where that does not settle, because the motion of each choice leads back to the other,
// they take the values of the instant itself. On the way a condition may have no value, because a limiter before it is
// not yet in its place.
bool Modes::relax() {
  run_.modes_moved = false;
  return !run_.has_modes || find(Complain::yes);
}

void Modes::find_for_now() {
  kept_.keep(run_);
  find(Complain::no);
}

// Without a complaint where modes do not settle: there is more to come in this instant.
bool Modes::find(Complain complain) {
  const bool found = repeat(complain);
  frozen_.clear();
  return found;
}

namespace {

constexpr int most_foresight = 40;
constexpr int often = 5;  // a condition that changes so often has not settled

// Conditions of one loop that change together may lead back to each other, as both limits of a Saturation that is fed
// back do after a jump: then one after the other changes for some rounds, in an order that is the same each time but
// follows no pattern.
bool is_one_by_one(int round) { return (round >= 20 && round < most_foresight) || round >= 70; }

// The first numbers of a congruential generator (Knuth).
std::size_t chance(int round) {
  std::uint64_t state = static_cast<std::uint64_t>(round) * 2654435761u + 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<std::size_t>(state >> 40);
}

}  // namespace

// What a search finds for the conditions of one system stays until the others have settled around it.
bool Modes::repeat(Complain complain) {
  const bool follows = sensitivity_ && complain == Complain::yes;
  const int most_rounds = 100 + static_cast<int>(run_.program.surfaces.size());  // one may wait for another
  bool entered = false;
  tried_.assign(run_.program.surfaces.size(), false);
  flips_.assign(run_.program.surfaces.size(), 0);
  for (int round = 0;; ++round) {
    if (round == most_rounds) {
      if (!search(switched_)) break;
      round = 0;
    }
    if (!model_.settle(run_.machine.surface_loops(), run_.t, run_.states())) {
      if (settle_before(model_.loop_solver()->failure().loop)) continue;
      if (search(model_.loop_solver()->failure().loop)) continue;
      return false;
    }
    const SurfaceValues now = surfaces_.values_and_rates(run_.t, run_.states());
    find_second_rates(now);
    const double* g = now.g;
    switched_.clear();
    switched_values_.clear();
    contradicted_.clear();
    const bool one_by_one = is_one_by_one(round);
    const program::Surface* without_value = nullptr;
    for (std::size_t k = 0; k < run_.program.surfaces.size(); ++k) {
      const program::Surface& surface = run_.program.surfaces[k];
      if (surface.mode == program::no_slot || surface.settled != program::no_expr || model_.slides(k) || is_frozen(k) ||
          watch_.rests(k, g[k]))
        continue;
      auto& stored = reinterpret_cast<std::uint8_t&>(run_.mode_of(surface));
      if (!std::isfinite(g[k]) && !tried_[k]) {  // with this choice a loop may have no solution: try the other one
        tried_[k] = true;
        stored = stored == 0 ? 1 : 0;
        switched_.push_back(&surface);
        switched_values_.push_back(g[k]);
        continue;
      }
      if (std::isnan(g[k])) {
        if (without_value == nullptr && !surface.shown) without_value = &surface;
        continue;
      }
      const bool foresees = round < most_foresight || flips_[k] < often;  // those that have settled go on with it
      const int side = foresees ? watch_.side_after(k, now) : g[k] > 0 ? 1 : g[k] < 0 ? -1 : 0;
      const std::uint8_t mode = surface.strict ? side > 0 : side >= 0;
      if (stored == mode) continue;
      if (one_by_one) {
        contradicted_.push_back(static_cast<std::uint32_t>(k));
        continue;
      }
      if (follows && sensitivity_->enter(run_.t)) entered = true;
      stored = mode;
      ++flips_[k];
      switched_.push_back(&surface);
      switched_values_.push_back(g[k]);
    }
    if (!contradicted_.empty()) {
      const std::uint32_t k = contradicted_[chance(round) % contradicted_.size()];
      auto& stored = reinterpret_cast<std::uint8_t&>(run_.mode_of(run_.program.surfaces[k]));
      if (follows && sensitivity_->enter(run_.t)) entered = true;
      stored = stored == 0 ? 1 : 0;
      switched_.push_back(&run_.program.surfaces[k]);
      switched_values_.push_back(g[k]);
    }
    // A number that is held (the piece of a spline) changes rates as a condition does.
    if (follows && !settled_.empty() && sensitivity_->enter(run_.t)) entered = true;
    const bool held = settle_held();
    if (!switched_.empty() || held) continue;
    if (without_value == nullptr) {
      const std::optional<std::uint32_t> lost = has_systems_ ? lost_ahead() : std::nullopt;
      if (lost && search(*lost)) continue;
      rest_conditions();
      if (entered) sensitivity_->leave(run_.t);
      return true;
    }
    if (complain == Complain::no) return false;
    run_.diagnostics
        .error("nan-surface", run_.place_of(without_value->origin),
               fmt::format("the condition {} is not a number", without_value->text),
               "look for a division by zero or a wrong parameter in what it depends on")
        .time = run_.t;
    return false;
  }
  if (complain == Complain::yes) report_contradiction(switched_, switched_values_);
  return false;
}

// Behind a loop the second rate is not known: of a condition that is at zero without a rate it is seen from just after
// the instant.
void Modes::find_second_rates(const SurfaceValues& now) {
  if (now.rates == nullptr || (run_.machine.surface_loops().empty() && run_.machine.derivative_loops().empty()) ||
      !model_.foreign().empty() || model_.is_sliding())
    return;
  const auto is_unclear = [&](std::size_t k) {
    return run_.program.surfaces[k].mode != program::no_slot && now.g[k] == 0 && now.rates[3 * k] == 0 &&
           std::isnan(now.rates[3 * k + 1]);
  };
  bool any = false;
  for (std::size_t k = 0; k < watch_.size() && !any; ++k) any = is_unclear(k);
  if (!any) return;
  const double after = trial_.look_ahead(ahead_), h = after - run_.t;
  LoopSolver& loops = *model_.loop_solver();
  if (!loops.solve(run_.machine.surface_loops(), after, ahead_.data(), 0)) return;
  surfaces_ahead_.resize(watch_.size());
  run_.machine.surfaces()(after, ahead_.data(), surfaces_ahead_.data(), run_.memory.data(), 0);
  for (std::size_t k = 0; k < watch_.size(); ++k) {
    if (is_unclear(k) && !std::isnan(surfaces_ahead_[k]))
      surfaces_.room_for_rates()[3 * k + 1] = 2 * surfaces_ahead_[k] / (h * h);
  }
}

// What is shown right after an event reads conditions as they stand, before all events of the instant have been. Modes
// that do not settle, or have no value, are for relax_modes to complain about.
void Modes::preview() {
  constexpr int together = 10, most_rounds = 30;
  kept_.keep(run_);
  for (int round = 0; round < most_rounds; ++round) {
    const double* g = surfaces_.values(run_.t, run_.states());
    bool changed = settle_held();
    contradicted_.clear();
    for (std::size_t k = 0; k < run_.program.surfaces.size(); ++k) {
      const program::Surface& surface = run_.program.surfaces[k];
      if (surface.mode == program::no_slot || surface.settled != program::no_expr || model_.slides(k) ||
          !std::isfinite(g[k]) || watch_.rests(k, g[k]))
        continue;
      auto& stored = reinterpret_cast<std::uint8_t&>(run_.mode_of(surface));
      const std::uint8_t mode = surface.strict ? g[k] > 0 : g[k] >= 0;
      if (stored == mode) continue;
      changed = true;
      if (round < together) {
        stored = mode;
      } else {
        contradicted_.push_back(static_cast<std::uint32_t>(k));
      }
    }
    if (!changed) return;
    if (contradicted_.empty()) continue;
    std::byte& one = run_.mode_of(run_.program.surfaces[contradicted_[chance(round) % contradicted_.size()]]);
    one = one == std::byte{0} ? std::byte{1} : std::byte{0};
  }
}

void Modes::refresh_muted(double t, const double* x) {
  const double* g = surfaces_.values(t, x);
  if (!settled_.empty()) run_.machine.settled()(t, x, settled_.data(), run_.memory.data(), 0);
  for (const std::uint32_t k : watch_.muted()) {
    const program::Surface& surface = run_.program.surfaces[k];
    std::byte* stored = &run_.mode_of(surface);
    if (surface.settled == program::no_expr) {
      *stored = (surface.strict ? g[k] > 0 : g[k] >= 0) ? std::byte{1} : std::byte{0};
    } else {
      const auto& held = run_.machine.held();
      const auto place = static_cast<std::size_t>(std::find(held.begin(), held.end(), surface.mode) - held.begin());
      reinterpret_cast<double&>(*stored) = settled_[place];
    }
  }
}

// Numbers that are held take the values they have just after the instant; whether any changed.
bool Modes::settle_held() {
  if (settled_.empty()) return false;
  const double after = trial_.look_ahead(ahead_);
  run_.machine.settled()(after, ahead_.data(), settled_.data(), run_.memory.data(), 0);
  bool changed = false;
  for (std::size_t k = 0; k < run_.machine.held().size(); ++k) {
    auto& stored = reinterpret_cast<double&>(run_.memory[run_.machine.layout().offset[run_.machine.held()[k]]]);
    if (stored == settled_[k] || std::isnan(settled_[k])) continue;
    stored = settled_[k];
    changed = true;
  }
  return changed;
}

// The conditions that switched last, and what they were then.
void Modes::report_contradiction(std::span<const program::Surface* const> switched, std::span<const double> values) {
  auto& d = run_.diagnostics.error(
      "modes-do-not-settle", run_.place_of(switched[0]->origin),
      "no choice of modes agrees with its own equations: each value of a condition leads back to the other one",
      contradiction_help);
  d.time = run_.t;
  constexpr std::size_t shown = 10;
  for (std::size_t k = 0; k < std::min(switched.size(), shown); ++k) {
    d.notes.push_back(fmt::format("{}: {} keeps switching, last with its two sides {:.3g} apart",
                                  run_.program.origins[switched[k]->origin].path, switched[k]->text,
                                  std::fabs(values[k])));
  }
  for (std::size_t k = 0; k < std::min(model_.conflicts.size(), shown); ++k) d.notes.push_back(model_.conflicts[k]);
}

const std::uint8_t* Modes::for_watch() {
  for (std::size_t k = 0; k < for_watch_.size(); ++k) {
    const program::Surface& surface = run_.program.surfaces[k];
    if (surface.mode == program::no_slot) {
      for_watch_[k] = 0;
    } else if (surface.settled != program::no_expr || model_.slides(k)) {
      for_watch_[k] = 1;
    } else {
      for_watch_[k] = std::to_integer<std::uint8_t>(run_.mode_of(surface));
    }
  }
  return for_watch_.data();
}

}  // namespace orrery::sim
