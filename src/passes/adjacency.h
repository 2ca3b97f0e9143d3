// SPDX-License-Identifier: Apache-2.0
// Rows of numbers in two arrays: which unknowns occur in which equation, or what each vertex of a graph leads to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/large_pages.h"

namespace orrery::passes {

constexpr std::uint32_t none = UINT32_MAX;

using Indices = LargeArray<std::uint32_t>;

struct Adjacency {
  Indices start{0};  // by row, and the end of the last
  Indices target;

  std::uint32_t rows() const { return static_cast<std::uint32_t>(start.size() - 1); }
  std::span<const std::uint32_t> operator[](std::uint32_t row) const {
    return {target.data() + start[row], target.data() + start[row + 1]};
  }
  void end_row() { start.push_back(static_cast<std::uint32_t>(target.size())); }
  void add_row(std::span<const std::uint32_t> row) {
    target.insert(target.end(), row.begin(), row.end());
    end_row();
  }
};

inline Adjacency adjacency_of(const std::vector<std::vector<std::uint32_t>>& rows) {
  Adjacency result;
  for (const auto& row : rows) result.add_row(row);
  return result;
}

// For each of `columns`, the rows in which it occurs, ascending.
inline Adjacency transposed(const Adjacency& rows, std::uint32_t columns) {
  Adjacency result;
  result.start.assign(columns + std::size_t{1}, 0);
  for (const std::uint32_t c : rows.target) ++result.start[c + std::size_t{1}];
  for (std::size_t c = 0; c < columns; ++c) result.start[c + 1] += result.start[c];
  result.target.resize(rows.target.size());
  Indices next(result.start.begin(), result.start.end() - 1);
  for (std::uint32_t r = 0; r < rows.rows(); ++r) {
    for (const std::uint32_t c : rows[r]) result.target[next[c]++] = r;
  }
  return result;
}

}  // namespace orrery::passes
