// SPDX-License-Identifier: Apache-2.0
// Turns a recording and a ledger into files, charts and tables.
#include "api/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "io/csv.h"
#include "io/mtsf.h"
#include "io/number_text.h"
#include "io/text_table.h"
#include "program/print.h"

namespace orrery::api {
namespace {

const char* name_of(sim::Cause cause) {
  switch (cause) {
    case sim::Cause::initial: return "initial";
    case sim::Cause::clock: return "clock";
    case sim::Cause::programmed: return "programmed";
    case sim::Cause::crossing: return "crossing";
    case sim::Cause::mode: return "mode";
    case sim::Cause::step: return "step";
  }
  return "";
}

const char* name_of(sim::End end) {
  switch (end) {
    case sim::End::reached_stop: return "stop time reached";
    case sim::End::paused: return "paused";
    case sim::End::stopped: return "stopped by an End block";
    case sim::End::restart: return "restart asked for by an End block";
    case sim::End::interrupted: return "interrupted";
    case sim::End::failed: return "failed";
  }
  return "";
}

// "/Scope.speed" in the panel "/Scope" is "speed"; a watched block's only output is the panel itself.
std::string name_in_panel(const std::string& column, const std::string& title) {
  if (!column.starts_with(title)) return column;
  std::string rest = column.substr(title.size());
  if (rest.starts_with('.') || rest.starts_with(':')) rest.erase(0, 1);
  return rest;
}

io::CurveStyle style_of(const program::Probe& probe, const program::Program& program) {
  if (program.origins[probe.origin].type == "EventScope") return io::CurveStyle::events;  // it counts its events
  return probe.continuous ? io::CurveStyle::line : io::CurveStyle::stairs;
}

}  // namespace

namespace {

bool write_mtsf(const RunResult& result, io::OutputFile& file, Diagnostics& diagnostics) {
  using Variable = io::MtsfVariable;
  const sim::Recording& recording = result.recording;
  io::MtsfContent content;
  content.model = result.name;
  content.tool = "Orrery";
  content.algorithm = result.report.solver;
  content.start = result.options.start;
  content.stop = result.options.stop;
  content.relative_tolerance = result.options.tolerance.relative;
  for (std::size_t k = 0; k < recording.columns.size(); ++k) {
    const program::Probe& probe = result.program.probes[recording.columns[k].probe];
    const program::Scalar scalar = result.program.slots[probe.slot].type.scalar;
    Variable variable{recording.columns[k].name, {}, probe.unit, k};
    const bool gaps = recording.columns[k].first > 0;  // which only doubles can have
    const bool whole = !gaps && scalar != program::Scalar::f64 && scalar != program::Scalar::c128;
    if (whole && scalar != program::Scalar::u32) variable.type = Variable::Type::integer;  // u32 may be too large
    if (!gaps && scalar == program::Scalar::boolean) variable.type = Variable::Type::boolean;
    variable.causality = Variable::Causality::output;
    if (whole || !probe.continuous) variable.variability = Variable::Variability::discrete;
    content.variables.push_back(std::move(variable));
  }
  content.time = recording.time;
  content.numbers = recording.values;
  content.numbers_per_row = recording.columns.size();
  const auto bytes = io::mtsf_bytes(content, file.path(), diagnostics);
  if (bytes) file.write(*bytes);
  return bytes.has_value();
}

}  // namespace

bool write_recording(const RunResult& result, io::OutputFile& file, Diagnostics& diagnostics) {
  if (io::is_mtsf_name(file.path())) return write_mtsf(result, file, diagnostics);
  const sim::Recording& recording = result.recording;
  io::CsvWriter csv(file);
  std::vector<std::string> names;
  for (const sim::Column& column : recording.columns) names.push_back(column.name);
  csv.header(names);
  const std::size_t width = recording.columns.size();
  for (std::size_t row = 0; row < recording.rows(); ++row) {
    csv.number(recording.time[row]);
    for (std::size_t k = 0; k < width; ++k) {
      if (row < recording.columns[k].first) {
        csv.text("");
      } else {
        csv.number(recording.value(row, k));
      }
    }
    csv.end_row();
  }
  return true;
}

void write_ledger(const RunResult& result, io::OutputFile& file) {
  io::CsvWriter csv(file);
  csv.header({"cause", "block", "port", "left", "right", "restarted"});
  for (const sim::LedgerEntry& entry : result.ledger.entries) {
    const bool crosses = entry.cause == sim::Cause::crossing || entry.cause == sim::Cause::mode;
    csv.number(entry.time);
    csv.text(name_of(entry.cause));
    csv.text(entry.origin == 0 ? "" : result.program.origins[entry.origin].path);
    csv.number(entry.port);
    if (crosses) {
      csv.number(entry.left);
      csv.number(entry.right);
    } else {
      csv.text("");
      csv.text("");
    }
    csv.number(entry.restarted ? 1 : 0);
    csv.end_row();
  }
}

io::Chart chart_of(const RunResult& result) {
  const sim::Recording& recording = result.recording;
  io::Chart chart{result.name, {}};
  std::unordered_map<program::OriginId, std::size_t> panel_of;
  for (std::size_t k = 0; k < recording.columns.size(); ++k) {
    const program::Probe& probe = result.program.probes[recording.columns[k].probe];
    const auto [place, is_new] = panel_of.try_emplace(probe.origin, chart.panels.size());
    if (is_new) chart.panels.push_back({result.program.origins[probe.origin].path, {}});
    io::Panel& panel = chart.panels[place->second];
    io::Curve curve;
    curve.name = name_in_panel(recording.columns[k].name, panel.title);
    const std::size_t first = std::min(recording.columns[k].first, recording.rows());
    curve.time = recording.time.data() + first;
    curve.value = recording.values.data() + first * recording.columns.size() + k;
    curve.count = recording.rows() - first;
    curve.stride = recording.columns.size();
    curve.style = style_of(probe, result.program);
    curve.level = static_cast<int>(panel.curves.size()) + 1;
    panel.curves.push_back(std::move(curve));
  }
  return chart;
}

std::string value_table(const RunResult& result, std::size_t most_rows) {
  const sim::Recording& recording = result.recording;
  using io::Align;
  io::TextTable table{{"signal", "final", "min", "max"}, {Align::left, Align::right, Align::right, Align::right}, {}};
  const std::size_t shown = std::min(recording.columns.size(), most_rows);
  for (std::size_t k = 0; k < shown && recording.rows() > 0; ++k) {
    if (recording.columns[k].first >= recording.rows()) {  // never activated
      table.rows.push_back({recording.columns[k].name, "-", "-", "-"});
      continue;
    }
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t row = recording.columns[k].first; row < recording.rows(); ++row) {
      low = std::fmin(low, recording.value(row, k));
      high = std::fmax(high, recording.value(row, k));
    }
    const double last = recording.value(recording.rows() - 1, k);
    if (low > high) low = high = last;  // nothing but NaN
    table.rows.push_back(
        {recording.columns[k].name, io::short_number(last, 10), io::short_number(low), io::short_number(high)});
  }
  std::string text = io::to_text(table);
  if (shown < recording.columns.size()) {
    text += fmt::format("… and {} more; --out FILE.csv writes them all\n", recording.columns.size() - shown);
  }
  return text;
}

std::string loops_text(const RunResult& result) {
  const program::Program& program = result.program;
  std::string text;
  for (std::size_t k = 0; k < program.loops.size(); ++k) {
    const program::Loop& loop = program.loops[k];
    std::string path;
    for (program::OriginId block : loop.blocks) path += (path.empty() ? "" : " -> ") + program.origins[block].path;
    const std::string where = loop.source == program::Loop::continuous
                                  ? "continuous time"
                                  : fmt::format("the table of {}", program::name_of(program.sources[loop.source].kind));
    text += fmt::format("loop {} in {}: {}\n", k + 1, where, path);
    if (!loop.solution.empty()) {
      text += fmt::format("  {}\n", loop.solution);
      continue;
    }
    text += "  solved for";
    for (program::SlotId unknown : loop.unknowns) text += " " + program::slot_name(program, unknown);
    text += "\n";
    const sim::LoopStatistics statistics =
        k < result.report.loops.size() ? result.report.loops[k] : sim::LoopStatistics{};
    if (statistics.solutions > 0) {
      text += fmt::format("  {} solutions, {:.3g} iterations each, at most {}\n", statistics.solutions,
                          static_cast<double>(statistics.iterations) / static_cast<double>(statistics.solutions),
                          statistics.most_iterations);
    } else if (loop.source == program::Loop::continuous) {
      text += "  solved by the integrator, together with the states\n";
    }
  }
  return text.empty() ? "no algebraic loops\n" : text;
}

std::string statistics_text(const RunResult& result, double write_seconds) {
  const sim::Report& report = result.report;
  const solve::Statistics& solver = report.solver_statistics;
  io::TextTable table;
  const auto add = [&](const char* name, std::string value) { table.rows.push_back({name, std::move(value)}); };
  add("end", fmt::format("{} at t = {}", name_of(report.end), io::short_number(report.time, 12)));
  if (result.runs > 1) add("runs", fmt::format("{}", result.runs));
  const std::string reason = report.solver_reason.empty() ? "" : " (" + report.solver_reason + ")";
  add("solver", report.solver + reason);
  std::int64_t states = 0;
  for (const program::SlotId slot : result.program.states) states += result.program.slots[slot].type.size();
  add("states", fmt::format("{}", states));
  add("steps", fmt::format("{} accepted, {} rejected by the error, {} for other reasons", solver.steps,
                           solver.rejected_error, solver.rejected_other));
  add("evaluations", fmt::format("{} of the derivative, {} Jacobians, {} factorisations, {} Newton iterations",
                                 solver.evaluations, solver.jacobians, solver.linear_setups, solver.newton_iterations));
  if (solver.switches > 0) {
    add("methods", fmt::format("{} {}; {} of the steps by the method for stiff models", solver.switches,
                               solver.switches == 1 ? "change" : "changes", solver.stiff_steps));
  }
  if (report.newton_condition > 0) {
    add("condition",
        fmt::format("about {:.1e}, of Newton's matrix at the last step{}", report.newton_condition,
                    report.newton_condition > 1e12 ? ": states are badly scaled or nearly dependent" : ""));
  }
  add("limited by", report.limited_by.empty() ? "no state" : report.limited_by);
  if (!report.busiest_surfaces.empty()) add("crossings of", report.busiest_surfaces);
  add("events",
      fmt::format("{}, {} of them crossings; {} reprogrammed", report.events, report.crossings, report.reprogrammed));
  add("mode changes", fmt::format("{}", report.mode_changes));
  add("restarts", fmt::format("{} of the integrator after the first start", report.cold_restarts));
  add("points", fmt::format("{} mesh points, {} rows recorded", report.mesh_points, result.recording.rows()));
  add("native code", report.tier == native::Tier::second ? "second tier (C compiler)" : "first tier (in memory)");
  add("memory", fmt::format("{} bytes", report.memory_bytes));
  add("seconds",
      fmt::format("load {:.4f}, compile {:.4f}, native {:.4f}, solve {:.4f}, write {:.4f}", result.seconds.load,
                  result.seconds.compile, result.seconds.native, result.seconds.solve, write_seconds));
  return io::to_text(table);
}

}  // namespace orrery::api
