// SPDX-License-Identifier: Apache-2.0
// Modes: relaxed at instants, previewed for rows, put aside and back.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/hybrid_run.h"

namespace orrery::sim {

// Modes take the values that their conditions have just after this instant until nothing changes: a mode may depend on
// another one (Activate, 10.2). Where that does not settle, because the motion of each choice leads back to the other,
// they take the values of the instant itself. On the way a condition may have no value, because a limiter before it is
// not yet in its place.
bool HybridRun::relax_modes() {
  modes_moved_ = false;
  return !watch_.has_modes() || find_modes(Complain::yes);
}

// Modes, and what slides: one may depend on the other.
bool HybridRun::settle_modes() {
  constexpr int most_rounds = 10;
  if (!sliding_) return relax_modes();
  for (int round = 0; round < most_rounds; ++round) {
    const bool slid = sliding_->active();
    const std::vector<std::size_t> before = sliding_->surfaces();
    if (!decide_sliding({})) return false;
    if (round > 0 && (!slid || sliding_->surfaces() == before)) break;
    if (!relax_modes()) return false;
  }
  return true;
}

// Without a complaint where modes do not settle: there is more to come in this instant.
bool HybridRun::find_modes(Complain complain) {
  const bool found = repeat_modes(complain);
  frozen_.clear();
  return found;
}

// What a search finds for the conditions of one system stays until the others have settled around it.
bool HybridRun::repeat_modes(Complain complain) {
  const bool follows = sensitivity_ && complain == Complain::yes;
  constexpr int most_foresight = 40;
  const int most_rounds = 100 + static_cast<int>(program_.surfaces.size());  // one may wait for another
  bool entered = false;
  std::vector<const program::Surface*> switched;
  std::vector<double> values;
  std::vector<bool> tried(program_.surfaces.size(), false);
  for (int round = 0;; ++round) {
    if (round == most_rounds) {
      if (!search_modes(switched)) break;
      round = 0;
    }
    if (!settle(machine_->surface_loops(), t_, states())) {
      if (settle_before(loop_solver_->failure().loop)) continue;
      if (search_modes(loop_solver_->failure().loop)) continue;
      return false;
    }
    const SurfaceValues now = surface_values(t_, states());
    switched.clear();
    values.clear();
    const program::Surface* without_value = nullptr;
    for (std::size_t k = 0; k < program_.surfaces.size(); ++k) {
      const program::Surface& surface = program_.surfaces[k];
      if (surface.mode == program::no_slot || surface.settled != program::no_expr || slides(k) || is_frozen(k) ||
          watch_.rests(k, g_[k]))
        continue;
      auto& stored = reinterpret_cast<std::uint8_t&>(memory_[machine_->layout().offset[surface.mode]]);
      if (!std::isfinite(g_[k]) && !tried[k]) {  // with this choice a loop may have no solution: try the other one
        tried[k] = true;
        stored = stored == 0 ? 1 : 0;
        switched.push_back(&surface);
        values.push_back(g_[k]);
        continue;
      }
      if (std::isnan(g_[k])) {
        if (without_value == nullptr && !surface.shown) without_value = &surface;
        continue;
      }
      const int side = round < most_foresight ? watch_.side_after(k, now) : g_[k] > 0 ? 1 : g_[k] < 0 ? -1 : 0;
      const std::uint8_t mode = surface.strict ? side > 0 : side >= 0;
      if (stored == mode) continue;
      if (follows && sensitivity_->enter(t_)) entered = true;
      stored = mode;
      switched.push_back(&surface);
      values.push_back(g_[k]);
    }
    const bool held = settle_held();
    if (!switched.empty() || held) continue;
    if (without_value == nullptr) {
      if (has_mode_loops() && !holds_ahead() && search_modes(loop_solver_->failure().loop)) continue;
      if (entered) sensitivity_->leave(t_);
      rest_conditions();
      return true;
    }
    if (complain == Complain::no) return false;
    diagnostics_
        .error("nan-surface", place_of(without_value->origin),
               fmt::format("the condition {} is not a number", without_value->text),
               "look for a division by zero or a wrong parameter in what it depends on")
        .time = t_;
    return false;
  }
  if (complain == Complain::yes) report_contradiction(switched, values);
  return false;
}

// What is shown right after an event reads conditions as they stand, before all events of the instant have been. Modes
// that do not settle, or have no value, are for relax_modes to complain about.
void HybridRun::preview_modes() {
  constexpr int most_rounds = 20;
  keep_modes(false);
  for (int round = 0; round < most_rounds; ++round) {
    evaluate_surfaces(t_, states(), g_.data());
    bool changed = settle_held();
    for (std::size_t k = 0; k < program_.surfaces.size(); ++k) {
      const program::Surface& surface = program_.surfaces[k];
      if (surface.mode == program::no_slot || surface.settled != program::no_expr || slides(k) ||
          !std::isfinite(g_[k]) || watch_.rests(k, g_[k]))
        continue;
      auto& stored = reinterpret_cast<std::uint8_t&>(memory_[machine_->layout().offset[surface.mode]]);
      const std::uint8_t mode = surface.strict ? g_[k] > 0 : g_[k] >= 0;
      changed = changed || stored != mode;
      stored = mode;
    }
    if (!changed) return;
  }
}

// Modes whose changes are not located any more are what their conditions say.
void HybridRun::refresh_muted(double t, const double* x) {
  evaluate_surfaces(t, x, g_.data());
  if (!settled_.empty()) machine_->settled()(t, x, settled_.data(), memory_.data(), 0);
  for (const std::uint32_t k : watch_.muted()) {
    const program::Surface& surface = program_.surfaces[k];
    std::byte* stored = &memory_[machine_->layout().offset[surface.mode]];
    if (surface.settled == program::no_expr) {
      *stored = (surface.strict ? g_[k] > 0 : g_[k] >= 0) ? std::byte{1} : std::byte{0};
    } else {
      const auto& held = machine_->held();
      const auto place = static_cast<std::size_t>(std::find(held.begin(), held.end(), surface.mode) - held.begin());
      reinterpret_cast<double&>(*stored) = settled_[place];
    }
  }
}

// Puts the modes aside, or back.
void HybridRun::keep_modes(std::vector<double>& kept_modes, bool back) {
  kept_modes.resize(program_.surfaces.size());
  for (std::size_t k = 0; k < program_.surfaces.size(); ++k) {
    const program::SlotId slot = program_.surfaces[k].mode;
    if (slot == program::no_slot) continue;
    auto* stored = memory_.data() + machine_->layout().offset[slot];
    const auto size = static_cast<std::size_t>(byte_size(program_.slots[slot].type.scalar));
    auto* kept = reinterpret_cast<std::byte*>(&kept_modes[k]);
    std::copy_n(back ? kept : stored, size, back ? stored : kept);
  }
}

// Numbers that are held take the values they have just after the instant; whether any changed.
bool HybridRun::settle_held() {
  if (settled_.empty()) return false;
  const double after = look_ahead(ahead_);
  machine_->settled()(after, ahead_.data(), settled_.data(), memory_.data(), 0);
  bool changed = false;
  for (std::size_t k = 0; k < machine_->held().size(); ++k) {
    auto& stored = reinterpret_cast<double&>(memory_[machine_->layout().offset[machine_->held()[k]]]);
    if (stored == settled_[k] || std::isnan(settled_[k])) continue;
    stored = settled_[k];
    changed = true;
  }
  return changed;
}

// The conditions that switched last, and what they were then; or, where all choices were tried, what contradicts the
// one that came nearest.
void HybridRun::report_contradiction(const std::vector<const program::Surface*>& switched,
                                     const std::vector<double>& values) {
  auto& d = diagnostics_.error(
      "modes-do-not-settle", place_of(switched[0]->origin),
      "no choice of modes agrees with its own equations: each value of a condition leads back to the other one",
      contradiction_help);
  d.time = t_;
  constexpr std::size_t shown = 10;
  for (std::size_t k = 0; k < std::min(switched.size(), shown); ++k) {
    d.notes.push_back(fmt::format("{}: {} keeps switching, last with its two sides {:.3g} apart",
                                  program_.origins[switched[k]->origin].path, switched[k]->text, std::fabs(values[k])));
  }
  d.notes.insert(d.notes.end(), conflicts_.begin(), conflicts_.begin() + std::min(conflicts_.size(), shown));
}

// The modes as the watch wants them: held numbers count as true, and so does sliding.
void HybridRun::take_modes() {
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    const program::Surface& surface = program_.surfaces[k];
    if (surface.mode == program::no_slot) {
      modes_[k] = 0;
    } else if (surface.settled != program::no_expr || slides(k)) {
      modes_[k] = 1;
    } else {
      modes_[k] = std::to_integer<std::uint8_t>(memory_[machine_->layout().offset[surface.mode]]);
    }
  }
}

}  // namespace orrery::sim
