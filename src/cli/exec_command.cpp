// SPDX-License-Identifier: Apache-2.0
// `orrery exec`: runs the script of an ExecOMLScript block.
#include "api/exec_block.h"
#include "base/printable.h"
#include "base/signals.h"
#include "cli/commands.h"
#include "cli/console.h"

namespace orrery::cli {

int exec_command(const Arguments& arguments) {
  Diagnostics diagnostics;
  const EndWatch watch;
  api::RunRequest request = arguments.request;
  request.interrupt = &end_requested();
  const auto variables = api::execute_block(request, arguments.block, diagnostics);
  if (variables && !arguments.quiet) print(printable(*variables));
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  if (end_requested().load()) return exit_interrupted;
  return variables && !diagnostics.has_errors() ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
