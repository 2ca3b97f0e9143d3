// SPDX-License-Identifier: Apache-2.0
// Implicit one-step methods with error-controlled steps: when to keep a Jacobian and its factors, how to choose steps.
//
// Hairer and Wanner, Solving ODEs II, section IV.8; the step sizes follow the predictor of Gustafsson. A Method is
// RadauStages or SdirkStages: it owns the stages, their Newton iteration, the error estimate and the dense output.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/check.h"
#include "solve/implicit_problem.h"
#include "solve/projector.h"
#include "solve/saved_bytes.h"
#include "solve/step_rules.h"

namespace orrery::solve {

// What became of one try at a step.
struct StageResult {
  enum class Outcome { converged, slow, diverged, trouble };
  Outcome outcome = Outcome::converged;
  int iterations = 0;
  double theta = 0;     // rate of convergence of Newton's iteration, 0: one iteration was enough
  double shrink = 0.5;  // not converged: by how much a smaller step would help
  double error = 0;     // in units of the tolerance; negative: not defined
};

template <class Method>
class AdaptiveImplicit final : public Integrator {
 public:
  AdaptiveImplicit(const SolverInfo& info, Problem problem, MassMatrix mass);

  Status start(double t, const double* x, bool keep_step) override;
  Status step(double t_stop) override;
  double time() const override { return at_.t; }
  double previous_time() const override { return at_.t_old; }
  const double* state() const override { return x_.data(); }
  void interpolate(double t, double* x) override;
  // With a mass matrix the derivative at the start, to be given right after it.
  void start_slope(const double* dx) { method_.start_slope(dx); }
  // The derivative of the dense output, after at least one step; for methods that know it.
  void interpolate_slope(double t, double* dx) const {
    method_.interpolate_slope(at_.method, (t - at_.t_old) / at_.method.h, dx);
  }
  int dense_degree() const override { return method_.dense_degree(at_.method); }
  const Statistics& statistics() const override {
    statistics_.evaluations = system_.evaluations;
    statistics_.jacobians = system_.jacobians;
    return statistics_;
  }
  const Failure& failure() const override { return failure_; }
  bool save(std::vector<std::byte>& out) const override {
    save_bytes(at_, {&x_, &x_old_, &f_, &method_.polynomial, &system_.jacobian, &system_.noise}, out);
    return true;
  }
  bool restore(std::span<const std::byte> in) override;

 private:
  // Everything that decides the next step besides the vectors.
  struct At {
    int id = Method::id, n = 0;
    double t = std::numeric_limits<double>::quiet_NaN(), t_old = t;
    double h_next = 0;            // 0: not chosen yet
    double h_factored = 0;        // 0: no factors
    double h_controlled = 0;      // the last step that the error alone decided, 0: none
    double error_controlled = 0;  // its error
    std::int64_t jacobian_known = 0, jacobian_current = 0, slope_known = 0;
    typename Method::At method = {};
  };

  static constexpr double safety = 0.9;
  static constexpr double least_factor = 0.2, greatest_factor = 8;
  static constexpr double keep_jacobian = 1e-3;  // rates of convergence up to here
  static constexpr double keep_factors = 1.2;    // growth of the step up to here

  // Jacobian and factors for a step over h. retry: with a smaller step.
  Status prepare(double h);
  // Ok, or h is smaller now, or given up.
  Status attempt(double& h, bool rejected, StageResult& result);
  Status shrink(double& h, double factor, bool by_error);
  void choose_next(double h, double wanted, bool rejected, const StageResult& result);
  double effort(int iterations) const {
    const double limit = 2.0 * method_.most_iterations(at_.method);
    return safety * (1 + limit) / (iterations + limit);
  }
  double exponent() const { return 1.0 / method_.error_order(at_.method); }
  Status give_up(Failure failure) {
    failure_ = std::move(failure);
    return Status::failed;
  }

  ImplicitProblem system_;
  Method method_;
  std::unique_ptr<Projector> projector_;
  At at_;
  std::optional<Failure> bad_settings_;
  std::vector<double> x_, x_old_, x_new_, f_;
  double accuracy_;
  mutable Statistics statistics_;
  Failure failure_;
};

template <class Method>
AdaptiveImplicit<Method>::AdaptiveImplicit(const SolverInfo& info, Problem problem, MassMatrix mass)
    : system_(std::move(problem), std::move(mass)),
      method_(system_),
      projector_(Projector::make(system_.problem)),
      bad_settings_(check_settings(info, system_.problem)) {
  at_.n = system_.n();
  for (auto* v : {&x_, &x_old_, &x_new_, &f_}) v->resize(static_cast<std::size_t>(at_.n));
  statistics_.limiting.assign(x_.size(), 0);
  const double relative = system_.problem.tolerance.relative;
  const double least = relative > 0 ? 10 * std::numeric_limits<double>::epsilon() / relative : 0;
  accuracy_ = std::max(least, std::min(0.03, relative > 0 ? std::pow(relative, 0.25) : 0.03));
}

template <class Method>
Status AdaptiveImplicit<Method>::start(double t, const double* x, bool keep_step) {
  ++statistics_.restarts;
  std::copy_n(x, at_.n, x_old_.begin());  // x may be our own state
  x_ = x_old_;
  at_ = At{.n = at_.n, .t = t, .t_old = t, .h_next = keep_step ? at_.h_next : 0.0};
  system_.trouble = {};
  if (bad_settings_) return give_up(*bad_settings_);
  if (system_.slope(t, x_.data(), f_.data()) != 0) return give_up(system_.blame("at the initial point", t));
  at_.slope_known = 1;
  return Status::ok;
}

template <class Method>
Status AdaptiveImplicit<Method>::step(double t_stop) {
  ORRERY_CHECK(t_stop >= at_.t);
  if (t_stop == at_.t || bad_settings_) return bad_settings_ ? Status::failed : Status::ok;
  const double t = at_.t;
  system_.trouble = {};
  system_.set_weights(x_.data());
  if (at_.slope_known == 0 && system_.slope(t, x_.data(), f_.data()) != 0) {
    return give_up(system_.blame("at the end of the last step", t));
  }
  at_.slope_known = 1;
  const StepLimits& limits = system_.problem.limits;
  if (at_.h_next <= 0) at_.h_next = system_.first_step(t, x_.data(), f_.data(), t_stop, 4);
  const double largest = largest_step(limits);
  double h = std::clamp(at_.h_next, std::min(smallest_step(t, limits), largest), largest);
  for (bool rejected = false;; rejected = true) {
    const double wanted = h;
    const double remaining = t_stop - t;
    // A last step a little longer is better than a very short one after it.
    const bool last = remaining <= 1.01 * h && remaining <= largest * (1 + 1e-6);
    if (last) h = remaining;
    StageResult result;
    const double tried = h;
    const Status status = attempt(h, rejected, result);
    if (status == Status::failed) return Status::failed;
    if (status == Status::retry) continue;
    method_.end_state(at_.method, x_.data(), x_new_.data());
    const double t_new = last ? t_stop : std::min(t + h, t_stop);
    if (projector_ != nullptr && projector_->project(t_new, x_new_.data()) != 0) {
      if (shrink(h, 0.5, false) == Status::retry) continue;
      return give_up({FailureCode::projection_failed, off_constraints, -1, t});
    }
    x_old_.swap(x_);
    x_.swap(x_new_);
    method_.accept(at_.method, tried, projector_ != nullptr ? projector_->move().data() : nullptr);
    at_.t_old = t;
    at_.t = t_new;
    at_.slope_known = 0;
    ++statistics_.steps;
    choose_next(h, wanted, rejected, result);
    return Status::ok;
  }
}

template <class Method>
Status AdaptiveImplicit<Method>::prepare(double h) {
  if (at_.jacobian_known == 0) {
    at_.h_factored = 0;
    const int code = system_.evaluate_jacobian(at_.t, x_.data(), f_.data(), h);
    if (code != 0) return give_up({FailureCode::jacobian_failed, "the Jacobian cannot be evaluated here", -1, at_.t});
    at_.jacobian_known = at_.jacobian_current = 1;
  }
  if (at_.h_factored == h && method_.factors_fit(at_.method)) return Status::ok;
  ++statistics_.linear_setups;
  at_.h_factored = 0;
  if (!method_.factor(at_.method, h)) return Status::retry;
  at_.h_factored = h;
  if (system_.has_equations()) {
    system_.find_noise(x_.data(), [this](double* v) { method_.divide(v); });
    system_.set_weights(x_.data());
  }
  return Status::ok;
}

template <class Method>
Status AdaptiveImplicit<Method>::attempt(double& h, bool rejected, StageResult& result) {
  using Outcome = StageResult::Outcome;
  const Status prepared = prepare(h);
  if (prepared == Status::failed) return Status::failed;
  if (prepared == Status::retry) return shrink(h, 0.5, false);
  const bool first = at_.method.h == 0;
  result = method_.attempt(at_.method, {at_.t, h, x_.data(), f_.data()}, accuracy_, rejected || first);
  statistics_.newton_iterations += result.iterations;
  if (result.outcome == Outcome::converged) {
    if (result.error >= 0 && result.error <= 1) return Status::ok;
    if (!(result.error > 1) || !std::isfinite(result.error)) return shrink(h, 0.5, false);
    return shrink(h, first ? 0.1 : effort(result.iterations) * std::pow(result.error, -exponent()), true);
  }
  if (at_.jacobian_current == 0) at_.jacobian_known = 0;
  return shrink(h, result.shrink, false);
}

template <class Method>
Status AdaptiveImplicit<Method>::shrink(double& h, double factor, bool by_error) {
  if (system_.trouble.code < 0) return give_up(system_.blame("within the step", at_.t));
  ++(by_error ? statistics_.rejected_error : statistics_.rejected_other);
  const int worst = by_error ? system_.worst(method_.error_vector().data()) : -1;
  if (by_error) ++statistics_.limiting[worst];
  const double smallest = smallest_step(at_.t, system_.problem.limits);
  if (h > smallest) {
    h = std::max(h * std::max(factor, 0.1), smallest);
    return Status::retry;
  }
  if (system_.trouble.code != 0) return give_up(system_.blame("right after this point", at_.t));
  if (by_error) {
    return give_up(
        {FailureCode::step_underflow, "the error stays above the tolerance with the smallest step", worst, at_.t});
  }
  const int column = method_.singular_column();
  return give_up({FailureCode::newton_convergence,
                  column >= 0 ? "the matrix of Newton's iteration is singular, even with the smallest step"
                              : "Newton's iteration does not converge, even with the smallest step",
                  column >= 0 ? column : method_.worst_moved(), at_.t});
}

template <class Method>
void AdaptiveImplicit<Method>::choose_next(double h, double wanted, bool rejected, const StageResult& result) {
  const double least_error = std::max(result.error, 1e-10);
  double factor = effort(result.iterations) * std::pow(least_error, -exponent());
  if (at_.h_controlled > 0) {
    const double trend =
        safety * h / at_.h_controlled * std::pow(at_.error_controlled / (least_error * least_error), exponent());
    factor = std::min(factor, trend);
  }
  factor = std::clamp(factor, least_factor, rejected ? 1.0 : greatest_factor);
  if (factor < 0.8) ++statistics_.limiting[system_.worst(method_.error_vector().data())];
  const bool cut = h < wanted;  // by t_stop, which says nothing against the size that was wanted
  if (!cut) {
    at_.h_controlled = h;
    at_.error_controlled = std::max(1e-2, least_error);
  }
  double next = cut && factor >= 1 ? std::max(wanted, h * factor) : h * factor;
  at_.jacobian_current = 0;
  const bool good = result.theta <= keep_jacobian;
  if (!good) at_.jacobian_known = 0;
  if (!cut && good && next >= h && next <= keep_factors * h) next = h;
  at_.h_next = next;
  if (method_.choose_order(at_.method, result, next / h)) at_.h_controlled = 0;
}

template <class Method>
void AdaptiveImplicit<Method>::interpolate(double t, double* x) {
  const bool at_end = t >= at_.t || at_.t == at_.t_old;
  if (at_end || t <= at_.t_old) {
    std::copy_n(at_end ? x_.data() : x_old_.data(), at_.n, x);
    return;
  }
  method_.interpolate(at_.method, (t - at_.t_old) / at_.method.h, x_old_.data(), x);
}

template <class Method>
bool AdaptiveImplicit<Method>::restore(std::span<const std::byte> in) {
  if (!restore_bytes(in, at_, {&x_, &x_old_, &f_, &method_.polynomial, &system_.jacobian, &system_.noise}))
    return false;
  // The same values give the same factors, to the last bit.
  if (at_.h_factored > 0) method_.refactor(at_.method, at_.h_factored);
  return true;
}

}  // namespace orrery::solve
