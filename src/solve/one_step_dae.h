// SPDX-License-Identifier: Apache-2.0
// Implicit one-step methods in DAE mode: F(t, x, x') = M x' - f(t, x) with a constant M, which may be singular.
//
// M is dF/dx' and f is -F(t, x, 0), so that the same callbacks serve IDA and these methods; that M is constant is
// tested at every start, at a few points, and a problem without one is refused.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "solve/dae_families.h"
#include "solve/dae_system.h"
#include "solve/implicit_adaptive.h"

namespace orrery::solve {

// Method as in AdaptiveImplicit.
template <class Method>
class OneStepDae final : public DaeIntegrator {
 public:
  OneStepDae(const SolverInfo& info, DaeProblem problem) : info_(info), system_(std::move(problem)) {
    for (auto* v : {&zero_, &dx_, &dx_old_, &r_}) v->resize(static_cast<std::size_t>(system_.n()));
    finished_.limiting.assign(zero_.size(), 0);
    // Until the start finds the mass matrix.
    inner_ = std::make_unique<Inner>(info_, explicit_form(), MassMatrix{});
  }

  Status start(double t, const double* x, const double* dx, bool keep_step) override {
    const std::vector<double> x0(x, x + system_.n());  // they may be our own
    std::copy_n(dx, system_.n(), dx_.begin());
    dx_old_ = dx_;
    MassMatrix mass{system_.problem.jacobian.pattern, {}};
    system_.trouble = {};
    refused_ = !find_mass(t, x0.data(), mass.values);
    if (refused_) return Status::failed;
    if (mass.values != mass_) {
      finished_.add(inner_->statistics());
      mass_ = mass.values;
      inner_ = std::make_unique<Inner>(info_, explicit_form(), std::move(mass));
    }
    const Status status = inner_->start(t, x0.data(), keep_step);
    inner_->start_slope(dx_.data());
    return finish(status);
  }

  Status step(double t_stop) override {
    if (refused_) return Status::failed;
    const double before = inner_->time();
    std::vector<double> old = dx_;
    const Status status = finish(inner_->step(t_stop));
    if (status != Status::ok || inner_->time() == before) return status;
    dx_old_.swap(old);
    inner_->interpolate_slope(inner_->time(), dx_.data());
    return status;
  }

  double time() const override { return inner_->time(); }
  double previous_time() const override { return inner_->previous_time(); }
  const double* state() const override { return inner_->state(); }
  const double* derivative() const override { return dx_.data(); }

  void interpolate(double t, double* x, double* dx) override {
    if (x != nullptr) inner_->interpolate(t, x);
    if (dx == nullptr) return;
    const bool at_end = t >= time() || time() == previous_time();
    if (at_end || t <= previous_time()) {
      std::copy_n(at_end ? dx_.data() : dx_old_.data(), system_.n(), dx);
    } else {
      inner_->interpolate_slope(t, dx);
    }
  }

  const Statistics& statistics() const override {
    statistics_ = finished_;
    statistics_.add(inner_->statistics());
    return statistics_;
  }
  const Failure& failure() const override { return failure_; }
  bool save(std::vector<std::byte>& out) const override {
    if (refused_ || !inner_->save(out)) return false;
    for (const auto* v : {&dx_, &dx_old_, &mass_}) {
      const std::byte* first = reinterpret_cast<const std::byte*>(v->data());
      out.insert(out.end(), first, first + v->size() * sizeof(double));
    }
    return true;
  }
  bool restore(std::span<const std::byte> in) override;

 private:
  using Inner = AdaptiveImplicit<Method>;

  Status finish(Status status) {
    if (status != Status::ok) failure_ = inner_->failure();
    return status;
  }

  // dF/dx' at (t, x, 0), which must be the same at other derivatives and other states.
  bool find_mass(double t, const double* x, std::vector<double>& values) {
    const int n = system_.n();
    std::vector<double> other_x(x, x + n), other_dx(zero_.size()), other;
    for (int i = 0; i < n; ++i) {
      other_x[i] += 1e-3 * (i % 2 == 0 ? 1 : -1) * std::max(std::abs(x[i]), system_.absolute(i));
      other_dx[i] = i % 3 == 0 ? 1 : -0.5;
    }
    if (system_.residual(t, x, zero_.data(), r_.data()) != 0) {
      failure_ = system_.blame("at the initial point", t);
      return false;
    }
    bool ok = system_.evaluate_jacobian(t, 0, 1, x, zero_.data(), r_.data(), values) == 0;
    ok = ok && system_.residual(t, other_x.data(), other_dx.data(), r_.data()) == 0;
    ok = ok && system_.evaluate_jacobian(t, 0, 1, other_x.data(), other_dx.data(), r_.data(), other) == 0;
    if (!ok) {
      failure_ = {FailureCode::jacobian_failed, "the Jacobian cannot be evaluated at the start", -1, t};
      return false;
    }
    double largest = 0;
    for (const double v : values) largest = std::max(largest, std::abs(v));
    const Sparsity& pattern = system_.problem.jacobian.pattern;
    for (int j = 0; j < n; ++j) {
      for (int e = pattern.column_start[j]; e < pattern.column_start[j + 1]; ++e) {
        if (std::abs(values[e] - other[e]) <= 1e-5 * largest) continue;
        failure_ = {
            FailureCode::bad_solver_setting,
            fmt::format("{} needs equations whose derivatives have constant coefficients, ida does not", info_.name), j,
            t};
        return false;
      }
    }
    return true;
  }

  static int slope(double t, const double* x, double* f, void* self) {
    OneStepDae& me = *static_cast<OneStepDae*>(self);
    const Residual& residual = me.system_.problem.residual;
    const int code = residual.function(t, x, me.zero_.data(), f, residual.user);
    for (int i = 0; i < me.system_.n(); ++i) f[i] = -f[i];
    return code;
  }
  static int slope_jacobian(double t, const double* x, double* values, void* self) {
    OneStepDae& me = *static_cast<OneStepDae*>(self);
    const DaeJacobian& exact = me.system_.problem.jacobian;
    const int code = exact.function(t, 0, x, me.zero_.data(), values, exact.user);
    for (std::size_t e = 0; e < exact.pattern.row.size(); ++e) values[e] = -values[e];
    return code;
  }

  // M x' = f(t, x)
  Problem explicit_form() {
    const DaeProblem& dae = system_.problem;
    return {.n = dae.n,
            .rhs = {slope, this},
            .jacobian = {dae.jacobian.function != nullptr ? slope_jacobian : nullptr, this, dae.jacobian.pattern},
            .tolerance = dae.tolerance,
            .limits = dae.limits,
            .t_end_hint = dae.t_end_hint};
  }

  SolverInfo info_;
  DaeSystem system_;
  std::unique_ptr<Inner> inner_;
  std::vector<double> mass_, zero_, dx_, dx_old_, r_;
  bool refused_ = true;
  Statistics finished_;
  mutable Statistics statistics_;
  Failure failure_;
};

template <class Method>
bool OneStepDae<Method>::restore(std::span<const std::byte> in) {
  const std::size_t entries = system_.problem.jacobian.pattern.row.size(), n = zero_.size();
  const std::size_t tail = (2 * n + entries) * sizeof(double);
  if (in.size() < tail) return false;
  std::vector<double> numbers(2 * n + entries);
  std::memcpy(numbers.data(), in.data() + in.size() - tail, tail);
  const auto mass_begin = numbers.begin() + static_cast<std::ptrdiff_t>(2 * n);
  MassMatrix mass{system_.problem.jacobian.pattern, {mass_begin, numbers.end()}};
  const std::vector<double> values = mass.values;
  auto inner = std::make_unique<Inner>(info_, explicit_form(), std::move(mass));
  if (!inner->restore(in.first(in.size() - tail))) return false;
  finished_.add(inner_->statistics());
  inner_ = std::move(inner);
  mass_ = values;
  std::copy_n(numbers.begin(), n, dx_.begin());
  std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(n), n, dx_old_.begin());
  refused_ = false;
  return true;
}

}  // namespace orrery::solve
