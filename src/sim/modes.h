// SPDX-License-Identifier: Apache-2.0
// Keeps the modes of a run in agreement with their conditions at instants (docs/semantics.md, 7).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/event_sensitivity.h"
#include "sim/surface_functions.h"
#include "sim/trial_points.h"

namespace orrery::sim {

// All functions are about the time and the states that memory has. Modes of surfaces that slide are left alone.
class Modes {
 public:
  // `sensitivity` where the program has sensitivities: changes of modes are told to it.
  Modes(RunContext& run, ModelFunctions& model, SurfaceFunctions& surfaces, TrialPoints& trial, SurfaceWatch& watch,
        EventSensitivity* sensitivity);

  // The modes that the motion just after this instant agrees with; false, with a diagnostic: there are none.
  [[nodiscard]] bool relax();
  // For what reads them between two events of an instant: found, or as they stand, as well as can be, without a
  // complaint. The modes of before come back with put_back().
  void find_for_now();
  void preview();
  bool can_preview() const { return run_.has_modes && sensitivity_ == nullptr; }
  void put_back() { kept_.put_back(run_); }
  // Modes whose changes are not located any more become what their conditions say at (t, x).
  void refresh_muted(double t, const double* x);
  // As the watch wants them, by surface: held numbers count as true, and so does sliding.
  const std::uint8_t* for_watch();

 private:
  enum class Complain : std::uint8_t { no, yes };
  bool find(Complain complain);
  bool repeat(Complain complain);
  bool settle_held();
  void find_second_rates(const SurfaceValues& now);
  bool is_frozen(std::size_t surface) const { return !frozen_.empty() && frozen_[surface]; }
  void report_contradiction(std::span<const program::Surface* const> switched, std::span<const double> values);

  // settle_systems.cpp
  bool search(std::uint32_t loop);
  bool search(std::span<const program::Surface* const> switched);
  bool search(const passes::ModeSystem& system);
  bool settle_before(std::uint32_t loop);
  std::optional<std::uint32_t> lost_ahead();
  void rest_conditions();
  double size_of(const passes::ModeSystem& system) const;

  RunContext& run_;
  ModelFunctions& model_;
  SurfaceFunctions& surfaces_;
  TrialPoints& trial_;
  SurfaceWatch& watch_;
  EventSensitivity* sensitivity_;
  std::vector<double> settled_;  // what held numbers settle at
  std::vector<double> ahead_;    // states just after the instant
  std::vector<double> surfaces_ahead_;
  KeptModes kept_;
  // While modes are found: those that changed in this round with the values of their surfaces, and those that have
  // tried their other value because there was none with this one.
  std::vector<const program::Surface*> switched_;
  std::vector<double> switched_values_;
  std::vector<std::uint32_t> contradicted_;  // the modes of which one is to change
  std::vector<bool> tried_;
  std::vector<int> flips_;               // by surface: changes so far
  std::vector<bool> frozen_;             // by surface, while others settle: its mode was found by a search
  std::vector<double> sizes_;            // by surface: the largest value so far, of conditions of systems
  std::vector<std::uint8_t> for_watch_;  // by surface
  bool has_systems_;                     // conditions that are settled with equations
};

}  // namespace orrery::sim
