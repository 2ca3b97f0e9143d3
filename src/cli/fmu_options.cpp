// SPDX-License-Identifier: Apache-2.0
// The part of the grammar that concerns FMUs.
#include "cli/fmu_options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace orrery::cli {

void add_fmu_run_options(CLI::App& run, FmuArguments& fmu) {
  run.add_option(
         "--kind", fmu.kind,
         "FMU: me (Model Exchange, our solvers), cs (Co-Simulation) or se (Scheduled Execution); the first that "
         "is offered")
      ->check(CLI::IsMember({"me", "cs", "se"}))
      ->type_name("KIND");
  run.add_option(
         "--input", fmu.input,
         "Inputs over time, a column for each; two rows of one time are a jump, continuous inputs are linear in "
         "between")
      ->type_name("FILE.csv");
  run.add_option("--var", fmu.variables,
                 "Record this output, or variable of an FMU, too; the whole name, commas and all")
      ->type_name("NAME")
      ->allow_extra_args(false);
  run.add_option("--log", fmu.log, "FMU: write what the FMU says; - is standard error")->type_name("FILE");
  run.add_option("--log-level", fmu.log_level, "FMU, with --log: the least severe message that is written")
      ->check(CLI::IsMember({"fatal", "error", "warning", "info"}))
      ->type_name("LEVEL");
  run.add_option("--log-categories", fmu.log_categories,
                 "FMU, with --log: what it is asked to tell of; all if not given")
      ->delimiter(',')
      ->type_name("A,B");
  run.add_flag("--tell-stop", fmu.tell_stop, "FMU: tell it the stop time before it starts");
  run.add_flag("--safe", fmu.safe, "FMU: run it in a process of its own, so that nothing it does can harm the run");
  run.add_option("--time-limit", fmu.time_limit, "FMU, with --safe: seconds that one call may take; 60 if not given")
      ->type_name("S");
  run.add_option("--memory-limit", fmu.memory_limit,
                 "FMU, with --safe: megabytes it may use; half of the machine's if not given, 0 for all")
      ->type_name("MB");
  run.add_option("--record", fmu.record, "FMU: write down every call with its values; see orrery fmu replay")
      ->type_name("FILE");
}

void add_fmu_replay_options(CLI::App& replay, FmuArguments& fmu) {
  replay.add_option("FMU", fmu.other, "Ask this FMU the same and compare; without it the recorded run is repeated")
      ->type_name("");
  replay.add_option("--tol", fmu.tolerance, "Differences up to TOL (1 + size) are none; 1e-9 if not given")
      ->type_name("TOL");
  replay.add_flag("--print", fmu.print, "Print the calls, one a line");
  replay.add_flag("--safe", fmu.safe, "Run the other FMU in a process of its own");
}

std::string first_fmu_option(const FmuArguments& fmu) {
  const std::pair<const char*, bool> given[] = {{"--kind", !fmu.kind.empty()},
                                                {"--log", !fmu.log.empty()},
                                                {"--log-level", !fmu.log_level.empty()},
                                                {"--log-categories", !fmu.log_categories.empty()},
                                                {"--safe", fmu.safe},
                                                {"--tell-stop", fmu.tell_stop},
                                                {"--time-limit", !fmu.time_limit.empty()},
                                                {"--memory-limit", !fmu.memory_limit.empty()},
                                                {"--record", !fmu.record.empty()}};
  for (const auto& [name, is_given] : given) {
    if (is_given) return name;
  }
  return {};
}

}  // namespace orrery::cli
