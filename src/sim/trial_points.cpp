// SPDX-License-Identifier: Apache-2.0
// Points at which the model is evaluated but time is not: trial points of steps, and the point just after an instant.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/hybrid_run.h"

namespace orrery::sim {
namespace {

bool all_finite(const double* values, std::size_t count) {
  double zero = 0;
  for (std::size_t k = 0; k < count; ++k) zero += 0 * values[k];
  return zero == 0;
}

}  // namespace

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
bool HybridRun::take_modes_of(double t, const double* x, bool shown) {
  constexpr int most_rounds = 10;
  trial_surfaces_.resize(program_.surfaces.size());
  bool any = false;
  for (int round = 0; round < most_rounds; ++round) {
    if (!machine_->surface_loops().empty() && !loop_solver_->solve(machine_->surface_loops(), t, x, 0)) return any;
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
  constexpr double steep = 1e4;  // in a hundredth of the horizon
  const passes::Sparsity& pattern = machine_->known_jacobian()->pattern;
  const std::size_t n = machine_->state_count();
  const double bound = steep * 100 / (options_.stop - options_.start);
  const auto is_steep = [bound](double value) { return !(std::fabs(value) <= bound); };
  if (std::none_of(values, values + pattern.nonzeros(), is_steep)) return;
  std::vector<double> moved(x, x + n), low(n), high(n);
  for (std::size_t j = 0; j < n; ++j) {
    const auto first = static_cast<std::size_t>(pattern.column_start[j]);
    const auto last = static_cast<std::size_t>(pattern.column_start[j + 1]);
    if (std::none_of(values + first, values + last, is_steep)) continue;
    const double step = std::max(std::sqrt(std::numeric_limits<double>::epsilon()) * std::fabs(x[j]),
                                 options_.tolerance.absolute * nominals_[j]);
    moved[j] = x[j] + step;
    int code = careful_derivative(t, moved.data(), high.data(), this);
    moved[j] = x[j] - step;
    if (code == 0) code = careful_derivative(t, moved.data(), low.data(), this);
    moved[j] = x[j];
    for (std::size_t e = first; e < last && code == 0; ++e) {
      const auto row = static_cast<std::size_t>(pattern.row[e]);
      const double slope = (high[row] - low[row]) / (2 * step);
      const bool misleads = !(std::fabs(values[e]) <= 4 * std::fabs(slope));
      if (is_steep(values[e]) && misleads && std::isfinite(slope)) values[e] = slope;
    }
  }
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

// Near the root of something that comes to rest at zero, numerical errors cross the corner again and again: a tank that
// is nearly empty. Where they do so by less than the tolerance, and the laws of the two sides meet there, nothing is
// lost when the condition is evaluated as it stands for a while; error control sees the corner.
bool HybridRun::is_noise(std::uint32_t surface) {
  constexpr int often = 30;
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

void HybridRun::let_go(std::uint32_t surface) {
  constexpr double stretch = 1e-2;  // of the horizon
  corners_[surface].in_noise = 0;
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
