// SPDX-License-Identifier: Apache-2.0
// Crossings that nearly were, or nearly were not: an event turned the surface back while errors of the solver are
// larger than what was left to zero.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/run_context.h"
#include "sim/surface_watch.h"

namespace orrery::sim {

// Two things that happen in one instant of the exact solution, as the impact of a ball and a zero of the integral over
// its flight, are torn apart by errors of the solver. Where the first of them prevents the second, errors decide
// whether that happens at all: the run says so.
class CloseCalls {
 public:
  CloseCalls(RunContext& run, const SurfaceWatch& watch);

  // After each start of the integrator: how near to zero each surface has to be to be looked at, by the size of its
  // terms; and what has become of those that were noted in this instant.
  void begin(const SurfaceValues& values);
  // Whether what crosses ends the continuous motion.
  bool is_end_of_motion(const Found& found) const {
    return std::any_of(found.crossings.begin(), found.crossings.end(),
                       [this](const CrossingSurface& crossing) { return disturbs_[crossing.surface]; });
  }
  // Where it ends, with the values of the last interval: whether it is worth asking for rates.
  bool are_possible(double t, const double* g, const Quarters& values, double width) const;
  // With the values and rates from before the instant, and what crosses in it.
  void note(double t, const SurfaceValues& before, const Found& found);

 private:
  struct Call {
    std::uint32_t surface;
    double time, value, rate, limit;
  };
  bool is_close(std::uint32_t k, const SurfaceValues& values, double limit) const;
  bool goes_on(const Call& call, const SurfaceValues& after) const;
  void warn(const Call& call);
  double limit_of(std::uint32_t k, double t, const SurfaceValues& values) const;

  RunContext& run_;
  const SurfaceWatch& watch_;
  std::vector<std::uint32_t> surfaces_;  // those that fire events
  std::vector<double> near_;             // for each of these
  std::vector<Call> calls_;
  std::vector<std::uint32_t> crossed_;   // meanwhile
  std::vector<bool> warned_, disturbs_;  // by surface
};

}  // namespace orrery::sim
