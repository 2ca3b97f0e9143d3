// SPDX-License-Identifier: Apache-2.0
// Condition numbers with known values: diagonal, nearly singular and singular matrices, dense and sparse.
#include "solve/condition.h"

#include <gtest/gtest.h>

#include "solve/test_sets_for_tests.h"

namespace orrery::solve {
namespace {

TEST(NewtonCondition, DiagonalMatrices) {
  for (const int n : {2, 40, 2000}) {
    Sparsity diagonal{n, {0}, {}};
    std::vector<double> values;
    for (int j = 0; j < n; ++j) {
      diagonal.row.push_back(j);
      diagonal.column_start.push_back(j + 1);
      values.push_back(j == 0 ? 0.0 : -99.0);
    }
    EXPECT_NEAR(newton_condition(diagonal, values.data(), 1), 100, 1e-9) << n;
    EXPECT_EQ(newton_condition(diagonal, values.data(), 0), 1) << n;
  }
}

// I - h J = [1 -(1 - e); -1 1] with h = 1: inverse [1 1 - e; 1 1] / e, so the condition is 2 * 2 / e up to O(e).
TEST(NewtonCondition, NearlySingularMatrix) {
  const double e = 1e-6;
  const double columns[4] = {0, 1, 1 - e, 0};
  EXPECT_NEAR(newton_condition(full_pattern(2), columns, 1) * e / 4, 1, 1e-5);
  const double singular[4] = {0, 1, 1, 0};
  EXPECT_EQ(newton_condition(full_pattern(2), singular, 1), 1.0 / 0.0);
}

// The inverse of [1 -a; 0 1] is [1 a; 0 1]: only the transpose finds the large column.
TEST(NewtonCondition, TriangularMatrix) {
  const double columns[4] = {0, 0, 1e4, 0};
  EXPECT_NEAR(newton_condition(full_pattern(2), columns, 1), (1 + 1e4) * (1 + 1e4), 1);
}

// x' = 3 x, 0 = x + e z with h = 1/4: the matrix [4 - 3, 0; -1, -e] has the inverse [1 0; -1/e -1/e].
TEST(NewtonCondition, OfADae) {
  const double e = 1e-5, columns[4] = {3, 1, 0, e};
  EXPECT_NEAR(newton_condition(full_pattern(2), columns, 0.25, 1) / (2 * (1 + 1 / e)), 1, 1e-9);
}

}  // namespace
}  // namespace orrery::solve
