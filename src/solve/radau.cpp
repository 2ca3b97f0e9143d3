// SPDX-License-Identifier: Apache-2.0
// Radau IIA with variable step and order (5, 9, 13): when to keep a Jacobian, how to choose step and order.
//
// Step sizes by the predictor of Gustafsson, orders by the rate of Newton's iteration: Hairer and Wanner, Solving ODEs
// II, IV.8, and "Stiff differential equations solved by Radau methods", J. Comput. Appl. Math. 111, 1999.
#include "solve/radau.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/check.h"
#include "solve/families.h"
#include "solve/radau_stages.h"
#include "solve/saved_bytes.h"
#include "solve/step_rules.h"

namespace orrery::solve {

namespace {

class Radau final : public Integrator {
 public:
  Radau(const SolverInfo& info, Problem problem, MassMatrix mass);

  Status start(double t, const double* x, bool keep_step) override;
  Status step(double t_stop) override;
  double time() const override { return at_.t; }
  double previous_time() const override { return at_.t_old; }
  const double* state() const override { return x_.data(); }
  void interpolate(double t, double* x) override;
  const Statistics& statistics() const override;
  const Failure& failure() const override { return failure_; }
  bool save(std::vector<std::byte>& out) const override;
  bool restore(std::span<const std::byte> in) override;

 private:
  // Everything that decides the next step besides the vectors. Words of eight bytes, so that no padding is saved.
  struct At {
    int id = 110, n = 0;
    double t = std::numeric_limits<double>::quiet_NaN(), t_old = t;
    double h = 0;                 // of the accepted step that polynomial belongs to, 0: none
    double h_next = 0;            // 0: not chosen yet
    double h_factored = 0;        // 0: no factors
    double h_controlled = 0;      // the last step that the error alone decided, with its error: Gustafsson
    double error_controlled = 1;  // 0: no such step
    double rate = 1;              // of Newton's iteration
    std::int64_t stages = 3, stages_before = 3, stages_factored = 0;
    std::int64_t steps_of_order = 0;
    std::int64_t jacobian_known = 0, jacobian_current = 0, slope_known = 0;
    std::int64_t slow = 0, diverged = 0;  // Newton's iteration, since the order was last looked at
  };

  const RadauCoefficients& method() const { return radau_coefficients(static_cast<int>(at_.stages)); }
  // Jacobian and factors for a step over h. retry: with a smaller step.
  Status prepare(double h);
  // Newton's iteration and the error estimate: ok, or h is smaller now, or given up.
  Status attempt(double& h, bool rejected, RadauStages::Iteration& newton, double& error);
  Status shrink(double& h, double factor, bool by_error);
  void choose_next(double h, double wanted, bool rejected, const RadauStages::Iteration& newton, double error);
  void choose_order(const RadauStages::Iteration& newton, double step_ratio);
  Status give_up(Failure failure) {
    failure_ = std::move(failure);
    return Status::failed;
  }

  ImplicitProblem system_;
  RadauStages stages_;
  At at_;
  std::optional<Failure> bad_settings_;
  std::vector<double> x_, x_old_, f_;
  double accuracy_;
  mutable Statistics statistics_;
  Failure failure_;
};

constexpr double safety = 0.9;
constexpr double least_factor = 0.2, greatest_factor = 8;
constexpr double keep_jacobian = 1e-3;  // rates of convergence up to here
constexpr double keep_factors = 1.2;    // growth of the step up to here

Radau::Radau(const SolverInfo& info, Problem problem, MassMatrix mass)
    : system_(std::move(problem), std::move(mass)),
      stages_(system_),
      bad_settings_(check_settings(info, system_.problem)) {
  at_.n = system_.n();
  for (auto* v : {&x_, &x_old_, &f_}) v->resize(static_cast<std::size_t>(at_.n));
  statistics_.limiting.assign(x_.size(), 0);
  const double relative = system_.problem.tolerance.relative;
  const double least = relative > 0 ? 10 * std::numeric_limits<double>::epsilon() / relative : 0;
  accuracy_ = std::max(least, std::min(0.03, relative > 0 ? std::pow(relative, 0.25) : 0.03));
}

Status Radau::start(double t, const double* x, bool keep_step) {
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

Status Radau::prepare(double h) {
  if (at_.jacobian_known == 0) {
    at_.h_factored = 0;
    const int code = system_.evaluate_jacobian(at_.t, x_.data(), f_.data(), h);
    if (code != 0) return give_up({"jacobian-failed", "the Jacobian cannot be evaluated here", -1, at_.t});
    at_.jacobian_known = at_.jacobian_current = 1;
  }
  if (at_.h_factored == h && at_.stages_factored == at_.stages) return Status::ok;
  ++statistics_.linear_setups;
  at_.h_factored = 0;
  if (!stages_.factor(method(), h)) return Status::retry;
  at_.h_factored = h;
  at_.stages_factored = at_.stages;
  return Status::ok;
}

Status Radau::attempt(double& h, bool rejected, RadauStages::Iteration& newton, double& error) {
  const Status prepared = prepare(h);
  if (prepared == Status::failed) return Status::failed;
  if (prepared == Status::retry) return shrink(h, 0.5, false);
  const RadauCoefficients* last = at_.h > 0 ? &radau_coefficients(static_cast<int>(at_.stages_before)) : nullptr;
  stages_.predict(method(), h, last, at_.h);
  newton = stages_.iterate(method(), at_.t, h, x_.data(), accuracy_, at_.rate);
  statistics_.newton_iterations += newton.count;
  if (newton.outcome == RadauStages::Outcome::converged) {
    error = stages_.error(method(), at_.t, h, x_.data(), f_.data(), rejected || at_.h == 0);
    if (error >= 0 && error <= 1) return Status::ok;
    if (error > 1 && std::isfinite(error)) {
      const double effort = safety * (1 + 14.0) / (newton.count + 14.0);
      return shrink(h, at_.h == 0 ? 0.1 : effort * std::pow(error, -1.0 / static_cast<double>(at_.stages + 1)), true);
    }
    return shrink(h, 0.5, false);
  }
  at_.rate = 1;
  if (at_.jacobian_current == 0) at_.jacobian_known = 0;
  if (newton.outcome == RadauStages::Outcome::slow) {
    at_.slow = 1;
    return shrink(h, newton.shrink, false);
  }
  at_.diverged = 1;
  return shrink(h, 0.5, false);
}

Status Radau::shrink(double& h, double factor, bool by_error) {
  if (system_.trouble.code < 0) return give_up(system_.blame("within the step", at_.t));
  ++(by_error ? statistics_.rejected_error : statistics_.rejected_other);
  const int worst = by_error ? system_.worst(stages_.error_vector().data()) : -1;
  if (by_error) ++statistics_.limiting[worst];
  const double smallest = smallest_step(at_.t, system_.problem.limits);
  if (h > smallest) {
    h = std::max(h * std::max(factor, 0.1), smallest);
    return Status::retry;
  }
  if (system_.trouble.code != 0) return give_up(system_.blame("right after this point", at_.t));
  if (by_error) {
    return give_up({"step-underflow", "the error stays above the tolerance with the smallest step", worst, at_.t});
  }
  return give_up({"newton-convergence", "Newton's iteration does not converge, even with the smallest step",
                  stages_.singular_column(), at_.t});
}

Status Radau::step(double t_stop) {
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
    const bool last = remaining <= 1.01 * h && remaining <= largest * (1 + 1e-12);
    if (last) h = remaining;
    RadauStages::Iteration newton;
    double error = 0;
    const Status status = attempt(h, rejected, newton, error);
    if (status == Status::failed) return Status::failed;
    if (status == Status::retry) continue;
    x_old_.swap(x_);
    stages_.accept(method(), x_old_.data(), x_.data());
    at_.t_old = t;
    at_.t = last ? t_stop : std::min(t + h, t_stop);
    at_.slope_known = 0;
    ++statistics_.steps;
    choose_next(h, wanted, rejected, newton, error);
    return Status::ok;
  }
}

void Radau::choose_next(double h, double wanted, bool rejected, const RadauStages::Iteration& newton, double error) {
  const double exponent = 1.0 / static_cast<double>(at_.stages + 1);
  const int limit = 7 + (static_cast<int>(at_.stages) - 3) * 5 / 2;
  const double effort = safety * (1 + 2.0 * limit) / (newton.count + 2.0 * limit);
  const double least_error = std::max(error, 1e-10);
  double factor = std::min(effort, safety) * std::pow(least_error, -exponent);
  if (at_.error_controlled > 0 && at_.h_controlled > 0) {
    const double gustafsson =
        safety * h / at_.h_controlled * std::pow(at_.error_controlled / (least_error * least_error), exponent);
    factor = std::min(factor, gustafsson);
  }
  factor = std::clamp(factor, least_factor, rejected ? 1.0 : greatest_factor);
  if (factor < 0.8) ++statistics_.limiting[system_.worst(stages_.error_vector().data())];
  const bool cut = h < wanted;  // by t_stop, which says nothing against the size that was wanted
  if (!cut) {
    at_.h_controlled = h;
    at_.error_controlled = std::max(1e-2, least_error);
  }
  const double old = at_.h;
  at_.stages_before = at_.stages;
  at_.h = h;
  double next = cut && factor >= 1 ? std::max(wanted, h * factor) : h * factor;
  at_.jacobian_current = 0;
  const bool good = newton.count == 1 || newton.theta <= keep_jacobian;
  if (!good) at_.jacobian_known = 0;
  if (!cut && good && next >= h && next <= keep_factors * h) next = h;
  at_.h_next = next;
  choose_order(newton, old > 0 ? next / h : 0);
}

// Up when Newton's iteration converges fast and the step is steady, down when it has trouble (RADAU's rules).
void Radau::choose_order(const RadauStages::Iteration& newton, double step_ratio) {
  ++at_.steps_of_order;
  std::int64_t stages = at_.stages;
  const double theta = std::max(newton.theta, 0.5 * keep_jacobian);
  if (newton.count > 1 && theta <= 0.002 && step_ratio > 0.8 && step_ratio < 1.2) {
    stages = std::min<std::int64_t>(7, at_.stages + 2);
  }
  if (theta >= 0.8 || at_.diverged != 0 || (at_.steps_of_order >= 1 && at_.slow != 0)) {
    stages = std::max<std::int64_t>(3, at_.stages - 2);
  }
  if (at_.steps_of_order <= 10) stages = std::min(stages, at_.stages);
  at_.slow = at_.diverged = 0;
  if (stages == at_.stages) return;
  at_.stages = stages;
  at_.steps_of_order = 0;
  at_.error_controlled = 0;
  at_.rate = 1;
}

void Radau::interpolate(double t, double* x) {
  const bool at_end = t >= at_.t || at_.t == at_.t_old;
  if (at_end || t <= at_.t_old) {
    std::copy_n(at_end ? x_.data() : x_old_.data(), at_.n, x);
    return;
  }
  const RadauCoefficients& last = radau_coefficients(static_cast<int>(at_.stages_before));
  stages_.interpolate(last, (t - at_.t_old) / at_.h, x_old_.data(), x);
}

const Statistics& Radau::statistics() const {
  statistics_.evaluations = system_.evaluations;
  statistics_.jacobians = system_.jacobians;
  return statistics_;
}

bool Radau::save(std::vector<std::byte>& out) const {
  save_bytes(at_, {&x_, &x_old_, &f_, &stages_.polynomial, &system_.jacobian}, out);
  return true;
}

bool Radau::restore(std::span<const std::byte> in) {
  if (!restore_bytes(in, at_, {&x_, &x_old_, &f_, &stages_.polynomial, &system_.jacobian})) return false;
  if (at_.h_factored > 0) stages_.factor(radau_coefficients(static_cast<int>(at_.stages_factored)), at_.h_factored);
  return true;
}

}  // namespace

std::unique_ptr<Integrator> make_radau(const SolverInfo& info, Problem problem, MassMatrix mass) {
  return std::make_unique<Radau>(info, std::move(problem), std::move(mass));
}

}  // namespace orrery::solve
