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
        true_rates_(rates_.size()) {}

  bool active() const { return active_; }
  // Begins to slide along the surface, of a mode, if the motion on each of its sides leads to the other one; g holds
  // all surfaces. Conditions that are written several times, here and there, are one surface: all their modes change
  // sides with it. Only modes that are truth values, of surfaces whose rates are known, in models without loops and
  // foreign code.
  bool begin(std::size_t surface, double t, const double* x, const double* g, double coincidence);
  // The modes become those of the side to which the motion leaves.
  void leave_to_a_side(double t, const double* x);
  void stop() { active_ = false; }

  bool moves_along(std::size_t surface) const { return surface == members_[0].surface; }
  bool has_mode(std::size_t surface) const;   // of this surface in any of its forms
  bool is_pinned(std::size_t surface) const;  // it rests at zero meanwhile, or is only shown
  // The values to watch while sliding: of this surface how firmly it holds, of its other forms nothing new.
  void replace(double t, const double* x, double* g);
  void hide_rates(double* rates) const;
  void derivative(double t, const double* x, double* dx);

 private:
  // A form of the surface: its mode on the positive side of the first form.
  struct Member {
    std::size_t surface;
    bool mode_there;
  };
  struct Pin {
    std::size_t surface;
    double value;
  };
  bool may_slide(std::size_t surface) const;
  void find_members(std::size_t surface, double t, const double* x, const double* g, double coincidence);
  double hold(double t, const double* x);
  // The modes of one side, and back.
  void take_side(bool side);
  double rate_on(bool side, double t, const double* x);
  std::byte& mode_of(std::size_t surface) {
    return memory_[machine_.layout().offset[machine_.program().surfaces[surface].mode]];
  }

  const CompiledProgram& machine_;
  std::vector<std::byte>& memory_;
  std::vector<double> other_, rates_, true_rates_;
  std::vector<Member> members_;
  std::vector<Pin> pins_;
  bool active_ = false;
};

}  // namespace orrery::sim
