// SPDX-License-Identifier: Apache-2.0
// `orrery run`: simulates, then writes, draws and prints.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "api/results.h"
#include "api/session.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "fmi/release.h"
#include "io/mtsf.h"
#include "io/svg_plot.h"
#include "io/terminal_plot.h"

namespace orrery::cli {
namespace {

constexpr int picture_points = 1000;
constexpr std::size_t most_table_rows = 30;
constexpr std::size_t most_panels = 3;
constexpr std::size_t most_curves = 6;

// All outputs are opened before the run: a wrong path is known at once.
struct Outputs {
  std::optional<io::OutputFile> out, events, plot;
  bool wrote_rows = false, wrote_events = false, wrote_plot = false;  // whole, up to the last byte

  bool open(const Arguments& arguments, Diagnostics& diagnostics) {
    const bool rows = open_one(arguments.out, out, diagnostics);
    const bool ledger = open_one(arguments.events, events, diagnostics);
    const bool picture = open_one(arguments.plot, plot, diagnostics);
    return rows && ledger && picture;
  }

  void write(const api::RunResult& result, Diagnostics& diagnostics) {
    if (out) wrote_rows = api::write_recording(result, *out, diagnostics) && out->commit(diagnostics);
    if (events) {
      api::write_ledger(result, *events);
      wrote_events = events->commit(diagnostics);
    }
    if (plot) {
      plot->write(io::svg_plot(api::chart_of(result)));
      wrote_plot = plot->commit(diagnostics);
    }
  }

 private:
  static bool open_one(const std::string& path, std::optional<io::OutputFile>& file, Diagnostics& diagnostics) {
    if (path.empty()) return true;
    if (!io::can_be_written(path, diagnostics)) return false;
    if (auto opened = io::OutputFile::open(path, diagnostics)) file.emplace(std::move(*opened));
    return file.has_value();
  }
};

std::string written_files(const Arguments& arguments, const Outputs& outputs, const api::RunResult& result) {
  std::string text;
  if (outputs.wrote_rows) {
    text += fmt::format("{}: {} rows of {} signals\n", arguments.out, result.recording.rows(),
                        result.recording.columns.size());
  }
  if (outputs.wrote_events) text += fmt::format("{}: {} events\n", arguments.events, result.ledger.entries.size());
  if (outputs.wrote_plot) text += fmt::format("{}: the plot\n", arguments.plot);
  return text;
}

std::string drawing(const api::RunResult& result) {
  const Terminal terminal = standard_output();
  io::Chart chart = api::chart_of(result);
  std::string text;
  const std::size_t shown = std::min(chart.panels.size(), most_panels);
  std::size_t left_out = chart.panels.size() - shown;
  for (std::size_t k = 0; k < shown; ++k) {
    io::Panel& panel = chart.panels[k];
    if (panel.curves.size() > most_curves) {
      left_out += panel.curves.size() - most_curves;
      panel.curves.resize(most_curves);
    }
    text += "\n" + io::terminal_plot(panel, {terminal.unicode, terminal.colour, 60, 12});
  }
  if (left_out > 0) text += "\nSome curves are left out; --plot FILE.svg draws them all.\n";
  return text;
}

std::string summary(const Arguments& arguments, const Outputs& outputs, const api::RunResult& result,
                    double write_seconds) {
  std::string text;
  const bool has_rows = result.recording.rows() > 0 && !result.recording.columns.empty();
  if (!arguments.quiet) {
    if (arguments.out.empty() && has_rows) text += api::value_table(result, most_table_rows) + drawing(result);
    if (!has_rows && !result.failed()) text += "No signal was recorded.\n";
    const std::string files = written_files(arguments, outputs, result);
    if (!files.empty() && !text.empty()) text += '\n';
    text += files;
  }
  if (arguments.explain_loops) {
    if (!text.empty()) text += '\n';
    text += api::loops_text(result);
  }
  if (arguments.statistics) {
    if (!text.empty()) text += '\n';
    text += api::statistics_text(result, write_seconds);
  }
  return text;
}

}  // namespace

int run_command(const Arguments& arguments) {
  catch_interrupt();
  api::RunResult result;
  Outputs outputs;
  Diagnostics opening;
  if (!outputs.open(arguments, opening)) {
    print_diagnostics(opening, arguments.json_diagnostics);
    return exit_failed;
  }
  {
    ProgressLine progress(!arguments.quiet && !arguments.json_diagnostics);
    api::RunRequest request = arguments.request;
    request.events = !arguments.events.empty();
    request.picture_points = arguments.out.empty() ? picture_points : 0;
    request.interrupt = &interrupted;
    request.progress = [&progress](double share, double t) { progress.show(share, t); };
    fmi::put_off_release();
    result = api::run(request);
  }
  double write_seconds = 0;
  if (result.started) {
    const auto start = std::chrono::steady_clock::now();
    outputs.write(result, result.diagnostics);
    write_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::string text = summary(arguments, outputs, result, write_seconds);
    const bool data_on_stdout = arguments.out == "-" || arguments.events == "-" || arguments.plot == "-";
    std::fwrite(text.data(), 1, text.size(), data_on_stdout ? stderr : stdout);
  }
  if (result.interrupted() && !arguments.json_diagnostics) {
    std::fprintf(stderr, "interrupted at t = %.10g; the results so far are kept\n", result.report.time);
  }
  print_diagnostics(result.diagnostics, arguments.json_diagnostics);
  const int code = finish_output(result.failed() ? exit_failed : result.interrupted() ? exit_interrupted : exit_ok);
  fmi::release_all(code);
  return code;
}

}  // namespace orrery::cli
