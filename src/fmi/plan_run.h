// SPDX-License-Identifier: Apache-2.0
// What of a run follows from options and description before the FMU is loaded: its kind, times, step and tolerance.
#pragma once

#include <optional>
#include <vector>

#include "base/diagnostic.h"
#include "fmi/run_options.h"

namespace orrery::fmi {

struct RunPlan {
  Kind kind = Kind::co_simulation;
  double start = 0, stop = 0;
  double step = 0;                // communication step, or interval of rows
  std::optional<double> rtol;     // as asked for, when it makes sense
  std::vector<double> row_times;  // instead of a grid; of Co-Simulation, all at communication points

  const Interface& interface(const Description& description) const { return *description.interface(kind); }
};

// Nothing, and diagnostics, when there is no such run.
std::optional<RunPlan> plan_run(const Description& description, const RunOptions& options, const Place& place,
                                Diagnostics& diagnostics);

// Times closer than a few roundings of their size are one.
double time_rounding(double start, double stop);

}  // namespace orrery::fmi
