// SPDX-License-Identifier: Apache-2.0
// `orrery run`: simulates and writes, then draws and prints.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "api/graph_sink.h"
#include "api/picture_sink.h"
#include "api/result_files.h"
#include "api/results.h"
#include "api/session.h"
#include "base/printable.h"
#include "base/signals.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "fmi/release.h"
#include "io/svg_plot.h"
#include "io/terminal_plot.h"

namespace orrery::cli {
namespace {

constexpr int picture_points = 1000;
constexpr std::size_t most_panels = 3;

// All outputs are opened before the run: a wrong path is known at once. Rows and events go there while it runs.
struct Outputs {
  std::vector<api::RowsFile> rows;
  std::optional<api::LedgerFile> events;
  std::optional<io::OutputFile> plot;
  api::PictureSink picture;
  api::GraphSink graphs{{}};  // what a program asks for, instead of the picture
  std::size_t drawn_lines = 0;
  std::chrono::steady_clock::time_point drawn = std::chrono::steady_clock::now();
  api::ValueSummary values;
  bool wrote_plot = false;  // whole, up to the last byte

  bool open(const Arguments& arguments, Diagnostics& diagnostics) {
    bool good = true;
    for (const std::string& path : arguments.out) {
      auto file = api::open_rows_file(path, diagnostics, static_cast<std::size_t>(arguments.decimate),
                                      arguments.spreadsheet_safe, arguments.every_run);
      good = good && file;
      if (file) rows.push_back(std::move(*file));
    }
    if (!arguments.events.empty()) {
      auto file = io::OutputFile::open(arguments.events, diagnostics);
      good = good && file;
      if (file) file->disarm_formulas(arguments.spreadsheet_safe);
      if (file) events.emplace(std::move(*file), arguments.every_run);
    }
    if (!arguments.plot.empty()) {
      auto file = io::OutputFile::open(arguments.plot, diagnostics);
      good = good && file;
      if (file) plot.emplace(std::move(*file));
    }
    return good;
  }

  // What the run is asked to feed. Nothing keeps all rows.
  void connect(const Arguments& arguments, api::RunRequest& request) {
    for (const api::RowsFile& file : rows) request.sinks.push_back(file.sink.get());
    const bool shown = !arguments.quiet && arguments.out.empty();
    graphs = api::GraphSink(api::graphs_of_program(request.file));
    if ((shown || plot) && !graphs.draws()) request.sinks.push_back(&picture);
    if ((shown || plot) && !graphs.empty()) request.sinks.push_back(&graphs);
    if (shown && standard_output().is_terminal) graphs.on_rows = [this] { watch(); };
    if (shown || request.sinks.empty()) request.sinks.push_back(&values);
    if (events) request.ledger_sinks.push_back(&*events);
  }

  io::Chart chart() const { return graphs.draws() ? graphs.chart() : picture.chart(); }

  // While a program runs, its first graph is drawn anew in its place.
  void watch() {
    constexpr auto pause = std::chrono::milliseconds(300);
    const auto now = std::chrono::steady_clock::now();
    if (now - drawn < pause) return;
    drawn = now;
    const io::Chart now_seen = graphs.chart();
    if (now_seen.panels.empty()) return;
    const Terminal terminal = standard_output();
    erase();
    const std::string text = io::terminal_plot(now_seen.panels[0], {terminal.unicode, terminal.colour, 60, 12});
    drawn_lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    print_drawing(text);
    std::fflush(stdout);
  }

  void erase() {
    if (drawn_lines > 0) print_drawing(fmt::format("\x1b[{}A\x1b[J", drawn_lines));
    drawn_lines = 0;
  }

  void draw(Diagnostics& diagnostics) {
    erase();
    if (!plot) return;
    plot->write(io::svg_plot(chart()));
    wrote_plot = plot->commit(diagnostics);
  }
};

std::string written_files(const Arguments& arguments, const Outputs& outputs) {
  std::string text;
  for (const api::RowsFile& file : outputs.rows) {
    const api::FileOutcome& written = *file.outcome;
    if (!written.whole) continue;
    text += fmt::format("{}: {} rows of {} signals\n", written.path, written.rows, written.columns);
  }
  if (outputs.events && outputs.events->outcome().whole) {
    text += fmt::format("{}: {} events\n", arguments.events, outputs.events->outcome().rows);
  }
  if (outputs.wrote_plot) text += fmt::format("{}: the plot\n", arguments.plot);
  return text;
}

std::string drawing(io::Chart chart) {
  const Terminal terminal = standard_output();
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

std::string summary(const Arguments& arguments, const Outputs& outputs, const api::RunResult& result) {
  std::string text;
  const bool has_rows = result.report.rows > 0;
  if (!arguments.quiet) {
    if (arguments.out.empty() && has_rows) {
      text += printable(outputs.values.table(most_table_rows)) + printable(outputs.graphs.tables(most_table_rows)) +
              drawing(outputs.chart());
    }
    if (!has_rows && !result.failed()) text += "No signal was recorded.\n";
    const std::string files = printable(written_files(arguments, outputs));
    if (!files.empty() && !text.empty()) text += '\n';
    text += files;
  }
  if (arguments.explain_loops) {
    if (!text.empty()) text += '\n';
    text += printable(api::loops_text(result));
  }
  if (arguments.explain_start) {
    if (!text.empty()) text += '\n';
    text += printable(api::start_text(result));
  }
  if (arguments.statistics) {
    if (!text.empty()) text += '\n';
    text += printable(api::statistics_text(result));
  }
  return text;
}

}  // namespace

int run_command(const Arguments& arguments) {
  const EndWatch watch;
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
    outputs.connect(arguments, request);
    // Graphs of a program join its own rows: between them there is nothing new.
    request.picture_points = arguments.out.empty() && !outputs.graphs.draws() ? picture_points : 0;
    request.interrupt = &end_requested();
    request.progress = [&progress](double share, double t) { progress.show(share, t); };
    request.restarted = [&progress](const api::RunRequest::Restart& restart) {
      std::string text = fmt::format("run {}", restart.run);
      if (restart.cost) text += fmt::format(", cost {:.8g}, least {:.8g}", *restart.cost, *restart.least);
      progress.begin_with(std::move(text));
    };
    fmi::put_off_release();
    result = api::run(request);
  }
  if (result.started) {
    outputs.draw(result.diagnostics);
    const std::string text = summary(arguments, outputs, result);
    const bool out_on_stdout = std::find(arguments.out.begin(), arguments.out.end(), "-") != arguments.out.end();
    const bool data_on_stdout = out_on_stdout || arguments.events == "-" || arguments.plot == "-";
    std::fwrite(text.data(), 1, text.size(), data_on_stdout ? stderr : stdout);
  }
  if (result.interrupted() && !arguments.json_diagnostics) {
    std::fprintf(stderr, "interrupted at t = %.10g; the results so far are kept\n", result.report.time);
  }
  add_unwritten_log(result.diagnostics);
  print_diagnostics(result.diagnostics, arguments.json_diagnostics);
  // Also within a script, and within a block whose function was interrupted, which is an error of the block.
  const bool stopped = (result.interrupted() && (!result.started || !result.failed())) ||
                       (result.report.end == sim::End::failed && end_requested().load());
  const int code = finish_output(stopped ? exit_interrupted : result.failed() ? exit_failed : exit_ok);
  fmi::release_all(code);
  return code;
}

}  // namespace orrery::cli
