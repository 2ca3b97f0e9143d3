// SPDX-License-Identifier: Apache-2.0
// Which entries of a matrix may differ from zero, column by column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery::passes {

struct Sparsity {
  std::int32_t rows = 0;
  std::int32_t n = 0;                      // columns
  std::vector<std::int32_t> column_start;  // n + 1 positions in row
  std::vector<std::int32_t> row;           // ascending within a column

  std::size_t nonzeros() const { return row.size(); }
  friend bool operator==(const Sparsity&, const Sparsity&) = default;
};

// The matrix with the given columns in each row, rows in order.
Sparsity sparsity_from_rows(std::int32_t columns, const std::vector<std::vector<std::int32_t>>& columns_of_row);

}  // namespace orrery::passes
