// SPDX-License-Identifier: Apache-2.0
// Automatic switching between Adams with functional iteration and BDF with Newton iteration.
//
// A driver of ours in the spirit of LSODA (Petzold, "Automatic selection of methods for solving stiff and nonstiff
// systems of ordinary differential equations", SIAM J. Sci. Stat. Comput. 4, 1983), over two integrators of CVODE. As
// the book has it, the stiff method comes first. The test is the product of the step and the spectral radius of the
// Jacobian, found by a power iteration that goes on from test to test:
// - Adams at the limit of its stability for some tests in a row may mean stiffness. BDF then gets a trial: it must
//   take larger steps than Adams did, else Adams comes back and the next trial has to wait twice as long.
// - BDF with steps that Adams could take as well, for some tests in a row: Adams. If it does not last, the next change
//   of this kind waits twice as long too.
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "solve/families.h"
#include "solve/spectral_radius.h"

namespace orrery::solve {

namespace {

// Steps times spectral radius that Adams methods of order 1 to 12 with functional iteration can stand (Petzold 1983).
constexpr double adams_limit[] = {0.5, 0.575, 0.55, 0.45, 0.35, 0.25, 0.2, 0.15, 0.1, 0.075, 0.05, 0.025};
constexpr double at_limit = 0.35;        // of it: stability may be what limits the step, which CVODE moves rarely
constexpr double nonstiff_below = 0.35;  // Adams of order 5 could take this step
constexpr double worth_it = 2;           // BDF must take steps this much longer
constexpr int trial_steps = 60;
constexpr int tests_to_agree = 4;
constexpr int shortest_interval = 5, longest_interval = 40;  // steps between tests
constexpr int shortest_wait = 20, longest_wait = 1000;       // steps after a switch
constexpr int anyway = 5000;                                 // steps of Adams after which BDF gets a trial in any case

class Lsoda final : public Integrator {
 public:
  explicit Lsoda(Problem problem)
      : n_(static_cast<std::size_t>(problem.n)),
        radius_(problem),
        adams_(make_cvode(solver(Method::cvode_adams_functional), problem)),
        bdf_(make_cvode(solver(Method::cvode_bdf_newton), std::move(problem))),
        active_(bdf_.get()) {
    statistics_.limiting.assign(n_, 0);
  }

  Status start(double t, const double* x, bool keep_step) override {
    ++restarts_;
    switch_to_ = nullptr;
    // The method chosen last is the better guess; what the tests have found so far holds too, else a model with many
    // events would never get to the end of them.
    return active_->start(t, x, keep_step);
  }

  Status step(double t_stop) override {
    if (switch_to_ != nullptr && t_stop > time() && change_method() != Status::ok) return Status::failed;
    const Status status = active_->step(t_stop);
    if (status == Status::ok) {
      consider();
      return status;
    }
    // Adams may fail where only its iteration does not converge.
    if (!in_adams() || active_->failure().code != FailureCode::newton_convergence) return status;
    switch_to_ = bdf_.get();
    return change_method() == Status::ok ? active_->step(t_stop) : Status::failed;
  }

  double time() const override { return active_->time(); }
  double previous_time() const override { return active_->previous_time(); }
  const double* state() const override { return active_->state(); }
  void interpolate(double t, double* x) override { active_->interpolate(t, x); }
  const Failure& failure() const override { return active_->failure(); }
  bool save(std::vector<std::byte>&) const override { return false; }
  bool restore(std::span<const std::byte>) override { return false; }

  const Statistics& statistics() const override {
    const Statistics &a = adams_->statistics(), &b = bdf_->statistics();
    statistics_.steps = a.steps + b.steps;
    statistics_.rejected_error = a.rejected_error + b.rejected_error;
    statistics_.rejected_other = a.rejected_other + b.rejected_other;
    statistics_.evaluations = a.evaluations + b.evaluations + radius_.evaluations();
    statistics_.jacobians = a.jacobians + b.jacobians;
    statistics_.linear_setups = a.linear_setups + b.linear_setups;
    statistics_.newton_iterations = a.newton_iterations + b.newton_iterations;
    statistics_.restarts = restarts_;
    statistics_.switches = switches_;
    statistics_.stiff_steps = b.steps;
    statistics_.order = active_->statistics().order;
    for (std::size_t i = 0; i < statistics_.limiting.size(); ++i) {
      statistics_.limiting[i] = a.limiting[i] + b.limiting[i];
    }
    return statistics_;
  }

 private:
  bool in_adams() const { return active_ == adams_.get(); }

  // Before the step, not after it: dense output still belongs to the method that made the last one.
  Status change_method() {
    const std::vector<double> x(state(), state() + n_);
    const double t = time();
    on_trial_ = in_adams();
    if (in_adams()) {
      adams_step_ = usual_step_;
      adams_lasted_ = steps_since_switch_;
    }
    active_ = switch_to_;
    switch_to_ = nullptr;
    ++switches_;
    const Status started = active_->start(t, x.data(), false);
    agreeing_ = steps_since_test_ = steps_since_switch_ = 0;
    longest_step_ = usual_step_ = 0;
    failures_before_ = active_->statistics().rejected_other;
    interval_ = shortest_interval;
    return started;
  }

  void consider() {
    ++steps_since_switch_;
    const double h = time() - previous_time();
    longest_step_ = std::max(longest_step_, h);
    usual_step_ = usual_step_ == 0 ? h : 0.9 * usual_step_ + 0.1 * h;
    if (on_trial_ && steps_since_switch_ >= trial_steps) {
      on_trial_ = false;
      const bool passed = longest_step_ > worth_it * adams_step_;
      adams_wait_ = passed ? shortest_wait : std::min(2 * adams_wait_, longest_wait);
      bdf_wait_ = passed && adams_lasted_ < 150 ? std::min(2 * bdf_wait_, longest_wait) : shortest_wait;
      if (!passed) switch_to_ = adams_.get();
    }
    if (switch_to_ != nullptr || ++steps_since_test_ < interval_) return;
    steps_since_test_ = 0;
    const Statistics& now = active_->statistics();
    const double product = h * radius_.estimate(time(), state());
    const double limit = in_adams() ? at_limit * adams_limit[std::clamp(now.order, 1, 12) - 1] : nonstiff_below;
    // Functional iteration that keeps failing is a sign of its own.
    const bool failing = in_adams() && now.rejected_other > failures_before_ + 1;
    failures_before_ = now.rejected_other;
    const bool against = in_adams() ? product > limit || failing || steps_since_switch_ > anyway : product < limit;
    agreeing_ = against ? agreeing_ + 1 : 0;
    interval_ = against ? shortest_interval : std::min(2 * interval_, longest_interval);
    if (agreeing_ < tests_to_agree || steps_since_switch_ < (in_adams() ? adams_wait_ : bdf_wait_)) return;
    switch_to_ = in_adams() ? bdf_.get() : adams_.get();
  }

  std::size_t n_;
  SpectralRadius radius_;
  std::unique_ptr<Integrator> adams_, bdf_;
  Integrator* active_;
  Integrator* switch_to_ = nullptr;
  bool on_trial_ = false;
  int agreeing_ = 0, interval_ = shortest_interval, steps_since_test_ = 0;
  int steps_since_switch_ = 0, adams_wait_ = shortest_wait, bdf_wait_ = shortest_wait, adams_lasted_ = 0;
  double longest_step_ = 0, usual_step_ = 0;  // since the last switch
  double adams_step_ = 0;                     // the usual one when Adams was left
  long failures_before_ = 0;
  long restarts_ = 0, switches_ = 0;
  mutable Statistics statistics_;
};

}  // namespace

std::unique_ptr<Integrator> make_lsoda(const SolverInfo&, Problem problem) {
  return std::make_unique<Lsoda>(std::move(problem));
}

}  // namespace orrery::solve
