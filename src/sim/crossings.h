// SPDX-License-Identifier: Apache-2.0
// What happens at a crossing: modes change, sides are judged, owners are called; and where crossings would not end.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/events.h"
#include "sim/histories.h"
#include "sim/noisy_corners.h"
#include "sim/rhythm.h"
#include "sim/step_look.h"

namespace orrery::sim {

// Within a step of the integrator, in a step of fixed size, or by an event of this instant.
enum class Crossed : std::uint8_t { located, stepped, jumped };

class Crossings {
 public:
  // `sensitivity` where the program has sensitivities.
  Crossings(RunContext& run, ModelFunctions& model, SurfaceFunctions& surfaces, Modes& modes, SolverSeat& seat,
            RunResults& results, Events& events, StepLook& look, NoisyCorners& noise, SurfaceWatch& watch,
            Histories& histories, EventSensitivity* sensitivity);

  // Handles what the look into the step has found.
  Flow handle(Crossed how);
  // Modes, and what slides: one may depend on the other.
  [[nodiscard]] bool settle_modes();
  // After an event within a step that changed what modes that are only shown depend on.
  [[nodiscard]] bool relax_shown();
  // After a step: how sliding has gone.
  [[nodiscard]] bool accept_sliding();
  // An event was to turn a surface away from zero, and left it there without motion, driven on to the side it was about
  // to enter: the next event would come at once, and so on (a ball that lands without bouncing).
  bool is_stuck_at_zero(const SurfaceValues& values);

  std::string busiest() const;
  void save(class SaveWriter& out) const;
  [[nodiscard]] bool restore(class SaveReader& in);

 private:
  enum class ModeChanges : std::uint8_t { none, shown, disturbing, failed };
  struct Accumulation {
    std::uint32_t surface;
    double limit;
    std::string why;
  };
  ModeChanges change_modes(Crossed how);
  Flow call_owners(Crossed how);
  bool keeps_rhythm(std::uint32_t surface);
  // How far it gets away from zero between crossings, in units of the tolerance.
  double way_between(std::uint32_t surface);
  Rhythm::Answer verdict_on(std::uint32_t surface);
  void look_for_noise(std::uint32_t surface);
  void note_turns();
  bool decide_sliding(std::span<const std::uint32_t> arriving);
  bool slides_past(const Accumulation& what);
  void stop_locating(std::uint32_t surface);
  void report_accumulation(const Accumulation& what);
  void report_sliding();
  void tell_of_rates();

  RunContext& run_;
  ModelFunctions& model_;
  SurfaceFunctions& surfaces_;
  Modes& modes_;
  SolverSeat& seat_;
  RunResults& results_;
  Events& events_;
  StepLook& look_;
  NoisyCorners& noise_;
  SurfaceWatch& watch_;
  Histories& histories_;
  EventSensitivity* sensitivity_;
  std::vector<CrossingSurface> owners_;       // one surface for each source to be fired
  std::vector<std::uint32_t> arriving_;       // surfaces of modes, in the crossing handled now
  std::vector<CrossingSurface> switching_;    // the same as they were found
  std::optional<Accumulation> accumulation_;  // of a mode, in the crossing handled now: sliding may go on
  std::vector<Rhythm> rhythms_;               // by surface
  bool rates_told_ = false;
  std::vector<long> counts_;  // by surface: its crossings
};

}  // namespace orrery::sim
