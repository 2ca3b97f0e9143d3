// SPDX-License-Identifier: Apache-2.0
// Two threads that hand a point and a value to and fro.
#include "math/stepwise_minimiser.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace orrery::math {

struct StepwiseMinimiser::Talk {
  struct Given {};  // thrown through the method when nobody wants its answer any more

  std::mutex mutex;
  std::condition_variable turn;
  bool method_works = true, given_up = false;
  std::optional<std::vector<double>> wanted;
  double value = 0;
  Minimum minimum;
  std::thread method;

  // On the thread of the method.
  double ask(const std::vector<double>& x) {
    std::unique_lock lock(mutex);
    wanted = x;
    method_works = false;
    turn.notify_all();
    turn.wait(lock, [this] { return method_works || given_up; });
    if (given_up) throw Given{};
    return value;
  }
  void end(Minimum found) {
    const std::lock_guard lock(mutex);
    minimum = std::move(found);
    wanted.reset();
    method_works = false;
    turn.notify_all();
  }
  // On the other.
  void wait_for_method() {
    std::unique_lock lock(mutex);
    turn.wait(lock, [this] { return !method_works; });
  }
};

StepwiseMinimiser::StepwiseMinimiser(std::vector<double> start, std::vector<double> low, std::vector<double> high,
                                     const MinimiseOptions& options)
    : talk_(std::make_unique<Talk>()) {
  talk_->method = std::thread(
      [talk = talk_.get(), start = std::move(start), low = std::move(low), high = std::move(high), options] {
        MinimiseProblem problem{low, high, [talk](const std::vector<double>& x) { return talk->ask(x); }};
        try {
          talk->end(minimise(problem, start, options));
        } catch (const Talk::Given&) {
        }
      });
  talk_->wait_for_method();
}

StepwiseMinimiser::~StepwiseMinimiser() {
  {
    const std::lock_guard lock(talk_->mutex);
    talk_->given_up = true;
    talk_->turn.notify_all();
  }
  talk_->method.join();
}

const std::optional<std::vector<double>>& StepwiseMinimiser::wanted() const { return talk_->wanted; }

void StepwiseMinimiser::tell(double value) {
  {
    const std::lock_guard lock(talk_->mutex);
    talk_->value = value;
    talk_->method_works = true;
    talk_->turn.notify_all();
  }
  talk_->wait_for_method();
}

const Minimum& StepwiseMinimiser::minimum() const { return talk_->minimum; }

}  // namespace orrery::math
