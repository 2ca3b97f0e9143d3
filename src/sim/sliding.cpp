// SPDX-License-Identifier: Apache-2.0
// Filippov's mixture.
#include "sim/sliding.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery::sim {
namespace {

// How far beyond zero a share is when its surface is left: so that the side it leaves to is beyond doubt.
constexpr double beyond = 1e-9;

}  // namespace

Sliding::Sliding(const CompiledProgram& machine, std::vector<std::byte>& memory, double coincidence, LoopSolver* loops)
    : machine_(machine),
      memory_(memory),
      coincidence_(coincidence),
      loops_(loops),
      belongs_to_loops_(machine.program().surfaces.size(), false),
      g_(machine.program().surfaces.size()) {
  for (const passes::ModeSystem& system : machine.mode_systems()) {
    for (const std::uint32_t k : system.surfaces) belongs_to_loops_[k] = !system.loops.empty();
  }
  make_room();
}

bool Sliding::may_slide(std::size_t surface) const {
  const program::Program& program = machine_.program();
  const program::Surface& what = program.surfaces[surface];
  return what.mode != program::no_slot && what.settled == program::no_expr && machine_.has_rate(surface) &&
         !what.shown && !belongs_to_loops_[surface] && program.foreign_objects.empty();
}

void Sliding::take_side(const Group& group, bool side) {
  for (const Member& member : group.members) {
    mode_of(member.surface) = (side ? member.mode_there : member.mode_here) ? std::byte{1} : std::byte{0};
  }
}

void Sliding::evaluate_surfaces(double t, const double* x, double* g) {
  solve(machine_.surface_loops(), t, x);
  machine_.surfaces()(t, x, g, memory_.data(), 0);
}

void Sliding::evaluate(double t, const double* x, std::size_t vertex, bool derivatives) {
  solve(machine_.surface_loops(), t, x);
  solve(machine_.derivative_loops(), t, x);
  machine_.surface_rates()(t, x, rates_of(vertex), memory_.data(), 0);
  if (derivatives) machine_.derivatives()(t, x, slope_of(vertex), memory_.data(), 0);
}

void Sliding::evaluate_sides(double t, const double* x, bool derivatives) {
  evaluate(t, x, 0, derivatives);
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    take_side(groups_[k], true);
    evaluate(t, x, k + 1, derivatives);
    take_side(groups_[k], false);
  }
}

// False, and halves, where there are none.
bool Sliding::find_shares(double t, const double* x, bool derivatives) {
  evaluate_sides(t, x, derivatives);
  const std::size_t n = groups_.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t at = 3 * groups_[i].members[0].surface;
    const double rate = rates_of(0)[at];
    share_[i] = -rate;
    for (std::size_t j = 0; j < n; ++j) matrix_[i * n + j] = rates_of(j + 1)[at] - rate;
  }
  if (solve_small(n, matrix_.data(), share_.data())) return true;
  std::fill(share_.begin(), share_.end(), 0.5);
  return false;
}

bool Sliding::derivative(double t, const double* x, double* dx) {
  lost_ = false;
  find_shares(t, x, true);
  const std::size_t count = machine_.state_count();
  const double* base = slope_of(0);
  std::copy_n(base, count, dx);
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    const double* slope = slope_of(k + 1);
    const double share = std::clamp(share_[k], -1.0, 2.0);  // smooth beyond the end of sliding, within reason
    for (std::size_t i = 0; i < count; ++i) dx[i] += share * (slope[i] - base[i]);
  }
  return !lost_;
}

// Second rates along the mixture are known only of what the sides move alike.
void Sliding::rates(double t, const double* x, double* rates) {
  find_shares(t, x, false);
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t s = 0; s < g_.size(); ++s) {
    const double base = rates_of(0)[3 * s];
    double rate = base;
    bool alike = true;
    for (std::size_t k = 0; k < groups_.size(); ++k) {
      rate += share_[k] * (rates_of(k + 1)[3 * s] - base);
      alike = alike && rates_of(k + 1)[3 * s] == base && rates_of(k + 1)[3 * s + 1] == rates_of(0)[3 * s + 1];
    }
    rates[3 * s] = has_mode(s) || is_pinned(s) ? unknown : rate;
    rates[3 * s + 1] = alike && !has_mode(s) && !is_pinned(s) ? rates_of(0)[3 * s + 1] : unknown;
    rates[3 * s + 2] = rates_of(0)[3 * s + 2];
  }
}

void Sliding::replace(double t, const double* x, double* g) {
  const bool known = find_shares(t, x, false);
  double drift = 0;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    const Group& group = groups_[k];
    drift = std::max(drift, group.drift);
    for (const Member& member : group.members) g[member.surface] = 1;
    g[group.members[0].surface] = known ? std::min(share_[k], 1 - share_[k]) + beyond : -1;
  }
  // What has begun to move after all is seen to do so.
  for (const Pin& pin : pins_) {
    if (std::fabs(g[pin.surface]) <= 1e-6 * pin.size + 100 * drift) g[pin.surface] = pin.value;
  }
}

void Sliding::widen(double t, const double* g, double* speed) const {
  if (t != left_at_) return;
  for (const auto& [k, drift] : left_) {
    if (std::fabs(g[k]) <= drift) speed[k] = std::max(speed[k], 1.01 * std::fabs(g[k]) / coincidence_);
  }
}

bool Sliding::has_mode(std::size_t surface) const {
  return std::any_of(groups_.begin(), groups_.end(), [surface](const Group& group) {
    return std::any_of(group.members.begin(), group.members.end(),
                       [surface](const Member& m) { return m.surface == surface; });
  });
}

bool Sliding::is_decided(std::size_t surface) const {
  return std::find(decided_.begin(), decided_.end(), surface) != decided_.end();
}

bool Sliding::is_pinned(std::size_t surface) const {
  return std::any_of(pins_.begin(), pins_.end(), [surface](const Pin& pin) { return pin.surface == surface; });
}

std::vector<std::size_t> Sliding::surfaces() const {
  std::vector<std::size_t> all;
  for (const Group& group : groups_) all.push_back(group.members[0].surface);
  return all;
}

std::vector<double> Sliding::save() const {
  std::vector<double> out{static_cast<double>(groups_.size())};
  for (const Group& group : groups_) {
    out.insert(out.end(), {group.drift, static_cast<double>(group.members.size())});
    for (const Member& member : group.members)
      out.insert(out.end(), {static_cast<double>(member.surface),
                             (member.mode_there ? 1.0 : 0.0) + (member.mode_there == member.mode_here ? 2.0 : 0.0)});
  }
  out.push_back(static_cast<double>(pins_.size()));
  for (const Pin& pin : pins_) out.insert(out.end(), {static_cast<double>(pin.surface), pin.value, pin.size});
  out.push_back(left_at_);
  for (const Left& left : left_) out.insert(out.end(), {static_cast<double>(left.surface), left.drift});
  return out;
}

bool Sliding::restore(std::span<const double> saved) {
  std::size_t at = 0;
  const auto next = [&] { return at < saved.size() ? saved[at++] : -1.0; };
  const auto surface = [&] {
    const double number = next();
    return number >= 0 && number < static_cast<double>(g_.size()) ? static_cast<std::size_t>(number) : g_.size();
  };
  std::vector<Group> groups;
  std::vector<Pin> pins;
  for (double left = next(); left > 0; --left) {
    Group group;
    group.drift = next();
    for (double members = next(); members > 0; --members) {
      const std::size_t k = surface();
      if (k == g_.size()) return false;
      const double modes = next();
      const bool there = modes == 1 || modes == 3, corner = modes >= 2;
      group.members.push_back({k, there, there == corner});
    }
    if (group.members.empty()) return false;
    groups.push_back(std::move(group));
  }
  for (double left = next(); left > 0; --left) {
    const std::size_t k = surface();
    if (k == g_.size()) return false;
    const double value = next();
    pins.push_back({k, value, next()});
  }
  left_at_ = next();
  left_.clear();
  while (at < saved.size()) {
    const std::size_t k = surface();
    if (k == g_.size()) return false;
    left_.push_back({k, next()});
  }
  groups_ = std::move(groups);
  pins_ = std::move(pins);
  make_room();
  return true;
}

}  // namespace orrery::sim
