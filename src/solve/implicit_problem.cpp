// SPDX-License-Identifier: Apache-2.0
// Checked derivatives, Jacobians by the exact function or by differences, weights and the first step.
#include "solve/implicit_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/limits.h"
#include "solve/step_rules.h"

namespace orrery::solve {

namespace {

bool all_finite(const double* values, std::size_t count) {
  double zero = 0;
  for (std::size_t i = 0; i < count; ++i) zero += 0 * values[i];
  return zero == 0;
}

}  // namespace

ImplicitProblem::ImplicitProblem(Problem the_problem, MassMatrix the_mass)
    : problem(std::move(the_problem)),
      mass(std::move(the_mass)),
      structure(problem.n, problem.jacobian.pattern, mass),
      relative_(problem.tolerance.relative) {
  const std::size_t size = static_cast<std::size_t>(problem.n);
  const Sparsity& pattern = problem.jacobian.pattern;
  ORRERY_CHECK(pattern.n == problem.n || (pattern.n == 0 && problem.jacobian.function == nullptr));
  jacobian.resize(pattern.n > 0 ? pattern.row.size() : size * size);
  weight.resize(size);
  noise.resize(size);
  find_equations();
  if (problem.jacobian.function == nullptr) {
    increment_.resize(size);
    moved_x_.resize(size);
    moved_f_.resize(size);
    if (pattern.n > 0) differences_ = std::make_unique<DifferenceJacobian>(pattern, problem.rhs);
  }
  // Fixed-step methods are not asked for sensible tolerances; their Newton iteration still needs some.
  const auto sensible = [](double a) { return std::isfinite(a) && a >= 0; };
  if (!sensible(relative_) || relative_ == 0) relative_ = sensible(relative_) ? 0 : 1e-6;
  for (std::size_t i = 0; i < size; ++i) {
    const std::vector<double>& each = problem.tolerance.absolute_per_state;
    const double a = each.empty() ? problem.tolerance.absolute : each[i];
    absolute_.push_back(std::max(sensible(a) ? a : 1e-6, 1e-300));
  }
}

int ImplicitProblem::slope(double t, const double* x, double* dx) {
  ++evaluations;
  const int code = problem.rhs.function(t, x, dx, problem.rhs.user);
  if (code == 0 && all_finite(dx, static_cast<std::size_t>(problem.n))) return 0;
  trouble.code = code < 0 ? -1 : 1;
  trouble.state = -1;
  if (code == 0) {
    trouble.state = static_cast<int>(std::find_if(dx, dx + problem.n, [](double v) { return !std::isfinite(v); }) - dx);
  }
  return trouble.code;
}

int ImplicitProblem::evaluate_jacobian(double t, const double* x, const double* f, double h) {
  ++jacobians;
  int code = 0;
  if (problem.jacobian.function != nullptr) {
    code = problem.jacobian.function(t, x, jacobian.data(), problem.jacobian.user);
  } else {
    // From the state, but not below what the error weights notice (the rule of CVODE).
    const double size_f = norm(f);
    const double least = size_f > 0 ? 1000 * std::abs(h) * epsilon * problem.n * size_f : 1;
    for (int i = 0; i < problem.n; ++i) {
      increment_[i] = std::max(std::sqrt(epsilon) * std::abs(x[i]), std::max(least, 1e-8) / weight[i]);
    }
    code = differences_ != nullptr ? differences_->evaluate(t, x, f, increment_.data(), jacobian.data())
                                   : difference_columns(t, x, f);
  }
  if (code != 0) return code < 0 ? -1 : 1;
  return all_finite(jacobian.data(), jacobian.size()) ? 0 : 1;
}

int ImplicitProblem::difference_columns(double t, const double* x, const double* f) {
  const int n = problem.n;
  std::copy_n(x, n, moved_x_.begin());
  for (int j = 0; j < n; ++j) {
    moved_x_[j] = x[j] + increment_[j];
    const int code = problem.rhs.function(t, moved_x_.data(), moved_f_.data(), problem.rhs.user);
    if (code != 0) return code;
    const double step = moved_x_[j] - x[j];
    double* column = jacobian.data() + static_cast<std::ptrdiff_t>(j) * n;
    for (int i = 0; i < n; ++i) column[i] = (moved_f_[i] - f[i]) / step;
    moved_x_[j] = x[j];
  }
  return 0;
}

void ImplicitProblem::set_weights(const double* x) {
  for (int i = 0; i < problem.n; ++i) weight[i] = 1 / (absolute_[i] + relative_ * std::abs(x[i]) + noise[i]);
}

void ImplicitProblem::find_equations() {
  if (identity_mass()) return;
  is_equation_.assign(noise.size(), true);
  is_unknown_.assign(noise.size(), true);
  for (int j = 0; j < problem.n; ++j) {
    for (int e = mass.pattern.column_start[j]; e < mass.pattern.column_start[j + 1]; ++e) {
      if (mass.values[e] != 0) is_equation_[mass.pattern.row[e]] = is_unknown_[j] = false;
    }
  }
  has_equations_ = std::find(is_equation_.begin(), is_equation_.end(), true) != is_equation_.end();
}

// By how much the equations change when states move by their tolerances and everything by its rounding.
void ImplicitProblem::shake_equations(const double* x) {
  constexpr double roundings = 10 * epsilon;
  const Sparsity& pattern = problem.jacobian.pattern;
  shaken_.assign(noise.size(), 0.0);
  for (int j = 0; j < problem.n; ++j) {
    const double tolerance = is_unknown_[j] ? 0 : absolute_[j] + relative_ * std::abs(x[j]);
    const double move = tolerance + roundings * std::abs(x[j]);
    const int first = pattern.n > 0 ? pattern.column_start[j] : j * problem.n;
    const int last = pattern.n > 0 ? pattern.column_start[j + 1] : first + problem.n;
    for (int e = first; e < last; ++e) {
      const int i = pattern.n > 0 ? pattern.row[e] : e - first;
      if (is_equation_[i]) shaken_[i] += std::abs(jacobian[e]) * move;
    }
  }
}

double ImplicitProblem::norm(const double* v) const {
  double sum = 0;
  for (int i = 0; i < problem.n; ++i) sum += (v[i] * weight[i]) * (v[i] * weight[i]);
  return std::sqrt(sum / problem.n);
}

int ImplicitProblem::worst(const double* v) const {
  int index = 0;
  for (int i = 1; i < problem.n; ++i) {
    if (std::abs(v[i]) * weight[i] > std::abs(v[index]) * weight[index]) index = i;
  }
  return index;
}

void ImplicitProblem::multiply_mass(const double* v, double* y) const {
  if (identity_mass()) {
    std::copy_n(v, problem.n, y);
    return;
  }
  std::fill_n(y, problem.n, 0.0);
  for (int j = 0; j < problem.n; ++j) {
    for (int e = mass.pattern.column_start[j]; e < mass.pattern.column_start[j + 1]; ++e) {
      y[mass.pattern.row[e]] += mass.values[e] * v[j];
    }
  }
}

Failure ImplicitProblem::blame(const char* where, double t) const {
  if (trouble.state >= 0) {
    return {FailureCode::nan_derivative, fmt::format("the derivative is not finite {}", where), trouble.state, t};
  }
  return {FailureCode::derivative_failed, fmt::format("the derivative cannot be evaluated {}", where), -1, t};
}

double ImplicitProblem::first_step(double t, const double* x, const double* f, double t_stop, int order) {
  if (problem.limits.initial > 0) return problem.limits.initial;
  const double limit = std::min(std::max(problem.t_end_hint, t_stop) - t, largest_step(problem.limits));
  const double size_x = norm(x), size_f = norm(f);
  double h = size_x < 1e-5 || size_f < 1e-5 ? 1e-6 : 0.01 * size_x / size_f;
  h = std::max(std::min(h, limit), smallest_step(t, problem.limits));
  if (!identity_mass()) return std::min(h, 1e-4 * limit);  // f is no derivative then: a careful guess
  std::vector<double> moved(x, x + problem.n), slope_there(moved.size());
  for (int i = 0; i < problem.n; ++i) moved[i] += h * f[i];
  const int code = slope(t + h, moved.data(), slope_there.data());
  trouble = {};
  if (code != 0) return h;
  for (int i = 0; i < problem.n; ++i) slope_there[i] -= f[i];
  const double largest = std::max(norm(slope_there.data()) / h, size_f);
  const double h1 = largest <= 1e-15 ? std::max(1e-6, h * 1e-3) : std::pow(0.01 / largest, 1.0 / order);
  const double chosen = std::min({100 * h, h1, limit});
  return std::isfinite(chosen) && chosen > 0 ? chosen : h;
}

}  // namespace orrery::solve
