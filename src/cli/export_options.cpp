// SPDX-License-Identifier: Apache-2.0
// Options of `orrery export`.
#include "cli/export_options.h"

#include <CLI/CLI.hpp>

namespace orrery::cli {

void add_export_options(CLI::App& command, api::ExportRequest& request) {
  command.add_option("--out", request.out, "Where to write it")->required()->type_name("PATH");
  command
      .add_option("--block", request.block,
                  "A super block: its ports are those of what is exported; default: the whole model")
      ->type_name("PATH");
  command.add_flag("--atomic", request.atomic, "The super block as a unit, whatever it says itself");
  command.add_option("--name", request.name, "The name of the exported model; default: that of the file")
      ->type_name("NAME");
  command
      .add_option("--vary", request.run.vary,
                  "Variables of the context that stay parameters, besides those the model calls exposable")
      ->type_name("A,B")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void add_export_block_options(CLI::App& command, api::ExportRequest& request) {
  command.get_option("--block")->required();
  command.add_flag("--inputs-always", request.always,
                   "All inputs count as continuous, also those that only events change");
}

void add_export_c_options(CLI::App& command, api::ExportRequest& request) {
  command.add_flag("!--no-comments", request.comments, "Leave out the comments that name the block of each statement");
  command.add_flag("--report", request.report,
                   "Print what it costs: operations of each procedure, memory of each block, stack");
  command
      .add_option("--target", request.target,
                  "Refuse what a small machine lacks: no-libm (functions of libm), no-double (arithmetic of doubles)")
      ->check(CLI::IsMember({"no-libm", "no-double"}))
      ->type_name("TARGET");
  command.add_flag("--float32", request.float32,
                   "Float arithmetic instead of double, with fixed steps; refuses what needs the digits of doubles");
  command.add_flag("!--no-main", request.program,
                   "Only the model and the run-time: no main.c, Makefile, CMakeLists.txt");
}

void add_export_fmu_options(CLI::App& command, api::FmuRequest& request) {
  command.add_option("--fmi", request.version, "Version of FMI")
      ->check(CLI::IsMember({2, 3}))
      ->type_name("2|3")
      ->default_val(2);
  command
      .add_option_function<std::string>(
          "--kind",
          [&request](const std::string& kind) {
            request.scheduled = kind == "se";
            request.exchange = kind == "me" || kind == "both";
            request.cosimulation = kind == "cs" || kind == "both";
          },
          "Model Exchange (the importer integrates), Co-Simulation (the solver is inside), both, or Scheduled "
          "Execution "
          "(FMI 3.0: the importer ticks the clocks of a discrete model)")
      ->check(CLI::IsMember({"me", "cs", "both", "se"}))
      ->type_name("me|cs|both|se")
      ->default_str("both");
  command.add_flag("--clocks", request.clocks,
                   "FMI 3.0: sample clocks are clocks that the importer ticks; default: they tick by themselves");
  command.add_flag("!--no-binary", request.binaries, "Sources only, for importers with a compiler");
}

}  // namespace orrery::cli
