// SPDX-License-Identifier: Apache-2.0
// The DAE solvers on explicit problems: F(t, x, x') = x' - f(t, x).
#include <algorithm>

#include "base/check.h"
#include "solve/dae.h"
#include "solve/families.h"
#include "solve/step_rules.h"
#include "solve/sundials_memory.h"

namespace orrery::solve {

namespace {

class OdeByDae final : public Integrator {
 public:
  OdeByDae(const SolverInfo& info, Problem problem)
      : problem_(std::move(problem)),
        bad_settings_(check_settings(info, problem_)),
        slope_(static_cast<std::size_t>(problem_.n)) {
    DaeProblem dae{.n = problem_.n,
                   .residual = {residual, this},
                   .tolerance = problem_.tolerance,
                   .limits = problem_.limits,
                   .t_end_hint = problem_.t_end_hint};
    if (problem_.jacobian.pattern.n > 0) add_diagonal(dae.jacobian.pattern);
    if (problem_.jacobian.function != nullptr) {
      values_.resize(problem_.jacobian.pattern.row.size());
      dae.jacobian.function = jacobian;
      dae.jacobian.user = this;
    }
    dae_ = make_dae_integrator(*find_dae_solver(info.name), std::move(dae));
  }

  Status start(double t, const double* x, bool keep_step) override {
    failed_start_.reset();
    if (bad_settings_) {
      failed_start_ = bad_settings_;
      return Status::failed;
    }
    const int code = problem_.rhs.function(t, x, slope_.data(), problem_.rhs.user);
    const int state = code == 0 ? first_not_finite(slope_.data(), slope_.size()) : -1;
    if (code != 0) {
      failed_start_ = {FailureCode::derivative_failed, "the derivative cannot be evaluated at the initial point", -1,
                       t};
    } else if (state >= 0) {
      failed_start_ = {FailureCode::nan_derivative, "the derivative is not finite at the initial point", state, t};
    }
    return failed_start_ ? Status::failed : dae_->start(t, x, slope_.data(), keep_step);
  }
  Status step(double t_stop) override { return failed_start_ ? Status::failed : dae_->step(t_stop); }
  double time() const override { return dae_->time(); }
  double previous_time() const override { return dae_->previous_time(); }
  const double* state() const override { return dae_->state(); }
  void interpolate(double t, double* x) override { dae_->interpolate(t, x, nullptr); }
  const Statistics& statistics() const override { return dae_->statistics(); }
  const Failure& failure() const override { return failed_start_ ? *failed_start_ : dae_->failure(); }
  bool save(std::vector<std::byte>& out) const override { return dae_->save(out); }
  bool restore(std::span<const std::byte> in) override { return dae_->restore(in); }

 private:
  // The pattern with all of the diagonal, and where its entries are.
  void add_diagonal(Sparsity& pattern) {
    const Sparsity& given = problem_.jacobian.pattern;
    pattern.n = given.n;
    pattern.column_start.push_back(0);
    for (int j = 0; j < given.n; ++j) {
      diagonal_.push_back(-1);
      for (int e = given.column_start[j]; e < given.column_start[j + 1]; ++e) {
        if (given.row[e] == j) diagonal_.back() = static_cast<int>(pattern.row.size());
        place_.push_back(static_cast<int>(pattern.row.size()));
        pattern.row.push_back(given.row[e]);
      }
      if (diagonal_.back() < 0) {
        diagonal_.back() = static_cast<int>(pattern.row.size());
        pattern.row.push_back(j);
      }
      pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
    }
  }

  static int residual(double t, const double* x, const double* dx, double* r, void* self) {
    const OdeByDae& me = *static_cast<OdeByDae*>(self);
    const int code = me.problem_.rhs.function(t, x, r, me.problem_.rhs.user);
    for (int i = 0; i < me.problem_.n; ++i) r[i] = dx[i] - r[i];
    return code;
  }

  static int jacobian(double t, double c, const double* x, const double*, double* values, void* self) {
    OdeByDae& me = *static_cast<OdeByDae*>(self);
    const int code = me.problem_.jacobian.function(t, x, me.values_.data(), me.problem_.jacobian.user);
    for (const int at : me.diagonal_) values[at] = 0;
    for (std::size_t e = 0; e < me.place_.size(); ++e) values[me.place_[e]] = -me.values_[e];
    for (const int at : me.diagonal_) values[at] += c;
    return code;
  }

  Problem problem_;
  std::optional<Failure> bad_settings_, failed_start_;
  std::vector<double> slope_, values_;
  std::vector<int> place_, diagonal_;
  std::unique_ptr<DaeIntegrator> dae_;
};

}  // namespace

std::unique_ptr<Integrator> make_ode_by_dae(const SolverInfo& info, Problem problem) {
  return std::make_unique<OdeByDae>(info, std::move(problem));
}

}  // namespace orrery::solve
