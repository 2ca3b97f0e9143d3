// SPDX-License-Identifier: Apache-2.0
// What stands in the way of an export.
#include "export/refuse.h"

#include <fmt/format.h>

namespace orrery::code_export {
namespace {

const char* reason_of(const std::string& kind) {
  if (kind == "fmu") return "it runs an FMU, whose library C sources cannot contain";
  if (kind == "c" || kind == "user_c") return "it calls C code of its own, which is compiled when the model runs";
  return "it calls code that only runs inside Orrery";
}

// Names of the functions that run again in OML when a parameter changes.
std::string oml_functions(const program::Program& program, std::size_t object) {
  std::string names;
  for (const program::ForeignFunction& function : program.graph.foreign_functions()) {
    if (function.object != object || function.symbol.ends_with("_slopes")) continue;
    names += (names.empty() ? "with " : ", ") + function.symbol;
  }
  return names;
}

}  // namespace

Refusals::Refusals(const program::Program& program, Diagnostics& diagnostics, const char* whole, const char* refused)
    : program_(program), diagnostics_(diagnostics), whole_(whole), refused_(refused) {}

void Refusals::add(program::OriginId origin, const std::string& reason, const std::string& help) {
  any_ = true;
  if (!said_.insert({origin, reason}).second) return;
  const program::Origin& what = program_.origins[origin];
  const Place place =
      origin == 0 ? Place{what.path, 0, 0, {}, {}} : Place{program_.origins[0].path, what.line, 0, what.path, {}};
  const std::string who = origin == 0 || what.type.empty() ? std::string(whole_) : what.type;
  diagnostics_.error("not-exportable", place, fmt::format("{} {}: {}", who, refused_, reason), help);
}

bool check_exportable(const program::Program& program, const passes::Procedures& cut, const ExportSettings& settings,
                      Diagnostics& diagnostics) {
  Refusals refusals(program, diagnostics);
  for (std::size_t k = 0; k < program.foreign_objects.size(); ++k) {
    const program::ForeignObject& object = program.foreign_objects[k];
    if (object.kind == "oml") {
      refusals.add(object.origin, "formulas of its parameters need what OML computes " + oml_functions(program, k),
                   "leave such parameters out, or write the formulas with + - * / and elementary functions");
      continue;
    }
    refusals.add(object.origin, reason_of(object.kind),
                 "replace it by blocks of the library, or export the part around it");
  }
  for (const program::History& history : program.histories)
    refusals.add(history.origin, "it looks into the past of a signal, and exported code keeps none",
                 "use a DiscreteDelay with a clock, or approximate the delay (Pade)");
  for (const program::Source& source : program.sources) {
    for (const program::Action& action : source.table.actions) {
      if (action.kind == program::ActionKind::restart)
        refusals.add(action.origin,
                     "it starts the run again with the scripts of the model evaluated anew, which need OML",
                     "let End stop the run, and change parameters from outside");
    }
  }
  if (!program.start_system.empty())
    refusals.add(0, "it has initial equations, which are solved before the first instant",
                 "give all start values as numbers (orrery check --explain-start lists what is sought)");
  for (std::size_t k = 0; k < program.loops.size(); ++k) {
    const program::Loop& loop = program.loops[k];
    if (!loop.solution.empty()) continue;
    const program::OriginId where = loop.blocks.empty() ? 0 : loop.blocks[0];
    std::size_t unknowns = 0;
    for (const program::SlotId slot : loop.unknowns)
      unknowns += static_cast<std::size_t>(program.slots[slot].type.size());
    if (!loop.modes.empty())
      refusals.add(where, "its equations decide conditions that they depend on",
                   "break the loop with a Memory or LoopBreaker block");
    if (unknowns > most_unknowns)
      refusals.add(where,
                   fmt::format("{} equations are to be solved together, more than the {} of the run-time", unknowns,
                               most_unknowns),
                   "break the loop into smaller ones with Memory or LoopBreaker blocks");
  }
  if (cut.invariants != 0 || cut.projections != 0)
    refusals.add(0, "it has invariants, to which solvers project their solution",
                 "write the equations without the redundant ones");
  if (settings.sliding)
    refusals.add(0, "it slides along its surfaces (simulation.sliding)", "give the switching hysteresis instead");
  return !refusals.any();
}

}  // namespace orrery::code_export
