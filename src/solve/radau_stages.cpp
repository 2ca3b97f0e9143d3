// SPDX-License-Identifier: Apache-2.0
// Newton's iteration of Radau IIA on w = inverse(T) z, where it falls apart into real and complex systems of size n.
//
// Hairer and Wanner, Solving ODEs II, section IV.8: with z the stages minus x and Lambda = inverse(T) inverse(A) T,
//   (Lambda / h M - J) dw = inverse(T) f(x + z) - Lambda / h M w
// Each block [alpha beta; -beta alpha] of Lambda is the complex number alpha - i beta acting on w1 + i w2.
#include "solve/radau_stages.h"

#include <algorithm>
#include <cmath>

#include "base/limits.h"

namespace orrery::solve {

namespace {

constexpr int most = RadauCoefficients::most_stages;
// prod (s - node[k]) / (node[i] - node[k]) over k != i and the node 0, for all i.
void lagrange_basis(const RadauCoefficients& method, double s, double* basis) {
  for (int i = 0; i < method.stages; ++i) {
    double product = s * method.lagrange[i];
    for (int k = 0; k < method.stages; ++k) {
      if (k != i) product *= s - method.node[k];
    }
    basis[i] = product;
  }
}

// The derivatives of those products.
void lagrange_slopes(const RadauCoefficients& method, double s, double* slope) {
  for (int i = 0; i < method.stages; ++i) {
    double sum = 0;
    for (int left_out = -1; left_out < method.stages; ++left_out) {  // -1 is the node 0
      if (left_out == i) continue;
      double product = left_out == -1 ? 1 : s;
      for (int k = 0; k < method.stages; ++k) {
        if (k != i && k != left_out) product *= s - method.node[k];
      }
      sum += product;
    }
    slope[i] = sum * method.lagrange[i];
  }
}

}  // namespace

RadauStages::RadauStages(ImplicitProblem& system) : system_(system), real_(system.structure) {
  const std::size_t n = static_cast<std::size_t>(system.n());
  polynomial.resize(n * most);
  for (auto* v : {&z_, &w_, &r_, &f_, &mw_}) v->resize(n * most);
  for (auto* v : {&stage_x_, &error_, &error_right_}) v->resize(n);
  b_.resize(n);
  for (int k = 0; k < most / 2; ++k) complex_.push_back(nullptr);
}

bool RadauStages::factor(At& at, double h) {
  at.stages_factored = at.stages;
  return factor_for(static_cast<int>(at.stages), h);
}

bool RadauStages::factor_for(int stages, double h) {
  const RadauCoefficients& method = radau_coefficients(stages);
  singular_column_ = -1;
  const double* jacobian = system_.jacobian.data();
  bool ok = real_.factor(method.gamma / h, jacobian);
  if (!ok) singular_column_ = real_.singular_column();
  for (int k = 0; ok && k < method.stages / 2; ++k) {
    if (complex_[k] == nullptr) complex_[k] = std::make_unique<ShiftedMatrix<Complex>>(system_.structure);
    ok = complex_[k]->factor(Complex{method.alpha[k] / h, -method.beta[k] / h}, jacobian);
    if (!ok) singular_column_ = complex_[k]->singular_column();
  }
  return ok;
}

template <int S>
void RadauStages::transform(const RadauCoefficients::Matrix& matrix, const std::vector<double>& from,
                            std::vector<double>& to) const {
  const std::ptrdiff_t n = system_.n();
  const double* in = from.data();
  double* out = to.data();
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    double v[S];
    for (int j = 0; j < S; ++j) v[j] = in[j * n + i];
    for (int k = 0; k < S; ++k) {
      double sum = 0;
      for (int j = 0; j < S; ++j) sum += matrix[k][j] * v[j];
      out[k * n + i] = sum;
    }
  }
}

void RadauStages::apply(int stages, const RadauCoefficients::Matrix& matrix, const std::vector<double>& from,
                        std::vector<double>& to) const {
  switch (stages) {
    case 3: transform<3>(matrix, from, to); break;
    case 5: transform<5>(matrix, from, to); break;
    default: transform<7>(matrix, from, to); break;
  }
}

void RadauStages::predict(const At& at, double h) {
  const int n = system_.n();
  if (at.h == 0) {
    std::fill(z_.begin(), z_.end(), 0.0);
    std::fill(w_.begin(), w_.end(), 0.0);
    return;
  }
  const RadauCoefficients& method = radau_coefficients(static_cast<int>(at.stages));
  const RadauCoefficients& last = radau_coefficients(static_cast<int>(at.stages_accepted));
  for (int j = 0; j < method.stages; ++j) {
    double basis[most] = {};
    lagrange_basis(last, 1 + method.node[j] * h / at.h, basis);
    basis[last.stages - 1] -= 1;  // relative to the new beginning
    double* z = part(z_, j);
    std::fill_n(z, n, 0.0);
    for (int k = 0; k < last.stages; ++k) {
      const double* old = part(polynomial, k);
      for (int i = 0; i < n; ++i) z[i] += basis[k] * old[i];
    }
  }
  apply(method.stages, method.t_inverse, z_, w_);
}

// r_ holds inverse(T) f on entry and dw on return.
void RadauStages::solve_blocks(const RadauCoefficients& method, double h) {
  const int n = system_.n();
  const bool identity = system_.identity_mass();
  if (!identity) {
    for (int j = 0; j < method.stages; ++j) system_.multiply_mass(part(w_, j), part(mw_, j));
  }
  std::vector<double>& mw = identity ? w_ : mw_;
  const double gamma = method.gamma / h;
  double* r = part(r_, 0);
  const double* w = part(mw, 0);
  for (int i = 0; i < n; ++i) r[i] -= gamma * w[i];
  real_.solve(r);
  for (int k = 0; k < method.stages / 2; ++k) {
    const double alpha = method.alpha[k] / h, beta = method.beta[k] / h;
    double *r1 = part(r_, 1 + 2 * k), *r2 = part(r_, 2 + 2 * k);
    const double *w1 = part(mw, 1 + 2 * k), *w2 = part(mw, 2 + 2 * k);
    for (int i = 0; i < n; ++i) {
      b_[i] = {r1[i] - alpha * w1[i] - beta * w2[i], r2[i] + beta * w1[i] - alpha * w2[i]};
    }
    complex_[k]->solve(b_.data());
    for (int i = 0; i < n; ++i) {
      r1[i] = b_[i].re;
      r2[i] = b_[i].im;
    }
  }
}

StageResult RadauStages::attempt(At& at, const Step& step, double accuracy, bool filter_again) {
  predict(at, step.h);
  StageResult result = iterate(at, step, accuracy);
  if (result.outcome == StageResult::Outcome::converged) {
    result.error = estimate_error(at, step, filter_again);
    return result;
  }
  at.rate = 1;
  (result.outcome == StageResult::Outcome::slow ? at.slow : at.diverged) = 1;
  return result;
}

StageResult RadauStages::iterate(At& at, const Step& step, double accuracy) {
  using Outcome = StageResult::Outcome;
  const RadauCoefficients& method = radau_coefficients(static_cast<int>(at.stages));
  const int n = system_.n(), s = method.stages, limit = most_iterations(at);
  StageResult result;
  at.rate = std::pow(std::max(at.rate, epsilon), 0.8);
  double last = 0, last_ratio = 0;
  while (true) {
    for (int j = 0; j < s; ++j) {
      const double* z = part(z_, j);
      for (int i = 0; i < n; ++i) stage_x_[i] = step.x[i] + z[i];
      if (system_.slope(step.t + method.node[j] * step.h, stage_x_.data(), part(f_, j)) != 0) {
        result.outcome = Outcome::trouble;
        return result;
      }
    }
    apply(s, method.t_inverse, f_, r_);
    solve_blocks(method, step.h);
    ++result.iterations;
    double sum = 0;
    for (int j = 0; j < s; ++j) {
      const double part_norm = system_.norm(part(r_, j));
      sum += part_norm * part_norm;
    }
    const double size = std::sqrt(sum / s);
    result.outcome = Outcome::diverged;
    worst_moved_ = system_.worst(part(r_, 0));
    if (!std::isfinite(size)) return result;
    if (result.iterations > 1) {
      const double ratio = size / last;
      result.theta = result.iterations == 2 ? ratio : std::sqrt(ratio * last_ratio);
      last_ratio = ratio;
      if (result.theta >= 0.99 || result.iterations >= limit) return result;
      at.rate = result.theta / (1 - result.theta);
      const int left = limit - 1 - result.iterations;
      const double expected = at.rate * size * std::pow(result.theta, left) / accuracy;
      if (expected >= 1) {
        result.outcome = Outcome::slow;
        result.shrink = 0.8 * std::pow(std::min(expected, 20.0), -1.0 / (4 + left));
        return result;
      }
    }
    last = std::max(size, epsilon);
    for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(s) * n; ++i) w_[i] += r_[i];
    apply(s, method.t, w_, z_);
    result.outcome = Outcome::converged;
    if (at.rate * size <= accuracy) return result;
  }
}

double RadauStages::estimate_error(const At& at, const Step& step, bool filter_again) {
  const RadauCoefficients& method = radau_coefficients(static_cast<int>(at.stages));
  const int n = system_.n();
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < method.stages; ++j) sum += method.error[j] * z_[static_cast<std::size_t>(j) * n + i];
    stage_x_[i] = sum / step.h;
  }
  system_.multiply_mass(stage_x_.data(), error_right_.data());
  for (int i = 0; i < n; ++i) error_[i] = error_right_[i] + step.f0[i];
  real_.solve(error_.data());
  const double size = system_.norm(error_.data());
  if (!filter_again || size < 1) return size;
  for (int i = 0; i < n; ++i) stage_x_[i] = step.x[i] + error_[i];
  if (system_.slope(step.t, stage_x_.data(), error_.data()) != 0) return -1;
  for (int i = 0; i < n; ++i) error_[i] += error_right_[i];
  real_.solve(error_.data());
  return system_.norm(error_.data());
}

void RadauStages::end_state(const At& at, const double* x, double* x_new) const {
  const double* z = z_.data() + static_cast<std::ptrdiff_t>(at.stages - 1) * system_.n();
  for (int i = 0; i < system_.n(); ++i) x_new[i] = x[i] + z[i];
}

void RadauStages::accept(At& at, double h, const double* move) {
  at.h = h;
  at.stages_accepted = at.stages;
  polynomial.swap(z_);
  if (move == nullptr) return;
  const RadauCoefficients& method = radau_coefficients(static_cast<int>(at.stages));
  for (int j = 0; j < method.stages; ++j) {
    double* z = part(polynomial, j);
    for (int i = 0; i < system_.n(); ++i) z[i] += method.node[j] * move[i];
  }
}

// The rules and numbers of RADAU: Hairer and Wanner, J. Comput. Appl. Math. 111, 1999, section 4.
bool RadauStages::choose_order(At& at, const StageResult& result, double step_ratio) const {
  constexpr double fast = 0.002, unsteady = 0.8, steady = 1.2, bad = 0.8;
  constexpr int wait = 10;
  ++at.steps_of_order;
  std::int64_t stages = at.stages;
  if (result.iterations > 1 && result.theta <= fast && step_ratio > unsteady && step_ratio < steady) stages += 2;
  if (result.theta >= bad || at.diverged != 0 || at.slow != 0) stages = at.stages - 2;
  if (at.steps_of_order <= wait) stages = std::min(stages, at.stages);
  stages = std::clamp<std::int64_t>(stages, 3, most);
  at.slow = at.diverged = 0;
  if (stages == at.stages) return false;
  at.stages = stages;
  at.steps_of_order = 0;
  at.rate = 1;
  return true;
}

void RadauStages::interpolate(const At& at, double s, const double* x, double* result) const {
  const RadauCoefficients& method = radau_coefficients(static_cast<int>(at.stages_accepted));
  const std::size_t n = static_cast<std::size_t>(system_.n());
  double basis[most] = {};
  lagrange_basis(method, s, basis);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = x[i];
    for (int j = 0; j < method.stages; ++j) sum += basis[j] * polynomial[static_cast<std::size_t>(j) * n + i];
    result[i] = sum;
  }
}

void RadauStages::interpolate_slope(const At& at, double s, double* result) const {
  const RadauCoefficients& method = radau_coefficients(static_cast<int>(at.stages_accepted));
  const std::size_t n = static_cast<std::size_t>(system_.n());
  double slope[most] = {};
  lagrange_slopes(method, s, slope);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < method.stages; ++j) sum += slope[j] * polynomial[static_cast<std::size_t>(j) * n + i];
    result[i] = sum / at.h;
  }
}

}  // namespace orrery::solve
