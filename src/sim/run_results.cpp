// SPDX-License-Identifier: Apache-2.0
// Rows at events, steps and grid points; more where curves bend; and when there are too many.
#include "sim/run_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/saved_bytes.h"

namespace orrery::sim {

RunResults::RunResults(RunContext& run, ModelFunctions& model, TrialPoints& trial, Modes& modes, SolverSeat& seat,
                       const SurfaceWatch& watch)
    : run_(run),
      model_(model),
      trial_(trial),
      modes_(modes),
      seat_(seat),
      watch_(watch),
      recorder_(run.program, run.machine.layout(), run.options),
      refiner_(run.program, run.machine.layout()),
      ledger_stream_(run.program, run.options.ledger_sinks) {}

bool RunResults::will_show(const TableCode& table) {
  if (!may_show(table)) return false;
  if (table.shows_when == 0) return true;
  run_.machine.function(table.shows_when)(run_.t, run_.states(), run_.results.data(), run_.memory.data(), run_.tick);
  return run_.results[0] != 0;
}

void RunResults::take_row(Phase phase) {
  if (!recorder_.active()) return;
  seat_.freshen();
  const bool preview = phase == Phase::event && modes_.can_preview();
  if (preview) modes_.preview();
  if (!watch_.muted().empty()) modes_.refresh_muted(run_.t, run_.states());
  evaluate_always(run_.t, run_.states());
  if (!model_.is_troubled()) recorder_.take(run_.t, phase, run_.memory.data());
  if (preview) modes_.put_back();
}

void RunResults::show(Phase phase) {
  if (run_.machine.has_continuous_probes() && !run_.options.grid_only) take_row(phase);
}

// Inside the integrator's last step.
void RunResults::evaluate_shown(double t) {
  const double* x = seat_.states_at(t);
  if (!watch_.muted().empty()) modes_.refresh_muted(t, x);
  evaluate_always(t, x);
}

void RunResults::record_between(double from, double to) {
  if (!recorder_.active()) return;
  double before = from;
  if (run_.options.interval > 0) {
    for (double t = next_row_time(); t < to - run_.time_tolerance && !recorder_.is_full();
         ++next_row_, t = next_row_time()) {
      refine(before, t);
      evaluate_shown(t);
      if (model_.is_troubled()) return;
      const Phase phase = next_row_ == 0 ? Phase::initial : Phase::mesh;
      recorder_.take(std::max(t, recorder_.last_time()), phase, run_.memory.data());
      before = t;
    }
  }
  refine(before, to);
}

void RunResults::refine(double from, double to) {
  if (!refiner_.active() || run_.options.grid_only || run_.program.fixed_step || recorder_.is_full()) return;
  refiner_.between(
      from, to, run_.memory.data(), [this](double t) { evaluate_shown(t); },
      [this](double t) {
        if (!model_.is_troubled()) recorder_.take(t, Phase::mesh, run_.memory.data());
      });
}

// Once for each signal.
void RunResults::warn_about_rows() {
  for (const Recorder::NotFinite& found : recorder_.take_not_finite()) {
    const program::Probe& probe = run_.program.probes[found.probe];
    if (std::isinf(found.value)) {
      run_.diagnostics
          .warning("infinite-signal", run_.place_of(probe.origin),
                   fmt::format("the recorded signal {} is {}infinite from here on, or was so for a while", found.name,
                               found.value < 0 ? "minus " : ""),
                   "look for a division by zero, the logarithm of zero, an overflow, or a parameter that is infinite")
          .time = found.time;
      continue;
    }
    run_.diagnostics
        .warning("nan-signal", run_.place_of(probe.origin),
                 fmt::format("the recorded signal {} is not a number from here on, or was so for a while", found.name),
                 "look for 0/0, the root or logarithm of a negative number, or a parameter that is not a number")
        .time = found.time;
  }
  if (!refiner_.exhausted() || warned_of_curves_) return;
  warned_of_curves_ = true;
  run_.diagnostics
      .warning("curve-too-fast", run_.place_of(0),
               "a recorded curve changes faster than rows can follow; some of it is missing",
               "record a shorter stretch of time, or choose the points with --interval")
      .time = run_.t;
}

bool RunResults::misses_values() const {
  return std::any_of(run_.program.probes.begin(), run_.program.probes.end(), [this](const program::Probe& probe) {
    const program::Type type = run_.program.slots[probe.slot].type;
    if (!probe.continuous || type.scalar != program::Scalar::f64) return false;
    const auto* values = reinterpret_cast<const double*>(run_.memory.data() + run_.machine.layout().offset[probe.slot]);
    return std::any_of(values, values + type.size(), [](double value) { return std::isnan(value); });
  });
}

void RunResults::run_always(double t, const double* x) {
  run_.machine.always()(t, x, run_.results.data(), run_.memory.data(), 0);
  if (const native::Function added = run_.machine.added()) added(t, x, run_.results.data(), run_.memory.data(), 0);
}

// What is shown. An instant may lie within rounding before a corner whose modes have changed with it.
void RunResults::evaluate_always(double t, const double* x) {
  model_.settle(run_.machine.always_loops(), t, x);
  model_.trouble().clear(run_.memory.data());
  run_always(t, x);
  model_.note_trouble(t);
  if (!run_.machine.shows_partial() || !run_.has_modes || model_.is_sliding()) return;
  if (!misses_values()) return;
  held_.keep(run_);
  if (trial_.take_modes_of(t, x, true)) run_always(t, x);
  held_.put_back(run_);
}

bool RunResults::hand_out() {
  recorder_.flush_when_due();
  ledger_stream_.drain(ledger_, false);
  return !is_too_large() && !recorder_.refused() && !ledger_stream_.refused();
}

// Sinks that refuse say why themselves.
bool RunResults::finish(bool whole) {
  warn_about_rows();
  recorder_.deliver(whole);
  ledger_stream_.drain(ledger_, true);
  if (is_too_large()) static_cast<void>(report_too_large());
  return !is_too_large() && !recorder_.refused() && !ledger_stream_.refused();
}

bool RunResults::asks_for_too_much() const {
  return run_.options.interval > 0 && run_.horizon() / run_.options.interval > recorder_.most_rows();
}

bool RunResults::is_too_large() const {
  return recorder_.overflowed() ||
         static_cast<double>(ledger_.entries.size() * sizeof(LedgerEntry)) > run_.options.results_limit;
}

Flow RunResults::report_too_large() {
  const double wanted = run_.options.interval > 0 ? run_.horizon() / run_.options.interval : 0;
  std::string what = fmt::format("{} events were listed", ledger_.entries.size());
  if (wanted > recorder_.most_rows()) {
    what = fmt::format("{:.3g} rows of {} values were asked for", wanted, recorder_.columns());
  } else if (recorder_.overflowed()) {
    what = fmt::format("{} rows of {} values were recorded", recorder_.rows(), recorder_.columns());
  }
  auto& d = run_.diagnostics.error(
      "results-too-large", run_.place_of(0),
      fmt::format("{}, which is more than the {:.3g} GB that results may take", what, run_.options.results_limit / 1e9),
      "record fewer signals (--vars), at fewer points (--interval), or no events");
  d.time = run_.t;
  return Flow::failed;
}

void RunResults::fill_in(Report& report) const {
  report.rows = recorder_.rows();
  report.ledger_entries = ledger_stream_.sent() + ledger_.entries.size();
  report.sink_seconds = recorder_.seconds_in_sinks();
}

void RunResults::save(SaveWriter& out) const {
  out.write(&next_row_, 1);
  out.write(refiner_.save());
}

bool RunResults::restore(SaveReader& in) {
  std::vector<std::int64_t> next_row;
  std::vector<double> curves;
  if (!in.read(next_row) || next_row.size() != 1 || !in.read(curves) || !refiner_.restore(curves)) return false;
  next_row_ = next_row[0];
  return true;
}

}  // namespace orrery::sim
