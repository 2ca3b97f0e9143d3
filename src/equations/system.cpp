// SPDX-License-Identifier: Apache-2.0
// Variables and names of a System.
#include "equations/system.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/continuation.h"
#include "program/print.h"

namespace orrery::equations {

using program::SlotId;

VariableId System::add(std::string name, double start, bool fixed, program::OriginId origin) {
  const program::ExprId value = program->graph.constant(start);
  const SlotId slot =
      program->add_slot({std::move(name), program::Type{}, program::SlotKind::unknown, origin, value, 0, {}});
  Variable variable;
  variable.slot = slot;
  variable.fixed = fixed;
  variable.origin = origin;
  variables.push_back(variable);
  return static_cast<VariableId>(variables.size() - 1);
}

VariableId System::derivative_of(VariableId id) {
  if (variables[id].derivative != none) return variables[id].derivative;
  const program::Slot& own = program->slots[variables[id].slot];
  std::string name = fmt::format("der({})", own.name);
  if (!own.type.is_scalar()) name = fmt::format("der({}[{}])", own.name, variables[id].element + 1);
  const VariableId derivative = add(std::move(name), 0, false, variables[id].origin);
  variables[id].derivative = derivative;
  return derivative;
}

program::ExprId System::homotopy(program::ExprId actual, program::ExprId simplified) {
  const program::ExprId share = program->read(program::continuation_slot(*program));
  return program::continued(program->graph, share, actual, simplified);
}

VariableIndex::VariableIndex(const System& system) : system_(system), dependencies_(system.program->graph) {
  for (VariableId id = 0; id < system.variables.size(); ++id) add(id, system.variables[id]);
}

void VariableIndex::add(VariableId id, const Variable& variable) {
  if (variable.slot >= by_slot_.size()) by_slot_.resize(variable.slot + std::size_t{1});
  auto& elements = by_slot_[variable.slot];
  const auto element = static_cast<std::size_t>(variable.element);
  if (element >= elements.size()) elements.resize(element + 1, none);
  elements[element] = id;
}

VariableId VariableIndex::find(SlotId slot, std::int64_t element) const {
  if (slot >= by_slot_.size() || element >= static_cast<std::int64_t>(by_slot_[slot].size())) return none;
  return by_slot_[slot][static_cast<std::size_t>(element)];
}

std::vector<VariableId> VariableIndex::read_by(program::ExprId expression) {
  std::vector<VariableId> result;
  for (const passes::Leaf& leaf : dependencies_.of(expression)) {
    const VariableId id = find(leaf.slot, leaf.element);
    if (id != none) result.push_back(id);
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::string name_of(const System& system, VariableId id) {
  const Variable& v = system.variables[id];
  std::string name = program::slot_name(*system.program, v.slot);
  if (!system.program->slots[v.slot].type.is_scalar()) name += fmt::format("[{}]", v.element + 1);
  return name;
}

std::string text_of(const System& system, const Equation& equation) {
  constexpr std::size_t longest = 120;
  std::string text = equation.text;
  if (text.empty()) text = "0 = " + program::to_text(*system.program, equation.residual);
  if (text.size() > longest) text = text.substr(0, longest) + " …";
  return text;
}

Place place_of(const program::Program& program, program::OriginId origin) {
  const std::string file = program.origins.empty() ? "" : program.origins[0].path;
  if (origin >= program.origins.size() || origin == 0) return {file, 0, 0, {}, {}};
  const program::Origin& at = program.origins[origin];
  return {file, at.line, 0, at.path, {}};
}

}  // namespace orrery::equations
