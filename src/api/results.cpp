// SPDX-License-Identifier: Apache-2.0
// Tables for people.
#include "api/results.h"

#include <fmt/format.h>

#include "api/picture_sink.h"
#include "io/number_text.h"
#include "io/text_table.h"
#include "program/print.h"

namespace orrery::api {
namespace {

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

}  // namespace

std::string value_table(const RunResult& result, std::size_t most_rows) {
  const sim::Recording& recording = result.recording;
  ValueSummary summary;
  static_cast<void>(summary.begin({result.program(), result.options, recording.columns}));
  static_cast<void>(
      summary.rows({recording.columns, 0, recording.time, recording.phase, recording.values.data(), true}));
  return summary.table(most_rows);
}

std::string loops_text(const RunResult& result) {
  const program::Program& program = result.program();
  std::string text;
  for (std::size_t k = 0; k < program.loops.size(); ++k) {
    const program::Loop& loop = program.loops[k];
    if (loop.source == program::Loop::start) continue;
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
      if (!loop.modes.empty()) {
        text +=
            fmt::format("  {} conditions of its own, searched for {} times\n", loop.modes.size(), statistics.searches);
      }
    } else if (loop.source == program::Loop::continuous) {
      text += "  solved by the integrator, together with the states\n";
    }
  }
  return text.empty() ? "no algebraic loops\n" : text;
}

std::string start_text(const RunResult& result) {
  const sim::StartReport& start = result.report.start;
  if (start.blocks.empty() && start.given.empty()) return "no initial equations: all start values are given\n";
  std::string text;
  if (start.continued) text += "continued from a simpler problem (homotopy)\n";
  for (std::size_t k = 0; k < start.blocks.size(); ++k) {
    const sim::StartReport::Block& block = start.blocks[k];
    text +=
        fmt::format("block {} of the start: {} iterations, residual {:.3g}\n", k + 1, block.iterations, block.residual);
    for (std::size_t u = 0; u < block.names.size(); ++u) {
      text += fmt::format("  {} = {} (from {})\n", block.names[u], io::short_number(block.values[u], 12),
                          io::short_number(block.guesses[u], 12));
    }
  }
  for (const std::string& name : start.given) text += fmt::format("kept its start value: {}\n", name);
  return text;
}

std::string statistics_text(const RunResult& result) {
  const sim::Report& report = result.report;
  const solve::Statistics& solver = report.solver_statistics;
  io::TextTable table;
  const auto add = [&](const char* name, std::string value) { table.rows.push_back({name, std::move(value)}); };
  add("end", fmt::format("{} at t = {}", name_of(report.end), io::short_number(report.time, 12)));
  if (result.runs > 1)
    add("runs", fmt::format("{}, {} of them with the machine code of an earlier one", result.runs, result.same_code));
  const std::string reason = report.solver_reason.empty() ? "" : " (" + report.solver_reason + ")";
  add("solver", report.solver + reason);
  std::int64_t states = 0;
  for (const program::SlotId slot : result.program().states) states += result.program().slots[slot].type.size();
  add("states", fmt::format("{}", states));
  add("steps", fmt::format("{} accepted, {} rejected by the error, {} for other reasons", solver.steps,
                           solver.rejected_error, solver.rejected_other));
  add("evaluations", fmt::format("{} of the derivative, {} Jacobians, {} factorisations, {} Newton iterations",
                                 solver.evaluations, solver.jacobians, solver.linear_setups, solver.newton_iterations));
  if (solver.switches > 0) {
    add("methods", fmt::format("{} {}; {} of the steps by the method for stiff models", solver.switches,
                               solver.switches == 1 ? "change" : "changes", solver.stiff_steps));
  }
  if (solver.starter_steps > 0)
    add("starter", fmt::format("{} of the steps by a one-step method, after events", solver.starter_steps));
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
  add("points", fmt::format("{} mesh points, {} rows recorded", report.mesh_points, report.rows));
  add("native code", report.tier == native::Tier::second ? "second tier (C compiler)" : "first tier (in memory)");
  add("memory", fmt::format("{} bytes", report.memory_bytes));
  add("seconds",
      fmt::format("load {:.4f}, compile {:.4f}, native {:.4f}, solve {:.4f}, write {:.4f}", result.seconds.load,
                  result.seconds.compile, result.seconds.native, result.seconds.solve, result.seconds.write));
  return io::to_text(table);
}

}  // namespace orrery::api
