// SPDX-License-Identifier: Apache-2.0
// State events: an indicator that leaves or enters the domain z > 0 (FMI 2.0 and 3.0: 3.1).
#pragma once

#include <functional>
#include <vector>

namespace orrery::fmi {

class Indicators {
 public:
  // Gives all indicators at a time within the last step; false: the FMU refused.
  using Evaluate = std::function<bool(double t, double* z)>;

  explicit Indicators(std::size_t count) : z_(count), end_(count), trial_(count) {}

  bool empty() const { return z_.empty(); }
  std::vector<double>& values() { return z_; }
  // The indicators are values() at t: after a start and after every event. A first step that may be long is looked
  // into.
  void begin(double t, bool long_step) { t_ = t, look_inside_ = long_step; }

  // For the values at the next point.
  std::vector<double>& at_end() { return end_; }
  // Whether there is nothing to look at in the interval from the last point to t, where the values are at_end(). If so,
  // it moves on to t.
  bool quiet_until(double t);

  enum class Found { nothing, event, failed };
  // Looks at that interval when it is not quiet. An event is located: its time, within the tolerance after the change,
  // is left in `at`. Without one the stretch moves on to t.
  Found look(double t, const Evaluate& evaluate, double tolerance, double& at);

 private:
  bool changed(std::size_t k, double z) const;
  bool may_have_returned() const;

  double t_ = 0;
  bool look_inside_ = false;
  std::vector<double> z_, end_, trial_;
};

}  // namespace orrery::fmi
