// SPDX-License-Identifier: Apache-2.0
// Conditions of continuous time that belong to systems of equations: those before a system first, then its own, by a
// search where they do not settle (mode_search.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/hybrid_run.h"

namespace orrery::sim {

std::string describe(const program::Surface& condition, const ModeSearch::Conflict& conflict) {
  return fmt::format("{}: taken as {}, its two sides are {:.3g} apart the other way", condition.text,
                     conflict.held ? "true" : "false", std::fabs(conflict.value));
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
    machine_->surfaces()(t_, states(), g_.data(), memory_.data(), 0);
    for (std::size_t k = 0; k < choice.size(); ++k) values[k] = g_[surfaces[k]];
    return true;
  };
  const bool failed = loops_failed_;
  ModeSearch search(surfaces.size(), solve);
  if (!search.find(first)) {
    for (std::size_t k = 0; k < surfaces.size(); ++k) stored(k) = std::byte{bool{first[k]}};
    loops_failed_ = failed;
    conflicts_.clear();
    for (const ModeSearch::Conflict& conflict : search.conflicts()) {
      conflicts_.push_back(describe(program_.surfaces[surfaces[conflict.condition]], conflict));
    }
    return false;
  }
  loops_failed_ = false;
  if (frozen_.empty()) frozen_.assign(program_.surfaces.size(), false);
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    frozen_[surfaces[k]] = true;
    watch_.rest(surfaces[k], search.band(k));
  }
  return true;
}

}  // namespace orrery::sim
