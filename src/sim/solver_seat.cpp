// SPDX-License-Identifier: Apache-2.0
// Making the integrator: the problem it is given, its matrices, who solves the loops.
#include "sim/solver_seat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "passes/slice.h"
#include "sim/high_order.h"
#include "sim/implicit_integrator.h"
#include "solve/dae.h"
#include "solve/with_starter.h"

namespace orrery::sim {

SolverSeat::SolverSeat(RunContext& run, ModelFunctions& model, TrialPoints& trial, const solve::SolverInfo* solver)
    : run_(run),
      model_(model),
      trial_(trial),
      role_(solver == nullptr ? SolverRole::automatic : SolverRole::chosen),
      solver_(solver),
      reason_(solver == nullptr ? "" : "chosen by the user"),
      shown_(run.machine.state_count()) {}

// A shadow only has to be seen, not to be exact, and must not dilute the norm in which the error of the others is
// measured. It is an integral over time, so what is small for it depends on how long steps are: that of a fast sine is
// small.
void SolverSeat::set_tolerances(solve::Problem& problem) const {
  std::size_t shadows = 0;
  for (program::SlotId slot : run_.program.states)
    shadows += run_.program.slots[slot].kind == program::SlotKind::shadow ? 1 : 0;
  const auto count = static_cast<double>(run_.machine.state_count());
  const double share =
      shadows == run_.machine.state_count() ? 1 : std::sqrt((count - static_cast<double>(shadows)) / count);
  const double longest = problem.limits.maximum;
  const double shadow_scale = longest > 0 ? std::min(1.0, longest / 100) : 1.0;
  const double factor = share * tightening(run_.options.tolerance.relative);
  problem.tolerance.relative = factor * run_.options.tolerance.relative;
  problem.tolerance.absolute = factor * run_.options.tolerance.absolute;
  problem.tolerance.absolute_per_state.clear();
  for (program::SlotId slot : run_.program.states) {
    const program::Slot& state = run_.program.slots[slot];
    double tolerance = state.absolute_tolerance > 0 ? factor * state.absolute_tolerance : problem.tolerance.absolute;
    if (state.kind == program::SlotKind::shadow) tolerance = std::max(1e-3, tolerance) * shadow_scale;
    problem.tolerance.absolute_per_state.insert(problem.tolerance.absolute_per_state.end(),
                                                static_cast<std::size_t>(state.type.size()), tolerance);
    const std::size_t end = problem.tolerance.absolute_per_state.size();
    if (state.absolute_tolerance > 0) continue;
    for (std::size_t k = end - static_cast<std::size_t>(state.type.size()); k < end; ++k) {
      problem.tolerance.absolute_per_state[k] *= run_.nominals[k];
    }
  }
}

void SolverSeat::take_nominals(const program::Call& call, const std::vector<double>& sizes) {
  std::size_t next = 0;
  for (program::SlotId result : call.results) {
    std::size_t first = 0;
    for (program::SlotId slot : run_.program.states) {
      const auto size = static_cast<std::size_t>(run_.program.slots[slot].type.size());
      if (slot == result && next + size <= sizes.size()) {
        for (std::size_t k = 0; k < size; ++k) {
          rescaled_ = rescaled_ || run_.nominals[first + k] != sizes[next + k];
          run_.nominals[first + k] = sizes[next + k];
        }
        next += size;
      }
      first += size;
    }
  }
}

// Where nothing restarts the solver, looks into its steps or draws them: long steps then cost nothing.
void SolverSeat::prefer_high_order(const solve::Problem& problem) {
  if (solver_->method != solve::Method::dopri || problem.n == 0 || !surroundings_.undisturbed) return;
  std::string why = why_high_order(problem, run_.t, run_.options.stop, run_.states());
  if (why.empty()) return;
  solver_ = &solve::solver(solve::Method::dopri853);
  reason_ = std::move(why);
}

solve::Problem SolverSeat::problem() {
  solve::Problem problem;
  problem.n = static_cast<int>(run_.machine.state_count());
  problem.rhs = {model_.plainest_derivative(), &model_};
  if (run_.machine.has_partial_derivatives() && run_.has_modes) problem.rhs = {&TrialPoints::derivative, &trial_};
  problem.tolerance = run_.options.tolerance;
  problem.limits = run_.options.limits;
  problem.t_end_hint = run_.options.stop;
  if (problem.limits.maximum <= 0) problem.limits.maximum = run_.horizon() / 100;  // Activate, 10.5.5
  problem.limits.maximum = std::min(problem.limits.maximum, longest_step_);
  set_tolerances(problem);
  return problem;
}

bool SolverSeat::make() {
  solve::Problem problem = this->problem();
  if (solver_ == nullptr) {
    choose(problem);
    prefer_high_order(problem);
  }
  if (role_ == SolverRole::automatic && !solver_->implicit && problem.n > 0)
    stiffness_.emplace(problem, solver_->order > 5);
  return put(integrator_for(std::move(problem)));
}

bool SolverSeat::put(std::unique_ptr<solve::Integrator> integrator) {
  integrator_ = std::move(integrator);
  rescaled_ = false;
  if (integrator_ == nullptr) return false;
  integrator_->watch(states_of_surfaces());
  return true;
}

// Where surfaces are watched, a multistep method has a starter of its kind.
std::unique_ptr<solve::Integrator> SolverSeat::integrator_for(solve::Problem problem) {
  const int n = problem.n;
  keep_invariants(problem);
  if (!solver_->multistep || run_.program.surfaces.empty() || n == 0)
    return integrator_of(*solver_, std::move(problem));
  auto starter = integrator_of(*solve::find_solver(solver_->implicit ? "radau" : "dopri"), problem);
  auto method = integrator_of(*solver_, std::move(problem));
  if (starter == nullptr || method == nullptr) return nullptr;
  return solve::with_starter(std::move(method), std::move(starter), n);
}

std::unique_ptr<solve::Integrator> SolverSeat::integrator_of(const solve::SolverInfo& solver, solve::Problem problem) {
  const JacobianCode* known = nullptr;
  if (solver.implicit && problem.n > 0 && (known = run_.machine.jacobian(run_.diagnostics)) == nullptr) return nullptr;
  if (takes_loops_over()) {
    const auto derivative = [this](double t, const double* x, double* dx) {
      return model_.derivative_without_loops(t, x, dx);
    };
    const auto start = [this](double t, const double* x) {
      return model_.settle(run_.machine.continuous_loops(), t, x);
    };
    ImplicitModel model{run_.machine, run_.memory.data(), start, derivative, {}, {}, run_.horizon()};
    if (run_.machine.has_partial_derivatives() && run_.has_modes) {
      model.take_modes = [this](double t, const double* x) { return trial_.take_modes_as_given(t, x); };
      model.hold_modes = [this] { trial_.hold_modes(); };
    }
    return make_implicit_integrator(*solve::find_dae_solver(solver.name), std::move(model), problem);
  }
  // Derivatives along surfaces are mixtures, which differences know and the model's matrix does not.
  const bool exact = known != nullptr && known->code != nullptr && model_.sliding() == nullptr;
  if (known != nullptr && run_.machine.continuous_loops().empty() && model_.sliding() == nullptr) {
    const passes::Sparsity& pattern = known->pattern;
    problem.jacobian.pattern = {pattern.n, pattern.column_start, pattern.row};
    if (exact) problem.jacobian.function = &ModelFunctions::jacobian;
    problem.jacobian.user = &model_;
    if (exact && run_.machine.has_partial_derivatives()) {
      problem.jacobian.function = &TrialPoints::jacobian;
      problem.jacobian.user = &trial_;
    }
  } else if (exact) {
    problem.jacobian.pattern = model_.condensed_pattern();
    problem.jacobian.function = &ModelFunctions::condensed_jacobian;
    problem.jacobian.user = &model_;
  }
  return solve::make_integrator(solver, std::move(problem));
}

// A DAE solver always does; a solver that exists for both kinds does where there is something to solve. Not where
// motion along surfaces is allowed: mixtures of derivatives need loops that are solved on each side.
bool SolverSeat::takes_loops_over() const {
  const solve::SolverInfo* dae = solve::find_dae_solver(solver_->name);
  const bool kept = run_.machine.invariants() != nullptr || run_.machine.projections() != nullptr;
  return dae != nullptr && run_.machine.state_count() > 0 && model_.sliding() == nullptr &&
         (dae == solver_ || !run_.machine.continuous_loops().empty() || (kept && !solver_->projects));
}

// Invariants and projections of the model reach the solver (Activate, 10.3); one that cannot keep them says so.
void SolverSeat::keep_invariants(solve::Problem& problem) {
  if (run_.machine.invariants() == nullptr && run_.machine.projections() == nullptr) return;
  if (!solver_->projects && !takes_loops_over()) {
    run_.diagnostics.warning(
        "projection-ignored", run_.place_of(0),
        fmt::format("the solver {} does not put states back where invariants vanish", solver_->name),
        "choose cpode, radau, dopri or another solver that projects (orrery show solvers)");
    return;
  }
  problem.projection.user = &model_;
  if (run_.machine.projections() != nullptr) {
    problem.projection.correction = &ModelFunctions::projections;
  } else {
    problem.projection.residual = &ModelFunctions::invariants;
    problem.projection.constraints = static_cast<int>(run_.machine.invariant_count());
  }
}

// The states that the surfaces and the histories need. What a slot of another kind depends on is not known here, so
// that takes them all.
std::vector<int> SolverSeat::states_of_surfaces() const {
  std::vector<program::ExprId> values;
  for (const program::Surface& surface : run_.program.surfaces) values.push_back(surface.value);
  for (const program::History& history : run_.program.histories) values.push_back(history.value);
  std::vector<bool> read(run_.program.slots.size(), false);
  using Kind = program::SlotKind;
  bool all = model_.sliding() != nullptr;  // how firmly a surface holds depends on what moves it
  for (const program::SlotId slot : passes::slots_read(run_.program.graph, values)) {
    read[slot] = true;
    const Kind kind = run_.program.slots[slot].kind;
    all |= kind != Kind::state && kind != Kind::shadow && kind != Kind::parameter && kind != Kind::discrete &&
           kind != Kind::mode && kind != Kind::direction && kind != Kind::signal;
  }
  std::vector<int> states;
  int at = 0;
  for (const program::SlotId slot : run_.program.states) {
    const int end = at + static_cast<int>(run_.program.slots[slot].type.size());
    for (; at < end; ++at) {
      if (all || read[slot]) states.push_back(at);
    }
  }
  return states;
}

}  // namespace orrery::sim
