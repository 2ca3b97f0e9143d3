// SPDX-License-Identifier: Apache-2.0
// `orrery check`, `orrery show program`, `show schedule`, `show variables` and `show code`: compile, and say what is
// wrong or what came of it.
#include "api/model_texts.h"
#include "base/signals.h"
#include "cli/commands.h"
#include "cli/console.h"

namespace orrery::cli {
namespace {

using Text = std::optional<std::string> (*)(const api::RunRequest& request, Diagnostics& diagnostics);

api::RunRequest watched(const Arguments& arguments) {
  api::RunRequest request = arguments.request;
  request.interrupt = &end_requested();
  return request;
}

int code_of(bool good) { return good ? exit_ok : end_requested() ? exit_interrupted : exit_failed; }

int show(const Arguments& arguments, Text text_of) {
  const EndWatch watch;
  Diagnostics diagnostics;
  const auto text = text_of(watched(arguments), diagnostics);
  if (text) print(*text);
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return code_of(text.has_value());
}

}  // namespace

int check_command(const Arguments& arguments) {
  if (arguments.explain_start) return show(arguments, api::start_structure);
  if (arguments.units) return show(arguments, api::units_text);
  const EndWatch watch;
  Diagnostics diagnostics;
  const bool good = api::check(watched(arguments), diagnostics);
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return code_of(good);
}

int show_program_command(const Arguments& arguments) { return show(arguments, api::program_text); }
int show_schedule_command(const Arguments& arguments) { return show(arguments, api::schedule_text); }
int show_variables_command(const Arguments& arguments) {
  return show(arguments, arguments.json ? api::variables_json : api::variables_text);
}
int show_code_command(const Arguments& arguments) { return show(arguments, api::code_text); }

}  // namespace orrery::cli
