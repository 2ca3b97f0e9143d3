// SPDX-License-Identifier: Apache-2.0
// The description of an exported model: what its tables belong to.
#include "export/describe.h"

#include "export/member_names.h"
#include "export/tables.h"
#include "passes/slice.h"

namespace orrery::code_export {

void Tables::model(std::string& out) {
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
      number_text(s.first_step), number_text(s.time_tolerance), number_text(s.zero_threshold), flag_text(s.final_tick));
  add("derivatives", function(passes::Procedures::derivatives));
  solver_jacobian(out, rows);
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
  surface_states(out, rows);
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

// What is interpolated to look for crossings inside a step.
void Tables::surface_states(std::string& out, std::string& rows) const {
  if (program_.surfaces.empty() || !cut_.surface_loops.empty()) return;
  std::vector<program::ExprId> values;
  for (const program::Surface& surface : program_.surfaces) values.push_back(surface.value);
  const auto read = passes::slots_read(program_.graph, values);
  std::vector<std::int64_t> places;
  std::int64_t next = 0;
  for (const program::SlotId slot : program_.states) {
    const std::int64_t size = program_.slots[slot].type.size();
    const bool watched = std::ranges::find(read, slot) != read.end();
    for (std::int64_t e = 0; watched && e < size; ++e) places.push_back(next + e);
    next += size;
  }
  if (places.empty() || 2 * places.size() > cut_.state_count) return;  // all at once is as quick
  rows += fmt::format("    .surface_states = {},\n    .surface_state = {},\n", places.size(),
                      numbers(out, "watched_states", places));
}

void Tables::solver_jacobian(std::string& out, std::string& rows) const {
  const SolverJacobian& j = d_.model.solver_jacobian;
  if (j.size == 0) return;
  rows += fmt::format("    .jacobian_size = {},\n    .jacobian_entries = {},\n", j.size, j.entries());
  if (j.procedure.stores.empty()) return;
  rows += fmt::format("    .jacobian = {}_{},\n    .jacobian_row = {},\n    .jacobian_column = {},\n", name_,
                      j.procedure.name, numbers(out, "jacobian_rows", j.pattern.row),
                      numbers(out, "jacobian_columns", columns_of(j.pattern)));
}

std::string describe(const Description& what) { return Tables(what).text(); }

std::string work_text(const Description& what) {
  const Tables tables(what);
  const program::Program& program = what.model.program;
  const passes::Procedures& cut = what.model.cut;
  const SolverJacobian& j = what.model.solver_jacobian;
  const std::string implicit = j.size == 0 ? "" : fmt::format(" + ORR_IMPLICIT_WORK({}, {})", j.size, j.entries());
  return fmt::format("(ORR_WORK({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}){})", cut.state_count,
                     program.surfaces.size(), program.fixed_step ? "6" : "ORR_SAMPLES", cut.held.size(),
                     program.sources.size(), program.domains.size(), tables.results(), program.assertions.size(),
                     tables.columns(), tables.queues(), tables.most_unknowns_there(), tables.most_entries(), implicit);
}

}  // namespace orrery::code_export
