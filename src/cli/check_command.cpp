// SPDX-License-Identifier: Apache-2.0
// `orrery check` and `orrery show program`: compile, and say what is wrong or what came of it.
#include "api/session.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "program/print.h"

namespace orrery::cli {

int check_command(const Arguments& arguments) {
  Diagnostics diagnostics;
  const auto prepared = api::prepare(arguments.request, diagnostics);
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return prepared && !diagnostics.has_errors() ? exit_ok : exit_failed;
}

int show_program_command(const Arguments& arguments) {
  Diagnostics diagnostics;
  const auto prepared = api::prepare(arguments.request, diagnostics);
  if (prepared) print(program::to_text(prepared->program));
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return prepared ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
