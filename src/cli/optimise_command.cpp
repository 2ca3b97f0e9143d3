// SPDX-License-Identifier: Apache-2.0
// `orrery optimise`: a specification in, the best point, a table of the way to it and a picture out.
#include <fmt/format.h>

#include "api/optimise.h"
#include "base/printable.h"
#include "base/signals.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "io/output_file.h"
#include "io/svg_plot.h"

namespace orrery::cli {
namespace {

bool write_text(const std::string& path, const std::string& text, Diagnostics& diagnostics) {
  auto file = io::OutputFile::open(path, diagnostics);
  if (!file) return false;
  file->write(text);
  return file->commit(diagnostics);
}

}  // namespace

int optimise_command(const Arguments& arguments) {
  Diagnostics diagnostics;
  const EndWatch watch;
  api::OptimiseRequest request = arguments.optimise;
  request.run = arguments.request;
  request.run.interrupt = &end_requested();
  api::OptimiseResult result;
  {
    ProgressLine line(!arguments.quiet && !arguments.json_diagnostics);
    request.progress = [&](const api::OptimiseProgress& now) {
      line.show(fmt::format("{} simulations, best {:.10g}", now.simulations, now.cost));
    };
    result = api::optimise(request, diagnostics);
  }
  bool good = result.started && !result.values.empty() && !diagnostics.has_errors();
  if (good) {
    if (!arguments.out.empty()) good = write_text(arguments.out[0], api::optimise_json(result), diagnostics);
    if (!arguments.plot.empty()) {
      std::vector<std::vector<double>> room;
      good = write_text(arguments.plot, io::svg_plot(api::optimise_chart(result, room)), diagnostics) && good;
    }
    if (arguments.json)
      print(api::optimise_json(result));
    else if (!arguments.quiet)
      print(printable(api::optimise_text(result)));
    if (!result.converged && !result.interrupted)
      diagnostics.warning("not-converged", {request.spec, 0, 0, {}, {}},
                          "the search ended before it was sure of a minimum; the best point so far is shown",
                          "allow more evaluations, loosen the tolerance, or choose another method");
    if (result.violation > 1e-6 && !result.interrupted)
      diagnostics.error("constraint-violated", {request.spec, 0, 0, {}, {}},
                        fmt::format("no point that keeps the constraints was found; the best is beyond them by {:.6g}",
                                    result.violation),
                        "begin elsewhere, or look whether the constraints can be kept at all");
  }
  if (result.interrupted && !arguments.quiet)
    print_error("interrupted; the points so far are kept, and the same command goes on from there\n");
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  if (result.interrupted || (!good && end_requested().load())) return exit_interrupted;
  return good && !diagnostics.has_errors() ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
