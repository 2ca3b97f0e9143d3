// SPDX-License-Identifier: Apache-2.0
// Backward Euler and the implicit trapezoidal rule with fixed steps: x1 = x0 + h ((1 - w) f0 + w f1), w = 1 or 1/2.
//
// With c = 1 / (w h) the equation is c (x1 - x0) - f(t1, x1) - (1 - w) / w f0 = 0, the matrix of its Newton iteration
// c I - J. Jacobian and factors are kept while the iteration converges well with them (Hairer and Wanner, Solving
// ODEs II, IV.8). There is no smaller step to retry with: after old and new Jacobian one at every iterate is tried.
// Where f jumps the equation may have no solution at all, and the iteration goes to and fro across the jump: then the
// step is made of parts that are linearly implicit, each with f and its Jacobian as they are where the part begins.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/check.h"
#include "solve/families.h"
#include "solve/implicit_problem.h"
#include "solve/projector.h"
#include "solve/saved_bytes.h"
#include "solve/step_rules.h"

namespace orrery::solve {

namespace {

class ImplicitFixed final : public Integrator {
 public:
  ImplicitFixed(const SolverInfo& info, Problem problem);

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
  struct At {
    int id = 0, n = 0;
    double t = std::numeric_limits<double>::quiet_NaN(), t_old = t;
    double shift = 0;  // of the factors, 0: there are none
    std::int64_t has_jacobian = 0;
    StepGrid grid;
  };
  enum class Newton { kept, fresh, everywhere };

  // ok: x_new_ solves the equation; retry: not so; failed: failure_ says why it never will.
  Status iterate(Newton newton, double t_new, double c);
  Status prepare(Newton newton, double t, const double* x, const double* f, double c);
  Status step_in_parts(double t_new);
  bool jumps_between(double t, std::vector<double> a, std::vector<double> b);
  Status give_up(Failure failure) {
    failure_ = std::move(failure);
    return Status::failed;
  }

  double w_;
  ImplicitProblem system_;
  ShiftedMatrix<double> matrix_;
  std::unique_ptr<Projector> projector_;
  At at_;
  std::optional<Failure> bad_settings_;
  std::vector<double> x_, x_old_, f_old_, x_new_, f_new_, d_, trend_;
  std::vector<double> before_last_, last_;  // iterates
  double accuracy_;
  int worst_ = -1;
  mutable Statistics statistics_;
  Failure failure_;
};

ImplicitFixed::ImplicitFixed(const SolverInfo& info, Problem problem)
    : w_(info.order == 1 ? 1 : 0.5),
      system_(std::move(problem), {}),
      matrix_(system_.structure),
      projector_(Projector::make(system_.problem)),
      at_{.id = 100 + info.order, .n = system_.n(), .grid = StepGrid(system_.problem.limits.fixed)},
      bad_settings_(check_settings(info, system_.problem)) {
  for (auto* v : {&x_, &x_old_, &f_old_, &x_new_, &f_new_, &d_, &trend_, &before_last_, &last_})
    v->resize(static_cast<std::size_t>(at_.n));
  statistics_.limiting.assign(x_.size(), 0);
  // The error of the iteration, in units of the tolerance; tiny tolerances cannot be undercut much.
  const double relative = system_.problem.tolerance.relative;
  accuracy_ = relative > 0 ? std::max(1e-3, 20 * std::numeric_limits<double>::epsilon() / relative) : 1e-3;
}

Status ImplicitFixed::start(double t, const double* x, bool keep_step) {
  ++statistics_.restarts;
  if (!keep_step || t != at_.t) at_.grid.start(t);
  std::copy_n(x, at_.n, x_new_.begin());  // x may be our own state
  x_ = x_old_ = x_new_;
  at_.t = at_.t_old = t;
  at_.has_jacobian = 0;
  return bad_settings_ ? give_up(*bad_settings_) : Status::ok;
}

Status ImplicitFixed::step(double t_stop) {
  ORRERY_CHECK(t_stop >= at_.t);
  if (t_stop == at_.t || bad_settings_) return bad_settings_ ? Status::failed : Status::ok;
  const double t = at_.t;
  const double last_h = t - at_.t_old;
  for (int i = 0; i < at_.n; ++i) trend_[i] = last_h > 0 ? (x_[i] - x_old_[i]) / last_h : 0;
  at_.t_old = t;
  x_old_ = x_;
  const StepGrid before = at_.grid;
  const double t_new = at_.grid.advance(t, t_stop);
  if (!(t_new > t))
    return give_up({FailureCode::step_underflow, "the fixed step is too small to move the time", -1, t});
  system_.trouble = {};
  system_.set_weights(x_.data());
  Status status = system_.slope(t, x_.data(), f_old_.data()) == 0 ? Status::ok : Status::failed;
  if (status == Status::ok) {
    status = Status::retry;
    const double c = 1 / (w_ * (t_new - t));
    for (const Newton newton : {Newton::kept, Newton::fresh, Newton::everywhere}) {
      if (newton == Newton::kept && at_.has_jacobian == 0) continue;
      if (newton != Newton::kept) system_.trouble = {};
      status = iterate(newton, t_new, c);
      if (status != Status::retry) break;
    }
    if (status == Status::retry && system_.trouble.code == 0 && jumps_between(t_new, before_last_, last_))
      status = step_in_parts(t_new);
  }
  if (status == Status::ok && projector_ != nullptr && projector_->project(t_new, x_new_.data()) != 0) {
    status = give_up({FailureCode::projection_failed, off_constraints, -1, t});
  }
  if (status == Status::ok) {
    at_.t = t_new;
    x_.swap(x_new_);
    ++statistics_.steps;
    return Status::ok;
  }
  ++statistics_.rejected_other;
  at_.grid = before;
  at_.has_jacobian = 0;
  if (system_.trouble.code != 0) return give_up(system_.blame("within the step", t));
  if (status == Status::failed) return Status::failed;
  return give_up({FailureCode::newton_convergence, "Newton's iteration does not converge with this step", worst_, t});
}

// The Jacobian at (t, x) unless the kept one will do, and its factors.
Status ImplicitFixed::prepare(Newton newton, double t, const double* x, const double* f, double c) {
  const bool same_step = std::abs(at_.shift - c) <= 1e-3 * c;  // points of the grid are rounded
  if (newton == Newton::kept && same_step) return Status::ok;
  at_.has_jacobian = 0;
  if (newton != Newton::kept && system_.evaluate_jacobian(t, x, f, 1 / c) != 0) {
    return give_up({FailureCode::jacobian_failed, "the Jacobian cannot be evaluated", -1, at_.t});
  }
  ++statistics_.linear_setups;
  if (!matrix_.factor(c, system_.jacobian.data())) {
    if (newton == Newton::kept) return Status::retry;
    return give_up({FailureCode::newton_convergence, "the matrix of Newton's iteration is singular with this step",
                    matrix_.singular_column(), at_.t});
  }
  at_.has_jacobian = newton != Newton::everywhere;
  at_.shift = c;
  return Status::ok;
}

Status ImplicitFixed::iterate(Newton newton, double t_new, double c) {
  constexpr int most_halvings = 12;
  const int most = newton == Newton::everywhere ? 25 : 8;
  const double beta = (1 - w_) / w_;
  if (newton != Newton::everywhere) {
    if (const Status s = prepare(newton, at_.t, x_.data(), f_old_.data(), c); s != Status::ok) return s;
  }
  // Goes on as in the last step; the last resort begins where nothing can have gone wrong yet.
  const double h = newton == Newton::everywhere ? 0 : t_new - at_.t;
  for (int i = 0; i < at_.n; ++i) x_new_[i] = x_[i] + h * trend_[i];
  if (system_.slope(t_new, x_new_.data(), f_new_.data()) != 0) return Status::retry;
  double last = 0;
  for (int k = 0; k < most; ++k) {
    ++statistics_.newton_iterations;
    if (newton == Newton::everywhere) {
      if (const Status s = prepare(newton, t_new, x_new_.data(), f_new_.data(), c); s != Status::ok) return s;
    }
    for (int i = 0; i < at_.n; ++i) d_[i] = f_new_[i] + beta * f_old_[i] - c * (x_new_[i] - x_[i]);
    matrix_.solve(d_.data());
    const double size = system_.norm(d_.data());
    worst_ = system_.worst(d_.data());
    const double theta = k > 0 ? size / last : 0;
    if (!std::isfinite(size) || (newton != Newton::everywhere && theta > 0.9)) return Status::retry;
    last = std::max(size, std::numeric_limits<double>::min());
    if (newton == Newton::everywhere) before_last_ = x_new_;
    for (int i = 0; i < at_.n; ++i) x_new_[i] += d_[i];
    if (newton == Newton::everywhere) last_ = x_new_;
    // Once the rate is known the error is about theta / (1 - theta) of the last move.
    const double error = k > 0 && theta < 0.9 ? size * std::max(theta, 1e-3) / (1 - theta) : size;
    if (error <= accuracy_) {
      if (k > 4 || theta > 0.3) at_.has_jacobian = 0;  // converges slowly: a new one next time
      return Status::ok;
    }
    for (int half = 0; system_.slope(t_new, x_new_.data(), f_new_.data()) != 0; ++half) {
      if (newton != Newton::everywhere || half == most_halvings) return Status::retry;
      for (int i = 0; i < at_.n; ++i) {
        d_[i] *= 0.5;
        x_new_[i] -= d_[i];
      }
      system_.trouble = {};
    }
  }
  return Status::retry;
}

// Whether f changes at once somewhere between a and b: by much of its whole change over a millionth of a millionth of
// the way.
bool ImplicitFixed::jumps_between(double t, std::vector<double> a, std::vector<double> b) {
  constexpr int halvings = 40;
  std::vector<double> fa(a.size()), fb(a.size()), middle(a.size()), fm(a.size());
  const auto apart = [&](const std::vector<double>& one, const std::vector<double>& other) {
    for (std::size_t i = 0; i < one.size(); ++i) d_[i] = one[i] - other[i];
    return system_.norm(d_.data());
  };
  if (system_.slope(t, a.data(), fa.data()) != 0 || system_.slope(t, b.data(), fb.data()) != 0) return false;
  const double whole = apart(fa, fb);
  for (int k = 0; k < halvings; ++k) {
    for (std::size_t i = 0; i < a.size(); ++i) middle[i] = 0.5 * (a[i] + b[i]);
    if (system_.slope(t, middle.data(), fm.data()) != 0) return false;
    const bool first_half = apart(fa, fm) > apart(fm, fb);
    std::swap(first_half ? b : a, middle);
    std::swap(first_half ? fb : fa, fm);
  }
  return whole > 0 && apart(fa, fb) > 0.1 * whole;
}

// The first iterate of Newton's method in each part.
Status ImplicitFixed::step_in_parts(double t_new) {
  constexpr int parts = 16;
  const double t = at_.t, h = (t_new - t) / parts, c = 1 / (w_ * h), beta = (1 - w_) / w_;
  x_new_ = x_;
  for (int part = 0; part < parts; ++part) {
    const double begin = t + part * h, end = part + 1 == parts ? t_new : t + (part + 1) * h;
    if (system_.slope(begin, x_new_.data(), trend_.data()) != 0 ||
        system_.slope(end, x_new_.data(), f_new_.data()) != 0)
      return Status::retry;
    const Status ready = prepare(Newton::everywhere, end, x_new_.data(), f_new_.data(), c);
    if (ready != Status::ok) return ready;
    for (int i = 0; i < at_.n; ++i) d_[i] = f_new_[i] + beta * trend_[i];
    matrix_.solve(d_.data());
    for (int i = 0; i < at_.n; ++i) x_new_[i] += d_[i];
  }
  at_.shift = 0;
  for (const double x : x_new_) {
    if (!std::isfinite(x)) return Status::retry;
  }
  return Status::ok;
}

// Euler: the line. Trapezoidal rule: the parabola whose slopes are f0 and f1.
void ImplicitFixed::interpolate(double t, double* x) {
  const bool at_end = t >= at_.t || at_.t == at_.t_old;
  if (at_end || t <= at_.t_old) {
    std::copy_n(at_end ? x_.data() : x_old_.data(), at_.n, x);
    return;
  }
  const double h = at_.t - at_.t_old, s = (t - at_.t_old) / h;
  for (int i = 0; i < at_.n; ++i) {
    const double line = x_[i] - x_old_[i];
    x[i] = x_old_[i] + s * (w_ == 1 ? line : h * f_old_[i] + s * (line - h * f_old_[i]));
  }
}

const Statistics& ImplicitFixed::statistics() const {
  statistics_.evaluations = system_.evaluations;
  statistics_.jacobians = system_.jacobians;
  return statistics_;
}

bool ImplicitFixed::save(std::vector<std::byte>& out) const {
  save_bytes(at_, {&x_, &x_old_, &f_old_, &system_.jacobian}, out);
  return true;
}

bool ImplicitFixed::restore(std::span<const std::byte> in) {
  if (!restore_bytes(in, at_, {&x_, &x_old_, &f_old_, &system_.jacobian})) return false;
  if (at_.has_jacobian != 0) matrix_.factor(at_.shift, system_.jacobian.data());
  return true;
}

}  // namespace

std::unique_ptr<Integrator> make_implicit_fixed(const SolverInfo& info, Problem problem) {
  return std::make_unique<ImplicitFixed>(info, std::move(problem));
}

}  // namespace orrery::solve
