// SPDX-License-Identifier: Apache-2.0
// Checked residuals of a DAE and its Jacobian by the exact function or by coloured differences.
#include "solve/dae_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "solve/difference_jacobian.h"
#include "solve/sundials_memory.h"

namespace orrery::solve {

DaeSystem::DaeSystem(DaeProblem the_problem) : problem(std::move(the_problem)) {
  Sparsity& pattern = problem.jacobian.pattern;
  ORRERY_CHECK(problem.n > 0 && problem.residual.function != nullptr);
  ORRERY_CHECK(pattern.n == problem.n || (pattern.n == 0 && problem.jacobian.function == nullptr));
  ORRERY_CHECK(problem.differential.empty() || static_cast<int>(problem.differential.size()) == problem.n);
  if (problem.jacobian.function != nullptr) return;
  const bool full = pattern.n == 0;
  if (full) {
    pattern = {problem.n, {0}, {}};
    for (int j = 0; j < problem.n; ++j) {
      for (int i = 0; i < problem.n; ++i) pattern.row.push_back(i);
      pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
    }
  }
  for (auto* v : {&moved_x_, &moved_dx_, &moved_r_}) v->resize(static_cast<std::size_t>(problem.n));
  const std::vector<int> colour = full ? std::vector<int>{} : colour_columns(problem.jacobian.pattern);
  for (int j = 0; j < problem.n; ++j) {
    const std::size_t group = static_cast<std::size_t>(full ? j : colour[j]);
    if (group >= groups_.size()) groups_.resize(group + 1);
    groups_[group].push_back(j);
  }
}

double DaeSystem::absolute(int i) const {
  const Tolerance& tolerance = problem.tolerance;
  return std::max(tolerance.absolute_per_state.empty() ? tolerance.absolute : tolerance.absolute_per_state[i], 1e-300);
}

int DaeSystem::residual(double t, const double* x, const double* dx, double* r) {
  ++evaluations;
  const int code = problem.residual.function(t, x, dx, r, problem.residual.user);
  const int component = code == 0 ? first_not_finite(r, static_cast<std::size_t>(problem.n)) : -1;
  if (code == 0 && component < 0) return 0;
  trouble = {code < 0 ? -1 : 1, component};
  return trouble.code;
}

int DaeSystem::evaluate_jacobian(double t, double for_x, double for_dx, const double* x, const double* dx,
                                 const double* r, std::vector<double>& values) {
  ++jacobians;
  values.resize(problem.jacobian.pattern.row.size());
  int code = 0;
  if (problem.jacobian.function == nullptr) {
    code = by_differences(t, for_x, for_dx, x, dx, r, values);
  } else {
    const DaeJacobian& exact = problem.jacobian;
    code = exact.function(t, for_dx, x, dx, values.data(), exact.user);
    if (code == 0 && for_x == 0) {
      other_.resize(values.size());
      code = exact.function(t, 0, x, dx, other_.data(), exact.user);
      for (std::size_t e = 0; e < values.size(); ++e) values[e] -= other_[e];
    }
  }
  if (code != 0) return sign_of(code);
  return first_not_finite(values.data(), values.size()) < 0 ? 0 : 1;
}

int DaeSystem::by_differences(double t, double for_x, double for_dx, const double* x, const double* dx, const double* r,
                              std::vector<double>& values) {
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  const Sparsity& pattern = problem.jacobian.pattern;
  std::copy_n(x, problem.n, moved_x_.begin());
  std::copy_n(dx, problem.n, moved_dx_.begin());
  std::vector<double> step(static_cast<std::size_t>(problem.n));
  for (const std::vector<int>& group : groups_) {
    for (const int j : group) {
      // With x' alone there is no scale but its own, and F is nearly always linear in it: a generous step. Otherwise,
      // as in IDA: what the states and one step change, not below the tolerance.
      const double scale = std::max(std::abs(x[j]), for_dx != 0 ? std::abs(dx[j] / for_dx) : 0.0);
      step[j] = for_x == 0 ? 1e-5 * std::max(1.0, std::abs(dx[j])) : std::max({root * scale, absolute(j), 1e-12});
      moved_x_[j] += for_x * step[j];
      moved_dx_[j] += for_dx * step[j];
    }
    const int code =
        problem.residual.function(t, moved_x_.data(), moved_dx_.data(), moved_r_.data(), problem.residual.user);
    if (code != 0) return code;
    for (const int j : group) {
      for (int e = pattern.column_start[j]; e < pattern.column_start[j + 1]; ++e) {
        values[e] = (moved_r_[pattern.row[e]] - r[pattern.row[e]]) / step[j];
      }
      moved_x_[j] = x[j];
      moved_dx_[j] = dx[j];
    }
  }
  return 0;
}

Failure DaeSystem::blame(const char* where, double t) const {
  if (trouble.component >= 0) {
    return {FailureCode::nan_derivative, fmt::format("the residual of an equation is not finite {}", where),
            trouble.component, t};
  }
  return {FailureCode::derivative_failed, fmt::format("the residuals cannot be evaluated {}", where), -1, t};
}

}  // namespace orrery::solve
