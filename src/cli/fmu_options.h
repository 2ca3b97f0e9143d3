// SPDX-License-Identifier: Apache-2.0
// What the user typed about FMUs, as data.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace orrery::cli {

struct FmuArguments {
  // run: what a model file has no use for
  std::string kind, input, input_point, log, log_level, record, time_limit, memory_limit;
  std::vector<std::string> variables;  // whole names, in addition to --vars
  std::vector<std::string> log_categories;
  std::vector<std::pair<std::string, std::string>> set;
  bool safe = false;
  bool tell_stop = false;
  bool array_cells = false;  // an array of results is one column
  // replay
  std::string other;  // the FMU that is asked
  std::string tolerance;
  bool print = false;
  // check
  bool run = false;
};

void add_fmu_run_options(CLI::App& run, FmuArguments& fmu);
void add_fmu_replay_options(CLI::App& replay, FmuArguments& fmu);
// The first option that makes no sense without an FMU; empty: none was given.
std::string first_fmu_option(const FmuArguments& fmu);

}  // namespace orrery::cli
