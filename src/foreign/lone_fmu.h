// SPDX-License-Identifier: Apache-2.0
// An FMU that is the whole model: its inputs come from a table, and its results are one row of numbers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "fmi/input_series.h"
#include "fmi/instance.h"
#include "fmi/plan_run.h"
#include "fmi/values.h"
#include "foreign/fmu_interface.h"

namespace orrery::foreign {

// Recorded variables as numbers: first whether the row counts, then the numbers, then the texts, of which each has a
// number of its own.
class ResultRow {
 public:
  ResultRow(const fmi::Description& description, const std::vector<const fmi::Variable*>& variables)
      : reader_(description, variables), texts_(reader_.texts()) {}

  std::size_t size() const { return 1 + reader_.numbers() + reader_.texts(); }
  const fmi::Reader& reader() const { return reader_; }
  fmi::Status read(fmi::Instance& fmu, double* row);
  const std::string& text(double number) const { return pool_[static_cast<std::size_t>(number)]; }

 private:
  fmi::Reader reader_;
  std::vector<std::string> texts_;
  std::vector<std::string> pool_;
  std::unordered_map<std::string, double> number_of_;
};

// What happened in a run.
struct FmuCounts {
  long state_events = 0, time_events = 0, step_events = 0, input_events = 0;
  long communication_steps = 0;
  long output_ticks = 0;  // of output clocks
};

struct LoneFmu {
  const fmi::RunOptions& options;
  fmi::RunPlan plan;
  double rounding = 0;  // times closer than this are one
  fmi::InputSeries inputs = {};
  fmi::EventInfo events = {};  // of the initialisation
  std::optional<ResultRow> row = {};
  std::string trouble = {};  // a row could not be read; the run has failed
  bool warned_of_gaps = false;
  FmuCounts counts = {};
};

// The interface of such an FMU: no ports. Start values are checked; diagnostics say what is wrong with them.
std::shared_ptr<FmuInterface> lone_interface(const std::string& file, fmi::Description description,
                                             const fmi::RunOptions& options, fmi::Kind kind, Diagnostics& diagnostics);

class FmuInstance;

// A new instance without an FMU behind it yet: see FmuInstance::adopt.
std::unique_ptr<FmuInstance> make_lone_instance(std::shared_ptr<FmuInterface> interface, const fmi::RunOptions& options,
                                                const fmi::RunPlan& plan);

}  // namespace orrery::foreign
