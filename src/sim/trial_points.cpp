// SPDX-License-Identifier: Apache-2.0
// Points at which the model is evaluated but time is not: trial points of steps, and the point just after an instant.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/steep_slopes.h"
#include "sim/trial_points.h"

namespace orrery::sim {
namespace {

std::size_t bytes_of_mode(const RunContext& run, program::SlotId slot) {
  return static_cast<std::size_t>(byte_size(run.program.slots[slot].type.scalar));
}

}  // namespace

void KeptModes::keep(const RunContext& run) {
  modes_.resize(run.program.surfaces.size());
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    const program::SlotId slot = run.program.surfaces[k].mode;
    if (slot == program::no_slot) continue;
    std::copy_n(run.memory.data() + run.machine.layout().offset[slot], bytes_of_mode(run, slot),
                reinterpret_cast<std::byte*>(&modes_[k]));
  }
}

void KeptModes::put_back(RunContext& run) const {
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    const program::SlotId slot = run.program.surfaces[k].mode;
    if (slot == program::no_slot) continue;
    std::copy_n(reinterpret_cast<const std::byte*>(&modes_[k]), bytes_of_mode(run, slot),
                run.memory.data() + run.machine.layout().offset[slot]);
  }
}

TrialPoints::TrialPoints(RunContext& run, ModelFunctions& model) : run_(run), model_(model) {
  if (model.loop_solver() == nullptr || !run.has_modes || !run.machine.has_partial_derivatives()) return;
  model.loop_solver()->set_other_modes(
      [this](double t, const double* x) {
        held_in_loops_.keep(run_);
        return !model_.is_sliding() && take_modes_of(t, x, true, Unknowns::given);
      },
      [this] { held_in_loops_.put_back(run_); });
}

// Trial points of a step may lie beyond a crossing that is located only afterwards. Where the formula that a held mode
// has chosen has no value there, as sqrt(u) for a negative u, conditions are evaluated as they stand: the step has a
// value, and the crossing is found in it.
int TrialPoints::derivative(double t, const double* x, double* dx, void* user) {
  auto* self = static_cast<TrialPoints*>(user);
  if (!self->released.empty()) self->take_released_modes(t, x);
  const int code = ModelFunctions::derivative(t, x, dx, &self->model_);
  if (code < 0 || (code == 0 && all_finite(dx, self->run_.machine.state_count()))) return code;
  if (self->model_.is_sliding()) return code;
  self->held_.keep(self->run_);
  const int again = self->take_modes_of(t, x) ? ModelFunctions::derivative(t, x, dx, &self->model_) : code;
  self->held_.put_back(self->run_);
  return again;
}

bool TrialPoints::take_modes_of(double t, const double* x, bool shown, Unknowns unknowns) {
  constexpr int most_rounds = 10;
  surfaces_.resize(run_.program.surfaces.size());
  const auto& loops = run_.machine.surface_loops();
  const bool solves = unknowns == Unknowns::solved && !loops.empty();
  bool any = false;
  for (int round = 0; round < most_rounds; ++round) {
    if (solves && !model_.loop_solver()->solve(loops, t, x, 0)) return any;
    run_.machine.surfaces()(t, x, surfaces_.data(), run_.memory.data(), 0);
    bool changed = false;
    for (std::size_t k = 0; k < run_.program.surfaces.size(); ++k) {
      const program::Surface& surface = run_.program.surfaces[k];
      const double g = surfaces_[k];
      if (surface.mode == program::no_slot || surface.settled != program::no_expr || std::isnan(g)) continue;
      if (surface.shown && !shown) continue;
      std::byte& stored = run_.mode_of(surface);
      const std::byte mode{(surface.strict ? g > 0 : g >= 0) ? std::uint8_t{1} : std::uint8_t{0}};
      changed = changed || stored != mode;
      stored = mode;
    }
    if (!changed) break;
    any = true;
  }
  return any;
}

// The slope of a root at zero is infinite, and enormous near it. With such a matrix Newton's iteration would stop
// before it has moved, and errors would be filtered away: where slopes are that large, they are those over the
// tolerance.
int TrialPoints::jacobian(double t, const double* x, double* values, void* user) {
  auto* self = static_cast<TrialPoints*>(user);
  RunContext& run = self->run_;
  if (!self->released.empty()) self->take_released_modes(t, x);
  const int code = ModelFunctions::jacobian(t, x, values, &self->model_);
  const std::size_t count = run.machine.known_jacobian()->pattern.nonzeros();
  if (code != 0) return code;
  const bool changes = run.has_modes && !self->model_.is_sliding();
  if (changes && !all_finite(values, count)) {
    self->held_.keep(run);
    if (self->take_modes_of(t, x)) ModelFunctions::jacobian(t, x, values, &self->model_);
    self->held_.put_back(run);
  }
  self->bound_slopes(t, x, values);
  return 0;
}

void TrialPoints::bound_slopes(double t, const double* x, double* values) {
  const passes::Sparsity& pattern = run_.machine.known_jacobian()->pattern;
  const double bound = steepest_slope(run_.horizon());
  if (!any_steeper(bound, values, pattern.nonzeros())) return;
  const std::size_t n = run_.machine.state_count();
  std::vector<double> steps(n);
  for (std::size_t j = 0; j < n; ++j) steps[j] = run_.options.tolerance.absolute * run_.nominals[j];
  const auto evaluate = [&](const double* at, double* dx) { return derivative(t, at, dx) == 0; };
  bound_steep_slopes(pattern, bound, steps, {x, x + n}, evaluate, values);
}

// The states just after the instant: by a step of Heun's method as long as what counts as simultaneous, and not less
// than their rounding. Returns the time. Foreign code is not asked about times to come.
double TrialPoints::look_ahead(std::vector<double>& x) {
  const std::size_t n = run_.machine.state_count();
  x.assign(run_.states(), run_.states() + n);
  if (!model_.foreign().empty()) return run_.t;
  const double h = 1.25 * run_.coincidence;
  slope_.resize(n);
  slope_ahead_.resize(n);
  if (derivative(run_.t, run_.states(), slope_.data()) != 0) return run_.t + h;
  for (std::size_t k = 0; k < n; ++k) x[k] += h * slope_[k];
  if (!all_finite(x.data(), n) || derivative(run_.t + h, x.data(), slope_ahead_.data()) != 0) slope_ahead_ = slope_;
  for (std::size_t k = 0; k < n; ++k) {
    const double now = run_.states()[k];
    const double move = 0.5 * h * (slope_[k] + slope_ahead_[k]);
    const double rounding = 20 * std::numeric_limits<double>::epsilon() * std::fabs(now);
    x[k] = move != 0 && std::isfinite(move) ? now + std::copysign(std::max(std::fabs(move), rounding), move) : now;
  }
  return run_.t + h;
}

// Whether the states move alike with both values of the mode.
bool TrialPoints::meets_itself(std::uint32_t surface) {
  const std::size_t n = run_.machine.state_count();
  std::byte& mode = run_.mode_of(run_.program.surfaces[surface]);
  const std::byte before = mode;
  slope_.resize(n);
  slope_ahead_.resize(n);
  const int one = derivative(run_.t, run_.states(), slope_.data());
  mode = before == std::byte{0} ? std::byte{1} : std::byte{0};
  const int other = derivative(run_.t, run_.states(), slope_ahead_.data());
  mode = before;
  if (one != 0 || other != 0) return false;
  const double horizon = run_.horizon();
  for (std::size_t k = 0; k < n; ++k) {
    const double size = std::max(std::fabs(slope_[k]), run_.nominals[k] / horizon);
    if (!(std::fabs(slope_[k] - slope_ahead_[k]) <= 1e-3 * size)) return false;
  }
  return true;
}

void TrialPoints::take_released_modes(double t, const double* x) {
  surfaces_.resize(run_.program.surfaces.size());
  run_.machine.surfaces()(t, x, surfaces_.data(), run_.memory.data(), 0);
  for (const std::uint32_t k : released) {
    const program::Surface& surface = run_.program.surfaces[k];
    const double g = surfaces_[k];
    if (std::isnan(g)) continue;
    run_.mode_of(surface) = std::byte{(surface.strict ? g > 0 : g >= 0) ? std::uint8_t{1} : std::uint8_t{0}};
  }
}

void TrialPoints::sample_conditions(std::uint32_t source) {
  double after = run_.t;
  if (source == 0) {
    ahead_.assign(run_.states(), run_.states() + run_.machine.state_count());
  } else {
    after = look_ahead(ahead_);
  }
  // The unknowns of loops move as well; the table solves its own for now.
  const auto& loops = run_.machine.sampled_loops();
  if (!loops.empty() && (after == run_.t || !model_.loop_solver()->solve(loops, after, ahead_.data(), run_.tick)))
    model_.settle(loops, run_.t, run_.states());
  run_.machine.sampled()(after, ahead_.data(), run_.results.data(), run_.memory.data(), run_.tick);
}

}  // namespace orrery::sim
