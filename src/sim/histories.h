// SPDX-License-Identifier: Apache-2.0
// The histories of a run: filled where steps are accepted, broken where something jumps, asked by native code.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/diagnostic.h"
#include "program/evaluate.h"
#include "sim/compiled_program.h"
#include "sim/history_track.h"
#include "sim/options.h"
#include "sim/surface_watch.h"

namespace orrery::sim {

class Histories {
 public:
  explicit Histories(const CompiledProgram& machine);

  bool empty() const { return tracks_.empty(); }
  // Lets the memory of the run point here.
  void point(std::byte* memory);

  // What a run needs to know of its times.
  struct Times {
    double start, stop, same;   // times that differ by less than the last are one
    double fixed_step;          // 0: steps are chosen
    double relative, absolute;  // tolerances
  };
  using PlaceOf = std::function<Place(program::OriginId)>;
  void set_times(const Times& times) { times_ = times; }
  // With the parameters in memory: how far looks reach. False, and a diagnostic, for delays that make no sense.
  [[nodiscard]] bool take_bounds(std::byte* memory, const PlaceOf& place_of, Diagnostics& diagnostics);
  // Before the initial table: the past of the start.
  void fill_start(std::byte* memory);

  // All kept signals at a time within the last step, with everything that events change as it was in the step.
  using Evaluate = std::function<void(double t, double* values)>;
  // Time has come to t for good. The degree is that of the solver's dense output.
  void fill(double t, int degree, const Evaluate& evaluate);
  double filled_to() const { return tracks_.empty() ? 0 : tracks_[0].filled_to(); }
  // No step from here may go beyond this.
  double reach(double t) const;
  double least() const { return least_; }  // of all delays that bound steps

  // A crossing is about to be handled, or has been. Where nothing but stretches of histories changes, the order of the
  // breaks that follow is known.
  void enter_crossing(std::span<const CrossingSurface> crossings, const std::byte* memory, bool disturbed, long events);
  void leave_crossing(const std::byte* memory);
  // The integrator starts anew with these values. `order` is that of the solver.
  void begin_stretches(double t, const double* values, const std::byte* memory, int order, long events);

  // Warned once: a signal changes faster than polynomials can follow.
  bool is_rough() const { return rough_; }

  std::vector<double> save() const;
  [[nodiscard]] bool restore(std::span<const double> in);

 private:
  static double look(void* self, int history, int what, int order, int element, int present, const double* arguments);
  bool check(std::size_t history, const Place& place, Diagnostics& diagnostics) const;
  void use_bounds();
  void fit(double end, int degree, const Evaluate& evaluate, int depth);
  bool fits(double begin, double end, int degree, std::span<const double> checks);
  bool modes_changed(const std::byte* memory) const;

  const CompiledProgram& machine_;
  const program::Program& program_;
  std::vector<HistoryTrack> tracks_;
  std::vector<std::size_t> first_;  // by history: of its numbers among all
  program::PastValues entry_;
  std::vector<double> bounds_;  // smallest and largest delay, by history
  Times times_{};
  double least_ = 0, longest_ = 0;
  bool rough_ = false;
  std::vector<double> values_, part_, checks_;
  struct Crossed {
    std::uint32_t surface;
    double stretch;
  };
  std::vector<Crossed> crossed_;
  std::vector<std::uint32_t> modes_;        // surfaces of modes that are no stretches and are not only shown
  std::vector<std::uint64_t> mode_values_;  // theirs, when the crossing was entered
  std::vector<int> pending_;                // by history: the order of the next break
  std::vector<int> broken_;                 // … and of the one that is being made
  bool pending_known_ = false;
  bool always_disturbed_ = false;  // something that follows the last event of an instant disturbs continuous time
  long pending_events_ = 0;
};

}  // namespace orrery::sim
