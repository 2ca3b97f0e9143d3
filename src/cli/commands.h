// SPDX-License-Identifier: Apache-2.0
// The commands, one function each; they return the exit code.
#pragma once

#include "cli/command_line.h"

namespace orrery::cli {

int run_command(const Arguments& arguments);
int check_command(const Arguments& arguments);
int linearise_command(const Arguments& arguments);
int trim_command(const Arguments& arguments);
int optimise_command(const Arguments& arguments);
int exec_command(const Arguments& arguments);
int sweep_command(const Arguments& arguments);
int export_c_command(const Arguments& arguments);
int export_fmu_command(const Arguments& arguments);
int export_python_command(const Arguments& arguments);
int export_block_command(const Arguments& arguments);
int show_program_command(const Arguments& arguments);
int show_schedule_command(const Arguments& arguments);
int show_variables_command(const Arguments& arguments);
int show_code_command(const Arguments& arguments);
int show_blocks_command(const Arguments& arguments);
int show_block_command(const Arguments& arguments);
int show_solvers_command(const Arguments& arguments);
int acsl_command(const Arguments& arguments);
int convert_command(const Arguments& arguments);
int format_command(const Arguments& arguments);
int oml_command(const Arguments& arguments);
int trust_command(const Arguments& arguments);
int run_fmu_command(const Arguments& arguments);
int fmu_info_command(const Arguments& arguments);
int fmu_check_command(const Arguments& arguments);
int fmu_replay_command(const Arguments& arguments);
int fmu_crosscheck_command(const Arguments& arguments);
int picture_command(const Arguments& arguments);
int edit_command(const Arguments& arguments);
int diff_command(const Arguments& arguments);
int merge_command(const Arguments& arguments);
int git_setup_command(const Arguments& arguments);
int show_script_command(const Arguments& arguments);
// The commands of `orrery edit`, for its help.
std::string edit_help();
int library_command(const Arguments& arguments);
int new_block_command(const Arguments& arguments);
int serve_command(const Arguments& arguments);
int serve_worker_command(const Arguments& arguments);
int version_command();
int print_text_command(const Arguments& arguments);

}  // namespace orrery::cli
