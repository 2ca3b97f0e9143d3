// SPDX-License-Identifier: Apache-2.0
// The Jacobian's structure from structural dependencies.
#include "passes/jacobian_pattern.h"

#include "passes/find_dependencies.h"

namespace orrery::passes {

using namespace program;

Sparsity jacobian_pattern(const Program& program) {
  std::vector<std::int32_t> first_column(program.slots.size());
  std::int32_t columns = 0;
  for (SlotId slot : program.states) {
    first_column[slot] = columns;
    columns += static_cast<std::int32_t>(program.slots[slot].type.size());
  }
  Dependencies dependencies(program.graph, program.states);
  std::vector<std::vector<std::int32_t>> rows;
  for (ExprId id : program.derivatives) {
    for (std::int64_t k = 0; k < program.graph.type(id).size(); ++k) {
      std::vector<std::int32_t>& list = rows.emplace_back();
      for (const Leaf& leaf : dependencies.of(id, k)) {
        list.push_back(first_column[leaf.slot] + static_cast<std::int32_t>(leaf.element));
      }
    }
  }
  return sparsity_from_rows(columns, rows);
}

}  // namespace orrery::passes
