// SPDX-License-Identifier: Apache-2.0
// Conditions of continuous time that belong to systems of equations: those before a system first, then its own, by a
// search where they do not settle (mode_search.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/modes.h"

namespace orrery::sim {

std::string describe(const program::Surface& condition, const ModeSearch::Conflict& conflict) {
  return fmt::format("{}: taken as {}, its two sides are {:.3g} apart the other way", condition.text,
                     conflict.held ? "true" : "false", std::fabs(conflict.value));
}

// The first loop that has no solution just after the instant: where all is zero now, any choice seems to fit.
std::optional<std::uint32_t> Modes::lost_ahead() {
  const std::vector<std::uint32_t>& loops = run_.machine.surface_loops();
  const double after = trial_.look_ahead(ahead_);
  std::optional<std::uint32_t> lost;
  if (!model_.loop_solver()->try_newton(loops, after, ahead_.data(), run_.tick)) {
    lost = model_.loop_solver()->failure().loop;
  }
  static_cast<void>(model_.settle(loops, run_.t, run_.states()));
  return lost;
}

// Of the unknowns, as they are.
double Modes::size_of(const passes::ModeSystem& system) const {
  double largest = 0;
  for (const std::uint32_t loop : system.loops) {
    for (const std::uint32_t offset : run_.machine.loops()[loop].offsets) {
      const double value = std::fabs(reinterpret_cast<const double&>(run_.memory[offset]));
      if (std::isfinite(value)) largest = std::max(largest, value);
    }
  }
  return largest;
}

// Modes have settled. Conditions of systems that are zero but for the rounding of their solution, as the current of a
// diode between nodes that nothing else feeds, say nothing against their modes as long as they are.
void Modes::rest_conditions() {
  constexpr double rounding = 1e-13;
  if (!has_systems_) return;
  const double* g = surfaces_.last().g;
  sizes_.resize(run_.program.surfaces.size(), 0.0);
  for (const passes::ModeSystem& system : run_.machine.mode_systems()) {
    if (system.loops.empty()) continue;
    double largest = 0.01 * size_of(system);
    for (const std::uint32_t k : system.surfaces) {
      if (std::isfinite(g[k])) sizes_[k] = std::max(sizes_[k], std::fabs(g[k]));
      largest = std::max(largest, sizes_[k]);
    }
    for (const std::uint32_t k : system.surfaces) {
      const double band = rounding * largest;
      if (!watch_.rests(k, g[k])) watch_.rest(k, std::fabs(g[k]) <= band ? band : 0);
    }
  }
}

// A loop without a solution may wait for conditions that do not depend on it: whether any of them has changed.
bool Modes::settle_before(std::uint32_t loop) {
  double* g = surfaces_.room();
  run_.machine.surfaces()(run_.t, run_.states(), g, run_.memory.data(), 0);
  bool changed = false;
  for (const passes::ModeSystem& system : run_.machine.mode_systems()) {
    if (std::binary_search(system.loops.begin(), system.loops.end(), loop)) break;
    for (const std::uint32_t k : system.surfaces) {
      const program::Surface& surface = run_.program.surfaces[k];
      if (model_.slides(k) || is_frozen(k) || !std::isfinite(g[k]) || watch_.rests(k, g[k])) continue;
      std::byte& stored = run_.mode_of(surface);
      const auto now = std::byte{surface.strict ? g[k] > 0 : g[k] >= 0};
      changed = changed || stored != now;
      stored = now;
    }
  }
  if (changed) model_.set_loops_failed(false);
  return changed;
}

// The conditions of the system that this loop belongs to.
bool Modes::search(std::uint32_t loop) {
  for (const passes::ModeSystem& system : run_.machine.mode_systems()) {
    if (std::binary_search(system.loops.begin(), system.loops.end(), loop)) return search(system);
  }
  return false;
}

// Where modes went round in circles: the first system that one of them belongs to.
bool Modes::search(std::span<const program::Surface* const> switched) {
  for (const passes::ModeSystem& system : run_.machine.mode_systems()) {
    const bool concerned = std::any_of(system.surfaces.begin(), system.surfaces.end(), [&](std::uint32_t k) {
      return std::find(switched.begin(), switched.end(), &run_.program.surfaces[k]) != switched.end();
    });
    if (concerned && !system.loops.empty() && search(system)) return true;
  }
  return false;
}

// What is found stays as it is until the modes of the instant have settled, and conditions that are zero but for
// rounding say nothing against it as long as they are.
bool Modes::search(const passes::ModeSystem& system) {
  std::vector<std::uint32_t> surfaces;
  for (const std::uint32_t k : system.surfaces) {
    if (!model_.slides(k)) surfaces.push_back(k);
  }
  if (surfaces.empty() || is_frozen(surfaces[0])) return false;
  const auto stored = [&](std::size_t k) -> std::byte& { return run_.mode_of(run_.program.surfaces[surfaces[k]]); };
  ModeSearch::Choice first;
  for (std::size_t k = 0; k < surfaces.size(); ++k) first.push_back(stored(k) != std::byte{0});
  const auto solve = [&](const ModeSearch::Choice& choice, std::vector<double>& values) {
    for (std::size_t k = 0; k < choice.size(); ++k) stored(k) = std::byte{choice[k]};
    if (!model_.loop_solver()->try_newton(system.loops, run_.t, run_.states(), run_.tick)) return false;
    // What counts is the motion that the choice leads to: where all is zero now, just after the instant.
    const double after = trial_.look_ahead(ahead_);
    if (!model_.loop_solver()->try_newton(system.loops, after, ahead_.data(), run_.tick)) return false;
    double* g = surfaces_.room();
    run_.machine.surfaces()(after, ahead_.data(), g, run_.memory.data(), 0);
    for (std::size_t k = 0; k < choice.size(); ++k) values[k] = g[surfaces[k]];
    return true;
  };
  const bool failed = model_.loops_failed();
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  std::vector<double> rounding;
  sizes_.resize(run_.program.surfaces.size(), 0.0);
  const double size = size_of(system);
  for (const std::uint32_t k : surfaces) rounding.push_back(epsilon * (64 * sizes_[k] + 4 * size));
  ModeSearch choices(std::move(rounding), solve);
  if (!choices.find(first)) {
    for (std::size_t k = 0; k < surfaces.size(); ++k) stored(k) = std::byte{bool{first[k]}};
    model_.set_loops_failed(failed);
    model_.conflicts.clear();
    for (const ModeSearch::Conflict& conflict : choices.conflicts()) {
      model_.conflicts.push_back(describe(run_.program.surfaces[surfaces[conflict.condition]], conflict));
    }
    return false;
  }
  model_.set_loops_failed(!model_.loop_solver()->try_newton(system.loops, run_.t, run_.states(), run_.tick));
  if (frozen_.empty()) frozen_.assign(run_.program.surfaces.size(), false);
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    frozen_[surfaces[k]] = true;
    watch_.rest(surfaces[k], choices.band(k));
  }
  return true;
}

}  // namespace orrery::sim
