// SPDX-License-Identifier: Apache-2.0
// What can happen in an exported model, as tables: clocks, sources, surfaces, loops, assertions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "export/member_names.h"
#include "export/tables.h"
#include "passes/slice.h"
#include "program/function.h"

namespace orrery::code_export {

using program::no_slot;
using program::SlotId;

void Tables::domains(std::string& out) {
  if (program_.domains.empty()) return;
  std::string rows;
  for (std::size_t k = 0; k < program_.domains.size(); ++k) {
    const program::ClockDomain& domain = program_.domains[k];
    const auto common = std::lcm(domain.base.denominator, domain.offset.denominator);
    const double first =
        static_cast<double>(domain.offset.numerator) * static_cast<double>(common / domain.offset.denominator);
    const double step =
        static_cast<double>(domain.base.numerator) * static_cast<double>(common / domain.base.denominator);
    out += fmt::format("static const orr_clock {}_clocks{}[] = {{", name_, k);
    std::int64_t stride = 0;
    for (std::size_t c = 0; c < domain.clocks.size(); ++c) {
      const program::Clock& clock = program_.clocks[domain.clocks[c]];
      out += fmt::format("{}{{{}, {}}}", c == 0 ? "" : ", ", clock.first_tick, clock.divisor);
      const bool covers = std::ranges::all_of(domain.clocks, [&](std::uint32_t other) {
        const program::Clock& b = program_.clocks[other];
        return b.first_tick >= clock.first_tick && (b.first_tick - clock.first_tick) % clock.divisor == 0 &&
               b.divisor % clock.divisor == 0;
      });
      if (covers && stride == 0) stride = clock.divisor;
    }
    out += "};\n";
    rows += fmt::format("    {{{}, {}, {}, {}, {}, {}_clocks{}}},\n", number_text(first), number_text(step),
                        number_text(static_cast<double>(common)), stride, domain.clocks.size(), name_, k);
  }
  out += fmt::format("static const orr_domain {}_domains[] = {{\n{}}};\n\n", name_, rows);
}

std::vector<bool> Tables::read_by(const auto& chosen) const {
  std::vector<program::ExprId> values;
  for (const program::Surface& surface : program_.surfaces) {
    if (!chosen(surface)) continue;
    values.push_back(surface.value);
    if (surface.settled != program::no_expr) values.push_back(surface.settled);
  }
  for (const program::Loop& loop : program_.loops) {
    if (!values.empty()) values.insert(values.end(), loop.residuals.begin(), loop.residuals.end());
  }
  std::vector<bool> read(program_.slots.size(), false);
  for (const SlotId slot : passes::slots_read(program_.graph, values)) read[slot] = true;
  return read;
}

void Tables::sources(std::string& out) {
  static const char* const kinds[] = {"ORR_INITIAL", "ORR_CLOCK", "ORR_PROGRAMMED", "ORR_CROSSING",
                                      "ORR_STEP",    "ORR_LEFT",  "ORR_INSTANT",    "ORR_FINAL"};
  static const char* const actions[] = {"ORR_DO_STOP", "ORR_DO_FAIL", "ORR_DO_RESTART", "ORR_DO_REPEAT",
                                        "ORR_DO_WARN", "ORR_DO_NOTE", "ORR_DO_RECORD"};
  const auto by_shown = read_by([](const program::Surface& surface) { return surface.shown; });
  const auto by_modes = read_by([](const program::Surface& surface) { return surface.mode != no_slot; });
  std::string rows;
  for (std::size_t k = 0; k < program_.sources.size(); ++k) {
    const program::Source& source = program_.sources[k];
    const passes::TableProcedure& table = cut_.tables[k];
    std::string row = fmt::format(".path = {}, .port = {}, .kind = {}", quoted(path(source.origin)), source.port,
                                  kinds[static_cast<std::size_t>(source.kind)]);
    const auto add = [&row](const char* name, const std::string& value) {
      row += fmt::format(", .{} = {}", name, value);
    };
    const auto set = [&](const char* name, bool value) {
      if (value) add(name, "1");
    };
    const auto moves = [&source](const std::vector<bool>& read) {
      return std::ranges::any_of(source.table.assigns, [&](const auto& assign) { return read[assign.slot]; });
    };
    set("critical", table.critical);
    set("queued", source.queued);
    set("first", source.first);
    set("quiet", table.quiet);
    set("shows", table.shows);
    set("reads_states", table.reads_states);
    set("reads_modes", table.reads_modes);
    set("reads_sampled", table.reads_sampled);
    set("moves_modes", moves(by_modes));
    set("moves_shown", moves(by_shown));
    if (source.domain > 0) add("domain", std::to_string(source.domain));
    add("run", function(table.procedure));
    if (table.shows_when != 0) add("shows_when", function(table.shows_when));
    if (!source.table.schedules.empty()) {
      std::vector<std::uint32_t> targets;
      for (const program::Schedule& schedule : source.table.schedules) targets.push_back(schedule.source);
      add("schedules", std::to_string(targets.size()));
      add("targets", numbers(out, fmt::format("targets{}", k), targets));
    }
    if (!source.table.actions.empty()) {
      std::string list;
      for (const program::Action& action : source.table.actions)
        list += fmt::format("    {{{}, {}, {}, {}}},\n", actions[static_cast<std::size_t>(action.kind)],
                            action.values.size(), quoted(action.text), quoted(path(action.origin)));
      out += fmt::format("static const orr_action {}_actions{}[] = {{\n{}}};\n", name_, k, list);
      add("actions", std::to_string(source.table.actions.size()));
      add("action", fmt::format("{}_actions{}", name_, k));
    }
    if (!table.loops.empty()) {
      add("loops", std::to_string(table.loops.size()));
      add("loop", numbers(out, fmt::format("loops_of{}", k), table.loops));
    }
    rows += fmt::format("    {{{}}},\n", row);
  }
  out += fmt::format("static const orr_source {}_sources[] = {{\n{}}};\n\n", name_, rows);
}

bool Tables::depends_on_states(const program::Surface& surface) const {
  const program::ExprId roots[] = {surface.value};
  return std::ranges::any_of(passes::slots_read(program_.graph, roots),
                             [&](SlotId slot) { return program_.slots[slot].kind == program::SlotKind::state; });
}

void Tables::surfaces(std::string& out) {
  if (program_.surfaces.empty()) return;
  std::string rows;
  for (std::size_t k = 0; k < program_.surfaces.size(); ++k) {
    const program::Surface& s = program_.surfaces[k];
    const auto place = std::ranges::find(cut_.held, s.mode);
    const long held = s.settled == program::no_expr ? -1 : place - cut_.held.begin();
    const auto way = static_cast<unsigned>(s.crossing);
    rows +=
        fmt::format("    {{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}},\n", quoted(path(s.origin)),
                    quoted(s.text), at(s.mode), at(s.direction), s.source, held, way & 1, way >> 1, flag_text(s.strict),
                    flag_text(s.shown), flag_text(s.edge), flag_text(s.jumps), flag_text(s.level),
                    flag_text(cut_.affine[k]), flag_text(cut_.has_rate[k]), flag_text(depends_on_states(s)));
  }
  out += fmt::format("static const orr_surface {}_surface_table[] = {{\n{}}};\n", name_, rows);
  if (!cut_.held.empty()) {
    std::string list;
    for (const SlotId slot : cut_.held) list += (list.empty() ? "" : ", ") + at(slot);
    out += fmt::format("static const size_t {}_held[] = {{{}}};\n", name_, list);
  }
  out += "\n";
}

void Tables::loops(std::string& out) {
  if (most_unknowns_there() == 0) return;
  std::string rows;
  for (std::size_t k = 0; k < program_.loops.size(); ++k) {
    const program::Loop& loop = program_.loops[k];
    const passes::LoopProcedures& code = cut_.loops[k];
    if (!loop.solution.empty()) {
      rows += "    {NULL, 0, NULL, NULL, NULL, 0, NULL, NULL},\n";
      continue;
    }
    std::string offsets;
    for (const SlotId slot : loop.unknowns) {
      for (std::int64_t e = 0; e < program_.slots[slot].type.size(); ++e)
        offsets += (offsets.empty() ? "" : ", ") + at(slot, e);
    }
    out += fmt::format("static const size_t {}_unknowns{}[] = {{{}}};\n", name_, k, offsets);
    std::string row_table = "NULL", column_table = "NULL";
    if (code.exact) {
      row_table = numbers(out, fmt::format("rows{}", k), code.pattern.row);
      column_table = numbers(out, fmt::format("columns{}", k), columns_of(code.pattern));
    }
    rows += fmt::format("    {{{}, {}, {}_unknowns{}, {}, {}, {}, {}, {}}},\n",
                        quoted(path(loop.blocks.empty() ? 0 : loop.blocks[0])), unknowns_of(k), name_, k,
                        function(code.residual), code.exact ? function(code.jacobian) : "NULL",
                        code.exact ? code.pattern.nonzeros() : 0, row_table, column_table);
  }
  out += fmt::format("static const orr_loop {}_loops[] = {{\n{}}};\n\n", name_, rows);
}

void Tables::assertions(std::string& out) {
  if (program_.assertions.empty()) return;
  std::string rows;
  for (const program::Assertion& a : program_.assertions)
    rows += fmt::format("    {{{}, {}, {}, {}}},\n", quoted(path(a.origin)), quoted(a.text), a.values.size(),
                        flag_text(a.only_warns));
  out += fmt::format("static const orr_assertion {}_assertion_table[] = {{\n{}}};\n\n", name_, rows);
}

void Tables::sites(std::string& out) {
  if (d_.layout.trouble == 0) return;
  std::string rows;
  for (std::uint32_t k = 0;; ++k) {
    const program::Site* site = program::find_site(program_.graph, k);
    if (site == nullptr) break;
    const std::string text = site->kind == program::Site::Kind::turns   ? "a loop does not end"
                             : site->kind == program::Site::Kind::check ? site->text
                                                                        : "";
    rows += fmt::format("    {{{}, {}}},\n", quoted(site->place.block), quoted(text));
    ++site_count_;
  }
  if (site_count_ > 0) out += fmt::format("static const orr_site {}_sites[] = {{\n{}}};\n\n", name_, rows);
}

void Tables::starts(std::string& out) {
  if (cut_.start_count == 0) return;
  std::string list;
  for (std::size_t k = 0; k < cut_.start_count; ++k) list += (k == 0 ? "" : ", ") + function(cut_.start + k);
  out += fmt::format("static const orr_procedure {}_starts[] = {{{}}};\n\n", name_, list);
}

}  // namespace orrery::code_export
