// SPDX-License-Identifier: Apache-2.0
// Many runs of one compiled model with other values of its parameters, on several threads or processes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "analyse/sweep_keep.h"
#include "analyse/sweep_plan.h"
#include "analyse/sweep_store.h"
#include "sim/simulation.h"

namespace orrery::analyse {

struct Sweep {
  std::shared_ptr<const sim::CompiledProgram> compiled;
  sim::RunOptions options;  // of each run, without sinks and parameters
  std::function<bool(const sim::Column&)> recorded;
  const SweepPlan* plan = nullptr;
  const std::vector<SignalReduction>* reductions = nullptr;
  bool keeps_rows = false;  // whole columns are wanted besides
  std::size_t columns = 0;  // numbers that are kept of each run
  // What is kept follows from the reductions and rows of a run; one function for each thread or process.
  using Finish =
      std::function<void(const std::vector<double>& reduced, const KeptRows& rows, std::vector<double>& kept)>;
  std::function<Finish()> make_finish;
  const SweepStore* store = nullptr;
  int jobs = 1;
  bool lanes = false;                     // several runs at once in each thread (lanes.h), if that is possible
  std::size_t begin = 0, end = SIZE_MAX;  // which runs of the plan
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(std::size_t done)> progress;  // now and then, of the runs of this call; on the thread that called
};

enum class SweepEnd : std::uint8_t { complete, interrupted, failed };

// Makes all of these runs that are not in the store. A run that fails is recorded with the code of its error, and the
// others go on; a process that crashes (models with foreign code run in processes of their own) takes the run it was at
// with it.
SweepEnd make_runs(const Sweep& sweep, Diagnostics& diagnostics);

}  // namespace orrery::analyse
