// SPDX-License-Identifier: Apache-2.0
// Conditions of continuous time that belong to systems of equations: those before a system first, then its own, by a
// search where they do not settle (mode_search.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/hybrid_run.h"

namespace orrery::sim {

std::string describe(const program::Surface& condition, const ModeSearch::Conflict& conflict) {
  return fmt::format("{}: taken as {}, its two sides are {:.3g} apart the other way", condition.text,
                     conflict.held ? "true" : "false", std::fabs(conflict.value));
}

bool HybridRun::has_mode_loops() const {
  const auto& systems = machine_->mode_systems();
  return std::any_of(systems.begin(), systems.end(),
                     [](const auto& system) { return !system.surfaces.empty() && !system.loops.empty(); });
}

// Whether the systems have solutions just after the instant, too: where all is zero now, any choice seems to fit.
bool HybridRun::holds_ahead() {
  const double after = look_ahead(ahead_);
  const bool holds = loop_solver_->try_newton(machine_->surface_loops(), after, ahead_.data(), running_tick_);
  if (holds) static_cast<void>(settle(machine_->surface_loops(), t_, states()));
  return holds;
}

// Of the unknowns, as they are.
double HybridRun::size_of(const passes::ModeSystem& system) const {
  double largest = 0;
  for (const std::uint32_t loop : system.loops) {
    for (const std::uint32_t offset : machine_->loops()[loop].offsets) {
      const double value = std::fabs(reinterpret_cast<const double&>(memory_[offset]));
      if (std::isfinite(value)) largest = std::max(largest, value);
    }
  }
  return largest;
}

// Modes have settled. Conditions of systems that are zero but for the rounding of their solution, as the current of a
// diode between nodes that nothing else feeds, say nothing against their modes as long as they are.
void HybridRun::rest_conditions() {
  constexpr double rounding = 1e-13;
  if (!has_mode_loops()) return;
  mode_sizes_.resize(program_.surfaces.size(), 0.0);
  for (const passes::ModeSystem& system : machine_->mode_systems()) {
    if (system.loops.empty()) continue;
    double largest = 0.01 * size_of(system);
    for (const std::uint32_t k : system.surfaces) {
      if (std::isfinite(g_[k])) mode_sizes_[k] = std::max(mode_sizes_[k], std::fabs(g_[k]));
      largest = std::max(largest, mode_sizes_[k]);
    }
    for (const std::uint32_t k : system.surfaces) {
      const double band = rounding * largest;
      if (!watch_.rests(k, g_[k])) watch_.rest(k, std::fabs(g_[k]) <= band ? band : 0);
    }
  }
}

// A loop without a solution may wait for conditions that do not depend on it: whether any of them has changed.
bool HybridRun::settle_before(std::uint32_t loop) {
  machine_->surfaces()(t_, states(), g_.data(), memory_.data(), 0);
  bool changed = false;
  for (const passes::ModeSystem& system : machine_->mode_systems()) {
    if (std::binary_search(system.loops.begin(), system.loops.end(), loop)) break;
    for (const std::uint32_t k : system.surfaces) {
      const program::Surface& surface = program_.surfaces[k];
      if (slides(k) || is_frozen(k) || !std::isfinite(g_[k]) || watch_.rests(k, g_[k])) continue;
      std::byte& stored = memory_[machine_->layout().offset[surface.mode]];
      const auto now = std::byte{surface.strict ? g_[k] > 0 : g_[k] >= 0};
      changed = changed || stored != now;
      stored = now;
    }
  }
  if (changed) loops_failed_ = false;
  return changed;
}

// The conditions of the system that this loop belongs to.
bool HybridRun::search_modes(std::uint32_t loop) {
  for (const passes::ModeSystem& system : machine_->mode_systems()) {
    if (std::binary_search(system.loops.begin(), system.loops.end(), loop)) return search_system(system);
  }
  return false;
}

// Where modes went round in circles: the first system that one of them belongs to.
bool HybridRun::search_modes(const std::vector<const program::Surface*>& switched) {
  for (const passes::ModeSystem& system : machine_->mode_systems()) {
    const bool concerned = std::any_of(system.surfaces.begin(), system.surfaces.end(), [&](std::uint32_t k) {
      return std::find(switched.begin(), switched.end(), &program_.surfaces[k]) != switched.end();
    });
    if (concerned && !system.loops.empty() && search_system(system)) return true;
  }
  return false;
}

// What is found stays as it is until the modes of the instant have settled, and conditions that are zero but for
// rounding say nothing against it as long as they are.
bool HybridRun::search_system(const passes::ModeSystem& system) {
  std::vector<std::uint32_t> surfaces;
  for (const std::uint32_t k : system.surfaces) {
    if (!slides(k)) surfaces.push_back(k);
  }
  if (surfaces.empty() || is_frozen(surfaces[0])) return false;
  const auto stored = [&](std::size_t k) -> std::byte& {
    return memory_[machine_->layout().offset[program_.surfaces[surfaces[k]].mode]];
  };
  ModeSearch::Choice first;
  for (std::size_t k = 0; k < surfaces.size(); ++k) first.push_back(stored(k) != std::byte{0});
  const auto solve = [&](const ModeSearch::Choice& choice, std::vector<double>& values) {
    for (std::size_t k = 0; k < choice.size(); ++k) stored(k) = std::byte{choice[k]};
    if (!loop_solver_->try_newton(system.loops, t_, states(), running_tick_)) return false;
    // What counts is the motion that the choice leads to: where all is zero now, just after the instant.
    const double after = look_ahead(ahead_);
    if (!loop_solver_->try_newton(system.loops, after, ahead_.data(), running_tick_)) return false;
    machine_->surfaces()(after, ahead_.data(), g_.data(), memory_.data(), 0);
    for (std::size_t k = 0; k < choice.size(); ++k) values[k] = g_[surfaces[k]];
    return true;
  };
  const bool failed = loops_failed_;
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  std::vector<double> rounding;
  mode_sizes_.resize(program_.surfaces.size(), 0.0);
  const double size = size_of(system);
  for (const std::uint32_t k : surfaces) rounding.push_back(epsilon * (64 * mode_sizes_[k] + 4 * size));
  ModeSearch search(std::move(rounding), solve);
  if (!search.find(first)) {
    for (std::size_t k = 0; k < surfaces.size(); ++k) stored(k) = std::byte{bool{first[k]}};
    loops_failed_ = failed;
    conflicts_.clear();
    for (const ModeSearch::Conflict& conflict : search.conflicts()) {
      conflicts_.push_back(describe(program_.surfaces[surfaces[conflict.condition]], conflict));
    }
    return false;
  }
  loops_failed_ = !loop_solver_->try_newton(system.loops, t_, states(), running_tick_);
  if (frozen_.empty()) frozen_.assign(program_.surfaces.size(), false);
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    frozen_[surfaces[k]] = true;
    watch_.rest(surfaces[k], search.band(k));
  }
  return true;
}

}  // namespace orrery::sim
