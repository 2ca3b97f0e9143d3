// SPDX-License-Identifier: Apache-2.0
// What the help and the options of several commands have in common.
#include "cli/describe_commands.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace orrery::cli {

static constexpr const char* exit_codes =
    "Exit codes:\n"
    "  0    success\n"
    "  1    the model or the run has an error; diagnostics are on standard error\n"
    "  2    the command line is wrong\n"
    "  130  interrupted by Ctrl-C, SIGTERM, SIGHUP or SIGQUIT; results so far are written";

std::string footer(const std::string& examples) { return "Examples:\n" + examples + "\n" + exit_codes; }

void add_diagnostics(CLI::App* command, Raw& raw) {
  command->add_option("--diagnostics", raw.diagnostics, "Form of the diagnostics on standard error: text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORM")
      ->capture_default_str();
}

void add_settings(CLI::App* command, model::Settings& settings, bool compiles) {
  for (const model::SettingInfo& info : model::setting_table()) {
    if (info.option.empty() || info.compiles != compiles) continue;
    std::string& text = (settings.*info.text).text;
    const std::string option(info.option), about(info.about);
    if (info.type == model::SettingType::flag) {
      command->add_flag_callback(
          option, [&text] { text = "true"; }, about);
    } else {
      command->add_option(option, text, about)->type_name(std::string(info.placeholder));
    }
  }
}

void add_model(CLI::App* command, Arguments& arguments, Raw& raw) {
  api::RunRequest& request = arguments.request;
  command->add_option("MODEL", request.file, "The model file (.orr), or an FMU where it can be run")
      ->required()
      ->type_name("");
  command->add_option("--set", raw.set, "Set a variable of the model's context before it is used; may be repeated")
      ->type_name("NAME=EXPR")
      ->allow_extra_args(false);
  command
      ->add_option("--allow", raw.allow,
                   "What the model may do besides computing and reading files of its folder: read, write, shell, "
                   "environment, native (FMUs, C code), network, all")
      ->type_name("A,B");
  command
      ->add_option("--script-time", request.script_seconds,
                   "How long the scripts of the model may run before the simulation; 0: no limit")
      ->check(CLI::NonNegativeNumber)
      ->type_name("SECONDS")
      ->capture_default_str();
  add_settings(command, request.settings, true);
  add_diagnostics(command, raw);
}

void add_initial(CLI::App* command, Raw& raw) {
  command
      ->add_option("--initial", raw.initial,
                   "How the states of a block, or of all blocks of a diagram, begin: given, free (initial equations "
                   "determine them) or rest (their derivatives are zero), for example /Plant=rest; may be repeated")
      ->type_name("PATH=HOW")
      ->allow_extra_args(false);
}

}  // namespace orrery::cli
