// SPDX-License-Identifier: Apache-2.0
// The C of one model: header and source.
#include "export/c_model.h"

#include <fmt/format.h>

#include <set>

#include "export/describe.h"
#include "export/member_names.h"
#include "export/refuse.h"
#include "export/solver_jacobian.h"
#include "native/code.h"

namespace orrery::code_export {
namespace {

constexpr const char* licence =
    "/* SPDX-License-Identifier: MIT-0 */\n"
    "/* {}: made by Orrery from {}. */\n";

// Procedures that people may want to call have names that people know.
void rename_procedures(const program::Program& program, passes::Procedures& cut) {
  std::set<std::string> known;
  for (const program::Procedure& procedure : cut.all) known.insert(procedure.name);
  const auto rename = [&known](program::Procedure& procedure, const std::string& wanted) {
    std::string name = wanted;
    for (int k = 2; !known.insert(name).second; ++k) name = fmt::format("{}_{}", wanted, k);
    procedure.name = name;
  };
  rename(cut.all[passes::Procedures::always], "outputs");
  for (std::size_t k = 0; k < cut.tables.size(); ++k) {
    const program::Source& source = program.sources[k];
    const std::string path = source.origin == 0 ? "" : identifier(program.origins[source.origin].path);
    const std::string block = path.empty() || path[0] != '_' ? path : path.substr(1);
    std::string wanted;
    switch (source.kind) {
      case program::SourceKind::initial: wanted = "initial"; break;
      case program::SourceKind::clock: wanted = "on_tick"; break;
      case program::SourceKind::programmed:
        wanted = source.port > 1 ? fmt::format("on_{}_{}", block, source.port) : "on_" + block;
        break;
      case program::SourceKind::crossing: wanted = "on_crossing_of_" + block; break;
      case program::SourceKind::step: wanted = "after_step"; break;
      case program::SourceKind::left: wanted = "before_instant"; break;
      case program::SourceKind::instant: wanted = "after_instant"; break;
      case program::SourceKind::final: wanted = "at_end"; break;
    }
    rename(cut.all[cut.tables[k].procedure], wanted);
    if (cut.tables[k].shows_when != 0) rename(cut.all[cut.tables[k].shows_when], "shows_" + wanted);
  }
}

// Those that are in the tables; the others stay in the program.
std::vector<program::Procedure> needed_procedures(const program::Program& program, const passes::Procedures& cut) {
  std::set<std::size_t> needed = {passes::Procedures::derivatives, passes::Procedures::always};
  for (const passes::TableProcedure& table : cut.tables) {
    needed.insert(table.procedure);
    if (table.shows_when != 0) needed.insert(table.shows_when);
  }
  for (std::size_t k = 0; k < cut.loops.size(); ++k) {
    if (!program.loops[k].solution.empty()) continue;
    needed.insert(cut.loops[k].residual);
    if (cut.loops[k].exact) needed.insert(cut.loops[k].jacobian);
  }
  if (!program.surfaces.empty()) {
    needed.insert(passes::Procedures::surfaces);
    for (const std::size_t k : {cut.surface_rates, cut.settled}) needed.insert(k);
  }
  if (cut.sampled != 0) needed.insert(cut.sampled);
  for (std::size_t k = 0; cut.assertions != 0 && k < 3; ++k) needed.insert(cut.assertions + k);
  for (std::size_t k = 0; k < cut.start_count; ++k) needed.insert(cut.start + k);
  std::vector<program::Procedure> list;
  for (const std::size_t k : needed) {
    if (!cut.all[k].stores.empty()) list.push_back(cut.all[k]);
  }
  return list;
}

// A parameter whose value decides what the code is stays a number, and that is said: another value would change
// nothing.
void freeze_parameters(program::Program& program, Diagnostics& diagnostics) {
  std::erase_if(program.parameters, [&](const program::Parameter& parameter) {
    for (const program::NumberUse& use : parameter.fixed_by)
      diagnostics.warning(
          "export-parameter", use.place,
          fmt::format("{} is no parameter of the exported code: {}", parameter.name, use.reason),
          "its value stays what it is now; write formulas without such a decision to keep it, max(0, X) "
          "instead of if X > 0 for instance");
    return !parameter.fixed_by.empty();
  });
}

std::string header_text(const CModel& model, const std::string& structs, const std::string& work,
                        const std::vector<program::Procedure>& procedures, const native::MemberNames& names,
                        const std::string& from) {
  const std::string& name = model.name;
  std::string text = fmt::format(fmt::runtime(licence), name, comment_text(from));
  text += fmt::format("#ifndef ORRERY_MODEL_{0}_H\n#define ORRERY_MODEL_{0}_H\n\n#include \"orrery_rt.h\"\n\n", name);
  text += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n" + structs;
  text += fmt::format(
      "\n/* The description on which everything that runs the model stands. */\n"
      "extern const orr_model {0}_model;\n\n"
      "/* An instance with its run. */\n"
      "#define {0}_WORK {1}\n"
      "typedef struct {{\n  orr_run run;\n  {0} memory;\n  orr_cell work[{0}_WORK];\n}} {0}_instance;\n\n"
      "/* Makes an instance ready. options: NULL, those of the model; listener: NULL, nobody. */\n"
      "static inline void {0}_begin({0}_instance *one, const orr_options *options, const orr_listener *listener) {{\n"
      "  orr_begin(&one->run, &{0}_model, &one->memory, one->work, options, listener);\n}}\n",
      name, work);
  std::string prototypes;
  for (const program::Procedure& procedure : procedures) {
    if (names.visible.contains(procedure.name))
      prototypes +=
          fmt::format("void {}_{}(double t, const double *states, double *y, void *memory, long long tick);\n", name,
                      procedure.name);
  }
  if (!prototypes.empty())
    text +=
        "\n/* For those who call them without a run: states are those of the memory or a trial point, y gets results. "
        "*/\n" +
        prototypes;
  return text + "\n#ifdef __cplusplus\n}\n#endif\n#endif\n";
}

}  // namespace

std::optional<CModel> make_c_model(program::Program program, const ExportSettings& settings,
                                   const std::vector<bool>& recorded, const CModelOptions& options,
                                   Diagnostics& diagnostics) {
  CModel model;
  model.settings = settings;
  const std::string from = program.origins.empty() ? "" : program.origins[0].path;
  model.program = std::move(program);
  freeze_parameters(model.program, diagnostics);
  model.cut = passes::make_procedures(model.program);
  if (!check_exportable(model.program, model.cut, settings, diagnostics)) return std::nullopt;
  model.name = identifier(options.name);
  const bool digit = !model.name.empty() && model.name[0] >= '0' && model.name[0] <= '9';
  if (model.name.empty() || digit || is_taken_word(model.name)) model.name.insert(0, "model_");
  rename_procedures(model.program, model.cut);
  // What a quiet table tells is that rows are taken, which its description says.
  for (const passes::TableProcedure& table : model.cut.tables) {
    if (table.quiet)
      std::erase_if(model.cut.all[table.procedure].stores,
                    [](const program::Store& store) { return store.target == program::Store::Target::output; });
  }
  model.procedures = needed_procedures(model.program, model.cut);
  if (options.jacobian) {
    model.jacobian = make_fmu_jacobian(model.program, model.cut);
    if (!model.jacobian.procedure.stores.empty()) model.procedures.push_back(model.jacobian.procedure);
  }
  const int solver = solver_number(model.program, model.cut, settings, diagnostics);
  model.solver_jacobian = make_solver_jacobian(model.program, model.cut, solver);
  if (!model.solver_jacobian.procedure.stores.empty()) model.procedures.push_back(model.solver_jacobian.procedure);
  const std::vector<program::Procedure>& procedures = model.procedures;
  program::Layout layout = program::lay_out(model.program);
  native::reserve_workspace(model.program, procedures, layout);
  model.slots = used_slots(model.program, procedures);
  const std::vector<program::SlotId>& used = model.slots;
  native::MemberNames names = name_members(model.program, used, model.name);
  names.comments = options.comments;
  for (const std::size_t k : {passes::Procedures::derivatives, passes::Procedures::always})
    names.visible.insert(model.cut.all[k].name);
  for (const passes::TableProcedure& table : model.cut.tables)
    names.visible.insert(model.cut.all[table.procedure].name);
  if (options.jacobian) names.visible.insert(model.jacobian.procedure.name);
  model.variables = list_variables(model.program, names);
  const Description what{model, settings, recorded, names, layout, solver};
  const native::MemberText code = native::emit_members(model.program, layout, procedures, names);
  model.header =
      header_text(model, struct_text(model.program, used, names, layout), work_text(what), procedures, names, from);
  const bool parts = code.body.find("ORR_PART") != std::string::npos;
  model.source = fmt::format(fmt::runtime(licence), model.name, comment_text(from)) +
                 fmt::format("#include \"{}.h\"\n\n#include <math.h>\n\n", model.name) +
                 (parts ? "#if defined(__GNUC__)\n#define ORR_PART static __attribute__((noinline))\n#else\n"
                          "#define ORR_PART static\n#endif\n"
                        : "") +
                 code.prologue + (code.prologue.empty() ? "" : "\n") + code.body +
                 initial_text(model.program, used, names) + "\n" + describe(what);
  return model;
}

}  // namespace orrery::code_export
