// SPDX-License-Identifier: Apache-2.0
// `orrery run X.fmu`, `orrery fmu info`, `orrery fmu check`, `orrery fmu replay`.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <functional>
#include <limits>
#include <utility>

#include "api/fmu_run.h"
#include "api/fmu_settings.h"
#include "base/printable.h"
#include "base/signals.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "fmi/check.h"
#include "fmi/described_column.h"
#include "fmi/guard.h"
#include "fmi/info.h"
#include "fmi/reference_options.h"
#include "fmi/replay.h"
#include "io/csv.h"
#include "io/mtsf.h"
#include "io/number_text.h"
#include "io/svg_plot.h"
#include "io/terminal_plot.h"
#include "io/text_table.h"

namespace orrery::cli {
namespace {

// An FMU has one file of results at most.
std::string out_path(const Arguments& arguments) { return arguments.out.empty() ? "" : arguments.out.front(); }

void take_number(const char* option, const std::string& text, std::optional<double>& target, Diagnostics& diagnostics) {
  if (text.empty()) return;
  target = io::parse_number(text);
  if (!target) {
    diagnostics.error("fmi-bad-option", {}, fmt::format("{} {}: for an FMU this is a number", option, text));
  }
}

// Names such as "A[1,2]" were cut at their commas.
std::vector<std::string> joined_names(const std::vector<std::string>& pieces) {
  std::vector<std::string> names;
  int open = 0;
  for (const std::string& piece : pieces) {
    if (open > 0) {
      names.back() += "," + piece;
    } else {
      names.push_back(piece);
    }
    for (const char c : piece) open += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
    open = std::max(open, 0);
  }
  return names;
}

fmi::RunOptions options_of(const Arguments& arguments, Diagnostics& diagnostics) {
  fmi::RunOptions options;
  const FmuArguments& fmu = arguments.fmu;
  options.kind = fmi::kind_named(fmu.kind);
  options.input = fmu.input;
  options.input_point = fmi::input_point_named(fmu.input_point).value_or(fmi::InputPoint::begin);
  options.log = fmu.log;
  options.log_least = fmi::least_of_level(fmu.log_level);
  options.log_categories = fmu.log_categories;
  if (fmu.log.empty() && (!fmu.log_level.empty() || !fmu.log_categories.empty())) {
    diagnostics.error("fmi-bad-option", {}, "--log-level and --log-categories need a log", "add --log FILE");
  }
  options.set = fmu.set;
  options.safe = fmu.safe;
  options.tell_stop = fmu.tell_stop;
  options.record = fmu.record;
  options.variables = joined_names(arguments.request.signals);
  options.variables.insert(options.variables.end(), fmu.variables.begin(), fmu.variables.end());
  take_number("--time-limit", fmu.time_limit, options.time_limit, diagnostics);
  std::optional<double> megabytes;
  take_number("--memory-limit", fmu.memory_limit, megabytes, diagnostics);
  if (megabytes) options.memory_limit = static_cast<std::uint64_t>(std::clamp(*megabytes, 0.0, 1e12) * 1048576);
  if (!fmu.safe && (options.time_limit || megabytes)) {
    diagnostics.error("fmi-bad-option", {}, "--time-limit and --memory-limit need a process of its own", "add --safe");
  }
  api::take_fmu_settings(arguments.request.settings, options, diagnostics);
  if (arguments.request.interval > 0) options.interval = arguments.request.interval;
  if (!arguments.events.empty()) {
    diagnostics.error("fmi-bad-option", {}, "--events: there is no event ledger of an FMU",
                      "the rows of --out hold both sides of every event");
  }
  // 0 means "as the FMU says", as in the files of several tools.
  if (options.time_limit && *options.time_limit == 0) options.time_limit.reset();
  if (options.time_limit && !(*options.time_limit > 0))
    diagnostics.error("fmi-bad-option", {}, "--time-limit is greater than 0");
  return options;
}

// The cell of a column in a row, digit by digit.
std::string cell_text(const api::FmuRecording& recording, std::size_t row, const api::FmuRecording::Column& column) {
  const std::size_t texts = row * recording.texts_per_row;
  if (column.is_text) return recording.texts[texts + column.place];
  if (column.exact != fmi::no_index) return recording.texts[texts + column.exact];
  return io::number_text(recording.number(row, column.place));
}

// With all elements of an array in one cell. They stand side by side in the recording.
void write_array_cells(const api::FmuRecording& recording, io::OutputFile& file) {
  io::CsvWriter csv(file);
  const auto goes_on = [&](std::size_t k) {
    const auto& columns = recording.columns;
    return k > 0 && !columns[k].array.empty() && columns[k].array == columns[k - 1].array;
  };
  std::vector<std::string> names;
  for (std::size_t k = 0; k < recording.columns.size(); ++k) {
    const auto& column = recording.columns[k];
    if (!goes_on(k)) names.push_back(column.array.empty() ? column.name : column.array);
  }
  csv.header(names);
  for (std::size_t row = 0; row < recording.rows(); ++row) {
    csv.number(recording.time[row]);
    std::string cell;
    for (std::size_t k = 0; k < recording.columns.size(); ++k) {
      if (k > 0 && !goes_on(k)) csv.text(std::exchange(cell, {}));
      cell += (goes_on(k) ? " " : "") + cell_text(recording, row, recording.columns[k]);
    }
    if (!recording.columns.empty()) csv.text(cell);
    csv.end_row();
  }
}

void write_csv(const api::FmuRecording& recording, io::OutputFile& file) {
  io::CsvWriter csv(file);
  std::vector<std::string> names;
  for (const auto& column : recording.columns) names.push_back(column.name);
  csv.header(names);
  for (std::size_t row = 0; row < recording.rows(); ++row) {
    if (recording.texts_per_row == 0) {
      csv.row(recording.time[row],
              {recording.numbers.data() + row * recording.numbers_per_row, recording.numbers_per_row});
      continue;
    }
    csv.number(recording.time[row]);
    for (const auto& column : recording.columns) csv.text(cell_text(recording, row, column));
    csv.end_row();
  }
}

io::Panel panel_of(const api::FmuRunResult& result, std::size_t most) {
  const api::FmuRecording& recording = result.recording;
  io::Panel panel{result.description.model_name, {}};
  for (const auto& column : recording.columns) {
    if (column.is_text || panel.curves.size() == most) continue;
    io::Curve curve;
    curve.name = column.name;
    curve.time = recording.time.data();
    curve.value = recording.numbers.data() + column.place;
    curve.count = recording.rows();
    curve.stride = recording.numbers_per_row;
    curve.style = column.continuous ? io::CurveStyle::line : io::CurveStyle::stairs;
    panel.curves.push_back(std::move(curve));
  }
  return panel;
}

std::string value_table(const api::FmuRecording& recording) {
  using io::Align;
  io::TextTable table{{"variable", "final", "min", "max"}, {Align::left, Align::right, Align::right, Align::right}, {}};
  for (const auto& column : recording.columns) {
    if (table.rows.size() == most_table_rows) break;
    if (column.is_text) {
      table.rows.push_back(
          {column.name, recording.texts[(recording.rows() - 1) * recording.texts_per_row + column.place], "", ""});
      continue;
    }
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t row = 0; row < recording.rows(); ++row) {
      low = std::min(low, recording.number(row, column.place));
      high = std::max(high, recording.number(row, column.place));
    }
    table.rows.push_back({column.name, io::short_number(recording.number(recording.rows() - 1, column.place), 10),
                          io::short_number(low), io::short_number(high)});
  }
  std::string text = io::to_text(table);
  if (table.rows.size() < recording.columns.size()) {
    text +=
        fmt::format("… and {} more; --out FILE.csv writes them all\n", recording.columns.size() - table.rows.size());
  }
  return text;
}

std::string statistics_text(const api::FmuRunResult& result) {
  io::TextTable table;
  const auto add = [&](const char* name, std::string value) { table.rows.push_back({name, std::move(value)}); };
  static constexpr const char* ends[] = {"stop time reached", "ended by the FMU", "interrupted", "failed"};
  add("end", fmt::format("{} at t = {}", ends[static_cast<int>(result.end)], io::short_number(result.time, 12)));
  add("interface", fmt::format("{}, {}", fmi::name_of(result.description.version), fmi::name_of(result.kind)));
  if (result.kind == fmi::Kind::model_exchange) {
    const solve::Statistics& solver = result.statistics;
    add("solver", result.solver_reason.empty() || result.states == 0
                      ? result.solver
                      : fmt::format("{} ({})", result.solver, result.solver_reason));
    add("states", fmt::format("{}, {} event indicators", result.states, result.indicators));
    add("steps", fmt::format("{} accepted, {} rejected by the error, {} for other reasons", solver.steps,
                             solver.rejected_error, solver.rejected_other));
    add("evaluations", fmt::format("{} of the derivative, {} Jacobians", solver.evaluations, solver.jacobians));
  } else if (result.kind == fmi::Kind::co_simulation) {
    add("steps", fmt::format("{} of {}", result.counts.communication_steps, io::short_number(result.step)));
  } else {
    add("ticks",
        fmt::format("{} of input clocks, {} of output clocks", result.counts.time_events, result.counts.output_ticks));
  }
  add("events", fmt::format("{} state, {} time, {} step, {} input", result.counts.state_events,
                            result.counts.time_events, result.counts.step_events, result.counts.input_events));
  add("rows", fmt::format("{}", result.recording.rows()));
  add("seconds", fmt::format("load {:.4f}, run {:.4f}", result.load_seconds, result.run_seconds));
  return io::to_text(table);
}

// The description of an FMU, for the commands that only look.
template <class Use>
int with_description(const Arguments& arguments, Use&& use) {
  Diagnostics diagnostics;
  const auto archive = fmi::Archive::open(arguments.request.file, diagnostics);
  const auto xml = archive ? archive->read("modelDescription.xml", diagnostics) : std::nullopt;
  const auto description = xml ? fmi::read_description(*xml, arguments.request.file, diagnostics) : std::nullopt;
  if (description) use(*description, *archive);
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  return diagnostics.has_errors() ? exit_failed : exit_ok;
}

bool write_mtsf(const api::FmuRunResult& result, io::OutputFile& file, Diagnostics& diagnostics) {
  const api::FmuRecording& recording = result.recording;
  io::MtsfContent content;
  content.model = result.description.model_name;
  content.tool = "Orrery";
  content.algorithm = result.solver;
  content.start = result.start;
  content.stop = result.stop;
  content.relative_tolerance = result.rtol.value_or(0);
  for (const auto& column : recording.columns) {
    content.variables.push_back(fmi::described_column(result.description, column.name, column.place));
  }
  content.numbers_per_row = recording.numbers_per_row;
  content.texts_per_row = recording.texts_per_row;
  content.time = recording.time;
  content.numbers = recording.numbers;
  content.texts = recording.texts;
  const auto bytes = io::mtsf_bytes(content, file.path(), diagnostics);
  if (bytes) file.write(*bytes);
  return bytes.has_value();
}

bool write_outputs(const api::FmuRunResult& result, bool array_cells, std::optional<io::OutputFile>& out,
                   std::optional<io::OutputFile>& plot, Diagnostics& diagnostics) {
  bool ok = true;
  if (out) {
    const bool written = !io::is_mtsf_name(out->path()) || write_mtsf(result, *out, diagnostics);
    if (!io::is_mtsf_name(out->path())) {
      array_cells ? write_array_cells(result.recording, *out) : write_csv(result.recording, *out);
    }
    ok &= written && out->commit(diagnostics);
  }
  if (plot) {
    plot->write(io::svg_plot({result.description.model_name, {panel_of(result, 1000)}}));
    ok &= plot->commit(diagnostics);
  }
  return ok;
}

std::string summary(const Arguments& arguments, const api::FmuRunResult& result, bool written) {
  std::string text;
  const api::FmuRecording& recording = result.recording;
  if (!arguments.quiet && arguments.out.empty() && recording.rows() > 0 && !recording.columns.empty()) {
    const Terminal terminal = standard_output();
    text += printable(value_table(recording));
    const io::Panel panel = panel_of(result, most_curves);
    if (!panel.curves.empty()) text += "\n" + io::terminal_plot(panel, {terminal.unicode, terminal.colour, 60, 12});
  }
  if (!arguments.quiet && written && !arguments.out.empty()) {
    text +=
        fmt::format("{}: {} rows of {} variables\n", out_path(arguments), recording.rows(), recording.columns.size());
  }
  if (!arguments.quiet && written && !arguments.plot.empty()) text += fmt::format("{}: the plot\n", arguments.plot);
  if (arguments.statistics) text += (text.empty() ? "" : "\n") + printable(statistics_text(result));
  return text;
}

}  // namespace

namespace {

// FMUs print on standard output; while results go there, their words go to standard error.
class QuietStandardOutput {
 public:
  explicit QuietStandardOutput(bool needed) {
    if (!needed) return;
    std::fflush(stdout);
    kept_ = dup(STDOUT_FILENO);
    if (kept_ >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~QuietStandardOutput() {
    if (kept_ < 0) return;
    std::fflush(stdout);
    dup2(kept_, STDOUT_FILENO);
    close(kept_);
  }
  QuietStandardOutput(const QuietStandardOutput&) = delete;
  QuietStandardOutput& operator=(const QuietStandardOutput&) = delete;

 private:
  int kept_ = -1;
};

void report_end(const Arguments& arguments, const api::FmuRunResult& result) {
  if (!arguments.quiet && result.end == api::FmuEnd::terminated && !arguments.json_diagnostics) {
    std::fprintf(stderr, "the FMU ended the run at t = %.10g\n", result.time);
  }
  if (result.end == api::FmuEnd::interrupted && !arguments.json_diagnostics) {
    std::fprintf(stderr, "interrupted at t = %.10g; the results so far are kept\n", result.time);
  }
  print_diagnostics(result.diagnostics, arguments.json_diagnostics);
}

// Opens the outputs first, so that a long run is not made for nothing; then runs, and writes and reports before the FMU
// is released.
int run_and_report(const Arguments& arguments, Diagnostics& opening,
                   const std::function<api::FmuRunResult(const api::FmuFinished&)>& run) {
  std::optional<io::OutputFile> out, plot;
  const auto open = [&](const std::string& path, std::optional<io::OutputFile>& file) {
    if (path.empty() || !io::can_be_written(path, opening)) return;
    if (auto opened = io::OutputFile::open(path, opening)) file.emplace(std::move(*opened));
    if (file) file->disarm_formulas(arguments.spreadsheet_safe);
  };
  if (!opening.has_errors()) {
    open(out_path(arguments), out);
    open(arguments.plot, plot);
  }
  if (opening.has_errors()) {
    print_diagnostics(opening, arguments.json_diagnostics);
    return exit_failed;
  }
  fmi::expect_end(-1);
  const bool data_on_stdout = out_path(arguments) == "-" || arguments.plot == "-";
  std::optional<QuietStandardOutput> quiet(std::in_place, data_on_stdout);
  bool reported = false;
  int code = exit_failed;
  const auto report = [&](api::FmuRunResult& result) {
    quiet.reset();
    reported = true;
    if (result.started) {
      const bool written = write_outputs(result, arguments.fmu.array_cells, out, plot, result.diagnostics);
      const std::string text = summary(arguments, result, written);
      add_unwritten_log(result.diagnostics);
      std::fwrite(text.data(), 1, text.size(), data_on_stdout ? stderr : stdout);
      std::fflush(stdout);
    }
    report_end(arguments, result);
    if (!result.failed()) code = finish_output(result.end == api::FmuEnd::interrupted ? exit_interrupted : exit_ok);
    // What the FMU does from here on changes nothing.
    fmi::expect_end(code);
    quiet.emplace(data_on_stdout);
  };
  api::FmuRunResult result = run(report);
  if (!reported) report(result);
  return code;
}

}  // namespace

int run_fmu_command(const Arguments& arguments) {
  const EndWatch watch;
  Diagnostics opening;
  fmi::RunOptions options = options_of(arguments, opening);
  const std::string taken = fmi::take_reference_options(arguments.request.file, options);
  if (!taken.empty() && !arguments.quiet && !arguments.json_diagnostics) {
    fmt::print(stderr, "from the files beside the FMU (_ref.opt, _in.csv): {}\n", taken);
  }
  return run_and_report(arguments, opening, [&](const api::FmuFinished& finished) {
    ProgressLine progress(!arguments.quiet && !arguments.json_diagnostics);
    options.interrupt = &end_requested();
    options.progress = [&progress](double share, double t) { progress.show(share, t); };
    return api::run_fmu(arguments.request.file, options, [&](api::FmuRunResult& result) {
      progress.clear();
      finished(result);
    });
  });
}

int fmu_replay_command(const Arguments& arguments) {
  const FmuArguments& fmu = arguments.fmu;
  if (fmu.print) {
    const Diagnostics diagnostics = fmi::print_calls(arguments.request.file, print);
    print_diagnostics(diagnostics, arguments.json_diagnostics);
    return diagnostics.has_errors() ? exit_failed : exit_ok;
  }
  Diagnostics opening;
  if (fmu.other.empty()) {
    return run_and_report(arguments, opening,
                          [&](const api::FmuFinished&) { return api::replay_fmu(arguments.request.file); });
  }
  fmi::CompareOptions options;
  options.safe = fmu.safe;
  std::optional<double> tolerance;
  take_number("--tol", fmu.tolerance, tolerance, opening);
  options.tolerance = tolerance.value_or(options.tolerance);
  if (opening.has_errors()) {
    print_diagnostics(opening, arguments.json_diagnostics);
    return exit_failed;
  }
  const fmi::Comparison result = fmi::compare_with(arguments.request.file, fmu.other, options);
  print_diagnostics(result.diagnostics, arguments.json_diagnostics);
  if (result.calls > 0 && !arguments.json_diagnostics) {
    print(fmt::format("{} calls, {} with other answers\n", result.calls, result.differing));
  }
  return result.diagnostics.has_errors() ? exit_failed : exit_ok;
}

int fmu_info_command(const Arguments& arguments) {
  return with_description(arguments, [&](const fmi::Description& description, const fmi::Archive& archive) {
    print(arguments.json ? fmi::info_json(description, archive) : fmi::info_text(description, archive));
  });
}

int fmu_check_command(const Arguments& arguments) {
  const Diagnostics diagnostics = fmi::check_fmu(arguments.request.file, arguments.fmu.run);
  print_diagnostics(diagnostics, arguments.json_diagnostics);
  if (diagnostics.all().empty() && !arguments.json_diagnostics)
    print(arguments.request.file + ": no violations found\n");
  return diagnostics.has_errors() ? exit_failed : exit_ok;
}

}  // namespace orrery::cli
