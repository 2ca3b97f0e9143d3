// SPDX-License-Identifier: Apache-2.0
// The table of an event: its function, what it programs, calls and tells.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "program/message.h"
#include "program/pause.h"
#include "sim/events.h"

namespace orrery::sim {

// What an event reads is as it stands: where an earlier event of this instant has changed what modes depend on, it is
// run with the modes that are right by now, and those of before are put back for the end of the instant.
Flow Events::run_table(std::uint32_t source) {
  const TableCode& table = run_.machine.table(source);
  if (!run_.modes_moved || !(table.reads_modes || table.reads_sampled)) {
    if (table.reads_sampled) {
      seat_.freshen();
      trial_.sample_conditions(source);
    }
    return run_table_now(source);
  }
  seat_.freshen();
  modes_.find_for_now();
  if (table.reads_sampled) trial_.sample_conditions(source);
  const Flow flow = run_table_now(source);
  modes_.put_back();
  return flow;
}

Flow Events::run_table_now(std::uint32_t source) {
  const TableCode& table = run_.machine.table(source);
  for (long repeats = 0;; ++repeats) {
    if (!model_.settle(table.loops, run_.t, run_.states())) return Flow::failed;
    model_.trouble().clear(run_.memory.data());
    run_.machine.table_function(source)(run_.t, run_.states(), run_.results.data(), run_.memory.data(), run_.tick);
    if (model_.trouble().look(run_.memory.data(), run_.t)) return model_.report_foreign_failure();
    if (table.quiet) return Flow::on;
    if (!program_events(source)) return Flow::failed;
    bool repeat = false;
    const Flow called = run_calls(source);
    if (called != Flow::on) return called;
    const Flow flow = run_actions(source, repeat);
    if (flow != Flow::on || !repeat) return flow;
    if (repeats > run_.options.zero_delay_limit) {
      run_.diagnostics
          .error("endless-repetition", run_.place_of(run_.program.sources[source].origin),
                 fmt::format("RepeatActivation repeated this event {} times in one instant", repeats),
                 "check the condition that ends the repetition")
          .time = run_.t;
      return Flow::failed;
    }
  }
}

bool Events::program_events(std::uint32_t source) {
  const auto& schedules = run_.program.sources[source].table.schedules;
  const std::uint64_t first = queue_.programmed();
  for (std::size_t k = 0; k < schedules.size(); ++k) {
    if (run_.results[2 * k] == 0) continue;
    const double delay = run_.results[2 * k + 1];
    const std::uint32_t target = schedules[k].source;
    if (std::isnan(delay)) {
      run_.diagnostics
          .error("nan-delay", run_.place_of(schedules[k].origin), "the delay of a programmed event is not a number",
                 "look for a division by zero or a wrong parameter in what the delay depends on")
          .time = run_.t;
      return false;
    }
    const bool queued = run_.program.sources[target].queued;
    // Several rules of one event may agree, as when several elements of a signal cross zero at once.
    if (!queued && queue_.is_programmed(target, run_.t + delay, first)) continue;
    const bool never = delay < 0 || std::isinf(delay);
    if (!queued && queue_.is_pending(target)) {
      ++run_.report.reprogrammed;
      warn_reprogrammed(target, never);
    }
    if (!never) {
      queue_.program(target, run_.t + delay);
    } else if (!queued) {
      queue_.cancel(target);
    }
  }
  return true;
}

Flow Events::run_actions(std::uint32_t source, bool& repeat) {
  const program::Table& table = run_.program.sources[source].table;
  Flow flow = Flow::on;
  const double* next = run_.results.data() + 2 * table.schedules.size();
  for (const program::Action& action : table.actions) {
    const bool happens = *next++ != 0;
    const std::span<const double> values(next, action.values.size());
    next += values.size();
    if (!happens) continue;
    switch (action.kind) {
      case program::ActionKind::stop:
        flow = Flow::stop;
        if (!action.text.empty()) tell(action, values);
        break;
      case program::ActionKind::restart: flow = Flow::restart_run; break;
      case program::ActionKind::repeat: repeat = true; break;
      case program::ActionKind::fail:
        run_.diagnostics.error("stopped-by-model", run_.place_of(action.origin), program::fill_in(action.text, values))
            .time = run_.t;
        return Flow::failed;
      case program::ActionKind::warn:
        run_.diagnostics.warning("model-warning", run_.place_of(action.origin), program::fill_in(action.text, values))
            .time = run_.t;
        break;
      case program::ActionKind::note:
        tell(action, values);
        if (asks_for_pause(action)) pause_asked_ = run_.restart_needed = true;  // in this instant, not after the step
        break;
      case program::ActionKind::record: break;  // rows are taken around the table
    }
  }
  return flow;
}

// Foreign procedures, in order. What they change disturbs continuous time, and they may ask to be called again.
Flow Events::run_calls(std::uint32_t source) {
  const program::Table& table = run_.program.sources[source].table;
  const double* next = run_.results.data() + 2 * table.schedules.size() + table.actions.size();
  for (const program::Action& action : table.actions) next += action.values.size();
  Flow flow = Flow::on;
  for (const program::Call& call : table.calls) {
    const bool made = *next++ != 0;
    const double* arguments = next;
    for (program::ExprId argument : call.arguments) next += run_.program.graph.type(argument).size();
    if (!made) continue;
    const auto outcome = model_.foreign().perform(call, run_.t, arguments, run_.machine.layout(), run_.memory.data());
    if (!outcome.ok) return model_.report_foreign_failure();
    if (outcome.changed) run_.restart_needed = true;
    if (!outcome.nominals.empty()) seat_.take_nominals(call, outcome.nominals);
    for (const std::uint32_t k : outcome.fired) queue_.program(call.fires[k], run_.t);
    if (outcome.stop && call.end == program::no_source) flow = Flow::stop;
    if (outcome.stop && call.end != program::no_source) queue_.program(call.end, run_.t);
    if (!outcome.changed || call.wake == program::no_source) continue;
    if (std::isfinite(outcome.wake)) {
      queue_.program(call.wake, std::max(run_.t, outcome.wake));
    } else {
      queue_.cancel(call.wake);
    }
  }
  return flow;
}

void Events::tell(const program::Action& action, std::span<const double> values) {
  Diagnostic said;
  said.severity = Severity::note;
  said.code = action.kind == program::ActionKind::note && action.probe != 0 ? "model-pause" : "model-message";
  said.place = run_.place_of(action.origin);
  said.message = program::fill_in(action.text, values);
  said.time = run_.t;
  run_.diagnostics.add(std::move(said));
}

void Events::warn_reprogrammed(std::uint32_t source, bool cancelled) {
  if (!warned_.insert(source).second) return;
  Place place = run_.place_of(run_.program.sources[source].origin);
  place.port = fmt::format("activation output {}", run_.program.sources[source].port);
  run_.diagnostics
      .warning(cancelled ? "event-cancelled" : "event-reprogrammed", place,
               cancelled ? "a pending event was cancelled by a negative or infinite delay"
                         : "an event was programmed again before it fired; the earlier one is lost",
               "use an EventDelayedChannel to keep every event (said once for this output)")
      .time = run_.t;
}

void Events::report_cycle() {
  std::vector<std::uint32_t> cycle = recent_sources_;
  std::sort(cycle.begin(), cycle.end());
  cycle.erase(std::unique(cycle.begin(), cycle.end()), cycle.end());
  const Place place = run_.place_of(cycle.empty() ? 0 : run_.program.sources[cycle[0]].origin);
  const auto crosses = [this](std::uint32_t source) {
    return run_.program.sources[source].kind == program::SourceKind::crossing;
  };
  const bool jumps = std::any_of(cycle.begin(), cycle.end(), crosses);
  auto& d = jumps ? run_.diagnostics.error(
                        "jump-cycle", place,
                        fmt::format("{} events in one instant: what a crossing changes leads to a crossing again, so "
                                    "that time cannot go on",
                                    run_.options.zero_delay_limit),
                        "leave a gap between the conditions that lead to each other (hysteresis), or model what "
                        "happens between them, motion along the surface for example, as a mode of its own")
                  : run_.diagnostics.error("zero-delay-cycle", place,
                                           fmt::format("{} events in one instant: events keep programming each other "
                                                       "without delay, or with one too short to move the time",
                                                       run_.options.zero_delay_limit),
                                           "give one of the blocks a positive delay");
  d.time = run_.t;
  for (std::uint32_t source : cycle) {
    const std::string& path = run_.program.origins[run_.program.sources[source].origin].path;
    d.notes.push_back(crosses(source)
                          ? fmt::format("{} (crossing)", path)
                          : fmt::format("{} activation output {}", path, run_.program.sources[source].port));
  }
}

void Events::report_not_finite(std::uint32_t source) {
  const double* x = run_.states();
  for (std::size_t k = 0; k < run_.machine.state_count(); ++k) {
    if (std::isfinite(x[k])) continue;
    run_.diagnostics
        .error("nan-state", run_.place_of(run_.program.sources[source].origin),
               fmt::format("this event sets the state {} to {}", run_.state_name(static_cast<int>(k)),
                           std::isnan(x[k]) ? std::fabs(x[k]) : x[k]),
               "look for a division by zero in the value it jumps to")
        .time = run_.t;
    return;
  }
}

}  // namespace orrery::sim
