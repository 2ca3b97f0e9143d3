// SPDX-License-Identifier: Apache-2.0
// What is to happen and when: the events that were programmed, and the next tick of every clock domain.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/calendar.h"
#include "sim/recording.h"
#include "sim/run_context.h"

namespace orrery::sim {

// Tick k of a domain happens at start + (first + k * step) / denominator. From whole numbers, never by adding up, so
// that clocks do not drift (Activate, 1.4.2).
struct TickScale {
  double start, first, step, denominator;
  std::int64_t stride;  // from one tick to the next where one clock ticks whenever any does, else 0
  double time(std::int64_t tick) const { return start + (first + static_cast<double>(tick) * step) / denominator; }
  double interval() const { return step / denominator; }
};

// Two calendars: of critical sources, at whose events the integrator stops, and of the others, which happen on the
// dense output. Events of one instant run in the order in which they were programmed, whatever calendar they are in.
class EventQueue {
 public:
  explicit EventQueue(RunContext& run);

  // Infinity when there is none.
  double next_time() const { return std::min(critical_.next().time, other_.next().time); }
  double next_critical() const { return critical_.next().time; }
  double next_other() const { return other_.next().time; }
  // The time of an instant at which an event is due at t: that of a tick, if one is as good as simultaneous.
  double instant_at(double t) const {
    for (const double tick : tick_times_) {
      if (tick > t && tick <= t + run_.time_tolerance) return tick;
    }
    return t;
  }

  // The first tick of every clock, when the run begins.
  void begin_ticks();
  // Replaces what is pending of the source, or joins its queue. Called with a time nearer than the tolerance, the event
  // happens in this instant, behind those that are due already.
  void program(std::uint32_t source, double time) { calendar_of(source).program(source, due(time)); }
  void cancel(std::uint32_t source) { calendar_of(source).cancel(source); }
  bool is_pending(std::uint32_t source) const { return calendar_of(source).is_pending(source); }
  // So many have been programmed; whether the event of the source is one of those since and at that time.
  std::uint64_t programmed() const { return programmed_; }
  bool is_programmed(std::uint32_t source, double time, std::uint64_t since) const {
    const Pending& event = calendar_of(source).pending(source);
    return is_pending(source) && event.time == time && (event.order & ~order_within_instant) >= since;
  }

  // The source of the event that runs first of those up to `limit`, taken out of the queue (a clock moves on to its
  // next tick, and RunContext::tick is the one that runs); no_source when none is due.
  std::uint32_t take_due(double limit);
  // The same among some sources.
  std::uint32_t take_due(double limit, const std::vector<std::uint32_t>& among);
  bool is_clock(std::uint32_t source) const { return facts_[source].clock; }
  // The first clock, in file order, of those that tick now.
  program::OriginId ticking_clock(std::uint32_t source) const;

  // The source of the next event and when anything else is due, for those who run the ticks of one clock in a row.
  bool empty() const { return critical_.empty() && other_.empty(); }
  std::uint32_t next_source() const { return next_calendar().next_source(); }
  double second_time() const;
  struct Ticks {
    TickScale scale;
    std::uint32_t domain;
    std::int64_t tick;  // the pending one
  };
  Ticks ticks_of(std::uint32_t source) const {
    const std::uint32_t domain = facts_[source].domain;
    return {scales_[domain], domain, ticks_[domain]};
  }
  std::int64_t tick_after(std::uint32_t domain, std::int64_t tick) const;
  void go_on_with(std::uint32_t source, std::int64_t tick);  // which comes next

  void save(class SaveWriter& out) const;
  [[nodiscard]] bool restore(class SaveReader& in);

 private:
  struct Facts {
    bool clock, critical;
    std::uint32_t domain;
  };
  Calendar& calendar_of(std::uint32_t source) { return facts_[source].critical ? critical_ : other_; }
  const Calendar& calendar_of(std::uint32_t source) const { return facts_[source].critical ? critical_ : other_; }
  const Calendar& next_calendar() const { return critical_.next() < other_.next() ? critical_ : other_; }
  Pending due(double time) {
    return {time, (time <= run_.t + run_.time_tolerance ? order_within_instant : 0) + programmed_++};
  }
  void advance_clock(Calendar& calendar, std::uint32_t source);
  void find_tick_times();

  RunContext& run_;
  std::vector<Facts> facts_;  // by source
  Calendar critical_, other_;
  std::uint64_t programmed_ = 0;
  std::vector<TickScale> scales_;    // by domain
  std::vector<std::int64_t> ticks_;  // by domain: the tick that is pending
  std::vector<double> tick_times_;   // … and when it is
};

// A clock that ticks goes to its next tick, without leaving the calendar where it comes first in it.
inline void EventQueue::advance_clock(Calendar& calendar, std::uint32_t source) {
  const std::uint32_t domain = facts_[source].domain;
  run_.tick = ticks_[domain];
  const TickScale& scale = scales_[domain];
  ticks_[domain] = scale.stride > 0 ? run_.tick + scale.stride : tick_after(domain, run_.tick);
  tick_times_[domain] = scale.time(ticks_[domain]);
  const Pending next{tick_times_[domain], tick_order + domain};
  if (calendar.next_source() == source) {
    calendar.postpone(next);
  } else {
    calendar.program(source, next);
  }
}

inline std::uint32_t EventQueue::take_due(double limit) {
  const bool critical_due = critical_.next().time <= limit, other_due = other_.next().time <= limit;
  if (!critical_due && !other_due) return program::no_source;
  bool critical = critical_due;
  std::uint32_t source = critical ? critical_.first_due(limit) : other_.first_due(limit);
  if (critical_due && other_due) {
    const std::uint32_t other = other_.first_due(limit);
    critical = Pending::comes_first(critical_.pending(source), other_.pending(other));
    if (!critical) source = other;
  }
  Calendar& calendar = critical ? critical_ : other_;
  if (facts_[source].clock) {
    advance_clock(calendar, source);
  } else {
    calendar.pop(source);
  }
  return source;
}

}  // namespace orrery::sim
