// SPDX-License-Identifier: Apache-2.0
// `orrery linearise`: matrices of a linear model, to the terminal or to a file.
#include <fmt/format.h>

#include "api/linearisation_text.h"
#include "base/signals.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "io/output_file.h"
#include "io/svg_plot.h"

namespace orrery::cli {

int linearise_command(const Arguments& arguments) {
  Diagnostics diagnostics;
  const EndWatch watch;
  api::LinearisationRequest request = arguments.linearise;
  request.run = arguments.request;
  request.run.interrupt = &end_requested();
  const auto model = api::linearise(request, diagnostics);
  bool good = model.has_value();
  if (model && !arguments.plot.empty()) {
    std::vector<std::unique_ptr<std::vector<double>>> room;
    auto file = io::OutputFile::open(arguments.plot, diagnostics);
    if (file) file->write(io::svg_plot(api::linearised_chart(*model, room)));
    good = file && file->commit(diagnostics);
  }
  if (model && !arguments.out.empty() && arguments.out[0].ends_with(".mat")) {
    good = api::write_linearised_mat(*model, arguments.out[0], diagnostics) && good;
  } else if (model && !arguments.out.empty()) {
    auto file = io::OutputFile::open(arguments.out[0], diagnostics);
    good = file.has_value() && good;
    if (file) {
      file->write(api::linearised_json(*model));
      good = file->commit(diagnostics) && good;
    }
  } else if (model) {
    print(arguments.json ? api::linearised_json(*model) : api::linearised_text(*model));
  }
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return good ? exit_ok : end_requested().load() ? exit_interrupted : exit_failed;
}

}  // namespace orrery::cli
