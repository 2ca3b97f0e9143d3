// SPDX-License-Identifier: Apache-2.0
// The part of the grammar that concerns FMUs.
#include "cli/fmu_options.h"

#include "cli/crosscheck.h"

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
  run.add_option("--input-at", fmu.input_point,
                 "FMU of Co-Simulation: which inputs a step sees, those of its begin (with their slopes where the FMU "
                 "interpolates), middle or end")
      ->check(CLI::IsMember({"begin", "middle", "end"}))
      ->type_name("POINT");
  run.add_flag("--array-cells", fmu.array_cells,
               "FMU, with --out FILE.csv: an array is one column, its elements in one cell with blanks between");
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

void add_crosscheck_options(CLI::App& command, CrosscheckArguments& asked) {
  command.add_option("--report", asked.report, "Write a page with a table, and plots of what differs")
      ->type_name("FILE.html");
  command
      .add_option("--tolerance", asked.tolerance, "Differences up to this share of the range of a reference are none")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--share", asked.share, "So many of the points of a reference have to be within the tolerance")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command.add_option("--tube", asked.tube, "Seconds by which a result may be early or late")
      ->check(CLI::NonNegativeNumber)
      ->type_name("S");
  command.add_option("--time-limit", asked.time_limit, "Seconds of a run")
      ->check(CLI::PositiveNumber)
      ->type_name("S")
      ->capture_default_str();
  command.add_option("--memory-limit", asked.memory_limit, "Megabytes of a run; 0 for all")
      ->check(CLI::NonNegativeNumber)
      ->type_name("MB")
      ->capture_default_str();
  command.add_option("--jobs", asked.jobs, "Runs side by side")->check(CLI::Range(1, 256))->capture_default_str();
  command.add_option("--only", asked.only, "FMUs whose path holds this text")->type_name("TEXT");
  command.add_option("--at-least", asked.at_least, "Succeed when so many agree, whatever the others do")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  command.add_option("--input-at", asked.input_point, "Which inputs a step of Co-Simulation sees")
      ->check(CLI::IsMember({"begin", "middle", "end"}))
      ->type_name("POINT");
  command.add_flag("--safe", asked.safe, "Every FMU in yet another process, as orrery run --safe does");
}

std::string first_fmu_option(const FmuArguments& fmu) {
  const std::pair<const char*, bool> given[] = {{"--kind", !fmu.kind.empty()},
                                                {"--input-at", !fmu.input_point.empty()},
                                                {"--array-cells", fmu.array_cells},
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
