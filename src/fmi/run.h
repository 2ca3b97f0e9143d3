// SPDX-License-Identifier: Apache-2.0
// What runs of both kinds share: the instance, its inputs, rows, and how a failed call is told.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "fmi/clock_calendar.h"
#include "fmi/input_series.h"
#include "fmi/instance.h"
#include "fmi/simulate.h"
#include "fmi/surroundings.h"
#include "fmi/values.h"

namespace orrery::fmi {

// The result holds the description; it must not move while the run lasts.
struct Run {
  const RunOptions& options;
  RunResult& result;
  std::string file;
  Log* log = nullptr;
  Instance* instance = nullptr;
  InputSeries inputs;
  ClockCalendar clocks;
  std::optional<Reader> reader;
  EventInfo events;             // of the last event iteration
  std::string input_text = {};  // the table of inputs, as it was read
  Surroundings surroundings{};
  bool warned_of_gaps = false;

  // True when the call went well; otherwise a diagnostic names it, the time and the FMU's last words.
  bool check(Status status, double t) { return status == Status::ok || status == Status::warning || fail(status, t); }
  bool fail(Status status, double t);  // false
  // After a crash within Instance::under_one_guard: a row may be unfinished.
  bool fail_in_guard(double t);  // false
  bool record(double t);
  bool has_room(double t);  // for another row
  // Calls update_discrete_states until nothing changes. The FMU is in event mode before and after.
  bool iterate_events(double t, bool at_least_once);
  // In event mode: sets inputs to the right of t, lets due clocks tick, iterates.
  bool handle_event(double t, double rounding);
  // The first tick of a clock; infinity: none.
  double next_tick() const { return clocks.next(); }
  bool interrupted() const { return options.interrupt != nullptr && *options.interrupt; }
  void show_progress(double t) const;
};

// From a new instance to the end of the initialisation (FMI 2.0: 3.2.3 and 4.2.4; 3.0: 2.3).
bool initialise(Run& run);
// Chooses what is recorded.
bool choose_columns(Run& run);
void run_model_exchange(Run& run);
void run_co_simulation(Run& run);
void run_scheduled_execution(Run& run);

// From a description to results; make gives the instance.
using MakeInstance = std::function<std::unique_ptr<Instance>(Log&, const InstanceOptions&, Diagnostics&)>;
void run_described(RunResult& result, const std::string& file, const RunOptions& options, const std::string& input_text,
                   const MakeInstance& make);

// Times closer than a few roundings of their size are one.
double time_rounding(double t, double horizon);

}  // namespace orrery::fmi
