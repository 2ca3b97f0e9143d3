// SPDX-License-Identifier: Apache-2.0
// Tables of an exported model.
#include "export/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "export/member_names.h"
#include "passes/slice.h"
#include "program/function.h"
#include "program/print.h"
#include "program/variables.h"

namespace orrery::code_export {
namespace {

using program::no_slot;
using program::SlotId;

const char* flag_text(bool value) { return value ? "1" : "0"; }

int parts_of(const program::Type& type) { return type.scalar == program::Scalar::c128 ? 2 : 1; }

std::string element_name(const std::string& name, const program::Type& type, std::int64_t k) {
  if (type.is_scalar()) return name;
  if (type.cols == 1 || type.rows == 1) return fmt::format("{}[{}]", name, k + 1);
  return fmt::format("{}[{},{}]", name, k % type.rows + 1, k / type.rows + 1);
}

class Tables {
 public:
  explicit Tables(const Description& what)
      : d_(what), program_(what.model.program), cut_(what.model.cut), name_(what.names.model) {}

  std::string text() {
    std::string out = fmt::format("#define ORR_AT(member) offsetof({}, member)\n\n", name_);
    domains(out);
    sources(out);
    surfaces(out);
    loops(out);
    assertions(out);
    sites(out);
    starts(out);
    interface(out);
    tolerances(out);
    model(out);
    return out;
  }

  std::size_t columns() const {
    std::size_t count = 0;
    for (const program::Probe& probe : program_.probes) {
      const program::Type type = program_.slots[probe.slot].type;
      count += static_cast<std::size_t>(type.size() * parts_of(type));
    }
    return count;
  }
  std::size_t results() const {
    std::size_t values = program_.assertions.size();
    for (const program::Assertion& assertion : program_.assertions) values += assertion.values.size();
    return std::max(cut_.output_size, values) + 1;
  }
  std::size_t queues() const {
    return static_cast<std::size_t>(std::ranges::count_if(program_.sources, &program::Source::queued));
  }
  std::size_t unknowns_of(std::size_t loop) const {
    std::size_t count = 0;
    for (const SlotId slot : program_.loops[loop].unknowns)
      count += static_cast<std::size_t>(program_.slots[slot].type.size());
    return count;
  }
  std::size_t most_unknowns_there() const {
    std::size_t most = 0;
    for (std::size_t k = 0; k < program_.loops.size(); ++k) {
      if (program_.loops[k].solution.empty()) most = std::max(most, unknowns_of(k));
    }
    return most;
  }
  std::size_t most_entries() const {
    std::size_t most = 0;
    for (const passes::LoopProcedures& loop : cut_.loops) most = std::max(most, loop.pattern.nonzeros());
    return most;
  }

 private:
  std::string path(program::OriginId origin) const { return origin == 0 ? "" : program_.origins[origin].path; }

  std::string at(SlotId slot, std::int64_t element = -1, int part = 0) const {
    if (slot == no_slot) return "ORR_NONE";
    const program::Slot& s = program_.slots[slot];
    const bool state = s.kind == program::SlotKind::state || s.kind == program::SlotKind::shadow;
    const bool array = !s.type.is_scalar() || s.type.scalar == program::Scalar::c128;
    std::string member = (state ? "x." : "") + d_.names.member[slot];
    if (array && element >= 0) member += fmt::format("[{}]", element * parts_of(s.type) + part);
    return fmt::format("ORR_AT({})", member);
  }

  std::string function(std::size_t procedure) const {
    if (cut_.all[procedure].stores.empty()) return "NULL";
    return fmt::format("{}_{}", name_, cut_.all[procedure].name);
  }
  std::string optional(std::size_t procedure) const { return procedure == 0 ? "NULL" : function(procedure); }

  // A table of whole numbers; its name, or NULL.
  std::string numbers(std::string& out, const std::string& table, const auto& list) const {
    if (std::empty(list)) return "NULL";
    out += fmt::format("static const int {}_{}[] = {{{}}};\n", name_, table, fmt::join(list, ", "));
    return fmt::format("{}_{}", name_, table);
  }

  void domains(std::string& out) {
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

  // By slot: whether modes depend on it.
  std::vector<bool> read_by(const auto& chosen) const {
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

  void sources(std::string& out) {
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

  bool depends_on_states(const program::Surface& surface) const {
    const program::ExprId roots[] = {surface.value};
    return std::ranges::any_of(passes::slots_read(program_.graph, roots),
                               [&](SlotId slot) { return program_.slots[slot].kind == program::SlotKind::state; });
  }

  void surfaces(std::string& out) {
    if (program_.surfaces.empty()) return;
    std::string rows;
    for (std::size_t k = 0; k < program_.surfaces.size(); ++k) {
      const program::Surface& s = program_.surfaces[k];
      const auto place = std::ranges::find(cut_.held, s.mode);
      const long held = s.settled == program::no_expr ? -1 : place - cut_.held.begin();
      const auto way = static_cast<unsigned>(s.crossing);
      rows += fmt::format("    {{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}},\n",
                          quoted(path(s.origin)), quoted(s.text), at(s.mode), at(s.direction), s.source, held, way & 1,
                          way >> 1, flag_text(s.strict), flag_text(s.shown), flag_text(s.edge), flag_text(s.jumps),
                          flag_text(s.level), flag_text(cut_.affine[k]), flag_text(cut_.has_rate[k]),
                          flag_text(depends_on_states(s)));
    }
    out += fmt::format("static const orr_surface {}_surface_table[] = {{\n{}}};\n", name_, rows);
    if (!cut_.held.empty()) {
      std::string list;
      for (const SlotId slot : cut_.held) list += (list.empty() ? "" : ", ") + at(slot);
      out += fmt::format("static const size_t {}_held[] = {{{}}};\n", name_, list);
    }
    out += "\n";
  }

  void loops(std::string& out) {
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
        std::vector<int> columns;
        for (std::size_t c = 0; c + 1 < code.pattern.column_start.size(); ++c) {
          for (int e = code.pattern.column_start[c]; e < code.pattern.column_start[c + 1]; ++e)
            columns.push_back(static_cast<int>(c));
        }
        row_table = numbers(out, fmt::format("rows{}", k), code.pattern.row);
        column_table = numbers(out, fmt::format("columns{}", k), columns);
      }
      rows += fmt::format("    {{{}, {}, {}_unknowns{}, {}, {}, {}, {}, {}}},\n",
                          quoted(path(loop.blocks.empty() ? 0 : loop.blocks[0])), unknowns_of(k), name_, k,
                          function(code.residual), code.exact ? function(code.jacobian) : "NULL",
                          code.exact ? code.pattern.nonzeros() : 0, row_table, column_table);
    }
    out += fmt::format("static const orr_loop {}_loops[] = {{\n{}}};\n\n", name_, rows);
  }

  void assertions(std::string& out) {
    if (program_.assertions.empty()) return;
    std::string rows;
    for (const program::Assertion& a : program_.assertions)
      rows += fmt::format("    {{{}, {}, {}, {}}},\n", quoted(path(a.origin)), quoted(a.text), a.values.size(),
                          flag_text(a.only_warns));
    out += fmt::format("static const orr_assertion {}_assertion_table[] = {{\n{}}};\n\n", name_, rows);
  }

  void sites(std::string& out) {
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

  void starts(std::string& out) {
    if (cut_.start_count == 0) return;
    std::string list;
    for (std::size_t k = 0; k < cut_.start_count; ++k) list += (k == 0 ? "" : ", ") + function(cut_.start + k);
    out += fmt::format("static const orr_procedure {}_starts[] = {{{}}};\n\n", name_, list);
  }

  void interface(std::string& out) {
    static const char* const kinds[] = {"ORR_PARAMETER", "ORR_INPUT",   "ORR_OUTPUT", "ORR_SIGNAL",
                                        "ORR_STATE",     "ORR_UNKNOWN", "ORR_MEMORY", "ORR_MODE"};
    static const char* const types[] = {"ORR_F64", "ORR_C128", "ORR_I8",  "ORR_I16",    "ORR_I32",
                                        "ORR_U8",  "ORR_U16",  "ORR_U32", "ORR_BOOLEAN"};
    std::string rows;
    for (const CVariable& v : d_.model.variables)
      rows += fmt::format("    {{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}}},\n", quoted(v.name), quoted(v.unit),
                          quoted(v.about), kinds[static_cast<std::size_t>(v.kind)],
                          types[static_cast<std::size_t>(v.type.scalar)], flag_text(v.negated), flag_text(v.continuous),
                          v.type.rows, v.type.cols, at(v.slot, v.element));
    if (!rows.empty()) out += fmt::format("static const orr_variable {}_variables[] = {{\n{}}};\n", name_, rows);
    int next = 0;
    rows.clear();
    for (const program::Parameter& parameter : program_.parameters)
      rows += fmt::format("    {{{}, {}}},\n", next++, at(parameter.given));
    if (!rows.empty()) out += fmt::format("static const orr_parameter {}_parameter_table[] = {{\n{}}};\n", name_, rows);
    rows.clear();
    for (const program::InputPort& port : program_.inputs)
      rows += fmt::format(
          "    {{{}, {}, {}, {}, {}, {}, {}, {}}},\n", quoted(port.name),
          static_cast<std::int64_t>(port.source == program::no_source ? -1 : static_cast<std::int64_t>(port.source)),
          port.value == no_slot ? -1 : next++, at(port.value), at(port.slope), at(port.since), at(port.next),
          at(port.next_slope));
    if (!rows.empty()) out += fmt::format("static const orr_input {}_inputs[] = {{\n{}}};\n", name_, rows);
    std::vector<std::size_t> first_column;
    std::string columns;
    std::size_t column = 0;
    for (std::size_t k = 0; k < program_.probes.size(); ++k) {
      const program::Probe& probe = program_.probes[k];
      const program::Type type = program_.slots[probe.slot].type;
      first_column.push_back(column);
      for (std::int64_t e = 0; e < type.size(); ++e) {
        for (int part = 0; part < parts_of(type); ++part, ++column) {
          const char* suffix = parts_of(type) == 1 ? "" : part == 0 ? ".re" : ".im";
          const auto scalar = type.scalar == program::Scalar::c128 ? program::Scalar::f64 : type.scalar;
          columns += fmt::format("    {{{}, {}, {}, {}, {}, {}, {}}},\n",
                                 quoted(element_name(probe.name, type, e) + suffix), quoted(probe.unit),
                                 at(probe.slot, e, part), at(probe.seen), types[static_cast<std::size_t>(scalar)],
                                 flag_text(probe.continuous), flag_text(k >= d_.recorded.size() || d_.recorded[k]));
        }
      }
    }
    rows.clear();
    for (const program::OutputPort& port : program_.outputs)
      rows += fmt::format("    {{{}, {}, {}}},\n", quoted(port.name), first_column[port.probe],
                          port.activation ? -1 : next++);
    if (!rows.empty()) out += fmt::format("static const orr_output {}_output_table[] = {{\n{}}};\n", name_, rows);
    if (!columns.empty()) out += fmt::format("static const orr_column {}_columns[] = {{\n{}}};\n", name_, columns);
    out += "\n";
  }

  void tolerances(std::string& out) {
    std::vector<std::string> tolerances, nominals;
    for (const SlotId id : program_.states) {
      const program::Slot& slot = program_.slots[id];
      for (std::int64_t e = 0; e < slot.type.size(); ++e) {
        const bool shadow = slot.kind == program::SlotKind::shadow;
        tolerances.push_back(number_text(shadow ? -1 : slot.absolute_tolerance));
        nominals.push_back(number_text(slot.nominals.empty() ? 1 : slot.nominals[static_cast<std::size_t>(e)]));
      }
    }
    if (tolerances.empty()) return;
    out += fmt::format("static const double {}_tolerances[] = {{{}}};\n", name_, fmt::join(tolerances, ", "));
    out += fmt::format("static const double {}_nominals[] = {{{}}};\n\n", name_, fmt::join(nominals, ", "));
  }

  void model(std::string& out) {
    const ExportSettings& s = d_.settings;
    std::string rows;
    const auto add = [&rows](const char* name, const std::string& value) {
      if (value != "0" && value != "NULL") rows += fmt::format("    .{} = {},\n", name, value);
    };
    const auto count = [&](const char* name, std::size_t value) { add(name, std::to_string(value)); };
    const auto table = [&](const char* counter, const char* name, std::size_t size, const char* what) {
      count(counter, size);
      if (size > 0) add(name, fmt::format("{}_{}", name_, what));
    };
    const auto loop_list = [&](const char* counter, const char* name, const std::vector<std::uint32_t>& list) {
      count(counter, list.size());
      add(name, numbers(out, name, list));
    };
    const auto any = [this](program::SourceKind kind) {
      return std::ranges::any_of(program_.sources, [kind](const auto& source) { return source.kind == kind; });
    };
    add("version", "ORR_VERSION");
    add("name", quoted(name_));
    add("fixed_step", flag_text(program_.fixed_step));
    add("memory", fmt::format("sizeof({})", name_));
    add("initial", fmt::format("&{}_defaults", name_));
    count("states", cut_.state_count);
    if (cut_.state_count > 0) {
      add("tolerances", name_ + "_tolerances");
      add("nominals", name_ + "_nominals");
    }
    count("results", results());
    rows += fmt::format(
        "    .options = {{.start = {}, .stop = {}, .solver = {}, .step = {}, .rtol = {}, .atol = {}, .hmax = {}, .hmin "
        "= {},\n"
        "                .hinit = {}, .time_tolerance = {}, .zero_threshold = {}, .final_tick = {}, .record = 1}},\n",
        number_text(s.start), number_text(s.stop), d_.solver, number_text(s.step), number_text(s.relative_tolerance),
        number_text(s.absolute_tolerance), number_text(s.longest_step), number_text(s.shortest_step),
        number_text(s.first_step), number_text(s.time_tolerance), number_text(s.zero_threshold),
        flag_text(s.final_tick));
    add("derivatives", function(passes::Procedures::derivatives));
    add("outputs", function(passes::Procedures::always));
    if (!program_.surfaces.empty()) {
      add("surfaces", function(passes::Procedures::surfaces));
      add("surface_rates", optional(cut_.surface_rates));
      add("settled", optional(cut_.settled));
    }
    add("sampled", optional(cut_.sampled));
    if (cut_.assertions != 0) {
      add("assertions", function(cut_.assertions));
      add("tried_assertions", function(cut_.assertions + 1));
      add("assertion_values", function(cut_.assertions + 2));
    }
    table("starts", "start", cut_.start_count, "starts");
    add("partial", flag_text(cut_.partial));
    add("partial_shown", flag_text(cut_.partial_shown));
    add("all_rates", flag_text(std::ranges::all_of(cut_.has_rate, [](bool known) { return known; })));
    add("continuous_columns", flag_text(cut_.continuous_probes));
    add("first_sources", flag_text(std::ranges::any_of(program_.sources, &program::Source::first)));
    add("step_sources", flag_text(any(program::SourceKind::step)));
    add("left_sources", flag_text(any(program::SourceKind::left)));
    add("instant_sources", flag_text(any(program::SourceKind::instant)));
    table("sources", "source", program_.sources.size(), "sources");
    table("domains", "domain", program_.domains.size(), "domains");
    table("surface_count", "surface", program_.surfaces.size(), "surface_table");
    table("held_count", "held", cut_.held.size(), "held");
    if (most_unknowns_there() > 0) table("loops", "loop", program_.loops.size(), "loops");
    table("assertion_count", "assertion", program_.assertions.size(), "assertion_table");
    count("queues", queues());
    count("most_unknowns", most_unknowns_there());
    count("most_entries", most_entries());
    loop_list("derivative_loops", "derivative_loop", cut_.derivative_loops);
    loop_list("surface_loops", "surface_loop", cut_.surface_loops);
    loop_list("output_loops", "output_loop", cut_.always_loops);
    loop_list("sampled_loops", "sampled_loop", cut_.sampled_loops);
    loop_list("assertion_loops", "assertion_loop", cut_.assertion_loops);
    table("variables", "variable", d_.model.variables.size(), "variables");
    table("parameters", "parameter", program_.parameters.size(), "parameter_table");
    table("inputs", "input", program_.inputs.size(), "inputs");
    table("outputs_count", "output", program_.outputs.size(), "output_table");
    table("columns", "column", columns(), "columns");
    add("trouble", d_.layout.trouble > 0 ? "ORR_AT(trouble)" : "ORR_NONE");
    table("sites", "site", site_count_, "sites");
    add("work", name_ + "_WORK");
    out += fmt::format("const orr_model {}_model = {{\n{}}};\n", name_, rows);
  }

  const Description& d_;
  const program::Program& program_;
  const passes::Procedures& cut_;
  const std::string& name_;
  std::size_t site_count_ = 0;
};

}  // namespace

std::vector<CVariable> list_variables(const program::Program& program, const native::MemberNames& names) {
  std::vector<CVariable> list;
  const auto of_slot = [&](SlotId slot, program::VariableKind kind, const std::string& name) {
    CVariable v;
    v.name = name;
    v.kind = kind;
    v.slot = slot;
    v.type = program.slots[slot].type;
    for (const program::Variable& known : program.variables) {
      if (known.slot != slot || known.element >= 0) continue;
      v.unit = program::variable_unit(program, known);
      v.about = program::variable_about(program, known);
      v.start = program::variable_start(program, known);
      v.continuous = program::is_continuous(program, known);
    }
    return v;
  };
  for (const program::Parameter& parameter : program.parameters) {
    list.push_back(of_slot(parameter.slot, program::VariableKind::parameter, parameter.name));
    if (!parameter.unit.empty()) list.back().unit = parameter.unit;
    list.back().continuous = true;
  }
  for (const program::InputPort& port : program.inputs) {
    if (port.value != no_slot) list.push_back(of_slot(port.value, program::VariableKind::input, port.name));
  }
  for (const program::OutputPort& port : program.outputs) {
    if (port.activation) continue;
    list.push_back(of_slot(program.probes[port.probe].slot, program::VariableKind::output, port.name));
    list.back().continuous = program.probes[port.probe].continuous;
  }
  for (const SlotId slot : program.states) {
    if (program.slots[slot].kind == program::SlotKind::state)
      list.push_back(of_slot(slot, program::VariableKind::state, program::slot_name(program, slot)));
  }
  for (const program::Variable& known : program.variables) {
    using Kind = program::VariableKind;
    if (known.kind == Kind::parameter || known.kind == Kind::input || known.kind == Kind::output) continue;
    if (known.kind == Kind::state && known.element < 0 && !known.negated && known.alias == program::no_variable)
      continue;
    if (known.value != program::no_expr || names.member[known.slot].empty()) continue;
    CVariable v;
    v.name = program::variable_name(program, known);
    v.unit = program::variable_unit(program, known);
    v.about = program::variable_about(program, known);
    v.kind = known.kind;
    v.type = program::variable_type(program, known);
    v.slot = known.slot;
    v.element = known.element;
    v.negated = known.negated;
    v.continuous = program::is_continuous(program, known);
    v.start = program::variable_start(program, known);
    list.push_back(std::move(v));
  }
  return list;
}

std::string describe(const Description& what) { return Tables(what).text(); }

std::string work_text(const Description& what) {
  const Tables tables(what);
  const program::Program& program = what.model.program;
  const passes::Procedures& cut = what.model.cut;
  return fmt::format("ORR_WORK({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {})", cut.state_count,
                     program.surfaces.size(), program.fixed_step ? "6" : "ORR_SAMPLES", cut.held.size(),
                     program.sources.size(), program.domains.size(), tables.results(), program.assertions.size(),
                     tables.columns(), tables.queues(), tables.most_unknowns_there(), tables.most_entries());
}

}  // namespace orrery::code_export
