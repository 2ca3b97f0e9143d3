// SPDX-License-Identifier: Apache-2.0
// What a run of an FMU that is the whole model is asked to do.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/results_limit.h"
#include "fmi/description.h"
#include "fmi/log.h"

namespace orrery::fmi {

// Which inputs a step of Co-Simulation sees. Slopes, where the FMU interpolates, only go with those of its beginning.
enum class InputPoint { begin, middle, end };
std::optional<InputPoint> input_point_named(const std::string& name);  // "begin", "middle", "end"

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
  std::vector<double> row_times;   // rows at these times, which grow, instead of a grid
  InputPoint input_point = InputPoint::begin;
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
};

}  // namespace orrery::fmi
