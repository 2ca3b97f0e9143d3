// SPDX-License-Identifier: Apache-2.0
// Runs an FMU alone: options in, recorded rows and diagnostics out.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/results_limit.h"
#include "fmi/description.h"
#include "fmi/log.h"
#include "solve/integrator.h"

namespace orrery::fmi {

struct RunResult;

// Nothing is required; the description fills in what is left out.
struct RunOptions {
  std::optional<Kind> kind;  // Model Exchange where the FMU offers both: our solvers locate its events
  std::string input;         // CSV: a file
  std::string input_text;    // the table itself; `input` is its name then
  std::vector<std::pair<std::string, std::string>> set;  // variable, value
  std::vector<std::string> variables;                    // to record; empty: the outputs, else all that changes
  std::vector<std::string> also;                         // recorded besides the outputs, if there are such variables
  std::optional<double> start, stop;
  std::optional<double> step;      // Co-Simulation: communication step; Model Exchange: as interval, or the fixed step
  std::optional<double> interval;  // of recorded rows
  std::optional<double> rtol, atol, hmax, hmin, hinit;
  std::string solver = "auto";
  bool tell_stop = false;                     // the FMU is told the stop time
  std::string log;                            // file for the FMU's messages; "-": standard error
  Status log_least = Status::ok;              // what is less severe is not written
  std::vector<std::string> log_categories;    // the FMU is asked for these; empty: all it has
  bool safe = false;                          // the FMU gets a process of its own
  std::optional<double> time_limit;           // seconds of one call in there
  std::optional<std::uint64_t> memory_limit;  // bytes in there; 0: unlimited
  std::string record;                         // file that keeps every call
  double results_limit = default_results_limit();
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(double share, double t)> progress;
  // Called when all is computed, before the FMU is released: some crash at their end.
  std::function<void(RunResult&)> finished;
};

// Rows over time; both sides of an event are two rows of one time.
struct Recording {
  struct Column {
    std::string name;
    bool is_text = false;
    bool continuous = true;        // else the value stays until the next row
    std::size_t place = 0;         // among the numbers, or the texts, of a row
    std::size_t exact = no_index;  // 64-bit integers: also among the texts, digit by digit
  };
  std::vector<Column> columns;
  std::size_t numbers_per_row = 0, texts_per_row = 0;
  std::vector<double> time;
  std::vector<double> numbers;
  std::vector<std::string> texts;

  std::size_t rows() const { return time.size(); }
  double number(std::size_t row, std::size_t place) const { return numbers[row * numbers_per_row + place]; }
  // -1: there is no such column of numbers.
  int find(const std::string& name) const;
};

enum class End { reached_stop, terminated, interrupted, failed };

struct RunResult {
  Diagnostics diagnostics;
  bool started = false;  // initialised; rows may exist
  End end = End::failed;
  Description description;
  Kind kind = Kind::co_simulation;
  double start = 0, stop = 0, time = 0;
  double step = 0;             // communication step, or interval of rows
  std::optional<double> rtol;  // as asked for, when it makes sense
  std::string solver;
  solve::Statistics statistics;
  std::size_t states = 0, indicators = 0;
  long state_events = 0, time_events = 0, step_events = 0, input_events = 0;
  long communication_steps = 0;
  long output_ticks = 0;  // of output clocks
  Recording recording;
  double load_seconds = 0, run_seconds = 0;

  bool failed() const { return !started || end == End::failed || diagnostics.has_errors(); }
};

RunResult simulate(const std::string& file, const RunOptions& options);

}  // namespace orrery::fmi
