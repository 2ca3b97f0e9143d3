// SPDX-License-Identifier: Apache-2.0
// Watches the surfaces of a program over a step and locates the first crossing (seed 000, 10.2 and 10.5.2).
//
// A mode surface crosses when its value contradicts the mode. An event surface crosses when its sign changes, or when
// it becomes zero at the end of a stretch; one that starts at zero is blind until it has left zero, one that has fired
// is masked until its absolute value exceeds the threshold.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "program/program.h"

namespace orrery::sim {

struct CrossingSurface {
  std::uint32_t surface;
  int direction;  // +1 rising, -1 falling
  double left;
  double right;
};

struct Found {
  double time = 0;                         // just after the crossing
  std::vector<CrossingSurface> crossings;  // in file order
};

class SurfaceWatch {
 public:
  // evaluate(t, g) gives all surfaces at a time within the last step.
  using Evaluate = std::function<void(double t, double* g)>;

  SurfaceWatch(const program::Program& program, double threshold);

  bool empty() const { return kinds_.empty(); }
  bool has_modes() const { return has_modes_; }
  std::size_t size() const { return kinds_.size(); }
  // Begins a stretch at values g: after a start, and after each crossing that was handled.
  void begin(double t, const double* g, const std::uint8_t* modes);
  // Looks at the stretch from the last point to t; true when something crossed there, located to the tolerance.
  // Otherwise the stretch moves on to t. The values at t may be given where they are known.
  bool look(double t, const Evaluate& evaluate, double tolerance, Found& found, const double* values = nullptr);
  // The same where the values at t show at once that nothing crossed. False, changing nothing: look closer.
  bool pass_quietly(double t, const double* values);
  // A whole stretch by its values at thirds and at the end: all keep their sides and no parabola through three of them
  // can reach zero in between. False, changing nothing: look closer.
  bool pass_quietly(double t, const double* third, const double* two_thirds, const double* end);
  // Whether a parabola through three of these values, the first of which is the last one passed, may have its vertex
  // between two values of one sign and beyond zero.
  bool bends(const double* third, const double* two_thirds, const double* end) const;
  // An event surface is exactly zero here: inside a step that may be a touch, so such a point tells nothing.
  bool touches_zero(const double* g) const;
  // The values are now g, in the same instant: which event surfaces were carried across zero?
  bool jump(double t, const double* g, Found& found);
  // After a crossing was handled: signs as they are just after it.
  void settle(const Found& found);

  // Signs and masks, for saving.
  const std::vector<std::int8_t>& signs() const { return signs_; }
  const std::vector<double>& last() const { return g_; }
  double time() const { return t_; }
  void restore(double t, std::vector<std::int8_t> signs, std::vector<double> last);

 private:
  enum class Kind : std::uint8_t { mode, event };
  // On its side nothing has happened, which is nearly always so.
  bool keeps_side(std::size_t k, double g) const { return side_[k] * g > 0; }
  bool crossed(std::size_t k, double g) const { return !keeps_side(k, g) && contradicts(k, g); }
  bool contradicts(std::size_t k, double g) const;
  double sided(std::size_t k, double g) const;
  void set_sign(std::size_t k, std::int8_t sign) {
    signs_[k] = sign;
    side_[k] = sign;
  }
  void pass(std::size_t k, double g) {
    g_[k] = g;
    if (!keeps_side(k, g)) change_side(k, g);
  }
  void change_side(std::size_t k, double g);

  const program::Program& program_;
  double threshold_;
  double t_ = 0;
  bool has_modes_ = false;
  std::vector<Kind> kinds_;
  std::vector<std::int8_t> signs_;  // events: -1, 1, or 0 while blind; modes: 1 for true, -1 for false
  std::vector<double> side_;        // the signs as numbers to multiply with
  std::vector<double> g_, at_end_, before_, trial_;
};

}  // namespace orrery::sim
