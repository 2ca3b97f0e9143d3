// SPDX-License-Identifier: Apache-2.0
// Explicit Runge–Kutta methods with fixed steps on the grid t0 + k h.
#pragma once

#include <string>

#include "base/check.h"
#include "solve/projector.h"
#include "solve/stages.h"
#include "solve/step_rules.h"

namespace orrery::solve {

template <class Table>
class FixedRungeKutta final : public Integrator {
 public:
  FixedRungeKutta(const SolverInfo& info, Problem problem)
      : problem_(std::move(problem)),
        stages_(problem_.n, problem_.rhs),
        projector_(Projector::make(problem_)),
        at_{.n = problem_.n, .grid = StepGrid(problem_.limits.fixed)},
        bad_settings_(check_settings(info, problem_)) {
    statistics_.limiting.assign(static_cast<std::size_t>(problem_.n), 0);
  }

  Status start(double t, const double* x, bool keep_step) override {
    ++statistics_.restarts;
    stages_.set_state(x);
    if (!keep_step || t != at_.t) at_.grid.start(t);
    at_.t = at_.t_old = t;
    if (!bad_settings_) return Status::ok;
    failure_ = *bad_settings_;
    return Status::failed;
  }

  Status step(double t_stop) override;
  double time() const override { return at_.t; }
  double previous_time() const override { return at_.t_old; }
  const double* state() const override { return stages_.state(); }

  void interpolate(double t, double* x) override {
    const bool at_end = t >= at_.t || at_.t == at_.t_old;
    const double h = at_.t - at_.t_old;
    if (at_end || t <= at_.t_old) {
      std::copy_n(at_end ? stages_.state() : stages_.begin(), problem_.n, x);
    } else {
      stages_.interpolate(at_.t_old, h, (t - at_.t_old) / h, x);
    }
  }

  const Statistics& statistics() const override {
    statistics_.evaluations = stages_.evaluations;
    return statistics_;
  }
  const Failure& failure() const override { return failure_; }
  bool save(std::vector<std::byte>& out) const override;
  bool restore(std::span<const std::byte> in) override;

 private:
  struct At {
    int id = -Table::id, n = 0;  // negative: the adaptive driver may run the same table
    double t = std::numeric_limits<double>::quiet_NaN(), t_old = t;
    StepGrid grid;
  };

  Status give_up(FailureCode code, std::string message, int state) {
    failure_ = Failure{code, std::move(message), state, at_.t};
    return Status::failed;
  }

  Problem problem_;
  Stages<Table> stages_;
  std::unique_ptr<Projector> projector_;
  At at_;
  std::optional<Failure> bad_settings_;
  mutable Statistics statistics_;
  Failure failure_;
};

template <class Table>
Status FixedRungeKutta<Table>::step(double t_stop) {
  ORRERY_CHECK(t_stop >= at_.t);
  if (t_stop == at_.t || bad_settings_) return bad_settings_ ? Status::failed : Status::ok;
  stages_.open_step();
  const double t = at_.t;
  at_.t_old = t;
  const StepGrid before = at_.grid;
  const double t_new = at_.grid.advance(t, t_stop);
  if (!(t_new > t)) return give_up(FailureCode::step_underflow, "the fixed step is too small to move the time", -1);
  int code = stages_.evaluate_begin(t);
  if (code == 0) code = stages_.evaluate(t, t_new - t);
  double zero = 0;
  for (int i = 0; i < problem_.n; ++i) zero += 0 * stages_.end()[i];
  if (code == 0 && zero == 0) {
    if (projector_ != nullptr && projector_->project(t_new, stages_.move_end()) != 0) {
      ++statistics_.rejected_other;
      at_.grid = before;
      return give_up(FailureCode::projection_failed, off_constraints, -1);
    }
    stages_.accept();
    ++statistics_.steps;
    at_.t = t_new;
    return Status::ok;
  }
  ++statistics_.rejected_other;
  at_.grid = before;
  if (code != 0)
    return give_up(FailureCode::derivative_failed, "the derivative cannot be evaluated within the step", -1);
  return give_up(FailureCode::nan_derivative, "the derivative or the new state is not finite",
                 stages_.first_not_finite());
}

template <class Table>
bool FixedRungeKutta<Table>::save(std::vector<std::byte>& out) const {
  out.resize(sizeof(At));
  std::memcpy(out.data(), &at_, sizeof(At));
  stages_.save(out);
  return true;
}

template <class Table>
bool FixedRungeKutta<Table>::restore(std::span<const std::byte> in) {
  if (in.size() != sizeof(At) + stages_.saved_size()) return false;
  At at = at_;
  std::memcpy(&at, in.data(), sizeof(At));
  if (at.id != -Table::id || at.n != problem_.n) return false;
  at_ = at;
  stages_.restore(in.subspan(sizeof(At)));
  return true;
}

}  // namespace orrery::solve
