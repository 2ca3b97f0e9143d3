// SPDX-License-Identifier: Apache-2.0
// The condensed matrix against the formula with full matrices, and its entries as models grow.
#include "sim/condensed_jacobian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace orrery::sim {
namespace {

using Matrix = std::vector<std::vector<double>>;

passes::Sparsity pattern_of(const Matrix& a) {
  const auto n = static_cast<std::int32_t>(a.size());
  passes::Sparsity pattern{n, n, {0}, {}};
  for (std::size_t c = 0; c < a.size(); ++c) {
    for (std::size_t r = 0; r < a.size(); ++r) {
      if (a[r][c] != 0) pattern.row.push_back(static_cast<std::int32_t>(r));
    }
    pattern.column_start.push_back(static_cast<std::int32_t>(pattern.row.size()));
  }
  return pattern;
}

// a x = b by elimination without exchanges: the matrices below have strong diagonals.
std::vector<double> solve_plainly(Matrix a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t r = k + 1; r < n; ++r) {
      const double factor = a[r][k] / a[k][k];
      for (std::size_t c = k; c < n; ++c) a[r][c] -= factor * a[k][c];
      b[r] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t c = k + 1; c < n; ++c) b[k] -= a[k][c] * b[c];
    b[k] /= a[k][k];
  }
  return b;
}

TEST(CondensedJacobian, IsTheFormulaOfTheImplicitFunctionTheorem) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int round = 0; round < 100; ++round) {
    const std::size_t states = 1 + random() % 8;
    std::vector<std::size_t> loops(1 + random() % 4);
    std::size_t unknowns = 0;
    std::vector<std::size_t> loop_of;
    for (std::size_t l = 0; l < loops.size(); ++l) {
      loops[l] = 1 + random() % 3;
      unknowns += loops[l];
      loop_of.insert(loop_of.end(), loops[l], l);
    }
    const std::size_t n = states + unknowns;
    Matrix a(n, std::vector<double>(n, 0.0));
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t c = 0; c < n; ++c) {
        const bool later = r >= states && c >= states && loop_of[c - states] > loop_of[r - states];
        if (!later && random() % 3 == 0) a[r][c] = number(random);
        if (r == c && r >= states) a[r][c] = 4;
      }
    }
    const passes::Sparsity pattern = pattern_of(a);
    std::vector<double> values;
    for (std::size_t c = 0; c < n; ++c) {
      for (std::size_t r = 0; r < n; ++r) {
        if (a[r][c] != 0) values.push_back(a[r][c]);
      }
    }
    CondensedJacobian condensed(pattern, states, loops);
    std::vector<double> entries(condensed.pattern().row.size());
    ASSERT_TRUE(condensed.evaluate(values.data(), entries.data()));
    Matrix inner(unknowns, std::vector<double>(unknowns));
    for (std::size_t r = 0; r < unknowns; ++r) {
      for (std::size_t c = 0; c < unknowns; ++c) inner[r][c] = a[states + r][states + c];
    }
    for (std::size_t c = 0; c < states; ++c) {
      std::vector<double> right(unknowns), found(states, 0.0);
      for (std::size_t r = 0; r < unknowns; ++r) right[r] = a[states + r][c];
      const std::vector<double> w = solve_plainly(inner, right);
      for (int k = condensed.pattern().column_start[c]; k < condensed.pattern().column_start[c + 1]; ++k) {
        found[static_cast<std::size_t>(condensed.pattern().row[static_cast<std::size_t>(k)])] =
            entries[static_cast<std::size_t>(k)];
      }
      for (std::size_t r = 0; r < states; ++r) {
        double expected = a[r][c];
        for (std::size_t u = 0; u < unknowns; ++u) expected -= a[r][states + u] * w[u];
        EXPECT_NEAR(found[r], expected, 1e-13);
      }
    }
  }
}

// A thousand loops, each between ten states: entries in proportion to the states, not to their square.
TEST(CondensedJacobian, HasAsManyEntriesAsLoopsJoinStates) {
  for (const std::int32_t loops : {100, 1000}) {
    const std::int32_t states = 10 * loops, n = states + loops;
    passes::Sparsity pattern{n, n, {0}, {}};
    for (std::int32_t c = 0; c < states; ++c) {
      pattern.row.insert(pattern.row.end(), {c, states + c / 10});
      pattern.column_start.push_back(static_cast<std::int32_t>(pattern.row.size()));
    }
    for (std::int32_t l = 0; l < loops; ++l) {
      for (std::int32_t k = 0; k < 10; ++k) pattern.row.push_back(10 * l + k);
      pattern.row.push_back(states + l);
      pattern.column_start.push_back(static_cast<std::int32_t>(pattern.row.size()));
    }
    const std::vector<std::size_t> sizes(static_cast<std::size_t>(loops), 1);
    CondensedJacobian condensed(pattern, static_cast<std::size_t>(states), sizes);
    EXPECT_EQ(condensed.pattern().row.size(), static_cast<std::size_t>(10 * states));
  }
}

}  // namespace
}  // namespace orrery::sim
