// SPDX-License-Identifier: Apache-2.0
// The front door, part two: one run of a compiled model, in the hands of the program that embeds it.
//
//   api::RunSettings settings = compiled.settings();
//   settings.stop = 5;
//   api::Run run = compiled.start(settings);
//   run.set_parameter("e", 0.8);
//   while (run.run_until(run.time() + 0.01) == api::RunState::paused) run.set_input("force",
//   f(run.value("/Position")));
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "api/model.h"
#include "base/diagnostic.h"
#include "base/event_cause.h"

namespace orrery::sim {
class Sink;
class LedgerSink;
}  // namespace orrery::sim

namespace orrery::api {

enum class RunState {
  ready,         // not begun
  paused,        // step() or run_until() came to where it was to go
  reached_stop,  // the stop time
  stopped,       // an End block
  restart,       // an End block asks for another run: the model is to be compiled again, with another __counter__
  cancelled,
  failed,  // see the diagnostics; results so far are kept
};

// What the model asks of a run is in CompiledModel::settings(). A solver with fixed steps needs a model compiled for
// one.
struct RunSettings {
  double start = 0, stop = 10;
  std::string solver = "auto";
  double rtol = 1e-6, atol = 0;                    // atol 0: as rtol
  double hmax = 0, hmin = 0, hinit = 0, step = 0;  // 0: not set
  bool record = true;                              // false: nothing is recorded, which is fastest
  double interval = 0;                             // rows at multiples of this only; 0: at every point and event
  int points = 0;       // without an interval: this many, evenly spaced, and events, because they are to be looked at
  bool events = false;  // keep the event ledger
  double results_limit = 0;  // bytes of rows and events in memory; 0: a quarter of the machine's
  // Where rows and events go instead of memory; they must outlive the run.
  std::vector<sim::Sink*> sinks = {};
  std::vector<sim::LedgerSink*> ledger_sinks = {};
  std::function<void(double share, double t)> progress = {};  // now and then, on the thread that runs
};

// Recorded signals: one row for each point, two for both sides of a jump. A number that was not recorded is NaN.
struct Results {
  std::vector<std::string> names;
  std::vector<double> time;
  std::vector<RowPhase> phase;
  std::vector<double> values;  // row by row

  std::size_t rows() const { return time.size(); }
  double value(std::size_t row, std::size_t column) const { return values[row * names.size() + column]; }
  std::size_t column(const std::string& name) const;  // SIZE_MAX: there is none
};

// One activation that has happened; left and right are the values of a surface on both sides of its crossing.
struct Event {
  double time = 0;
  EventCause cause = EventCause::initial;
  std::string block;  // empty: of the model as a whole
  int port = 0;
  double left = 0, right = 0;
  bool restarted = false;
};

// One of the systems whose solution the run began with.
struct StartBlock {
  std::vector<std::string> names;       // of what was sought
  std::vector<double> guesses, values;  // by name: where it began, what was found
  int iterations = 0;
  double residual = 0;  // the largest left
};

struct RunReport {
  RunState state = RunState::ready;
  double time = 0;
  std::string solver, solver_reason;
  long steps = 0, rejected = 0, evaluations = 0;
  long points = 0;  // that the integrator has reached, steps of all solvers
  long events = 0, crossings = 0, mode_changes = 0;
  long restarts = 0;      // of the integrator, because of events
  long reprogrammed = 0;  // events that were due and took another time
  std::vector<StartBlock> start;
  std::size_t rows = 0;
  double seconds = 0;        // in the loop
  bool second_tier = false;  // it ended in the code of the machine's C compiler
};

// One thread at a time may use a Run, except for cancel(), which any may call. Mistakes are diagnostics of the run; the
// function that noticed then gives false, or not a number.
class Run {
 public:
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;
  ~Run();

  // Before the run begins: all elements column by column, or one number for all of them.
  bool set_parameter(const std::string& name, double value) { return set_parameter(name, std::span(&value, 1)); }
  bool set_parameter(const std::string& name, std::span<const double> values);
  // At any time. Before the run begins the model starts with the value; later this is an event of the present instant,
  // which happens when the run goes on: the integrator starts anew where something continuous depends on the input.
  // With a slope a double goes on from there along a line.
  bool set_input(const std::string& name, double value) { return set_input(name, std::span(&value, 1)); }
  bool set_input(const std::string& name, std::span<const double> values, std::span<const double> slopes = {});
  // Before the run begins: the input over time, as a table gives it (docs/cli.md, --input); values row by row.
  bool set_input_table(const std::string& name, std::span<const double> time, std::span<const double> values);
  // Activates an activation input in the present instant.
  bool fire(const std::string& name);
  // Records a block output too. Where the run has begun, rows before have NaN there, and multistep solvers start anew;
  // it cannot be added to sinks, whose columns are settled then.
  bool add_probe(const std::string& signal);

  // To the next accepted point of the integrator, or through the events of the present instant. The first step starts
  // the run: initial values, events of the start time.
  RunState step();
  // Exactly to this time: the last step ends there (with a fixed step: at the first point not before it).
  RunState run_until(double time);
  // To the first point at or after this time: where one pauses does not change the steps.
  RunState run_past(double time);
  RunState run();
  // Ends the run at its next point, from any thread; it stays cancelled until reset().
  void cancel();
  // As it was when it was made, parameters included.
  void reset();

  RunState state() const;
  double time() const;
  // A variable (CompiledModel::variables) by its name, now: "/Plant/Mass", "Plant/Mass:2", "/Plant/Mass.x", "e". What
  // nobody computes otherwise is computed for this answer. Not a number, and a diagnostic, when there is none of this
  // name, it was not kept, or the run has not begun.
  double value(const std::string& signal);
  std::vector<double> values(const std::string& signal);
  double parameter(const std::string& name);  // its first element, as the run started with it

  // All there is to go on, as bytes (not what was recorded). Restoring into a run of the same model with the same
  // settings continues bit for bit with single-step solvers.
  std::vector<std::byte> save() const;
  bool restore(std::span<const std::byte> bytes);
  // A second run that goes on from here; what was recorded so far stays with the first. Parameters and settings are
  // those of this run, sinks are not.
  Run copy() const;

  // Hands the last values on to the base workspace of the model's scripts: for a run that goes on with them
  // (CompileOptions::after).
  void leave() const;

  Results results() const;            // recorded so far, unless there are sinks
  std::vector<Event> events() const;  // of settings with events
  RunReport report() const;
  const Diagnostics& diagnostics() const;
  const CompiledModel& model() const;

 private:
  friend class CompiledModel;
  explicit Run(std::unique_ptr<RunData> data);
  std::unique_ptr<RunData> data_;
};

}  // namespace orrery::api
