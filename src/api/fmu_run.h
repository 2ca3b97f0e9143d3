// SPDX-License-Identifier: Apache-2.0
// Runs an FMU that is the whole model: a Program of one FMU block, whose results go to memory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "fmi/description.h"
#include "fmi/run_options.h"
#include "foreign/lone_fmu.h"
#include "solve/integrator.h"

namespace orrery::api {

// Rows over time; both sides of an event are two rows of one time. Beside numbers there are texts.
struct FmuRecording {
  struct Column {
    std::string name;
    std::string array;  // the variable this is an element of; empty: it is one of its own
    bool is_text = false;
    bool continuous = true;             // else the value stays until the next row
    std::size_t place = 0;              // among the numbers, or the texts, of a row
    std::size_t exact = fmi::no_index;  // 64-bit integers: also among the texts, digit by digit
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

enum class FmuEnd { reached_stop, terminated, interrupted, failed };

struct FmuRunResult {
  Diagnostics diagnostics;
  bool started = false;  // initialised; rows may exist
  FmuEnd end = FmuEnd::failed;
  fmi::Description description;
  fmi::Kind kind = fmi::Kind::co_simulation;
  double start = 0, stop = 0, time = 0;
  double step = 0;             // communication step, or interval of rows
  std::optional<double> rtol;  // as asked for, when it makes sense
  std::string solver, solver_reason;
  solve::Statistics statistics;
  std::size_t states = 0, indicators = 0;
  foreign::FmuCounts counts;
  FmuRecording recording;
  double load_seconds = 0, run_seconds = 0;

  bool failed() const { return !started || end == FmuEnd::failed || diagnostics.has_errors(); }
};

// `finished` is called when all is computed, before the FMU is released: some crash at their end.
using FmuFinished = std::function<void(FmuRunResult&)>;
FmuRunResult run_fmu(const std::string& file, const fmi::RunOptions& options, const FmuFinished& finished = {});

// A recorded run again, with the recorded answers in place of the FMU. A call that differs from the recording is an
// error.
FmuRunResult replay_fmu(const std::string& recording);

}  // namespace orrery::api
