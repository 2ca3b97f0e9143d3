// SPDX-License-Identifier: Apache-2.0
// The integrator of models without continuous states: it only moves time, as far as the limits allow.
#include <cstring>

#include "base/check.h"
#include "solve/families.h"
#include "solve/step_rules.h"

namespace orrery::solve {

namespace {

class Stateless final : public Integrator {
 public:
  Stateless(const SolverInfo& info, const Problem& problem)
      : limits_(problem.limits),
        fixed_step_(info.fixed_step),
        at_{.grid = StepGrid(limits_.fixed)},
        bad_settings_(check_settings(info, problem)) {}

  Status start(double t, const double*, bool keep_step) override {
    ++statistics_.restarts;
    if (!keep_step || t != at_.t) at_.grid.start(t);
    at_.t = at_.t_old = t;
    if (!bad_settings_) return Status::ok;
    failure_ = *bad_settings_;
    return Status::failed;
  }

  Status step(double t_stop) override {
    ORRERY_CHECK(t_stop >= at_.t);
    if (t_stop == at_.t || bad_settings_) return bad_settings_ ? Status::failed : Status::ok;
    at_.t_old = at_.t;
    const double largest = largest_step(limits_);
    const bool last = t_stop - at_.t <= largest * (1 + 1e-12);  // sums of steps end within rounding of it
    at_.t = fixed_step_ ? at_.grid.advance(at_.t, t_stop) : last ? t_stop : at_.t + largest;
    if (!(at_.t > at_.t_old)) {
      failure_ = Failure{FailureCode::step_underflow, "the step is too small to move the time", -1, at_.t};
      return Status::failed;
    }
    ++statistics_.steps;
    return Status::ok;
  }

  double time() const override { return at_.t; }
  double previous_time() const override { return at_.t_old; }
  const double* state() const override { return nullptr; }
  void interpolate(double, double*) override {}
  int dense_degree() const override { return 0; }
  const Statistics& statistics() const override { return statistics_; }
  const Failure& failure() const override { return failure_; }

  bool save(std::vector<std::byte>& out) const override {
    out.resize(sizeof(At));
    std::memcpy(out.data(), &at_, sizeof(At));
    return true;
  }
  bool restore(std::span<const std::byte> in) override {
    if (in.size() != sizeof(At)) return false;
    std::memcpy(&at_, in.data(), sizeof(At));
    return true;
  }

 private:
  struct At {
    double t = std::numeric_limits<double>::quiet_NaN(), t_old = t;
    StepGrid grid;
  };

  StepLimits limits_;
  bool fixed_step_;
  At at_;
  std::optional<Failure> bad_settings_;
  Statistics statistics_;
  Failure failure_;
};

}  // namespace

std::unique_ptr<Integrator> make_stateless(const SolverInfo& info, const Problem& problem) {
  return std::make_unique<Stateless>(info, problem);
}

}  // namespace orrery::solve
