// SPDX-License-Identifier: Apache-2.0
// `orrery sweep`: many runs, a table of what is kept of each, and what the table says.
#include <fmt/format.h>

#include <chrono>

#include "api/sweep.h"
#include "base/printable.h"
#include "base/signals.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "io/output_file.h"
#include "io/svg_plot.h"

namespace orrery::cli {
namespace {

std::string remaining_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  if (seconds < 3600) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

bool draw(const std::string& path, const api::SweepResult& result, Diagnostics& diagnostics) {
  auto file = io::OutputFile::open(path, diagnostics);
  if (!file) return false;
  std::vector<std::vector<double>> room;
  file->write(io::svg_plot(api::sweep_chart(result, room)));
  return file->commit(diagnostics);
}

}  // namespace

int sweep_command(const Arguments& arguments) {
  using Clock = std::chrono::steady_clock;
  Diagnostics diagnostics;
  const EndWatch watch;
  api::SweepRequest request = arguments.sweep;
  request.run = arguments.request;
  request.run.interrupt = &end_requested();
  if (!arguments.out.empty()) request.out = arguments.out[0];
  api::SweepResult result;
  {
    ProgressLine line(!arguments.quiet && !arguments.json_diagnostics);
    const Clock::time_point begun = Clock::now();
    request.progress = [&](std::size_t done, std::size_t all) {
      const double share = static_cast<double>(done) / static_cast<double>(all);
      const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
      const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
      line.show(fmt::format("{} of {} runs, {:.3g} a second, {} left", done, all, rate,
                            share > 0 ? remaining_text(seconds * (1 - share) / share) : "?"));
    };
    result = api::sweep(request, diagnostics);
  }
  bool good = result.started && !diagnostics.has_errors() && !result.interrupted;
  if (result.is_part) {
    print_diagnostics(diagnostics, arguments.json_diagnostics);
    return result.interrupted ? exit_interrupted : diagnostics.has_errors() ? exit_failed : exit_ok;
  }
  if (good && !arguments.plot.empty()) good = draw(arguments.plot, result, diagnostics);
  if (good && !arguments.quiet) {
    print(printable(api::sweep_text(result)));
    if (!request.out.empty()) print(fmt::format("\n{}: a row for each run\n", request.out));
    if (!arguments.plot.empty()) print(fmt::format("{}: distributions\n", arguments.plot));
  }
  if (result.interrupted && result.started && !arguments.quiet && !request.out.empty())
    print_error(fmt::format("interrupted; what was computed is in {}.runs, and the same command goes on from there\n",
                            request.out));
  if (good && result.failed() > 0) {
    diagnostics.warning("runs-failed", {request.run.file, 0, 0, {}, {}},
                        fmt::format("{} of {} runs failed; the column failure says why", result.failed(), result.runs),
                        "run one of them alone with --set to see the whole message");
  }
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  if (result.interrupted) return exit_interrupted;
  return good && result.failed() == 0 ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
