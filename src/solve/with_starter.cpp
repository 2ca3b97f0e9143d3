// SPDX-License-Identifier: Apache-2.0
// One of two integrators at a time.
#include "solve/with_starter.h"

#include <vector>

namespace orrery::solve {
namespace {

class WithStarter final : public Integrator {
 public:
  WithStarter(std::unique_ptr<Integrator> method, std::unique_ptr<Integrator> starter, int states)
      : method_(std::move(method)),
        starter_(std::move(starter)),
        active_(method_.get()),
        x_(static_cast<std::size_t>(states)) {}

  Status start(double t, const double* x, bool keep_step) override {
    active_ = method_.get();
    return method_->start(t, x, keep_step);
  }

  void expect(double t) override {
    const double now = method_->time();
    x_.assign(method_->state(), method_->state() + x_.size());
    if (active_ != method_.get() || starter_->start(now, x_.data(), starter_started_) != Status::ok) return;
    starter_started_ = true;
    active_ = starter_.get();
    until_ = t;
    steps_ = 0;
  }

  Status step(double t_stop) override {
    const bool goes_on = starter_->time() < until_ && steps_++ < most_steps;
    if (active_ == starter_.get() && !goes_on && t_stop > starter_->time()) {
      x_.assign(starter_->state(), starter_->state() + x_.size());
      active_ = method_.get();
      const Status status = method_->start(starter_->time(), x_.data(), true);
      if (status != Status::ok) return status;
    }
    return active_->step(t_stop);
  }

  double time() const override { return active_->time(); }
  double previous_time() const override { return active_->previous_time(); }
  const double* state() const override { return active_->state(); }
  void interpolate(double t, double* x) override { active_->interpolate(t, x); }
  void watch(std::span<const int> which) override {
    method_->watch(which);
    starter_->watch(which);
  }
  void interpolate_watched(double t, double* x) override { active_->interpolate_watched(t, x); }
  int dense_degree() const override { return active_->dense_degree(); }
  const Failure& failure() const override { return active_->failure(); }
  bool save(std::vector<std::byte>&) const override { return false; }
  bool restore(std::span<const std::byte>) override { return false; }

  const Statistics& statistics() const override {
    statistics_ = starter_->statistics();
    statistics_.starter_steps = statistics_.steps;
    statistics_.add(method_->statistics());
    statistics_.restarts = method_->statistics().restarts;
    return statistics_;
  }

 private:
  // What takes longer is better left to the method that was chosen.
  static constexpr int most_steps = 200;
  std::unique_ptr<Integrator> method_, starter_;
  Integrator* active_;
  bool starter_started_ = false;
  double until_ = 0;
  int steps_ = 0;
  std::vector<double> x_;
  mutable Statistics statistics_;
};

}  // namespace

std::unique_ptr<Integrator> with_starter(std::unique_ptr<Integrator> method, std::unique_ptr<Integrator> starter,
                                         int states) {
  return std::make_unique<WithStarter>(std::move(method), std::move(starter), states);
}

}  // namespace orrery::solve
