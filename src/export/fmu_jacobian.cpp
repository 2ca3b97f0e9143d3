// SPDX-License-Identifier: Apache-2.0
// Exact derivatives by states, inputs and unknowns, ordered by rows.
#include "export/fmu_jacobian.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "passes/build_jacobian.h"

namespace orrery::code_export {
namespace {

using program::no_slot;
using program::SlotId;

int size_of_slot(const program::Program& program, SlotId slot) {
  return static_cast<int>(program.slots[slot].type.size());
}

// Turns the entries of a matrix that is stored by columns into rows.
void by_rows(const passes::Jacobian& matrix, FmuJacobian& out) {
  const auto rows = static_cast<std::size_t>(matrix.pattern.rows);
  std::vector<std::vector<std::pair<int, std::size_t>>> entries(rows);
  for (std::size_t c = 0; c + 1 < matrix.pattern.column_start.size(); ++c) {
    for (auto e = matrix.pattern.column_start[c]; e < matrix.pattern.column_start[c + 1]; ++e) {
      const auto place = static_cast<std::size_t>(e);
      entries[static_cast<std::size_t>(matrix.pattern.row[place])].emplace_back(static_cast<int>(c), place);
    }
  }
  out.row_start = {0};
  for (const auto& row : entries) {
    for (const auto& [column, place] : row) {
      program::Store store = matrix.procedure.stores[place];
      store.index = static_cast<std::uint32_t>(out.column.size());
      out.procedure.stores.push_back(store);
      out.column.push_back(column);
    }
    out.row_start.push_back(static_cast<int>(out.column.size()));
  }
}

}  // namespace

FmuJacobian make_fmu_jacobian(program::Program& program, const passes::Procedures& cut) {
  FmuJacobian out;
  std::vector<SlotId> columns;
  std::vector<program::ExprId> rows;
  int row = 0, column = 0;
  out.loop_start = {0};
  for (const std::uint32_t k : cut.continuous_loops) {
    const program::Loop& loop = program.loops[k];
    columns.insert(columns.end(), loop.unknowns.begin(), loop.unknowns.end());
    rows.insert(rows.end(), loop.residuals.begin(), loop.residuals.end());
    for (const SlotId slot : loop.unknowns) row += size_of_slot(program, slot);
    out.loop_start.push_back(row);
  }
  column = out.derivatives = row;
  columns.insert(columns.end(), program.states.begin(), program.states.end());
  rows.insert(rows.end(), program.derivatives.begin(), program.derivatives.end());
  for (const SlotId slot : program.states) column += size_of_slot(program, slot);
  row = column;
  for (const program::InputPort& port : program.inputs) {
    out.input_column.push_back(port.slope == no_slot ? -1 : column);
    if (port.slope == no_slot) continue;
    columns.push_back(port.value);
    column += size_of_slot(program, port.value);
  }
  std::map<SlotId, program::ExprId> always;
  for (const program::Assign& assign : program.always) always[assign.slot] = assign.value;
  std::vector<int> first_column;
  for (const program::Probe& probe : program.probes) {
    const program::Type type = program.slots[probe.slot].type;
    first_column.push_back(static_cast<int>(out.output_row.size()));
    out.output_row.resize(
        out.output_row.size() + static_cast<std::size_t>(type.size() * (type.scalar == program::Scalar::c128 ? 2 : 1)),
        -1);
  }
  for (const program::OutputPort& port : program.outputs) {
    const program::Probe& probe = program.probes[port.probe];
    const auto value = always.find(probe.slot);
    const bool smooth = probe.continuous && program.slots[probe.slot].type.scalar == program::Scalar::f64;
    if (!smooth || value == always.end()) continue;
    rows.push_back(value->second);
    const auto first = static_cast<std::size_t>(first_column[port.probe]);
    for (int e = 0; e < size_of_slot(program, probe.slot); ++e)
      out.output_row[first + static_cast<std::size_t>(e)] = row++;
  }
  out.surfaces = row;
  for (const program::Surface& surface : program.surfaces) rows.push_back(surface.value);
  out.columns = column;
  const passes::Jacobian matrix = passes::build_jacobian(program, columns, rows);
  out.exact = matrix.exact;
  out.procedure.name = "partial_derivatives";
  if (out.exact) by_rows(matrix, out);
  return out;
}

std::string fmu_jacobian_text(const FmuJacobian& j, const std::string& model, const std::string& constant) {
  std::string text;
  const auto table = [&](const char* what, const std::vector<int>& numbers) {
    if (numbers.empty()) return std::string("NULL");
    text += fmt::format("static const int {}_{}[] = {{{}}};\n", constant, what, fmt::join(numbers, ", "));
    return fmt::format("{}_{}", constant, what);
  };
  const std::string row_start = table("row_start", j.row_start), column = table("column", j.column),
                    loop_start = table("loop_start", j.loop_start), output_row = table("output_row", j.output_row),
                    input_column = table("input_column", j.input_column);
  const std::string procedure =
      j.procedure.stores.empty() ? std::string("NULL") : fmt::format("{}_{}", model, j.procedure.name);
  return text + fmt::format("static const orr_fmi_jacobian {} = {{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}};\n",
                            constant, procedure, j.rows(), j.columns, j.column.size(), row_start, column,
                            j.loop_start.size() - 1, loop_start, j.derivatives, j.surfaces, output_row, input_column);
}

}  // namespace orrery::code_export
