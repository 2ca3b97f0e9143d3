// SPDX-License-Identifier: Apache-2.0
// The commands, as the grammar of the command line describes them; each adds itself and its help.
#pragma once

#include <string>

#include "cli/command_line.h"
#include "cli/finish_arguments.h"

namespace CLI {
class App;
}

namespace orrery::cli {

// What several commands share: examples and exit codes below their help, and their options.
std::string footer(const std::string& examples);
void add_diagnostics(CLI::App* command, Raw& raw);
// Those that decide how a model is compiled, or the others.
void add_settings(CLI::App* command, model::Settings& settings, bool compiles);
// What decides how a model is compiled.
void add_model(CLI::App* command, Arguments& arguments, Raw& raw);
void add_initial(CLI::App* command, Raw& raw);

// describe_runs.cpp: what computes something from a model.
void add_run(CLI::App& app, Arguments& arguments, Raw& raw);
void add_check(CLI::App& app, Arguments& arguments, Raw& raw);
void add_linearise(CLI::App& app, Arguments& arguments, Raw& raw);
void add_trim(CLI::App& app, Arguments& arguments, Raw& raw);
void add_optimise(CLI::App& app, Arguments& arguments, Raw& raw);
void add_exec(CLI::App& app, Arguments& arguments, Raw& raw);
void add_sweep(CLI::App& app, Arguments& arguments, Raw& raw);
void add_export(CLI::App& app, Arguments& arguments, Raw& raw);
void add_show(CLI::App& app, Arguments& arguments, Raw& raw);

// describe_tools.cpp: texts, pictures, the editor, scripts, FMUs.
void add_languages(CLI::App& app, Arguments& arguments, Raw& raw);
void add_format(CLI::App& app, Arguments& arguments, Raw& raw);
void add_editing(CLI::App& app, Arguments& arguments, Raw& raw);
void add_serve(CLI::App& app, Arguments& arguments);
void add_oml(CLI::App& app, Arguments& arguments);
void add_trust(CLI::App& app, Arguments& arguments, Raw& raw);
void add_fmu(CLI::App& app, Arguments& arguments, Raw& raw);
void add_texts(CLI::App& app, Arguments& arguments);

}  // namespace orrery::cli
