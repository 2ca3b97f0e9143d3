// SPDX-License-Identifier: Apache-2.0
// Hager's estimate: a few solutions with the matrix and its transpose climb to a large column of the inverse.
#include "solve/condition.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "solve/shifted_matrix.h"

namespace orrery::solve {

namespace {

// The pattern of the transpose, and where each of its entries comes from.
Sparsity transposed(const Sparsity& pattern, std::vector<std::size_t>& from) {
  Sparsity result{pattern.n, std::vector<int>(static_cast<std::size_t>(pattern.n) + 1),
                  std::vector<int>(pattern.row.size())};
  for (const int row : pattern.row) ++result.column_start[static_cast<std::size_t>(row) + 1];
  std::partial_sum(result.column_start.begin(), result.column_start.end(), result.column_start.begin());
  from.resize(pattern.row.size());
  std::vector<int> next(result.column_start.begin(), result.column_start.end() - 1);
  for (int j = 0; j < pattern.n; ++j) {
    for (int e = pattern.column_start[j]; e < pattern.column_start[j + 1]; ++e) {
      const int at = next[pattern.row[e]]++;
      result.row[at] = j;
      from[static_cast<std::size_t>(at)] = static_cast<std::size_t>(e);
    }
  }
  return result;
}

double sum_of_sizes(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += std::abs(x);
  return sum;
}

// The largest column sum of c M - J.
double column_norm(const Sparsity& pattern, const double* jacobian, double c, int differential) {
  double largest = 0;
  for (int j = 0; j < pattern.n; ++j) {
    double sum = 0, diagonal = j < differential ? c : 0;
    for (int e = pattern.column_start[j]; e < pattern.column_start[j + 1]; ++e) {
      if (pattern.row[e] == j) {
        diagonal -= jacobian[e];
      } else {
        sum += std::abs(jacobian[e]);
      }
    }
    largest = std::max(largest, sum + std::abs(diagonal));
  }
  return largest;
}

}  // namespace

double newton_condition(const Sparsity& pattern, const double* jacobian, double h, int differential) {
  ORRERY_CHECK(pattern.n > 0 && h >= 0);
  if (differential < 0) differential = pattern.n;
  if (h == 0) return 1;
  const double infinity = std::numeric_limits<double>::infinity();
  const std::size_t n = static_cast<std::size_t>(pattern.n);
  std::vector<std::size_t> from;
  const Sparsity turned = transposed(pattern, from);
  std::vector<double> turned_values(from.size());
  for (std::size_t e = 0; e < from.size(); ++e) turned_values[e] = jacobian[from[e]];
  MassMatrix mass;
  if (differential < pattern.n) {
    mass.pattern = {pattern.n, {0}, {}};
    for (int j = 0; j < pattern.n; ++j) {
      if (j < differential) mass.pattern.row.push_back(j);
      mass.pattern.column_start.push_back(static_cast<int>(mass.pattern.row.size()));
    }
    mass.values.assign(static_cast<std::size_t>(differential), 1.0);
  }
  const ShiftedStructure structure(pattern.n, pattern, mass), turned_structure(pattern.n, turned, mass);
  ShiftedMatrix<double> matrix(structure), transpose(turned_structure);
  if (!matrix.factor(1 / h, jacobian) || !transpose.factor(1 / h, turned_values.data())) return infinity;
  std::vector<double> x(n, 1 / static_cast<double>(n)), z(n);
  double estimate = 0;
  constexpr int most = 5;
  for (int round = 0; round < most; ++round) {
    matrix.solve(x.data());
    const double size = sum_of_sizes(x);
    if (!std::isfinite(size)) return infinity;
    if (size <= estimate) break;
    estimate = size;
    for (std::size_t i = 0; i < n; ++i) z[i] = x[i] < 0 ? -1 : 1;
    transpose.solve(z.data());
    const auto largest =
        std::max_element(z.begin(), z.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    std::fill(x.begin(), x.end(), 0.0);
    x[static_cast<std::size_t>(largest - z.begin())] = 1;
  }
  return column_norm(pattern, jacobian, 1 / h, differential) * estimate;
}

}  // namespace orrery::solve
