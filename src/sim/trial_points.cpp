// SPDX-License-Identifier: Apache-2.0
// Points at which the model is evaluated but time is not: trial points of steps, and the point just after an instant.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/hybrid_run.h"
#include "sim/steep_slopes.h"

namespace orrery::sim {
// Trial points of a step may lie beyond a crossing that is located only afterwards. Where the formula that a held mode
// has chosen has no value there, as sqrt(u) for a negative u, conditions are evaluated as they stand: the step has a
// value, and the crossing is found in it.
int HybridRun::careful_derivative(double t, const double* x, double* dx, void* user) {
  auto* run = static_cast<HybridRun*>(user);
  if (!run->released_.empty()) run->take_released_modes(t, x);
  const int code = derivative(t, x, dx, user);
  if (code < 0 || (code == 0 && all_finite(dx, run->machine_->state_count()))) return code;
  if (run->sliding_ && run->sliding_->active()) return code;
  run->keep_modes(run->held_modes_, false);
  const int again = run->take_modes_of(t, x) ? derivative(t, x, dx, user) : code;
  run->keep_modes(run->held_modes_, true);
  return again;
}

// Modes become what their conditions are at (t, x); whether that changed any.
bool HybridRun::take_modes_of(double t, const double* x, bool shown, Unknowns unknowns) {
  constexpr int most_rounds = 10;
  trial_surfaces_.resize(program_.surfaces.size());
  const bool solves = unknowns == Unknowns::solved && !machine_->surface_loops().empty();
  bool any = false;
  for (int round = 0; round < most_rounds; ++round) {
    if (solves && !loop_solver_->solve(machine_->surface_loops(), t, x, 0)) return any;
    machine_->surfaces()(t, x, trial_surfaces_.data(), memory_.data(), 0);
    bool changed = false;
    for (std::size_t k = 0; k < program_.surfaces.size(); ++k) {
      const program::Surface& surface = program_.surfaces[k];
      const double g = trial_surfaces_[k];
      if (surface.mode == program::no_slot || surface.settled != program::no_expr || std::isnan(g)) continue;
      if (surface.shown && !shown) continue;
      std::byte& stored = memory_[machine_->layout().offset[surface.mode]];
      const std::byte mode{(surface.strict ? g > 0 : g >= 0) ? std::uint8_t{1} : std::uint8_t{0}};
      changed = changed || stored != mode;
      stored = mode;
    }
    if (!changed) break;
    any = true;
  }
  return any;
}

void HybridRun::run_always(double t, const double* x) {
  machine_->always()(t, x, y_.data(), memory_.data(), 0);
  if (const native::Function added = machine_->added()) added(t, x, y_.data(), memory_.data(), 0);
}

// What is shown. An instant may lie within rounding before a corner whose modes have changed with it.
void HybridRun::evaluate_always(double t, const double* x) {
  settle(machine_->always_loops(), t, x);
  run_always(t, x);
  if (!machine_->shows_partial() || !watch_.has_modes() || (sliding_ && sliding_->active())) return;
  const bool missing = std::any_of(program_.probes.begin(), program_.probes.end(), [this](const program::Probe& probe) {
    const program::Type type = program_.slots[probe.slot].type;
    for (std::size_t k = 0; probe.continuous && k < static_cast<std::size_t>(type.size()); ++k) {
      if (type.scalar == program::Scalar::f64 && std::isnan(value(probe.slot, k, 0))) return true;
    }
    return false;
  });
  if (!missing) return;
  keep_modes(held_modes_, false);
  if (take_modes_of(t, x, true)) run_always(t, x);
  keep_modes(held_modes_, true);
}

// The slope of a root at zero is infinite, and enormous near it. With such a matrix Newton's iteration would stop
// before it has moved, and errors would be filtered away: where slopes are that large, they are those over the
// tolerance.
int HybridRun::careful_jacobian(double t, const double* x, double* values, void* user) {
  auto* run = static_cast<HybridRun*>(user);
  if (!run->released_.empty()) run->take_released_modes(t, x);
  const int code = jacobian(t, x, values, user);
  const std::size_t count = run->machine_->known_jacobian()->pattern.nonzeros();
  if (code != 0) return code;
  const bool changes = run->watch_.has_modes() && !(run->sliding_ && run->sliding_->active());
  if (changes && !all_finite(values, count)) {
    run->keep_modes(run->held_modes_, false);
    if (run->take_modes_of(t, x)) jacobian(t, x, values, user);
    run->keep_modes(run->held_modes_, true);
  }
  run->bound_slopes(t, x, values);
  return 0;
}

void HybridRun::bound_slopes(double t, const double* x, double* values) {
  const passes::Sparsity& pattern = machine_->known_jacobian()->pattern;
  const double bound = steepest_slope(options_.stop - options_.start);
  if (!any_steeper(bound, values, pattern.nonzeros())) return;
  const std::size_t n = machine_->state_count();
  std::vector<double> steps(n);
  for (std::size_t j = 0; j < n; ++j) steps[j] = options_.tolerance.absolute * nominals_[j];
  const auto evaluate = [&](const double* at, double* dx) { return careful_derivative(t, at, dx, this) == 0; };
  bound_steep_slopes(pattern, bound, steps, {x, x + n}, evaluate, values);
}

// The states just after the instant: by a step of Heun's method as long as what counts as simultaneous, and not less
// than their rounding. Returns the time. Foreign code is not asked about times to come.
double HybridRun::look_ahead(std::vector<double>& x) {
  const std::size_t n = machine_->state_count();
  x.assign(states(), states() + n);
  if (!foreign_.empty()) return t_;
  const double h = 1.25 * coincidence_;
  slope_.resize(n);
  slope_ahead_.resize(n);
  if (careful_derivative(t_, states(), slope_.data(), this) != 0) return t_ + h;
  for (std::size_t k = 0; k < n; ++k) x[k] += h * slope_[k];
  if (!all_finite(x.data(), n) || careful_derivative(t_ + h, x.data(), slope_ahead_.data(), this) != 0)
    slope_ahead_ = slope_;
  for (std::size_t k = 0; k < n; ++k) {
    const double now = states()[k];
    const double move = 0.5 * h * (slope_[k] + slope_ahead_[k]);
    const double rounding = 20 * std::numeric_limits<double>::epsilon() * std::fabs(now);
    x[k] = move != 0 && std::isfinite(move) ? now + std::copysign(std::max(std::fabs(move), rounding), move) : now;
  }
  return t_ + h;
}

// All surfaces at this instant, to be judged. What is at zero is seen from just after the instant where its rates do
// not tell: with fixed steps, which have no modes, they are at a corner those of one of its sides, which need not be
// the one it goes on to; and the second rate may not be known, behind a loop.
SurfaceValues HybridRun::surfaces_now() {
  const SurfaceValues now = surface_values(t_, states());
  if (now.rates == nullptr || !foreign_.empty()) return now;
  const auto is_unclear = [&](std::size_t k) {
    if (!watch_.is_hardly_away(k, now)) return false;
    if (program_.fixed_step) return true;
    const double rate = rates_[3 * k];
    return program_.surfaces[k].mode == program::no_slot && (std::isnan(rate) || rate == 0) &&
           std::isnan(rates_[3 * k + 1]);
  };
  bool any = false;
  for (std::size_t k = 0; k < watch_.size() && !any; ++k) any = is_unclear(k);
  if (!any) return now;
  const double after = look_ahead(ahead_), h = after - t_;
  const auto solved = [&](const std::vector<std::uint32_t>& loops) {
    return loops.empty() || loop_solver_->solve(loops, after, ahead_.data(), 0);
  };
  if (!solved(machine_->surface_loops()) || !solved(machine_->derivative_loops())) return now;
  trial_surfaces_.resize(g_.size());
  rates_ahead_.resize(rates_.size());
  machine_->surfaces()(after, ahead_.data(), trial_surfaces_.data(), memory_.data(), 0);
  machine_->surface_rates()(after, ahead_.data(), rates_ahead_.data(), memory_.data(), 0);
  for (std::size_t k = 0; k < watch_.size(); ++k) {
    if (!is_unclear(k) || std::isnan(trial_surfaces_[k])) continue;
    if (program_.fixed_step) {
      g_[k] = trial_surfaces_[k];
      std::copy_n(rates_ahead_.data() + 3 * k, 3, rates_.data() + 3 * k);
    } else if (std::isnan(rates_[3 * k])) {
      rates_[3 * k] = (trial_surfaces_[k] - g_[k]) / h;
    } else {
      rates_[3 * k + 1] = 2 * (trial_surfaces_[k] - g_[k]) / (h * h);
    }
  }
  return now;
}

// Near the root of something that comes to rest at zero, numerical errors cross the corner again and again: a tank that
// is nearly empty. Where they do so by less than the tolerance, and the laws of the two sides meet there, nothing is
// lost when the condition is evaluated as it stands for a while; error control sees the corner.
bool HybridRun::is_noise(std::uint32_t surface) {
  constexpr double often = 30;
  const program::Surface& what = program_.surfaces[surface];
  const bool possible = machine_->has_partial_derivatives() && what.mode != program::no_slot && !what.shown &&
                        what.settled == program::no_expr && machine_->has_rate(surface) && !sliding_ && !sensitivity_ &&
                        machine_->surface_loops().empty() && foreign_.empty();
  if (!possible) return false;
  corners_.resize(program_.surfaces.size());
  Corner& corner = corners_[surface];
  const double interval = t_ - corner.last;
  corner.last = t_;
  bool tiny = interval < 1e-3 * (options_.stop - options_.start);
  if (tiny) {
    freshen();
    keep_modes(held_modes_, false);
    take_modes_of(t_, states());
    const double way = std::fabs(surface_values(t_, states()).rates[3 * surface]) * interval;
    keep_modes(held_modes_, true);
    tiny = way <= 100 * (options_.tolerance.absolute + options_.tolerance.relative * rates_[3 * surface + 2]);
  }
  corner.in_noise = tiny ? corner.in_noise + 1 : 0;
  return corner.in_noise >= often && meets_itself(surface);
}

// Whether the states move alike with both values of the mode.
bool HybridRun::meets_itself(std::uint32_t surface) {
  const std::size_t n = machine_->state_count();
  std::byte& mode = memory_[machine_->layout().offset[program_.surfaces[surface].mode]];
  const std::byte before = mode;
  slope_.resize(n);
  slope_ahead_.resize(n);
  const int one = careful_derivative(t_, states(), slope_.data(), this);
  mode = before == std::byte{0} ? std::byte{1} : std::byte{0};
  const int other = careful_derivative(t_, states(), slope_ahead_.data(), this);
  mode = before;
  if (one != 0 || other != 0) return false;
  const double horizon = options_.stop - options_.start;
  for (std::size_t k = 0; k < n; ++k) {
    const double size = std::max(std::fabs(slope_[k]), nominals_[k] / horizon);
    if (!(std::fabs(slope_[k] - slope_ahead_[k]) <= 1e-3 * size)) return false;
  }
  return true;
}

// What has come to rest at its corner, as an empty tank whose outlet follows a root, is put there exactly: beside it
// the slope of a root is enormous, and no method takes long steps. One state moves, by less than the tolerance, and
// only if the surface stays at zero then.
void HybridRun::put_to_rest(std::uint32_t surface) {
  freshen();
  const std::size_t n = machine_->state_count();
  ahead_.assign(states(), states() + n);
  trial_surfaces_.resize(program_.surfaces.size());
  const auto value = [&] {
    machine_->surfaces()(t_, ahead_.data(), trial_surfaces_.data(), memory_.data(), 0);
    return trial_surfaces_[surface];
  };
  const double here = value();
  std::size_t chosen = n;
  double slope = 0, reach = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double x = ahead_[j];
    const double size = options_.tolerance.absolute * nominals_[j] + options_.tolerance.relative * std::fabs(x);
    ahead_[j] = x + size;
    const double change = value() - here;
    ahead_[j] = x;
    if (!(std::fabs(change) > reach)) continue;
    reach = std::fabs(change);
    slope = change / size;
    chosen = j;
  }
  if (chosen == n || !(std::fabs(here) <= 10 * reach)) return;
  for (int k = 0; k < 4; ++k) ahead_[chosen] -= value() / slope;
  if (value() != 0) return;
  keep_modes(held_modes_, false);
  take_modes_of(t_, ahead_.data());
  rates_ahead_.resize(rates_.size());
  machine_->surface_rates()(t_, ahead_.data(), rates_ahead_.data(), memory_.data(), 0);
  keep_modes(held_modes_, true);
  if (rates_ahead_[3 * surface] == 0) states()[chosen] = ahead_[chosen];
}

void HybridRun::let_go(std::uint32_t surface) {
  constexpr double stretch = 1e-2;  // of the horizon
  corners_[surface].in_noise = 0;
  put_to_rest(surface);
  if (std::find(released_.begin(), released_.end(), surface) != released_.end()) return;
  released_.push_back(surface);
  released_until_ = t_ + stretch * (options_.stop - options_.start);
  watch_.mute(surface);
}

void HybridRun::hold_again() {
  for (const std::uint32_t surface : released_) watch_.unmute(surface);
  released_.clear();
  restart_needed_ = true;
}

void HybridRun::take_released_modes(double t, const double* x) {
  trial_surfaces_.resize(program_.surfaces.size());
  machine_->surfaces()(t, x, trial_surfaces_.data(), memory_.data(), 0);
  for (const std::uint32_t k : released_) {
    const program::Surface& surface = program_.surfaces[k];
    const double g = trial_surfaces_[k];
    if (std::isnan(g)) continue;
    memory_[machine_->layout().offset[surface.mode]] =
        std::byte{(surface.strict ? g > 0 : g >= 0) ? std::uint8_t{1} : std::uint8_t{0}};
  }
}

// Conditions of continuous signals that a table reads, as they are just after the instant; at the very start, before
// anything moves, as they stand.
void HybridRun::sample_conditions(std::uint32_t source) {
  freshen();
  double after = t_;
  if (source == 0) {
    ahead_.assign(states(), states() + machine_->state_count());
  } else {
    after = look_ahead(ahead_);
  }
  settle(machine_->sampled_loops(), t_, states());
  machine_->sampled()(after, ahead_.data(), y_.data(), memory_.data(), running_tick_);
}

}  // namespace orrery::sim
