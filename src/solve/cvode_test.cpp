// SPDX-License-Identifier: Apache-2.0
// CVODE: stiff problems with published answers, and all ways to the Jacobian agreeing.
#include <gtest/gtest.h>

#include "solve/difference_jacobian.h"
#include "solve/newton_matrix.h"
#include "solve/problems_for_tests.h"

namespace orrery::solve {
namespace {

Sparsity full_pattern(int n) {
  Sparsity pattern{n, {0}, {}};
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) pattern.row.push_back(i);
    pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
  }
  return pattern;
}

Sparsity band_pattern(int n, int lower, int upper) {
  Sparsity pattern{n, {0}, {}};
  for (int j = 0; j < n; ++j) {
    for (int i = std::max(0, j - upper); i <= std::min(n - 1, j + lower); ++i) pattern.row.push_back(i);
    pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
  }
  return pattern;
}

// Robertson's kinetics; Hairer and Wanner, Solving ODEs II, section IV.1. The values at t = 40 are those of the
// LSODE documentation (Hindmarsh 1980), which gives four digits.
TEST(Cvode, Robertson) {
  const Rhs rhs{[](double, const double* x, double* dx, void*) {
    dx[0] = -0.04 * x[0] + 1e4 * x[1] * x[2];
    dx[2] = 3e7 * x[1] * x[1];
    dx[1] = -dx[0] - dx[2];
    return 0;
  }};
  const auto exact = [](double, const double* x, double* j, void*) {
    const double columns[9] = {-0.04,      0.04,       0,           1e4 * x[2], -1e4 * x[2] - 6e7 * x[1],
                               6e7 * x[1], 1e4 * x[1], -1e4 * x[1], 0};
    std::copy_n(columns, 9, j);
    return 0;
  };
  TestProblem test{.rhs = rhs, .x0 = {1, 0, 0}, .t_end = 40};
  for (const bool with_jacobian : {true, false}) {
    test.jacobian = with_jacobian ? Jacobian{exact, nullptr, full_pattern(3)} : Jacobian{};
    Problem problem{.n = 3,
                    .rhs = test.rhs,
                    .jacobian = test.jacobian,
                    .tolerance = {.relative = 1e-6, .absolute = 1e-6, .absolute_per_state = {1e-8, 1e-12, 1e-8}},
                    .limits = {},
                    .t_end_hint = 40};
    const auto integrator = make_integrator(*find_solver("cvode-bdf-newton"), problem);
    const std::vector<double> x = solve_to_end(*integrator, test);
    EXPECT_NEAR(x[0], 0.7158, 5e-5);
    EXPECT_NEAR(x[1], 9.185e-6, 1e-9);
    EXPECT_NEAR(x[2], 0.2842, 5e-5);
    EXPECT_LT(integrator->statistics().steps, 400);
    EXPECT_GT(integrator->statistics().jacobians, 0);
    EXPECT_GT(integrator->statistics().linear_setups, 0);
  }
}

// x'' = mu (1 - x^2) x' - x with mu = 1000, x(0) = 2: the value at t = 2000 is that of the Test Set for IVP Solvers
// (Mazzia and Magherini), 1.706167732170483.
TEST(Cvode, VanDerPol) {
  const Rhs rhs{[](double, const double* x, double* dx, void*) {
    dx[0] = x[1];
    dx[1] = 1000 * (1 - x[0] * x[0]) * x[1] - x[0];
    return 0;
  }};
  const auto exact = [](double, const double* x, double* j, void*) {
    j[0] = 0;
    j[1] = -2000 * x[0] * x[1] - 1;
    j[2] = 1;
    j[3] = 1000 * (1 - x[0] * x[0]);
    return 0;
  };
  const TestProblem test{.rhs = rhs, .x0 = {2, 0}, .t_end = 2000, .jacobian = {exact, nullptr, full_pattern(2)}};
  const auto integrator = make("cvode-bdf-newton", test, {.relative = 1e-8, .absolute = 1e-10});
  const std::vector<double> x = solve_to_end(*integrator, test);
  EXPECT_NEAR(x[0], 1.706167732170483, 2e-5);
  EXPECT_NEAR(x[1], -0.8928097010247975e-3, 1e-7);
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

std::vector<double> solve_rod(Rod& rod, bool exact, const Sparsity& pattern, long* jacobians) {
  TestProblem test{.rhs = {rod_slope, &rod}, .x0 = std::vector<double>(Rod::n), .t_end = 1};
  for (int i = 0; i < Rod::n; ++i) test.x0[i] = std::sin(M_PI * (i + 1) / (Rod::n + 1.0));
  rod.pattern = pattern;
  test.jacobian = {exact ? rod_jacobian : nullptr, &rod, pattern};
  const auto integrator = make("cvode-bdf-newton", test, {.relative = 1e-8, .absolute = 1e-10});
  const std::vector<double> x = solve_to_end(*integrator, test);
  *jacobians = integrator->statistics().jacobians;
  return x;
}

TEST(Cvode, AllWaysToTheJacobianAgree) {
  for (const bool coupled : {false, true}) {
    Rod rod{.coupled = coupled, .pattern = {}};
    const Sparsity narrow = rod_pattern(coupled), full = full_pattern(Rod::n);
    EXPECT_EQ(plan_matrix(Rod::n, narrow).kind, coupled ? MatrixKind::sparse : MatrixKind::band);
    EXPECT_EQ(plan_matrix(Rod::n, full).kind, MatrixKind::dense);
    long jacobians = 0;
    const std::vector<double> reference = solve_rod(rod, true, full, &jacobians);
    EXPECT_GT(jacobians, 0);
    const std::vector<double> ways[] = {
        solve_rod(rod, true, narrow, &jacobians),   // band or KLU, exact
        solve_rod(rod, false, narrow, &jacobians),  // band or KLU, coloured differences
        solve_rod(rod, false, full, &jacobians),    // dense, one colour per column
        solve_rod(rod, false, {}, &jacobians),      // CVODE's own dense differences
    };
    for (const std::vector<double>& x : ways) {
      for (int i = 0; i < Rod::n; ++i) ASSERT_NEAR(x[i], reference[i], 1e-7);
    }
    if (coupled) continue;
    const double c = (Rod::n + 1.0) * (Rod::n + 1.0) / 100, s = std::sin(M_PI / (2 * (Rod::n + 1.0)));
    const double exact = std::exp(-4 * c * s * s);
    EXPECT_NEAR(reference[Rod::n / 2], exact * std::sin(M_PI * (Rod::n / 2 + 1) / (Rod::n + 1.0)), 1e-6);
  }
}

// The diagonal is missing and the rows are out of order: still the same linear system.
TEST(Cvode, SparsePatternWithoutDiagonal) {
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
  const auto sparse = make("cvode-bdf-newton", test, {.relative = 1e-9, .absolute = 1e-9});
  const auto plain = make("dopri", test, {.relative = 1e-9, .absolute = 1e-9});
  const std::vector<double> a = solve_to_end(*sparse, test), b = solve_to_end(*plain, test);
  for (int i = 0; i < n; ++i) EXPECT_NEAR(a[i], b[i], 1e-4);  // the states grow to 35
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

TEST(Cvode, CountersSurviveRestarts) {
  const TestProblem test = oscillator();
  const auto integrator = make("cvode-bdf-newton", test);
  long steps = 0;
  integrator->start(0, test.x0.data(), false);
  integrator->start(0, test.x0.data(), false);
  for (int i = 1; i <= 10; ++i) {
    while (integrator->time() < i * 0.1) {
      ASSERT_EQ(integrator->step(i * 0.1), Status::ok);
      ++steps;
    }
    integrator->start(integrator->time(), integrator->state(), true);
    ASSERT_EQ(integrator->statistics().steps, steps);
  }
  EXPECT_EQ(integrator->statistics().restarts, 12);
}

TEST(Cvode, SaysNothingItself) {
  const TestProblem test{.rhs = {[](double, const double* x, double* dx, void*) { return dx[0] = x[0] * x[0], 0; }},
                         .x0 = {1}};
  testing::internal::CaptureStderr();
  const auto integrator = make("cvode-adams-functional", test);
  integrator->start(0, test.x0.data(), false);
  EXPECT_FALSE(run_to(*integrator, 2));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace orrery::solve
