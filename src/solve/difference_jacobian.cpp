// SPDX-License-Identifier: Apache-2.0
// Greedy colouring of columns and one-sided differences by colour.
#include "solve/difference_jacobian.h"

#include <algorithm>

namespace orrery::solve {

std::vector<int> colour_columns(const Sparsity& pattern) {
  const int n = pattern.n;
  std::vector<std::vector<int>> columns_of_row(static_cast<std::size_t>(n));
  std::vector<int> colour(static_cast<std::size_t>(n), -1);
  std::vector<int> taken_by;  // per colour: the last column that found it in a neighbour
  for (int j = 0; j < n; ++j) {
    for (int e = pattern.column_start[j]; e < pattern.column_start[j + 1]; ++e) {
      for (const int other : columns_of_row[pattern.row[e]]) taken_by[colour[other]] = j;
    }
    const auto free = std::find_if(taken_by.begin(), taken_by.end(), [j](int by) { return by != j; });
    colour[j] = static_cast<int>(free - taken_by.begin());
    if (free == taken_by.end()) taken_by.push_back(-1);
    for (int e = pattern.column_start[j]; e < pattern.column_start[j + 1]; ++e) {
      columns_of_row[pattern.row[e]].push_back(j);
    }
  }
  return colour;
}

DifferenceJacobian::DifferenceJacobian(const Sparsity& pattern, const Rhs& rhs)
    : pattern_(pattern), rhs_(rhs), moved_x_(pattern.n), moved_f_(pattern.n) {
  const std::vector<int> colour = colour_columns(pattern);
  for (int j = 0; j < pattern.n; ++j) {
    if (pattern.column_start[j] == pattern.column_start[j + 1]) continue;
    if (static_cast<std::size_t>(colour[j]) >= groups_.size()) groups_.resize(static_cast<std::size_t>(colour[j]) + 1);
    groups_[colour[j]].push_back(j);
  }
}

int DifferenceJacobian::evaluate(double t, const double* x, const double* f, const double* increment, double* values) {
  std::copy_n(x, pattern_.n, moved_x_.begin());
  for (const std::vector<int>& group : groups_) {
    for (const int j : group) moved_x_[j] += increment[j];
    const int code = rhs_.function(t, moved_x_.data(), moved_f_.data(), rhs_.user);
    if (code != 0) return code;
    for (const int j : group) {
      const double step = moved_x_[j] - x[j];  // what rounding left of the increment
      for (int e = pattern_.column_start[j]; e < pattern_.column_start[j + 1]; ++e) {
        const int i = pattern_.row[e];
        values[e] = (moved_f_[i] - f[i]) / step;
      }
      moved_x_[j] = x[j];
    }
  }
  return 0;
}

}  // namespace orrery::solve
