// SPDX-License-Identifier: Apache-2.0
// The grammar of `orrery trim` and `orrery optimise`.
#include "cli/analysis_options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace orrery::cli {
namespace {

void add_list(CLI::App& command, const char* option, std::vector<std::string>& list, const char* type,
              const char* about) {
  command.add_option(option, list, about)->type_name(type)->allow_extra_args(false);
}

}  // namespace

void add_point_options(CLI::App& command, api::LinearisationRequest& where) {
  command
      .add_option("--block", where.block,
                  "A super block: its ports are inputs and outputs, what is outside of it does not answer")
      ->type_name("PATH");
  command
      .add_option(
          "--inputs", where.inputs,
          "Inputs: Input blocks of the top diagram or LinearisationPoint blocks, which open loops; with --block "
          "numbers of its ports")
      ->type_name("A,B")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--outputs", where.outputs,
                  "Outputs: Output blocks of the top diagram or any block outputs; with --block numbers of its ports")
      ->type_name("A,B")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--at", where.at, "Simulate to this time first; default: the start")->type_name("T");
}

void add_trim_options(CLI::App& command, api::TrimRequest& trim) {
  add_point_options(command, trim.where);
  add_list(command, "--free", trim.free, "NAME[=GUESS]",
           "An input or a variable of the context that may change until all rests; may be repeated");
  add_list(command, "--fix", trim.fixed, "STATE[=VALUE]", "A state that keeps its value; may be repeated");
  add_list(command, "--moving", trim.moving, "STATE", "A state whose rate does not matter; may be repeated");
  add_list(command, "--wanted", trim.wanted, "NAME=VALUE",
           "The value that an output is to have, or the rate of a state instead of 0; may be repeated");
  add_list(command, "--between", trim.between, "NAME=LOW:HIGH", "Bounds of what may change; may be repeated");
  command.add_option("--tolerance", trim.tolerance, "How small rates and differences must be")
      ->check(CLI::PositiveNumber)
      ->type_name("A")
      ->capture_default_str();
}

void add_optimise_options(CLI::App& command, api::OptimiseRequest& optimise) {
  command.add_option("SPEC", optimise.spec, "The specification: model, variables, what is minimised or fitted")
      ->required()
      ->type_name("");
  command.add_flag("--fresh", optimise.fresh, "Begin anew instead of going on where an interrupted search stopped");
  command.add_flag("--differences", optimise.differences,
                   "Take gradients by differences, even where exact ones are there");
  command
      .add_option("--points", optimise.kept,
                  "Where the points computed so far are kept while the search goes on; default: SPEC.points")
      ->type_name("FILE");
}

}  // namespace orrery::cli
