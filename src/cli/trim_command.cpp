// SPDX-License-Identifier: Apache-2.0
// `orrery trim`: a point of rest, and what does not rest.
#include "api/trim.h"
#include "base/printable.h"
#include "base/signals.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "io/output_file.h"

namespace orrery::cli {

int trim_command(const Arguments& arguments) {
  Diagnostics diagnostics;
  const EndWatch watch;
  api::TrimRequest request = arguments.trim;
  request.where.run = arguments.request;
  request.where.run.interrupt = &end_requested();
  const auto result = api::trim(request, diagnostics);
  bool good = result.has_value();
  if (result && !arguments.out.empty()) {
    auto file = io::OutputFile::open(arguments.out[0], diagnostics);
    good = file.has_value();
    if (file) {
      file->write(api::trim_json(*result));
      good = file->commit(diagnostics);
    }
  } else if (result) {
    print(arguments.json ? api::trim_json(*result) : printable(api::trim_text(*result)));
  }
  if (result && !result->reached)
    diagnostics.error("no-equilibrium", {request.where.run.file, 0, 0, {}, {}},
                      "there is no point of rest near, with what may change; what is shown is the nearest to it",
                      "free more inputs or variables (--free), let states move (--moving), or begin elsewhere");
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  if (end_requested().load()) return exit_interrupted;
  return good && result->reached ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
