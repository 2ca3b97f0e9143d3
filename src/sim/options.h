// SPDX-License-Identifier: Apache-2.0
// What a run is asked to do.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "native/code.h"
#include "program/foreign.h"
#include "solve/integrator.h"

namespace orrery::sim {

struct RunOptions {
  double start = 0;
  double stop = 10;
  std::string solver = "auto";
  solve::Tolerance tolerance{1e-6, 0, {}};  // absolute 0: as the relative one
  solve::StepLimits limits;
  double time_tolerance = 0;       // events closer than this are simultaneous; 0: a few roundings of the horizon
  double zero_threshold = 0;       // a surface that fired stays masked until its absolute value exceeds this (10.5.2)
  double interval = 0;             // record at multiples of this instead of every accepted point; 0: every point
  bool record_events = false;      // keep the event ledger
  bool final_tick = true;          // a periodic tick exactly at the stop time runs
  double results_limit = 0;        // bytes of recording and ledger; 0: a quarter of the machine's memory
  long zero_delay_limit = 100000;  // events in one instant before the run is stopped as an endless cycle
  native::CompileOptions native;
  program::OpenForeign open_foreign;             // for programs with foreign objects
  const std::atomic<bool>* interrupt = nullptr;  // set: stop cleanly and keep the results
  std::function<void(double t)> progress;        // called now and then
};

}  // namespace orrery::sim
