// SPDX-License-Identifier: Apache-2.0
// Compressed columns from rows.
#include "passes/sparsity.h"

namespace orrery::passes {

Sparsity sparsity_from_rows(std::int32_t columns, const std::vector<std::vector<std::int32_t>>& columns_of_row) {
  Sparsity pattern;
  pattern.rows = static_cast<std::int32_t>(columns_of_row.size());
  pattern.n = columns;
  pattern.column_start.assign(static_cast<std::size_t>(columns) + 1, 0);
  for (const auto& list : columns_of_row) {
    for (std::int32_t c : list) ++pattern.column_start[c + 1];
  }
  for (std::int32_t c = 0; c < columns; ++c) pattern.column_start[c + 1] += pattern.column_start[c];
  pattern.row.resize(static_cast<std::size_t>(pattern.column_start.back()));
  std::vector<std::int32_t> next(pattern.column_start.begin(), pattern.column_start.end() - 1);
  for (std::int32_t r = 0; r < pattern.rows; ++r) {
    for (std::int32_t c : columns_of_row[r]) pattern.row[next[c]++] = r;
  }
  return pattern;
}

}  // namespace orrery::passes
