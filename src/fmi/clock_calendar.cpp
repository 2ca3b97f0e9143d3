// SPDX-License-Identifier: Apache-2.0
// Plans ticks.
#include "fmi/clock_calendar.h"

#include <algorithm>
#include <cmath>

#include "base/limits.h"
#include "fmi/caller.h"

namespace orrery::fmi {
namespace {}  // namespace

ClockCalendar::ClockCalendar(const Description& description, double start) {
  for (const Variable& variable : description.variables) {
    if (variable.type != Type::clock || variable.alias != Alias::none || !variable.clock) continue;
    if (variable.causality == Causality::output) outputs_.push_back(variable.reference);
    if (variable.causality != Causality::input) continue;
    const ClockInfo& info = *variable.clock;
    Clock clock{variable.reference,
                Plan::periodic,
                info.priority,
                infinity,
                start + info.shift.value_or(0),
                0,
                0,
                false,
                true,
                {}};
    if (info.interval_variability == "changing") clock.plan = Plan::changing;
    if (info.interval_variability == "countdown") clock.plan = Plan::countdown;
    if (info.interval_variability == "triggered") clock.plan = Plan::triggered;
    if (clock.plan == Plan::periodic && info.interval && *info.interval > 0) {
      clock.interval = *info.interval;
      clock.next = clock.origin;
      clock.asked = true;
    }
    if (clock.plan == Plan::changing) clock.next = infinity;
    clocks_.push_back(std::move(clock));
  }
  std::stable_sort(clocks_.begin(), clocks_.end(),
                   [](const Clock& a, const Clock& b) { return a.priority < b.priority; });
}

void ClockCalendar::set_ticks(ValueReference reference, std::vector<double> times) {
  for (Clock& clock : clocks_) {
    if (clock.reference != reference || clock.plan != Plan::triggered) continue;
    clock.times = std::move(times);
    clock.next = clock.times.empty() ? infinity : clock.times.front();
    return;
  }
}

void ClockCalendar::trigger(ValueReference reference, double t) {
  for (Clock& clock : clocks_) {
    if (clock.reference == reference && clock.plan == Plan::triggered) clock.next = std::min(clock.next, t);
  }
}

Status ClockCalendar::ask(Instance& instance, double t) {
  std::vector<ValueReference> references;
  std::vector<Clock*> askers;
  for (Clock& clock : clocks_) {
    const bool wanted = (clock.plan == Plan::periodic && !clock.asked) || clock.plan == Plan::countdown ||
                        (clock.plan == Plan::changing && clock.just_ticked);
    if (!wanted) continue;
    references.push_back(clock.reference);
    askers.push_back(&clock);
  }
  if (references.empty()) return Status::ok;
  std::vector<ClockInterval> intervals(references.size());
  const Status status = instance.get_intervals(references, intervals);
  if (!succeeded(status)) return status;
  for (std::size_t k = 0; k < askers.size(); ++k) {
    Clock& clock = *askers[k];
    const ClockInterval& interval = intervals[k];
    if (interval.known == ClockInterval::Known::not_yet || !std::isfinite(interval.seconds) || interval.seconds < 0) {
      continue;
    }
    const bool changed = interval.known == ClockInterval::Known::changed;
    if (clock.plan == Plan::periodic && interval.seconds > 0) {
      clock.interval = interval.seconds;
      clock.next = clock.origin;
      clock.asked = true;
    } else if (clock.plan == Plan::countdown && changed) {
      clock.next = t + interval.seconds;
    } else if (clock.plan == Plan::changing) {
      // The first interval counts from the shift, every other one from the last tick.
      if (changed || clock.interval == 0) clock.interval = interval.seconds;
      clock.next = clock.ticks == 0 ? clock.origin : clock.origin + clock.interval;
      clock.just_ticked = false;
    }
  }
  return status;
}

double ClockCalendar::next() const {
  double next = infinity;
  for (const Clock& clock : clocks_) next = std::min(next, clock.next);
  return next;
}

std::vector<ValueReference> ClockCalendar::take_due(double t, double rounding) {
  std::vector<ValueReference> due;
  for (Clock& clock : clocks_) {
    if (clock.next > t + rounding) continue;
    due.push_back(clock.reference);
    ++clock.ticks;
    switch (clock.plan) {
      case Plan::periodic: clock.next = clock.origin + static_cast<double>(clock.ticks) * clock.interval; break;
      case Plan::changing:
        clock.origin = clock.next;
        clock.next = infinity;
        clock.just_ticked = true;
        break;
      case Plan::countdown: clock.next = infinity; break;
      case Plan::triggered: {
        const auto later = std::upper_bound(clock.times.begin(), clock.times.end(), t + rounding);
        clock.next = later == clock.times.end() ? infinity : *later;
        break;
      }
    }
  }
  return due;
}

}  // namespace orrery::fmi
