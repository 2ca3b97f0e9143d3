// SPDX-License-Identifier: Apache-2.0
// `orrery check`, `orrery show program`, `show schedule`, `show variables` and `show code`: compile, and say what is
// wrong or what came of it.
#include "api/model_texts.h"
#include "cli/commands.h"
#include "cli/console.h"

namespace orrery::cli {
namespace {

using Text = std::optional<std::string> (*)(const api::RunRequest& request, Diagnostics& diagnostics);

int show(const Arguments& arguments, Text text_of) {
  Diagnostics diagnostics;
  const auto text = text_of(arguments.request, diagnostics);
  if (text) print(*text);
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return text ? exit_ok : exit_failed;
}

}  // namespace

int check_command(const Arguments& arguments) {
  if (arguments.explain_start) return show(arguments, api::start_structure);
  Diagnostics diagnostics;
  const bool good = api::check(arguments.request, diagnostics);
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return good ? exit_ok : exit_failed;
}

int show_program_command(const Arguments& arguments) { return show(arguments, api::program_text); }
int show_schedule_command(const Arguments& arguments) { return show(arguments, api::schedule_text); }
int show_variables_command(const Arguments& arguments) {
  return show(arguments, arguments.json ? api::variables_json : api::variables_text);
}
int show_code_command(const Arguments& arguments) { return show(arguments, api::code_text); }

}  // namespace orrery::cli
