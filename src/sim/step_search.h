// SPDX-License-Identifier: Apache-2.0
// Goes through a step of the integrator from left to right, in pieces on which every surface crosses at most once.
//
// A piece knows the surfaces at its ends and quarters. Most steps are one piece that passes at a glance; others are
// halved until the polynomials through these values leave no doubt.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "sim/surface_watch.h"

namespace orrery::sim {

class StepSearch {
 public:
  // Pieces are not halved below `smallest`.
  StepSearch(SurfaceWatch& watch, double smallest) : watch_(watch), smallest_(smallest) {}

  // A new interval, from where the watch is to `end`. `suspicious`: values at quarters may mislead, look more often.
  void open(double end) {
    open_ = true;
    end_ = end;
    last_width_ = 0;
    pieces_.clear();
    watch_.forget_turns();
  }
  void close() { open_ = false; }
  // For surfaces of foreign code, where each look costs a call: what lies far from zero, by how much it moves from step
  // to step, is looked at only where steps end.
  void look_at_ends() { ends_only_ = true; }
  bool looks_at_ends() const { return ends_only_; }
  // Whether a look at the end of a step is enough to see that nothing crosses in it; then the watch has moved on. If
  // not, open() and find() look closer.
  bool passes(double end, const SurfaceWatch::Evaluate& evaluate) {
    end_ = end;
    return stays_away(evaluate);
  }
  // The next crossing of the interval; asked again, it goes on behind the last one.
  bool find(const SurfaceWatch::Evaluate& evaluate, double tolerance, Found& found);
  // Whether the search came to the end of the interval; the values, the width and the end of its last piece.
  bool ended() const { return !open_ && pieces_.empty() && last_width_ > 0; }
  const Quarters& last_values() const { return last_; }
  double last_width() const { return last_width_; }
  double last_end() const { return last_end_; }
  // A surface that swung so fast around zero that the search gave up, and when; told once. Some of its crossings may be
  // missing.
  struct Lost {
    std::size_t surface;
    double time, range;
  };
  std::optional<Lost> take_lost() { return std::exchange(lost_, std::nullopt); }
  // Told the rates of surfaces at the end of the interval after its first piece was sampled: whether they contradict
  // the polynomials, which then are not trusted before the piece has been halved a few times.
  using EndRates = std::function<const double*(double t)>;
  void check_rates(EndRates rates) { end_rates_ = std::move(rates); }

 private:
  struct Piece {
    double begin, end;
    std::uint32_t values[5];  // numbers of samples
    int depth;
    bool resolved;
  };
  double* sample(std::uint32_t number) { return samples_.data() + number * watch_.size(); }
  Quarters quarters(const Piece& piece);
  void make_first(const SurfaceWatch::Evaluate& evaluate);
  void halve(const SurfaceWatch::Evaluate& evaluate);
  bool misleads(const Piece& piece);
  void look_for_lost(const Piece& piece);
  bool stays_away(const SurfaceWatch::Evaluate& evaluate);

  SurfaceWatch& watch_;
  double smallest_;
  bool open_ = false;
  double end_ = 0;
  bool ends_only_ = false;
  std::vector<double> before_;  // values where the interval before this one began
  double before_begin_ = 0, before_end_ = -1.0 / 0.0;
  int least_depth_ = 0;
  std::vector<Piece> pieces_;  // the last one comes first in time
  std::vector<double> samples_;
  std::uint32_t sample_count_ = 0;
  Quarters last_{};
  double last_width_ = 0, last_end_ = 0;
  EndRates end_rates_;
  std::optional<Lost> lost_;
};

}  // namespace orrery::sim
