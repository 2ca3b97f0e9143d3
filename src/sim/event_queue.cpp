// SPDX-License-Identifier: Apache-2.0
// Ticks from whole numbers, what is due, and the queue as numbers.
#include "sim/event_queue.h"

#include <numeric>

#include "sim/saved_bytes.h"

namespace orrery::sim {
namespace {

std::vector<bool> queued_sources(const program::Program& program) {
  std::vector<bool> queued;
  for (const program::Source& source : program.sources) queued.push_back(source.queued);
  return queued;
}

// The divisor of a clock that ticks whenever any of its domain does; 0: there is none.
std::int64_t common_stride(const program::Program& program, const program::ClockDomain& domain) {
  const auto covers = [&](std::uint32_t k, std::uint32_t other) {
    const program::Clock &a = program.clocks[k], &b = program.clocks[other];
    return b.first_tick >= a.first_tick && (b.first_tick - a.first_tick) % a.divisor == 0 && b.divisor % a.divisor == 0;
  };
  for (const std::uint32_t k : domain.clocks) {
    if (std::all_of(domain.clocks.begin(), domain.clocks.end(), [&](std::uint32_t other) { return covers(k, other); }))
      return program.clocks[k].divisor;
  }
  return 0;
}

}  // namespace

EventQueue::EventQueue(RunContext& run)
    : run_(run),
      critical_(run.program.sources.size(), queued_sources(run.program)),
      other_(run.program.sources.size(), queued_sources(run.program)),
      ticks_(run.program.domains.size(), -1) {
  for (std::size_t k = 0; k < run.program.sources.size(); ++k) {
    const program::Source& source = run.program.sources[k];
    facts_.push_back({source.kind == program::SourceKind::clock, run.machine.table(k).critical, source.domain});
  }
  for (const program::ClockDomain& domain : run.program.domains) {
    const auto common = std::lcm(domain.base.denominator, domain.offset.denominator);
    const auto offset_scale = common / domain.offset.denominator, base_scale = common / domain.base.denominator;
    scales_.push_back({run.options.start,
                       static_cast<double>(domain.offset.numerator) * static_cast<double>(offset_scale),
                       static_cast<double>(domain.base.numerator) * static_cast<double>(base_scale),
                       static_cast<double>(common), common_stride(run.program, domain)});
  }
  find_tick_times();
}

void EventQueue::find_tick_times() {
  tick_times_.resize(scales_.size());
  for (std::size_t domain = 0; domain < scales_.size(); ++domain) {
    tick_times_[domain] = scales_[domain].time(ticks_[domain]);
  }
}

std::int64_t EventQueue::tick_after(std::uint32_t domain, std::int64_t tick) const {
  std::int64_t next = INT64_MAX;
  for (std::uint32_t c : run_.program.domains[domain].clocks) {
    const program::Clock& clock = run_.program.clocks[c];
    const std::int64_t passed = tick < clock.first_tick ? 0 : (tick - clock.first_tick) / clock.divisor + 1;
    next = std::min(next, clock.first_tick + passed * clock.divisor);
  }
  return next;
}

void EventQueue::go_on_with(std::uint32_t source, std::int64_t tick) {
  const std::uint32_t domain = facts_[source].domain;
  ticks_[domain] = tick;
  tick_times_[domain] = scales_[domain].time(tick);
  calendar_of(source).program(source, {tick_times_[domain], tick_order + domain});
}

void EventQueue::begin_ticks() {
  for (std::uint32_t s = 0; s < facts_.size(); ++s) {
    if (facts_[s].clock) go_on_with(s, tick_after(facts_[s].domain, -1));
  }
}

std::uint32_t EventQueue::take_due(double limit, const std::vector<std::uint32_t>& among) {
  std::uint32_t source = program::no_source;
  Pending first{limit, UINT64_MAX};
  for (const std::uint32_t s : among) {
    const Pending& pending = calendar_of(s).pending(s);
    if (!(pending < first)) continue;
    first = pending;
    source = s;
  }
  if (source == program::no_source) return source;
  if (facts_[source].clock) {
    advance_clock(calendar_of(source), source);
  } else {
    cancel(source);
  }
  return source;
}

program::OriginId EventQueue::ticking_clock(std::uint32_t source) const {
  for (std::uint32_t c : run_.program.domains[facts_[source].domain].clocks) {
    const program::Clock& clock = run_.program.clocks[c];
    if (run_.tick >= clock.first_tick && (run_.tick - clock.first_tick) % clock.divisor == 0) return clock.origin;
  }
  return 0;
}

double EventQueue::second_time() const {
  const Calendar& calendar = next_calendar();
  return std::min(calendar.second().time, (&calendar == &critical_ ? other_ : critical_).next().time);
}

void EventQueue::save(SaveWriter& out) const {
  std::vector<double> critical, other;
  critical_.save(critical);
  other_.save(other);
  out.write(critical);
  out.write(other);
  out.write(ticks_);
  out.write(&programmed_, 1);
}

bool EventQueue::restore(SaveReader& in) {
  std::vector<double> critical, other;
  std::vector<std::int64_t> ticks;
  std::vector<std::uint64_t> programmed;
  const auto names_sources = [this](const std::vector<double>& events) {
    bool all = events.size() % 3 == 0;
    for (std::size_t k = 0; k < events.size(); k += 3)
      all = all && events[k] >= 0 && events[k] < static_cast<double>(facts_.size());
    return all;
  };
  if (!in.read(critical) || !in.read(other) || !in.read(ticks) || !in.read(programmed)) return false;
  if (!names_sources(critical) || !names_sources(other) || ticks.size() != ticks_.size() || programmed.size() != 1)
    return false;
  critical_.restore(critical.data(), critical.size() / 3);
  other_.restore(other.data(), other.size() / 3);
  ticks_ = std::move(ticks);
  find_tick_times();
  programmed_ = programmed[0];
  return true;
}

}  // namespace orrery::sim
