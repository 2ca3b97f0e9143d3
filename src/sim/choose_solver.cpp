// SPDX-License-Identifier: Apache-2.0
// Stiffness by trial: when the step of Dormand-Prince times the spectral radius sits at its stability limit (about 3.3,
// Hairer and Wanner, Solving ODEs II, IV.2), the problem is stiff where the solution now is.
#include "sim/choose_solver.h"

#include <algorithm>
#include <cmath>

namespace orrery::sim {
namespace {

constexpr double at_limit = 2.2;         // of about 3.3
constexpr double worth_changing = 1000;  // steps that an explicit method would still need

}  // namespace

SolverChoice choose_stiff_solver(const solve::Problem& problem, const RestartShape& shape) {
  const solve::SolverInfo* radau = &solve::solver(solve::Method::radau);
  const solve::SolverInfo* bdf = &solve::solver(solve::Method::cvode_bdf_newton);
  constexpr int large = 200, small = 40;  // three matrices of this size cost more than they save, or nothing much
  const bool restarts = shape.state_events || shape.ticks > 50;
  if (restarts && problem.n <= large) return {radau, "stiff, and events restart the solver: a single-step method"};
  if (problem.n <= small && problem.tolerance.relative <= 1e-7) {
    return {radau, "stiff, small and a tight tolerance: a method of high order"};
  }
  return {bdf, problem.n > large ? "stiff and large: a multistep method" : "stiff: a multistep method"};
}

SolverChoice choose_solver(const solve::Problem& problem, const RestartShape& shape, double start, double stop,
                           const double* x) {
  const solve::SolverInfo* dopri = &solve::solver(solve::Method::dopri);
  if (problem.n == 0) return {dopri, "no continuous states"};
  constexpr int trial_steps = 60, looked_at = 20;
  auto trial = solve::make_integrator(*dopri, problem);
  if (trial->start(start, x, false) != solve::Status::ok) return {dopri, "default"};
  solve::SpectralRadius radius(problem);
  int limited = 0;
  for (int k = 0; k < trial_steps; ++k) {
    const double before = trial->time();
    if (trial->step(stop) != solve::Status::ok) {
      const SolverChoice stiff = choose_stiff_solver(problem, shape);
      return {stiff.solver, "trial steps of dopri failed, an implicit method may not"};
    }
    if (trial->time() >= stop) {
      return {dopri, "few steps reach the stop time"};
    }
    const double h = trial->time() - before;
    if (k >= trial_steps - looked_at && h * radius.estimate(trial->time(), trial->state()) > at_limit) ++limited;
  }
  // Stability-limited steps alone do not hurt; many of them do.
  const double steps_left = (stop - start) / std::max(trial->time() - start, 1e-300) * trial_steps;
  if (limited < looked_at * 3 / 4) return {dopri, "not stiff at the start: accuracy limits the steps"};
  if (steps_left < worth_changing) return {dopri, "stiff at the start, but the run is short"};
  SolverChoice stiff = choose_stiff_solver(problem, shape);
  stiff.reason += "; stability would keep the steps of dopri short";
  return stiff;
}

bool StiffnessWatch::look(const solve::Integrator& integrator, double stop) {
  constexpr int tests_to_agree = 6;
  constexpr long shortest = 10, longest = 160;
  const long steps = integrator.statistics().steps;
  if (steps < next_) return false;
  const double h = integrator.time() - integrator.previous_time();
  const bool limited = h * radius_.estimate(integrator.time(), integrator.state()) > limit_;
  agreeing_ = limited ? agreeing_ + 1 : 0;
  interval_ = limited ? shortest : std::min(2 * interval_, longest);
  next_ = steps + interval_;
  return agreeing_ >= tests_to_agree && stop - integrator.time() > worth_changing / 2 * h;
}

}  // namespace orrery::sim
