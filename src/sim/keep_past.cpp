// SPDX-License-Identifier: Apache-2.0
// From the dense output of the last step to the histories.
#include "sim/keep_past.h"

#include <algorithm>
#include <cmath>

#include "sim/saved_bytes.h"

namespace orrery::sim {

KeptPast::KeptPast(RunContext& run, ModelFunctions& model, SolverSeat& seat, Histories& histories)
    : run_(run),
      model_(model),
      seat_(seat),
      histories_(histories),
      values_(run.machine.history_count()),
      x_(histories.empty() ? 0 : run.machine.state_count()) {
  for (std::uint32_t k = 0; k < run.program.surfaces.size(); ++k) {
    if (run.program.surfaces[k].steady && !run.program.surfaces[k].shown) steady_.push_back(k);
  }
}

Histories::Times KeptPast::times() const {
  const solve::Tolerance& tolerance = run_.options.tolerance;
  const double tight = tightening(tolerance.relative);
  return {run_.options.start,         run_.options.stop,
          run_.time_tolerance,        run_.program.fixed_step ? run_.options.limits.fixed : 0,
          tight * tolerance.relative, tight * tolerance.absolute};
}

bool KeptPast::begin() {
  if (empty()) return true;
  point();
  histories_.set_times(times());
  const auto place_of = [this](program::OriginId origin) { return run_.place_of(origin); };
  if (!histories_.take_bounds(run_.memory.data(), place_of, run_.diagnostics)) return false;
  histories_.fill_start(run_.memory.data());
  if (!run_.program.fixed_step) seat_.bound_steps(histories_.least());
  return true;
}

void KeptPast::fill() {
  if (empty() || !(run_.t > histories_.filled_to())) return;
  solve::Integrator& integrator = seat_.integrator();
  const bool moves = !x_.empty();
  histories_.fill(run_.t, integrator.dense_degree(), [&](double t, double* values) {
    const double* x = x_.data();
    if (moves && t >= seat_.step_end()) {
      x = integrator.state();
    } else if (moves) {
      integrator.interpolate_watched(std::max(t, integrator.previous_time()), x_.data());
    }
    model_.settle(run_.machine.history_loops(), t, x);
    run_.machine.histories()(t, x, values, run_.memory.data(), 0);
  });
  if (!histories_.is_rough() || warned_) return;
  warned_ = true;
  run_.diagnostics
      .warning("history-too-fast", run_.place_of(0), "a delayed signal changes faster than its past can be kept",
               "choose a smaller hmax, or give the solver a state to follow that changes as fast")
      .time = run_.t;
}

void KeptPast::begin_stretches() {
  if (empty()) return;
  model_.settle(run_.machine.history_loops(), run_.t, run_.states());
  run_.machine.histories()(run_.t, run_.states(), values_.data(), run_.memory.data(), 0);
  histories_.begin_stretches(run_.t, values_.data(), run_.memory.data(), seat_.solver()->order, run_.report.events);
}

double KeptPast::limit(const SurfaceWatch& watch) const {
  if (empty()) return INFINITY;
  double limit = histories_.reach(run_.t);
  for (const std::uint32_t k : steady_) {
    const double left = watch.last()[k];
    if (left > 0) limit = std::min(limit, run_.t + left + 16 * run_.coincidence);
  }
  return limit;
}

void KeptPast::save(SaveWriter& out) const { out.write(histories_.save()); }

bool KeptPast::restore(SaveReader& in) {
  std::vector<double> numbers;
  histories_.set_times(times());
  if (!in.read(numbers) || !histories_.restore(numbers)) return false;
  if (!empty() && !run_.program.fixed_step && histories_.least() > 0) seat_.bound_steps(histories_.least());
  return point();
}

}  // namespace orrery::sim
