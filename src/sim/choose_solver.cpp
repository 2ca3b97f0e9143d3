// SPDX-License-Identifier: Apache-2.0
// Stiffness by trial: when the step of Dormand-Prince times the spectral radius sits at its stability limit (about 3.3,
// Hairer and Wanner, Solving ODEs II, IV.2), the problem is stiff where the solution now is.
#include "sim/choose_solver.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace orrery::sim {
namespace {

// Power iteration on the Jacobian by directional differences.
double spectral_radius(const solve::Problem& problem, double t, const double* x) {
  const auto n = static_cast<std::size_t>(problem.n);
  std::vector<double> v(n), f0(n), f1(n), xp(n);
  if (problem.rhs.function(t, x, f0.data(), problem.rhs.user) != 0) return 0;
  double scale = 1e-8;
  for (std::size_t i = 0; i < n; ++i) {
    v[i] = i % 2 == 0 ? 1.0 : -0.7;  // not aligned with smooth modes: stiff ones are rough
    scale = std::max(scale, 1e-8 * std::fabs(x[i]));
  }
  double radius = 0;
  for (int iteration = 0; iteration < 20; ++iteration) {
    double norm = 0;
    for (double value : v) norm += value * value;
    norm = std::sqrt(norm);
    if (!(norm > 0) || !std::isfinite(norm)) return 0;
    radius = iteration == 0 ? 0 : norm;
    for (std::size_t i = 0; i < n; ++i) {
      v[i] /= norm;
      xp[i] = x[i] + scale * v[i];
    }
    if (problem.rhs.function(t, xp.data(), f1.data(), problem.rhs.user) != 0) return 0;
    for (std::size_t i = 0; i < n; ++i) v[i] = (f1[i] - f0[i]) / scale;
  }
  return radius;
}

}  // namespace

SolverChoice choose_solver(const solve::Problem& problem, double start, double stop, const double* x) {
  const solve::SolverInfo* dopri = solve::find_solver("dopri");
  const solve::SolverInfo* bdf = solve::find_solver("cvode-bdf-newton");
  if (problem.n == 0) return {dopri, "no continuous states"};
  constexpr int trial_steps = 60;
  constexpr double at_limit = 2.2;  // of about 3.3
  auto trial = solve::make_integrator(*dopri, problem);
  if (trial->start(start, x, false) != solve::Status::ok) return {dopri, "default"};
  int limited = 0;
  for (int k = 0; k < trial_steps; ++k) {
    const double before = trial->time();
    if (trial->step(stop) != solve::Status::ok) return {bdf, "trial steps of dopri failed, an implicit method may not"};
    if (trial->time() >= stop) {
      return {dopri, fmt::format("the horizon takes dopri {} steps", trial->statistics().steps)};
    }
    const double h = trial->time() - before;
    if (k >= trial_steps - 20 && h * spectral_radius(problem, trial->time(), trial->state()) > at_limit) ++limited;
  }
  // Stability-limited steps alone do not hurt; many of them do.
  const double steps_left = (stop - start) / std::max(trial->time() - start, 1e-300) * trial_steps;
  if (limited >= 15 && steps_left > 2000) {
    return {bdf, fmt::format("stiff: stability limits the steps of dopri, about {:.2g} would be needed", steps_left)};
  }
  return {dopri, limited >= 15 ? "stiff, but short" : "not stiff at the start: accuracy limits the steps"};
}

}  // namespace orrery::sim
