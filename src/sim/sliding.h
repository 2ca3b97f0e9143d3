// SPDX-License-Identifier: Apache-2.0
// Motion along surfaces that both their sides drive towards (Filippov, "Differential Equations with Discontinuous
// Righthand Sides", 1988, section 4): the mixture of the derivatives of the sides that keeps the surfaces at zero.
//
// Along several surfaces at once the mixture is that of switches that act independently of each other, the equivalent
// control (Utkin, "Sliding Modes in Control and Optimization", 1992, chapter 4); where they do not, none is singled
// out.
#pragma once

#include <span>
#include <vector>

#include "sim/compiled_program.h"
#include "sim/loop_solver.h"
#include "sim/relay_sides.h"

namespace orrery::sim {

class Sliding {
 public:
  // Values that their rate carries through zero within `coincidence` count as zero. `loops` solves those of the
  // machine, if it has any.
  Sliding(const CompiledProgram& machine, std::vector<std::byte>& memory, double coincidence, LoopSolver* loops);
  // Of the solver: within a step, dense output may be as far away from a surface that is followed.
  void set_tolerance(double absolute, double relative) {
    absolute_ = absolute;
    relative_ = relative;
  }

  bool active() const { return !groups_.empty(); }
  // At an instant: which surfaces slide from here on, of those that did and still are at zero and of those that arrive;
  // the others take a side. Only modes that are truth values, of surfaces whose rates are known and that are not
  // conditions of a loop themselves, in models without foreign code. Without sliding before and after, nothing is
  // changed.
  enum class Outcome : std::uint8_t { nothing, same, changed, not_unique };
  Outcome decide(std::span<const std::uint32_t> arriving, double t, const double* x);
  // After a step of the integrator: how far it has let surfaces drift, and whether the mixture is still the only one:
  // switches may begin to act together on the way.
  bool accept_step(double t, const double* x);

  bool has_mode(std::size_t surface) const;    // of a surface that slides, in any of its forms
  bool is_decided(std::size_t surface) const;  // by the last decision: it slides or has taken a side
  bool is_pinned(std::size_t surface) const;   // it rests at zero meanwhile, or is only shown
  // Those that slide, or could not be decided.
  std::vector<std::size_t> surfaces() const;
  // The values to watch while sliding: of a surface how firmly it holds, of its other forms nothing new.
  void replace(double t, const double* x, double* g);
  // All rates along the mixture.
  void rates(double t, const double* x, double* rates);
  // What was left in this instant is at zero, whatever the integrator has made of it.
  void widen(double t, const double* g, double* speed) const;
  // False where a loop has no solution.
  [[nodiscard]] bool derivative(double t, const double* x, double* dx);

  std::vector<double> save() const;
  bool restore(std::span<const double> saved);

 private:
  // A form of a surface: its modes on the positive and on the negative side of the first form. Conditions that are
  // written several times, here and there, are one surface: all their modes change sides with it. A form may have a
  // corner on the surface and one mode on both sides, as |u| > 0 where u changes its sign.
  struct Member {
    std::size_t surface;
    bool mode_there, mode_here;
  };
  struct Group {
    std::vector<Member> members;
    double drift = 0;  // the largest value on the way
  };
  struct Pin {
    std::size_t surface;
    double value, size;
  };
  bool may_slide(std::size_t surface) const;
  // decide_sliding.cpp
  bool is_hardly_away(std::size_t surface, double speed, double drift);
  void drop_what_jumped(double t, const double* x);
  void gather(std::span<const std::uint32_t> arriving, double t, const double* x);
  void add(Group group);
  void find_gradients(double t, const double* x);
  Group find_group(std::size_t surface, double t, const double* x);
  void settle_corners(Group& group, double t, const double* x);
  bool attracts(const Group& group, double t, const double* x);
  bool act_independently(double t, const double* x);
  bool is_as_predicted(double t, const double* x, const std::vector<bool>& sides);
  RelaySystem relay_system();
  void apply(const RelaySides& sides, double t);
  void find_pins(double t, const double* x);
  void keep_modes(bool back);
  void make_room();

  // Rates and derivatives with all groups on their negative sides, and with each one on its positive side; then shares.
  void evaluate_sides(double t, const double* x, bool derivatives);
  bool find_shares(double t, const double* x, bool derivatives);
  void take_side(const Group& group, bool side);
  double* rates_of(std::size_t vertex) { return rates_.data() + vertex * 3 * machine_.program().surfaces.size(); }
  double* slope_of(std::size_t vertex) { return slopes_.data() + vertex * machine_.state_count(); }
  void evaluate(double t, const double* x, std::size_t vertex, bool derivatives);
  void evaluate_surfaces(double t, const double* x, double* g);
  void solve(const std::vector<std::uint32_t>& loops, double t, const double* x) {
    if (!loops.empty() && !loops_->solve(loops, t, x, 0)) lost_ = true;
  }
  std::byte& mode_of(std::size_t surface) {
    return memory_[machine_.layout().offset[machine_.program().surfaces[surface].mode]];
  }

  const CompiledProgram& machine_;
  std::vector<std::byte>& memory_;
  double coincidence_;
  LoopSolver* loops_;
  double absolute_ = 0, relative_ = 0;
  bool lost_ = false;                   // a loop had no solution
  std::vector<bool> belongs_to_loops_;  // by surface
  std::vector<Group> groups_;
  std::vector<Pin> pins_;
  std::vector<std::size_t> decided_;
  struct Left {
    std::size_t surface;
    double drift;  // further away it was carried by an event
  };
  std::vector<Left> left_;
  double left_at_ = 0;
  // By vertex: 0 has all groups on their negative sides, k + 1 group k on its positive one.
  std::vector<double> rates_, slopes_;
  std::vector<double> g_, matrix_, share_;
  std::vector<double> gradients_;  // of all surfaces, by state, then by time
  std::vector<std::byte> kept_modes_;
};

}  // namespace orrery::sim
