// SPDX-License-Identifier: Apache-2.0
// Which moments of a run become rows of the recording (docs/semantics.md, 11).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/hybrid_run.h"

namespace orrery::sim {

// Whether an event makes rows: one of its probes is activated, or something that continuous ones read may change.
bool HybridRun::will_show(const TableCode& table) {
  if (!table.shows || !recorder_.active() || options_.grid_only) return false;
  if (table.shows_when == 0) return true;
  machine_->function(table.shows_when)(t_, states(), y_.data(), memory_.data(), running_tick_);
  return y_[0] != 0;
}

void HybridRun::take_row(Phase phase) {
  if (!recorder_.active()) return;
  freshen();
  const bool preview = phase == Phase::event && watch_.has_modes() && !sensitivity_;
  if (preview) preview_modes();
  if (!watch_.muted().empty()) refresh_muted(t_, states());
  evaluate_accepted(t_, states());
  recorder_.take(t_, phase, memory_.data());
  if (preview) keep_modes(true);
}

// What is only activated by events has its rows there and nowhere else.
void HybridRun::show(Phase phase) {
  if (machine_->has_continuous_probes() && !options_.grid_only) take_row(phase);
}

// Inside the integrator's last step.
void HybridRun::evaluate_shown(double t) {
  const double* x = states();
  if (integrator_ && integrator_->time() > integrator_->previous_time() && machine_->state_count() > 0) {
    integrator_->interpolate(std::clamp(t, integrator_->previous_time(), integrator_->time()), x_.data());
    x = x_.data();
  }
  if (!watch_.muted().empty()) refresh_muted(t, x);
  evaluate_accepted(t, x);
}

// Where the solution is: what goes wrong here ends the run.
void HybridRun::evaluate_accepted(double t, const double* x) {
  trouble_.clear(memory_.data());
  evaluate_always(t, x);
  if (!troubled_ && trouble_.look(memory_.data(), t)) troubled_ = trouble_.report(t, diagnostics_);
}

// Rows of the recording grid in [from, to), and others where a curve needs them. A row of the grid that falls on an
// event shows what the event has left.
void HybridRun::record_between(double from, double to) {
  if (!recorder_.active()) return;
  double before = from;
  if (options_.interval > 0) {
    for (double t = next_row_time(); t < to - time_tolerance_ && !recorder_.is_full();
         ++next_row_, t = next_row_time()) {
      refine(before, t);
      evaluate_shown(t);
      const Phase phase = next_row_ == 0 ? Phase::initial : Phase::mesh;
      recorder_.take(std::max(t, recorder_.last_time()), phase, memory_.data());
      before = t;
    }
  }
  refine(before, to);
}

void HybridRun::refine(double from, double to) {
  if (!refiner_.active() || options_.grid_only || program_.fixed_step || recorder_.is_full()) return;
  refiner_.between(
      from, to, memory_.data(), [this](double t) { evaluate_shown(t); },
      [this](double t) { recorder_.take(t, Phase::mesh, memory_.data()); });
}

// Once for each signal.
void HybridRun::warn_about_rows() {
  for (const Recorder::NotANumber& found : recorder_.take_not_numbers()) {
    const program::Probe& probe = program_.probes[found.probe];
    diagnostics_
        .warning("nan-signal", place_of(probe.origin),
                 fmt::format("the recorded signal {} is not a number from here on, or was so for a while", found.name),
                 "look for 0/0, the root or logarithm of a negative number, or a parameter that is not a number")
        .time = found.time;
  }
  if (!refiner_.exhausted() || warned_of_curves_) return;
  warned_of_curves_ = true;
  diagnostics_
      .warning("curve-too-fast", place_of(0),
               "a recorded curve changes faster than rows can follow; some of it is missing",
               "record a shorter stretch of time, or choose the points with --interval")
      .time = t_;
}

}  // namespace orrery::sim
