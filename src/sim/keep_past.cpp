// SPDX-License-Identifier: Apache-2.0
// What the loop does for the histories of signals.
#include <algorithm>

#include "sim/hybrid_run.h"

namespace orrery::sim {

bool HybridRun::prepare_histories() {
  if (histories_.empty()) return true;
  past_.resize(machine_->history_count());
  past_x_.resize(machine_->state_count());
  steady_.clear();
  for (std::uint32_t k = 0; k < program_.surfaces.size(); ++k) {
    if (program_.surfaces[k].steady && !program_.surfaces[k].shown) steady_.push_back(k);
  }
  const solve::Tolerance tolerance = problem().tolerance;
  const double step = program_.fixed_step ? options_.limits.fixed : 0;
  histories_.point(memory_.data());
  return histories_.prepare(
      {options_.start, options_.stop, time_tolerance_, step, tolerance.relative, tolerance.absolute}, memory_.data(),
      [this](program::OriginId origin) { return place_of(origin); }, diagnostics_);
}

// Time has come to t_ for good. To be called before anything changes there.
void HybridRun::keep_past() {
  if (histories_.empty() || !(t_ > histories_.filled_to())) return;
  const std::size_t n = machine_->state_count();
  histories_.fill(t_, integrator_->dense_degree(), [&](double t, double* values) {
    const double* x = past_x_.data();
    if (n > 0 && t >= step_end_) {
      x = integrator_->state();
    } else if (n > 0) {
      integrator_->interpolate_watched(std::max(t, integrator_->previous_time()), past_x_.data());
    }
    settle(machine_->history_loops(), t, x);
    machine_->histories()(t, x, values, memory_.data(), 0);
  });
  if (!histories_.is_rough() || warned_of_past_) return;
  warned_of_past_ = true;
  diagnostics_
      .warning("history-too-fast", place_of(0), "a delayed signal changes faster than its past can be kept",
               "choose a smaller hmax, or give the solver a state to follow that changes as fast")
      .time = t_;
}

// Where the integrator starts anew, the signals may have jumped or bent.
void HybridRun::begin_stretches() {
  if (histories_.empty()) return;
  settle(machine_->history_loops(), t_, states());
  machine_->histories()(t_, states(), past_.data(), memory_.data(), 0);
  histories_.begin_stretches(t_, past_.data(), memory_.data(), solver_->order, report_.events);
}

// How far the next step may go: not beyond what is known of the past, and only a little beyond the next break of it.
double HybridRun::history_limit() {
  if (histories_.empty()) return INFINITY;
  double limit = histories_.reach(t_);
  for (const std::uint32_t k : steady_) {
    const double left = watch_.last()[k];
    if (left > 0) limit = std::min(limit, t_ + left + 16 * coincidence_);
  }
  return limit;
}

}  // namespace orrery::sim
