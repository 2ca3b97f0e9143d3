// SPDX-License-Identifier: Apache-2.0
// Words of the variable table.
#include "program/variables.h"

#include <fmt/format.h>

#include "program/motion.h"
#include "program/print.h"

namespace orrery::program {
namespace {

std::string without_slash(std::string_view name) { return std::string(name.starts_with('/') ? name.substr(1) : name); }

std::string numbered(const Program& program, const Variable& variable) {
  return fmt::format("{}:{}", program.origins[variable.origin].path, variable.port);
}

}  // namespace

const char* name_of(VariableKind kind) {
  switch (kind) {
    case VariableKind::parameter: return "parameter";
    case VariableKind::input: return "input";
    case VariableKind::output: return "output";
    case VariableKind::signal: return "signal";
    case VariableKind::state: return "state";
    case VariableKind::unknown: return "unknown";
    case VariableKind::memory: return "memory";
    case VariableKind::mode: return "mode";
  }
  return "";
}

std::string variable_name(const Program& program, const Variable& variable) {
  if (variable.name != 0) return program.texts[variable.name];
  if (variable.port == 0) return slot_name(program, variable.slot);
  return variable.only ? program.origins[variable.origin].path : numbered(program, variable);
}

std::string variable_about(const Program& program, const Variable& variable) {
  if (variable.about != 0) return program.texts[variable.about];
  const std::string& type = program.origins[variable.origin].type;
  if (variable.origin == 0) return fmt::format("{} of the model", name_of(variable.kind));
  if (variable.kind != VariableKind::signal || variable.only)
    return fmt::format("{} of {}", variable.kind == VariableKind::signal ? "output" : name_of(variable.kind), type);
  return fmt::format("output {} of {}", variable.port, type);
}

const std::string& variable_unit(const Program& program, const Variable& variable) {
  static const std::string none;
  return variable.unit == 0 ? none : program.texts[variable.unit];
}

Type variable_type(const Program& program, const Variable& variable) {
  const Type type = program.slots[variable.slot].type;
  return variable.element < 0 ? type : Type{type.scalar, 1, 1};
}

std::vector<double> variable_start(const Program& program, const Variable& variable) {
  const Slot& slot = program.slots[variable.slot];
  const bool constant = variable.value != no_expr && program.graph.is_constant(variable.value);
  const ExprId initial = constant ? variable.value : slot.initial;
  const bool begins = constant || slot.kind != SlotKind::signal;
  if (!begins || initial == no_expr) return {};
  const auto data = program.graph.constant_data(initial);
  std::vector<double> start(data.begin(), data.end());
  if (variable.element >= 0) start = {start[static_cast<std::size_t>(variable.element)]};
  for (double& x : start) x = variable.negated ? -x : x;
  return start;
}

bool is_continuous(const Program& program, const Variable& variable) {
  if (variable.value != no_expr) return true;
  const SlotKind kind = program.slots[variable.slot].kind;
  return kind == SlotKind::state || kind == SlotKind::unknown || kind == SlotKind::parameter;
}

const char* value_source(const Program& program, const Variable& variable) {
  if (variable.value == no_expr) return "run";
  return program.graph.is_constant(variable.value) ? "constant" : "formula";
}

std::string variable_source(const Program& program, const Variable& variable) {
  if (variable.alias == no_variable) return {};
  const std::string name = variable_name(program, program.variables[variable.alias]);
  return (variable.negated ? "-" : "") + name;
}

std::uint32_t TextTable::add(const std::string& text) {
  if (text.empty()) return 0;
  if (program_.texts.empty()) program_.texts.emplace_back();
  const auto [found, made] = known_.emplace(text, static_cast<std::uint32_t>(program_.texts.size()));
  if (made) program_.texts.push_back(text);
  return found->second;
}

VariableNames::VariableNames(const Program& program) {
  by_name_.reserve(program.variables.size());
  for (std::uint32_t k = 0; k < program.variables.size(); ++k) {
    const Variable& variable = program.variables[k];
    by_name_.emplace(without_slash(variable_name(program, variable)), k);
    if (variable.port == 0 || variable.name != 0) continue;
    by_name_.emplace(without_slash(numbered(program, variable)), k);
    if (variable.port == 1) by_name_.emplace(without_slash(program.origins[variable.origin].path), k);
  }
}

std::optional<std::uint32_t> VariableNames::find(std::string_view name) const {
  const auto found = by_name_.find(without_slash(name));
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace orrery::program
