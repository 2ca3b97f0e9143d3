// SPDX-License-Identifier: Apache-2.0
// Motion along a surface that both sides drive towards (Filippov, "Differential Equations with Discontinuous Righthand
// Sides", 1988, section 4): the mixture of the two derivatives that keeps the surface at zero.
#pragma once

#include <vector>

#include "sim/machine.h"

namespace orrery::sim {

class Sliding {
 public:
  Sliding(const Machine& machine, std::vector<std::byte>& memory)
      : machine_(machine),
        memory_(memory),
        other_(machine.state_count()),
        rates_(3 * machine.program().surfaces.size()) {}

  bool active() const { return active_; }
  std::size_t surface() const { return surface_; }
  // Whether the motion of each value of the surface's mode leads to the other one. Only modes that are truth values, of
  // surfaces whose rates are known, in models without loops and foreign code.
  bool is_attracted(std::size_t surface, double t, const double* x);
  void enter(std::size_t surface) {
    surface_ = surface;
    active_ = true;
  }
  void leave() { active_ = false; }
  // Positive while both sides drive towards the surface: the smaller of the two rates.
  double hold(double t, const double* x);
  void derivative(double t, const double* x, double* dx);

 private:
  double rate_with(bool mode, std::size_t surface, double t, const double* x);
  std::byte& mode_of(std::size_t surface) {
    return memory_[machine_.layout().offset[machine_.program().surfaces[surface].mode]];
  }

  const Machine& machine_;
  std::vector<std::byte>& memory_;
  std::vector<double> other_, rates_;
  std::size_t surface_ = 0;
  bool active_ = false;
};

}  // namespace orrery::sim
