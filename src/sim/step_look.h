// SPDX-License-Identifier: Apache-2.0
// Looks into the integrator's last step, on its dense output: which surface crosses next, and when.
#pragma once

#include <cmath>
#include <vector>

#include "sim/close_calls.h"
#include "sim/event_queue.h"
#include "sim/modes.h"
#include "sim/solver_seat.h"
#include "sim/step_search.h"

namespace orrery::sim {

class StepLook {
 public:
  StepLook(RunContext& run, ModelFunctions& model, SurfaceFunctions& surfaces, TrialPoints& trial, Modes& modes,
           SolverSeat& seat, const EventQueue& queue, SurfaceWatch& watch);

  // The crossing that was found last, to be handled next.
  Found& found() { return found_; }

  // All surfaces at this instant, to be judged (just_after.cpp). Before the first start no side is known yet.
  enum class Sides : std::uint8_t { known, unknown };
  SurfaceValues values_now(Sides sides = Sides::known);
  // After each start of the integrator, with the surfaces of now: nothing has crossed yet.
  void begin(const SurfaceValues& values, Sides sides);
  // How far the first step after a start may go; asked once, later ones are free.
  double take_first_limit() {
    const double limit = first_limit_;
    first_limit_ = INFINITY;
    return limit;
  }
  // After each step.
  void open();
  // Where all surfaces are those of foreign code: whether a look at the end of the step was enough, and open() is not
  // needed.
  bool looks_at_ends() const { return search_.looks_at_ends(); }
  bool passes_step() { return search_.passes(seat_.step_end(), evaluate_); }
  // The next crossing in it.
  bool find_crossing();
  // An event may carry a surface across zero in one jump: that crosses it as well, once all due events have run.
  bool find_jumps();
  // Whether what crosses together with a crossing is always found with it, because all rates are known: then an event
  // that is due at a crossing need not wait for the search to go on.
  bool finds_all_at_once() const { return knows_rates_; }
  // Between the events of an instant: which surfaces that were at zero in it have been turned back?
  void look_between_events();
  // With steps of fixed size sides are compared where steps end.
  bool find_stepped();
  // The modes have changed: which of those that were located, and which others, have changed sides?
  void judge_again();

  // An event comes before what the search has passed already. True: surfaces turned on the way there, and the rest of
  // the step is searched anew from now on.
  bool go_back();
  // Modes that are only shown changed, or what they depend on: the rest of the step is looked at anew.
  void look_anew();
  // What slides has changed: other surfaces may be polynomials.
  void distrust_polynomials() { trusted_degree_ = -1; }

  void save(class SaveWriter& out) const;
  [[nodiscard]] bool restore(class SaveReader& in);

 private:
  void surfaces_inside(double t, double* g);
  void trust_polynomials();
  void warn_of_lost();
  double time_to_crossing(const SurfaceValues& values) const;
  bool is_unclear(std::size_t surface, const SurfaceValues& now, Sides sides) const;

  RunContext& run_;
  ModelFunctions& model_;
  SurfaceFunctions& surfaces_;
  TrialPoints& trial_;
  Modes& modes_;
  SolverSeat& seat_;
  const EventQueue& queue_;
  SurfaceWatch& watch_;
  StepSearch search_;
  CloseCalls close_calls_;
  SurfaceWatch::Evaluate evaluate_;  // surfaces within the step
  bool knows_rates_ = true;          // of all surfaces
  std::vector<bool> warned_;         // by surface: that some of its crossings may be missing
  Found found_;
  std::vector<CrossingSurface> located_;
  std::vector<double> x_;                                     // a state on the dense output
  std::vector<double> ahead_, surfaces_ahead_, rates_ahead_;  // just after an instant
  std::vector<std::uint8_t> at_zero_;                         // in it
  int trusted_degree_ = -1;                                   // of the dense output: what the watch knows of it
  double first_limit_ = INFINITY;                             // of the first step after a start
};

}  // namespace orrery::sim
