// SPDX-License-Identifier: Apache-2.0
// Intervals as fractions, from those of the domains.
#include "export/fmu_clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace orrery::code_export {
namespace {

// A clock that ticks whenever any of its domain does.
const program::Clock* covering_clock(const program::Program& program, const program::ClockDomain& domain) {
  for (const std::uint32_t one : domain.clocks) {
    const program::Clock& clock = program.clocks[one];
    const bool covers = std::ranges::all_of(domain.clocks, [&](std::uint32_t other) {
      const program::Clock& b = program.clocks[other];
      return b.first_tick >= clock.first_tick && (b.first_tick - clock.first_tick) % clock.divisor == 0 &&
             b.divisor % clock.divisor == 0;
    });
    if (covers) return &clock;
  }
  return nullptr;
}

}  // namespace

std::vector<FmuClock> list_fmu_clocks(const program::Program& program) {
  std::vector<FmuClock> list;
  for (std::size_t k = 0; k < program.sources.size(); ++k) {
    if (program.sources[k].kind != program::SourceKind::clock) continue;
    const program::ClockDomain& domain = program.domains[program.sources[k].domain];
    FmuClock clock;
    clock.source = static_cast<std::uint32_t>(k);
    if (const program::Clock* cover = covering_clock(program, domain)) {
      clock.first = cover->first_tick;
      clock.stride = cover->divisor;
    }
    clock.resolution = std::lcm(domain.base.denominator, domain.offset.denominator);
    const std::int64_t base = domain.base.numerator * (clock.resolution / domain.base.denominator);
    clock.interval = base * clock.stride;
    clock.shift = domain.offset.numerator * (clock.resolution / domain.offset.denominator) + base * clock.first;
    std::string paths;
    for (const std::uint32_t one : domain.clocks) {
      const std::string& path = program.origins[program.clocks[one].origin].path;
      if (paths.find(path) == std::string::npos) paths += (paths.empty() ? "" : ", ") + path;
    }
    clock.name = list.empty() ? "clock" : fmt::format("clock_{}", list.size() + 1);
    clock.about = "ticks of " + paths;
    list.push_back(std::move(clock));
  }
  return list;
}

bool programs_events(const program::Program& program) {
  return std::ranges::any_of(program.sources, [](const auto& source) { return !source.table.schedules.empty(); });
}

}  // namespace orrery::code_export
