// SPDX-License-Identifier: Apache-2.0
// From what rates and outputs read to the one source that changes it, and to its rhythm.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "analyse/sampled.h"
#include "passes/slice.h"
#include "program/evaluate.h"

namespace orrery::analyse {
namespace {

using program::ExprId;
using program::no_expr;
using program::Program;
using program::SlotId;

constexpr std::int64_t most_instants = 500;

class SampleSearch {
 public:
  SampleSearch(const Program& program, const LinearRequest& request, const std::string& prefix,
               Diagnostics& diagnostics)
      : program_(program), memories_(program, request), prefix_(prefix), diagnostics_(diagnostics) {}

  std::optional<SampleTimes> find() {
    collect();
    if (times_.memories.empty()) return times_;
    if (!one_source() || !only_doubles() || !known_reads()) return std::nullopt;
    const program::Source& source = program_.sources[times_.source];
    const bool found = source.kind == program::SourceKind::clock        ? clock_times(source)
                       : source.kind == program::SourceKind::programmed ? programmed_times(source)
                                                                        : refuse(
                                                                              "events whose times follow from the "
                                                                              "model change");
    return found ? std::optional(times_) : std::nullopt;
  }

 private:
  bool is_inside(SlotId slot) const {
    return prefix_ == "/" || program_.origins[program_.slots[slot].origin].path.starts_with(prefix_);
  }

  void collect() {
    std::vector<SlotId> open = memories_.read_directly();
    std::set<SlotId> inside, outside;
    while (!open.empty()) {
      const SlotId slot = open.back();
      open.pop_back();
      if (!is_inside(slot)) {
        outside.insert(slot);
        continue;
      }
      if (!inside.insert(slot).second) continue;
      for (const EventWrite& write : memories_.writes(slot)) {
        sources_.insert(write.source);
        writes_.push_back(write);
        for (const SlotId read : memories_.read_by(write)) open.push_back(read);
      }
    }
    times_.memories.assign(inside.begin(), inside.end());
    times_.outside.assign(outside.begin(), outside.end());
  }

  std::string blocks() const {
    std::set<std::string> names;
    for (const SlotId slot : times_.memories) names.insert(program_.origins[program_.slots[slot].origin].path);
    return fmt::format("{}", fmt::join(names, ", "));
  }

  bool refuse(const std::string& why) {
    const SlotId first = times_.memories.front();
    diagnostics_.error("discrete-part",
                       {program_.origins[0].path, 0, 0, program_.origins[program_.slots[first].origin].path, {}},
                       fmt::format("{} what the linear model depends on: {}", why, blocks()),
                       "linearise a super block without them, or take what they left as constant (--hold)");
    return false;
  }

  bool one_source() {
    times_.source = *sources_.begin();
    if (sources_.size() == 1) return true;
    std::set<std::string> names;
    for (const std::uint32_t k : sources_) {
      for (const std::uint32_t block : program_.sources[k].activates) names.insert(program_.origins[block].path);
      if (program_.sources[k].kind == program::SourceKind::clock) {
        for (const std::uint32_t c : program_.domains[program_.sources[k].domain].clocks)
          names.insert(program_.origins[program_.clocks[c].origin].path);
      } else {
        names.insert(program_.origins[program_.sources[k].origin].path);
      }
    }
    return refuse(fmt::format("events that are not synchronous ({}) change", fmt::join(names, ", ")));
  }

  bool only_doubles() {
    for (const SlotId slot : times_.memories) {
      if (program_.slots[slot].type.scalar == program::Scalar::f64) continue;
      times_.memories = {slot};
      return refuse("events change, in a memory that is no double,");
    }
    for (const EventWrite& write : writes_) {
      if (write.value == no_expr) return refuse("foreign code changes");
    }
    return true;
  }

  // What is only brought up to date at accepted points would be taken for a constant.
  bool known_reads() {
    std::vector<ExprId> texts;
    for (const EventWrite& write : writes_) {
      texts.push_back(write.value);
      if (write.guard != no_expr) texts.push_back(write.guard);
    }
    const std::vector<SlotId> read = passes::slots_read(program_.graph, texts);
    for (const program::Assign& assign : program_.always) {
      if (!std::binary_search(read.begin(), read.end(), assign.slot)) continue;
      return refuse("events that read a signal of continuous time as it was recorded change");
    }
    return true;
  }

  // The clocks of the domain whose ticks matter.
  std::vector<std::uint32_t> clocks_used(const program::ClockDomain& domain) const {
    std::set<std::uint32_t> used;
    bool any_tick = false;
    std::vector<ExprId> texts;
    for (const EventWrite& write : writes_) {
      texts.push_back(write.value);
      if (write.guard != no_expr) texts.push_back(write.guard);
      any_tick = any_tick || write.guard == no_expr;
    }
    if (any_tick) {
      const auto base = std::find_if(domain.clocks.begin(), domain.clocks.end(), [&](std::uint32_t c) {
        return program_.clocks[c].divisor == 1 && program_.clocks[c].first_tick == 0;
      });
      if (base != domain.clocks.end())
        used = {*base};
      else
        used.insert(domain.clocks.begin(), domain.clocks.end());
    }
    for (const ExprId id : program::reachable(program_.graph, texts)) {
      const program::Node& node = program_.graph[id];
      if (node.op == program::Op::clock_active) used.insert(static_cast<std::uint32_t>(node.payload));
    }
    return {used.begin(), used.end()};
  }

  bool clock_times(const program::Source& source) {
    const program::ClockDomain& domain = program_.domains[source.domain];
    const std::vector<std::uint32_t> used = clocks_used(domain);
    std::int64_t step = 1, begin = 0;
    for (const std::uint32_t c : used) {
      step = std::lcm(step, program_.clocks[c].divisor);
      begin = std::max(begin, program_.clocks[c].first_tick);
      if (step > 1'000'000) return too_many(used);
    }
    const auto ticks_at = [&](std::int64_t tick) {
      return std::any_of(used.begin(), used.end(), [&](std::uint32_t c) {
        return (tick - program_.clocks[c].first_tick) % program_.clocks[c].divisor == 0;
      });
    };
    while (!ticks_at(begin)) ++begin;
    for (std::int64_t tick = begin; tick < begin + step; ++tick) {
      if (!ticks_at(tick)) continue;
      times_.ticks.push_back(tick);
      times_.instants.push_back(static_cast<double>(tick - begin) * domain.base.value());
    }
    times_.period = static_cast<double>(step) * domain.base.value();
    return times_.ticks.size() <= most_instants || too_many(used);
  }

  bool too_many(const std::vector<std::uint32_t>& clocks) {
    std::vector<std::string> names;
    for (const std::uint32_t c : clocks)
      names.push_back(fmt::format("{} every {}", program_.origins[program_.clocks[c].origin].path,
                                  program_.clocks[c].period.value()));
    return refuse(fmt::format("clocks that seldom tick together ({}) change", fmt::join(names, ", ")));
  }

  // A clock made of a delay that activates itself.
  bool programmed_times(const program::Source& source) {
    int own = 0;
    for (std::size_t k = 1; k < program_.sources.size(); ++k) {
      for (const program::Schedule& schedule : program_.sources[k].table.schedules) {
        if (schedule.source != times_.source) continue;
        if (k != times_.source || schedule.guard != no_expr) return refuse("events at irregular times change");
        times_.delay = schedule.delay;
        ++own;
      }
    }
    if (own != 1 || source.queued) return refuse("events at irregular times change");
    const std::vector<ExprId> delay{times_.delay};
    // Whether it is the same each time is seen later, from numbers.
    for (const SlotId slot : passes::slots_read(program_.graph, delay)) {
      if (memories_.responds(slot)) return refuse("events whose times follow from the model change");
    }
    times_.ticks = {0};
    times_.instants = {0};
    return true;
  }

  const Program& program_;
  EventMemories memories_;
  std::string prefix_;
  Diagnostics& diagnostics_;
  SampleTimes times_;
  std::set<std::uint32_t> sources_;
  std::vector<EventWrite> writes_;
};

}  // namespace

std::optional<SampleTimes> find_sample_times(const Program& program, const LinearRequest& request,
                                             const std::string& prefix, Diagnostics& diagnostics) {
  return SampleSearch(program, request, prefix, diagnostics).find();
}

}  // namespace orrery::analyse
