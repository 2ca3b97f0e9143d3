// SPDX-License-Identifier: Apache-2.0
// Motion along a surface that both sides drive towards (Filippov, "Differential Equations with Discontinuous Righthand
// Sides", 1988, section 4): the mixture of the two derivatives that keeps the surface at zero.
#pragma once

#include <vector>

#include "sim/compiled_program.h"

namespace orrery::sim {

class Sliding {
 public:
  Sliding(const CompiledProgram& machine, std::vector<std::byte>& memory)
      : machine_(machine),
        memory_(memory),
        other_(machine.state_count()),
        rates_(3 * machine.program().surfaces.size()),
        others_(rates_.size()) {}

  bool active() const { return active_; }
  std::size_t surface() const { return surface_; }
  // Whether the motion of each value of the surface's mode leads to the other one. Only modes that are truth values, of
  // surfaces whose rates are known, in models without loops and foreign code.
  bool is_attracted(std::size_t surface, double t, const double* x);
  // Other surfaces that are zero here (within the time `coincidence`) and stay so are pinned to the side they are on
  // now, `sides`: what they do from here on is rounding.
  void enter(std::size_t surface, double t, const double* x, const double* g, const double* sides, double coincidence);
  bool is_pinned(std::size_t surface) const;
  // The values to watch while sliding: of this surface how firmly it holds, of the pinned ones their sides.
  void replace(double t, const double* x, double* g);
  void hide_rates(double* rates) const;
  void leave() { active_ = false; }
  void derivative(double t, const double* x, double* dx);

 private:
  struct Pin {
    std::size_t surface;
    double side;
  };
  double hold(double t, const double* x);
  double rate_with(bool mode, std::size_t surface, double t, const double* x);
  std::byte& mode_of(std::size_t surface) {
    return memory_[machine_.layout().offset[machine_.program().surfaces[surface].mode]];
  }

  const CompiledProgram& machine_;
  std::vector<std::byte>& memory_;
  std::vector<double> other_, rates_, others_;
  std::vector<Pin> pins_;
  std::size_t surface_ = 0;
  bool active_ = false;
};

}  // namespace orrery::sim
