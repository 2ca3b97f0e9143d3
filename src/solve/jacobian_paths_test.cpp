// SPDX-License-Identifier: Apache-2.0
// Exact Jacobians, coloured and dense differences, band, sparse and dense matrices: all must give the same run.
#include <gtest/gtest.h>

#include "solve/difference_jacobian.h"
#include "solve/newton_matrix.h"
#include "solve/test_sets_for_tests.h"

namespace orrery::solve {
namespace {

Sparsity band_pattern(int n, int lower, int upper) {
  Sparsity pattern{n, {0}, {}};
  for (int j = 0; j < n; ++j) {
    for (int i = std::max(0, j - upper); i <= std::min(n - 1, j + lower); ++i) pattern.row.push_back(i);
    pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
  }
  return pattern;
}

// The heat equation on a rod, n = 200, with and without a far coupling that destroys the band.
struct Rod {
  static constexpr int n = 200;
  bool coupled = false;
  Sparsity pattern;
};

int rod_slope(double, const double* x, double* dx, void* user) {
  const bool coupled = static_cast<const Rod*>(user)->coupled;
  const double c = (Rod::n + 1.0) * (Rod::n + 1.0) / 100;
  for (int i = 0; i < Rod::n; ++i) {
    const double left = i > 0 ? x[i - 1] : 0, right = i + 1 < Rod::n ? x[i + 1] : 0;
    dx[i] = c * (left - 2 * x[i] + right);
  }
  if (coupled) dx[0] += x[Rod::n - 1] * x[Rod::n - 1] - x[0];
  return 0;
}

int rod_jacobian(double, const double* x, double* values, void* user) {
  const Rod& rod = *static_cast<const Rod*>(user);
  const double c = (Rod::n + 1.0) * (Rod::n + 1.0) / 100;
  for (int j = 0; j < Rod::n; ++j) {
    for (int e = rod.pattern.column_start[j]; e < rod.pattern.column_start[j + 1]; ++e) {
      const int distance = std::abs(rod.pattern.row[e] - j);
      values[e] = distance == 0 ? -2 * c : distance == 1 ? c : 0;
      if (rod.coupled && rod.pattern.row[e] == 0 && j == 0) values[e] -= 1;
      if (rod.coupled && rod.pattern.row[e] == 0 && j == Rod::n - 1) values[e] += 2 * x[j];
    }
  }
  return 0;
}

Sparsity rod_pattern(bool coupled) {
  Sparsity pattern = band_pattern(Rod::n, 1, 1);
  if (!coupled) return pattern;
  pattern.row.insert(pattern.row.begin() + pattern.column_start[Rod::n - 1], 0);
  ++pattern.column_start[Rod::n];
  return pattern;
}

std::vector<double> solve_rod(const char* solver, Rod& rod, bool exact, const Sparsity& pattern, long* jacobians) {
  TestProblem test{.rhs = {rod_slope, &rod}, .x0 = std::vector<double>(Rod::n), .t_end = 1};
  for (int i = 0; i < Rod::n; ++i) test.x0[i] = std::sin(M_PI * (i + 1) / (Rod::n + 1.0));
  rod.pattern = pattern;
  test.jacobian = {exact ? rod_jacobian : nullptr, &rod, pattern};
  const auto integrator = make(solver, test, {.relative = 1e-8, .absolute = 1e-10, .fixed = 0.001});
  const std::vector<double> x = solve_to_end(*integrator, test);
  *jacobians = integrator->statistics().jacobians;
  return x;
}

class JacobianPaths : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Implicit, JacobianPaths,
                         testing::Values("cvode-bdf-newton", "lsoda", "radau", "sdirk", "euler-implicit",
                                         "trapezoidal-implicit"),
                         [](const auto& solver) {
                           std::string name = solver.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(JacobianPaths, AllWaysAgree) {
  for (const bool coupled : {false, true}) {
    Rod rod{.coupled = coupled, .pattern = {}};
    const Sparsity narrow = rod_pattern(coupled), full = full_pattern(Rod::n);
    EXPECT_EQ(plan_matrix(Rod::n, narrow).kind, coupled ? MatrixKind::sparse : MatrixKind::band);
    EXPECT_EQ(plan_matrix(Rod::n, full).kind, MatrixKind::dense);
    long jacobians = 0;
    const std::vector<double> reference = solve_rod(GetParam(), rod, true, full, &jacobians);
    EXPECT_GT(jacobians, 0);
    const std::vector<double> ways[] = {
        solve_rod(GetParam(), rod, true, narrow, &jacobians),   // band or KLU, exact
        solve_rod(GetParam(), rod, false, narrow, &jacobians),  // band or KLU, coloured differences
        solve_rod(GetParam(), rod, false, full, &jacobians),    // dense, one colour per column
        solve_rod(GetParam(), rod, false, {}, &jacobians),      // dense differences
    };
    for (const std::vector<double>& x : ways) {
      for (int i = 0; i < Rod::n; ++i) ASSERT_NEAR(x[i], reference[i], 1e-7);
    }
    if (coupled || find_solver(GetParam())->fixed_step) continue;
    const double c = (Rod::n + 1.0) * (Rod::n + 1.0) / 100, s = std::sin(M_PI / (2 * (Rod::n + 1.0)));
    const double exact = std::exp(-4 * c * s * s);
    EXPECT_NEAR(reference[Rod::n / 2], exact * std::sin(M_PI * (Rod::n / 2 + 1) / (Rod::n + 1.0)), 1e-6);
  }
}

// The diagonal is missing and the rows are out of order: still the same linear system.
TEST_P(JacobianPaths, SparsePatternWithoutDiagonal) {
  constexpr int n = 60;
  Sparsity ring{n, {0}, {}};
  for (int j = 0; j < n; ++j) {
    ring.row.push_back((j + 30) % n);
    ring.row.push_back((j + 1) % n);
    ring.column_start.push_back(static_cast<int>(ring.row.size()));
  }
  ASSERT_EQ(plan_matrix(n, ring).kind, MatrixKind::sparse);
  const Rhs rhs{[](double, const double* x, double* dx, void*) {
    for (int i = 0; i < n; ++i) dx[i] = -x[(i + n - 1) % n] + x[(i + 30) % n];
    return 0;
  }};
  TestProblem test{.rhs = rhs, .x0 = std::vector<double>(n, 1.0), .t_end = 3};
  test.x0[0] = 2;
  test.jacobian.pattern = ring;
  const auto sparse = make(GetParam(), test, {.relative = 1e-9, .absolute = 1e-9, .fixed = 0.001});
  const auto plain = make("dopri", test, {.relative = 1e-9, .absolute = 1e-9});
  const std::vector<double> a = solve_to_end(*sparse, test), b = solve_to_end(*plain, test);
  const bool euler = find_solver(GetParam())->order == 1;
  for (int i = 0; i < n; ++i) EXPECT_NEAR(a[i], b[i], euler ? 0.4 : 1e-4);  // the states grow to 35
}

TEST(ColouredDifferences, FewColoursForBandsAndExactForLinearSystems) {
  const Sparsity band = band_pattern(50, 2, 1);
  const std::vector<int> colour = colour_columns(band);
  EXPECT_EQ(*std::max_element(colour.begin(), colour.end()), 3);
  DifferenceJacobian differences(band, {});
  EXPECT_EQ(differences.colours(), 4);
  DifferenceJacobian full(full_pattern(5), {});
  EXPECT_EQ(full.colours(), 5);
}

}  // namespace
}  // namespace orrery::solve
