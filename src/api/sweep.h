// SPDX-License-Identifier: Apache-2.0
// Many runs of one model with other values of its variables: a grid, samples or a table, and what is kept of each run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "api/session.h"
#include "io/chart.h"
#include "math/sampling.h"

namespace orrery::api {

struct SweepRequest {
  RunRequest run;                    // the model, its variables and settings
  std::vector<std::string> vary;     // "a=linspace(0,1,50)": a list in OML
  std::vector<std::string> samples;  // "k=normal(1,0.1)"
  std::vector<std::string> tables;   // CSV files: a column for each variable, a row for each run
  math::Sampling sampling = math::Sampling::random;
  std::size_t samples_each = 0;  // at each point of the grid
  std::uint64_t seed = 1;
  // "max(/Speed)", "peak=max(/Speed)-final(/Speed)": OML, where a path is a recorded signal and t its time. None: the
  // last value of everything that the model records.
  std::vector<std::string> keep;
  int jobs = 0;  // 0: as many as there are cores
  std::string out;
  bool fresh = false;  // begin anew, whatever an earlier sweep has left
  bool lanes = false;  // several runs at once by vector instructions (analyse/lanes.h)
  // Past one machine. What one process makes then lies in a part of its own, OUT.runs.K, until all are put together.
  bool mpi = false;                  // this process is one of those that mpirun has started
  int slurm = 0;                     // tasks of a job array that makes the runs; 0: none
  int part = 0, parts = 0;           // a task of a job array: the runs of this part, and no table
  std::vector<std::string> command;  // slurm: the command line, which its tasks repeat
  std::function<void(std::size_t done, std::size_t all)> progress;
};

// One column of the table, over the runs that came to their end and have a number in it.
struct SweepStatistics {
  std::string name;
  std::size_t count = 0;    // of finite values in runs that came to their end
  std::size_t strange = 0;  // infinite ones and those that are not numbers, which are left out
  double mean = 0, deviation = 0, least = 0, low = 0, median = 0, high = 0, most = 0;  // low, high: 5 % and 95 %
};

struct SweepResult {
  bool started = false;                                       // false: nothing was run
  bool interrupted = false;                                   // the runs so far are kept, and the same command goes on
  bool is_part = false;                                       // another process has the result
  std::size_t runs = 0, earlier = 0;                          // all of them; those an interrupted sweep had made
  std::vector<std::pair<std::string, std::size_t>> failures;  // codes and how many runs ended with each
  std::vector<SweepStatistics> statistics;
  std::size_t varied = 0;  // of the statistics the first so many are of variables
  // For the picture: by column, the numbers the statistics are made of.
  std::vector<std::vector<double>> columns;
  double seconds = 0;
  std::size_t failed() const;
};

SweepResult sweep(const SweepRequest& request, Diagnostics& diagnostics);
std::string sweep_text(const SweepResult& result);
// How the kept numbers are distributed: a panel for each. The result must outlive the chart; `room` holds its numbers.
io::Chart sweep_chart(const SweepResult& result, std::vector<std::vector<double>>& room);

}  // namespace orrery::api
