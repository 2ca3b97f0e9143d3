// SPDX-License-Identifier: Apache-2.0
// The executable: parses the command line and calls the command.
#include <new>
#include <stdexcept>

#include "base/environment.h"
#include "base/signals.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "fmi/unpack.h"

namespace orrery::cli {
namespace {

int perform(const Arguments& arguments) {
  switch (arguments.command) {
    case Command::run: return is_fmu(arguments.request.file) ? run_fmu_command(arguments) : run_command(arguments);
    case Command::check: return check_command(arguments);
    case Command::linearise: return linearise_command(arguments);
    case Command::trim: return trim_command(arguments);
    case Command::optimise: return optimise_command(arguments);
    case Command::exec: return exec_command(arguments);
    case Command::sweep: return sweep_command(arguments);
    case Command::export_c: return export_c_command(arguments);
    case Command::export_fmu: return export_fmu_command(arguments);
    case Command::export_block: return export_block_command(arguments);
    case Command::export_python: return export_python_command(arguments);
    case Command::show_program: return show_program_command(arguments);
    case Command::show_schedule: return show_schedule_command(arguments);
    case Command::show_variables: return show_variables_command(arguments);
    case Command::show_code: return show_code_command(arguments);
    case Command::show_blocks: return show_blocks_command(arguments);
    case Command::show_block: return show_block_command(arguments);
    case Command::show_solvers: return show_solvers_command(arguments);
    case Command::format: return format_command(arguments);
    case Command::acsl: return acsl_command(arguments);
    case Command::convert: return convert_command(arguments);
    case Command::oml: return oml_command(arguments);
    case Command::trust: return trust_command(arguments);
    case Command::fmu_info: return fmu_info_command(arguments);
    case Command::fmu_check: return fmu_check_command(arguments);
    case Command::fmu_replay: return fmu_replay_command(arguments);
    case Command::fmu_crosscheck: return fmu_crosscheck_command(arguments);
    case Command::picture: return picture_command(arguments);
    case Command::edit: return edit_command(arguments);
    case Command::diff: return diff_command(arguments);
    case Command::merge: return merge_command(arguments);
    case Command::git_setup: return git_setup_command(arguments);
    case Command::show_script: return show_script_command(arguments);
    case Command::library: return library_command(arguments);
    case Command::new_block: return new_block_command(arguments);
    case Command::serve: return serve_command(arguments);
    case Command::serve_worker: return serve_worker_command(arguments);
    case Command::version: return version_command();
    case Command::print_text: return print_text_command(arguments);
  }
  return exit_ok;
}

}  // namespace
}  // namespace orrery::cli

int main(int argc, char** argv) {
  using namespace orrery::cli;
  orrery::keep_environment();
  orrery::own_signals();
  orrery::fmi::remove_abandoned_folders();
  try {
    int exit_code = exit_ok;
    const auto arguments = parse_command_line(argc, argv, exit_code);
    return finish_output(arguments ? perform(*arguments) : exit_code);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  orrery::Diagnostics diagnostics;
  diagnostics.error("out-of-memory", {}, "there is not enough memory for this", "is the input of a sensible size?");
  print_diagnostics(diagnostics, false);
  return exit_failed;
}
