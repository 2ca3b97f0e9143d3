// SPDX-License-Identifier: Apache-2.0
// What runs when, as text.
#include <fmt/format.h>

#include <iterator>

#include "api/model_texts.h"
#include "io/number_text.h"
#include "io/text_table.h"
#include "program/print.h"

namespace orrery::api {
namespace {

using program::Program;

std::string text_of(const Rational& x) {
  if (x.denominator == 1) return fmt::format("{}", x.numerator);
  return fmt::format("{}/{} = {}", x.numerator, x.denominator, io::number_text(x.value()));
}

const std::string& path_of(const Program& program, program::OriginId origin) { return program.origins[origin].path; }

std::string title_of(const Program& program, const program::Source& source) {
  switch (source.kind) {
    case program::SourceKind::initial: return "at the start";
    case program::SourceKind::clock:
      return fmt::format("clock domain {}{}", source.domain + 1, source.first ? ", before other events" : "");
    case program::SourceKind::programmed:
      return fmt::format("event of {}, activation output {}{}", path_of(program, source.origin), source.port,
                         source.queued  ? ", queued"
                         : source.first ? ", before other events"
                                        : "");
    case program::SourceKind::crossing: return fmt::format("zero-crossing of {}", path_of(program, source.origin));
    case program::SourceKind::step: return "after every step of the solver";
    case program::SourceKind::left: return "before an instant that disturbs continuous time";
    case program::SourceKind::instant: return "after the last event of an instant";
    case program::SourceKind::final: return "at the end of the run";
  }
  return "";
}

std::string clocks_text(const Program& program) {
  std::string text;
  for (std::size_t d = 0; d < program.domains.size(); ++d) {
    const program::ClockDomain& domain = program.domains[d];
    text += fmt::format("clock domain {}: base {}, offset {}\n", d + 1, text_of(domain.base), text_of(domain.offset));
    io::TextTable table{{"clock", "period", "offset", "ticks"}, {}, {}};
    for (const std::uint32_t index : domain.clocks) {
      const program::Clock& clock = program.clocks[index];
      table.rows.push_back({path_of(program, clock.origin), text_of(clock.period), text_of(clock.offset),
                            fmt::format("{} + k * {}", clock.first_tick, clock.divisor)});
    }
    text += io::to_text(table, "  ") + "\n";
  }
  return text;
}

std::string sources_text(const Program& program) {
  std::string text;
  for (std::size_t k = 0; k < program.sources.size(); ++k) {
    const program::Source& source = program.sources[k];
    text += fmt::format("source {}: {} ({})\n", k, title_of(program, source),
                        source.table.critical ? "critical: the integrator restarts" : "not critical");
    io::TextTable table;
    for (const program::OriginId origin : source.activates) {
      table.rows.push_back(
          {fmt::format("{}.", table.rows.size() + 1), path_of(program, origin), program.origins[origin].type});
    }
    table.align = {io::Align::right};
    text += table.rows.empty() ? "  nothing\n" : io::to_text(table, "  ");
    text += '\n';
  }
  return text;
}

std::string surfaces_text(const Program& program) {
  if (program.surfaces.empty()) return "";
  io::TextTable table{{"block", "surface", "crossing", "effect"}, {}, {}};
  for (const program::Surface& surface : program.surfaces) {
    const bool owns_mode = surface.mode != program::no_slot;
    const char* crossing = surface.crossing == program::Crossing::rising    ? "rising"
                           : surface.crossing == program::Crossing::falling ? "falling"
                                                                            : "both";
    table.rows.push_back({path_of(program, surface.origin), surface.text, crossing,
                          owns_mode ? "mode " + program::slot_name(program, surface.mode)
                                    : fmt::format("fires source {}", surface.source)});
  }
  return "surfaces\n" + io::to_text(table, "  ") + "\n";
}

std::string continuous_text(const Program& program) {
  if (program.states.empty()) return "no continuous state\n";
  std::string text = fmt::format("continuous states: {}\n", program.states.size());
  for (const program::SlotId slot : program.states) {
    const program::Type& type = program.slots[slot].type;
    text += fmt::format("  {}{}\n", program::slot_name(program, slot),
                        type.is_scalar() ? "" : fmt::format(" {}x{}", type.rows, type.cols));
  }
  return text;
}

}  // namespace

std::string schedule_text(const Program& program) {
  return clocks_text(program) + sources_text(program) + surfaces_text(program) + continuous_text(program);
}

}  // namespace orrery::api
