// SPDX-License-Identifier: Apache-2.0
// Scheduled Execution: the partitions of all clocks that tick in an instant, the most important first (FMI 3.0: 5).
#include "foreign/scheduled_instance.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "fmi/caller.h"

namespace orrery::foreign {

using program::ForeignOutcome;
namespace calls = blocks::fmu_calls;

namespace {

constexpr int most_at_one_time = 10'000;

}  // namespace

ScheduledInstance::ScheduledInstance(std::shared_ptr<const FmuInterface> interface, const FmuSettings& settings,
                                     const program::ForeignRun& run)
    : FmuInstance(std::move(interface), settings, run),
      all_(interface_.inputs.size()),
      rounding_(16 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(run.start), std::fabs(run.stop))) {
  std::iota(all_.begin(), all_.end(), 0u);
}

bool ScheduledInstance::read_outputs(double t, std::span<double> results) {
  if (alone_) return results.empty() || fmi::succeeded(read_row(t, results.data()));
  std::size_t next = 0;
  for (std::size_t k = 0; k < interface_.outputs.size(); ++k) {
    if (!check(get_output(k, results.data() + next))) return false;
    next += static_cast<std::size_t>(interface_.outputs[k].type.size());
  }
  return true;
}

ForeignOutcome ScheduledInstance::open(std::span<double> initial) {
  ForeignOutcome outcome;
  outcome.ok = (alone_ || enter_initialisation()) && read_outputs(run_.start, initial);
  return outcome;
}

bool ScheduledInstance::ask_for_intervals(double t) {
  const Status status = clocks_.ask(*fmu_, t);
  if (fmi::succeeded(status) || status == Status::fatal) return check(status);
  if (!warned_) {
    warn("fmi-no-intervals",
         fmt::format("{} failed; clocks whose interval is not known do not tick", fmu_->last_call()));
  }
  return warned_ = true;
}

// Partitions may make others due at the same time.
bool ScheduledInstance::run_partitions(double t) {
  for (int count = 0; clocks_.next() <= t + rounding_; ++count) {
    if (count == most_at_one_time) {
      complain("fmi-no-progress", "clocks tick again and again at one time");
      return false;
    }
    for (const fmi::ValueReference clock : clocks_.take_due(t, rounding_)) {
      if (!check(fmu_->activate_partition(clock, t))) return false;
      static_cast<void>(fmu_->clocks_changed());  // asked for below in any case
      if (alone_) ++alone_->counts.time_events;
      if (!read_output_clocks()) return false;
    }
    if (!ask_for_intervals(t)) return false;
  }
  return true;
}

ForeignOutcome ScheduledInstance::perform(int procedure, double t, std::span<const double> arguments,
                                          std::span<double> results) {
  ForeignOutcome outcome;
  if (ended_) return outcome;
  if (procedure == calls::terminate) {
    outcome.ok = check(fmu_->terminate());
    ended_ = true;
    return outcome;
  }
  note_ticks(t, arguments.data() + arguments.size() - interface_.input_clocks.size());
  outcome.ok = check(set_inputs(all_, split_inputs(arguments.data() + 1).data()));
  if (procedure == calls::start) {
    fmi::EventInfo events;
    outcome.ok = outcome.ok && (alone_ || leave_initialisation(events)) && ask_for_intervals(t);
  } else {
    // Events run within rounding of their time; a partition must see no less than that.
    const double tick = clocks_.next();
    const bool jumps = alone_ && alone_->inputs.next_jump(jumped_) <= t + rounding_;
    if (jumps) outcome.ok = outcome.ok && set_event_inputs(t);
    outcome.ok =
        outcome.ok && run_partitions(procedure == calls::time_event && tick <= t + rounding_ ? std::max(t, tick) : t);
  }
  outcome.ok = outcome.ok && read_outputs(t, results);
  outcome.changed = true;
  outcome.fired = take_fired();
  outcome.wake = clocks_.next();
  if (alone_) outcome.wake = std::min(outcome.wake, alone_->inputs.next_jump(jumped_ = t + rounding_));
  const auto why = procedure == calls::time_event       ? FmuResults::Why::time_event
                   : procedure == calls::external_event ? FmuResults::Why::external_event
                                                        : FmuResults::Why::step;
  outcome.ok = outcome.ok && store(why, t);
  return outcome;
}

}  // namespace orrery::foreign
