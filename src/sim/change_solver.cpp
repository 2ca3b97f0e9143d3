// SPDX-License-Identifier: Apache-2.0
// What `auto` does in a run: chooses at the start, watches the steps, changes the method; and what there is to tell.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/hybrid_run.h"
#include "solve/condition.h"

namespace orrery::sim {

void HybridRun::choose_solver(const solve::Problem& problem) {
  // Trial steps go beyond events, where foreign code may fail for good: it is watched instead.
  const auto is_state = [this](program::SlotId slot) { return program_.slots[slot].kind == program::SlotKind::state; };
  const bool foreign =
      std::any_of(program_.foreign_objects.begin(), program_.foreign_objects.end(),
                  [&](const auto& o) { return std::any_of(o.initial.begin(), o.initial.end(), is_state); });
  if (foreign) {
    solver_ = solve::find_solver("dopri");
    solver_reason_ = "foreign code is not tried beforehand; no steps were at the limit of stability";
    return;
  }
  const SolverChoice choice = sim::choose_solver(problem, restart_shape(), t_, options_.stop, states());
  solver_ = choice.solver;
  solver_reason_ = choice.reason;
}

RestartShape HybridRun::restart_shape() const {
  RestartShape shape;
  for (std::size_t s = 0; s < program_.sources.size(); ++s) {
    const program::Source& source = program_.sources[s];
    if (!facts_[s].critical) continue;
    if (source.kind == program::SourceKind::crossing) shape.state_events = true;
    if (source.kind != program::SourceKind::clock) continue;
    const TickScale& scale = tick_scale_[source.domain];
    shape.ticks += (options_.stop - options_.start) / (scale.step / scale.denominator);
  }
  for (const program::Surface& surface : program_.surfaces) {
    if (surface.mode != program::no_slot) shape.state_events = true;
  }
  return shape;
}

// At the end of a step: the dense output of the old method is not needed any more.
bool HybridRun::change_solver() {
  turned_stiff_ = false;
  stiffness_.reset();
  const SolverChoice choice = choose_stiff_solver(problem(), restart_shape());
  solver_reason_ = fmt::format("{} until t = {:.6g}, where its steps were at the limit of stability; {}", solver_->name,
                               t_, choice.reason);
  earlier_.add(integrator_->statistics());
  ++earlier_.switches;
  solver_ = choice.solver;
  integrator_ = integrator_for(problem());
  integrator_started_ = false;
  restart_needed_ = true;
  return integrator_ != nullptr;
}

double HybridRun::newton_condition() {
  constexpr int most = 2000;  // beyond, the factors cost more than the answer is worth
  const auto n = static_cast<int>(machine_->state_count());
  const JacobianCode* known = machine_->known_jacobian();
  if (!integrator_ || !solver_->implicit || known == nullptr || !known->code || n == 0 || known->pattern.n > most)
    return 0;
  const passes::Sparsity& pattern = known->pattern;
  const double h = integrator_->time() - integrator_->previous_time();
  if (!(h > 0)) return 0;
  const bool condensed = pattern.n > n && !takes_loops_over();  // the solver sees no unknowns
  if (pattern.n > n && !loop_solver_->solve(machine_->continuous_loops(), t_, states(), 0)) return 0;
  std::vector<double> values(condensed ? condensed_pattern().row.size() : pattern.row.size());
  if ((condensed ? condensed_jacobian : jacobian)(t_, states(), values.data(), this) != 0) return 0;
  if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) return 0;
  if (condensed) return solve::newton_condition(condensed_pattern(), values.data(), h);
  return solve::newton_condition({pattern.n, pattern.column_start, pattern.row}, values.data(), h, n);
}

std::string HybridRun::limiting_states(const std::vector<long>& counts) const {
  const long all = std::accumulate(counts.begin(), counts.end(), 0L);
  if (all == 0) return {};
  std::vector<int> order(counts.size());
  std::iota(order.begin(), order.end(), 0);
  const std::size_t shown = std::min<std::size_t>(3, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](int a, int b) { return counts[a] > counts[b]; });
  std::string text;
  for (std::size_t k = 0; k < shown && counts[order[k]] > 0; ++k) {
    text += fmt::format("{}{} ({} of {} smaller steps)", text.empty() ? "" : ", ", state_name(order[k]),
                        counts[order[k]], all);
  }
  return text;
}

std::string HybridRun::busiest_surfaces() const {
  std::vector<std::size_t> order(crossings_of_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return crossings_of_[a] > crossings_of_[b]; });
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(3, order.size()) && crossings_of_[order[k]] > 0; ++k) {
    const program::Surface& surface = program_.surfaces[order[k]];
    text += fmt::format("{}{} ({} times)", text.empty() ? "" : ", ", program_.origins[surface.origin].path,
                        crossings_of_[order[k]]);
  }
  return text;
}

}  // namespace orrery::sim
