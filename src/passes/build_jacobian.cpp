// SPDX-License-Identifier: Apache-2.0
// Entries of the Jacobian from sparse gradients.
#include "passes/build_jacobian.h"

#include "passes/differentiate.h"
#include "passes/split_complex.h"

namespace orrery::passes {

using namespace program;

Jacobian build_jacobian(Program& program) { return build_jacobian(program, program.states, program.derivatives); }

Jacobian build_jacobian(Program& program, std::span<const SlotId> slots, std::span<const ExprId> rows) {
  std::vector<Variable> variables;
  for (SlotId slot : slots) variables.push_back({slot, program.slots[slot].type.size()});
  ComplexSplit split(program.graph);
  Gradients gradients(program.graph, variables);
  std::vector<std::vector<std::int32_t>> columns;
  std::vector<std::vector<ExprId>> values;
  for (ExprId row : rows) {
    ExprId id = split.apply(row);
    for (std::int64_t k = 0; k < program.graph.type(id).size(); ++k) {
      std::vector<std::int32_t>& row_columns = columns.emplace_back();
      std::vector<ExprId>& row_values = values.emplace_back();
      for (const Partial& p : gradients.of(id, k)) {
        row_columns.push_back(static_cast<std::int32_t>(p.column));
        row_values.push_back(p.value);
      }
    }
  }
  Jacobian jacobian;
  jacobian.exact = gradients.complete();
  jacobian.pattern = sparsity_from_rows(static_cast<std::int32_t>(gradients.columns()), columns);
  jacobian.procedure.name = "jacobian";
  jacobian.procedure.stores.resize(jacobian.pattern.nonzeros());
  std::vector<std::int32_t> next(jacobian.pattern.column_start.begin(), jacobian.pattern.column_start.end() - 1);
  for (std::size_t r = 0; r < columns.size(); ++r) {
    for (std::size_t i = 0; i < columns[r].size(); ++i) {
      auto position = static_cast<std::size_t>(next[columns[r][i]]++);
      Store& store = jacobian.procedure.stores[position];
      store.target = Store::Target::output;
      store.index = static_cast<std::uint32_t>(position);
      store.value = values[r][i];
    }
  }
  return jacobian;
}

}  // namespace orrery::passes
