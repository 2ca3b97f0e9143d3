// SPDX-License-Identifier: Apache-2.0
// The variables of an exported model, its inputs, outputs and columns.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "export/describe.h"
#include "export/member_names.h"
#include "export/tables.h"
#include "program/print.h"
#include "program/variables.h"

namespace orrery::code_export {

using program::no_slot;
using program::SlotId;

namespace {

std::string element_name(const std::string& name, const program::Type& type, std::int64_t k) {
  if (type.is_scalar()) return name;
  if (type.cols == 1 || type.rows == 1) return fmt::format("{}[{}]", name, k + 1);
  return fmt::format("{}[{},{}]", name, k % type.rows + 1, k / type.rows + 1);
}

}  // namespace

void Tables::interface(std::string& out) {
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

void Tables::tolerances(std::string& out) {
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

}  // namespace orrery::code_export
