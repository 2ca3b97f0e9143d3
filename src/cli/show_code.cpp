// SPDX-License-Identifier: Apache-2.0
// `orrery show code`: the C that a run of the model compiles and executes.
#include "api/session.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "sim/compiled_program.h"

namespace orrery::cli {

int show_code_command(const Arguments& arguments) {
  Diagnostics diagnostics;
  auto prepared = api::prepare(arguments.request, diagnostics);
  if (prepared) print(sim::CompiledProgram::text_of(prepared->program));
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return prepared ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
