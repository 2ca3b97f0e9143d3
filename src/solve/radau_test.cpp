// SPDX-License-Identifier: Apache-2.0
// Radau IIA: orders, kept Jacobians, and work compared with the multistep method.
#include <gtest/gtest.h>

#include "solve/test_sets_for_tests.h"

namespace orrery::solve {
namespace {

TEST(Radau, FewStepsOnStiffProblems) {
  const TestSet set = hires();
  const auto radau = make("radau", set, settings_for(set, 1e-8));
  const auto cvode = make("cvode-bdf-newton", set, settings_for(set, 1e-8));
  const std::vector<double> a = solve_to_end(*radau, set), b = solve_to_end(*cvode, set);
  EXPECT_LT(published::error_at_end(set, a.data()), published::error_at_end(set, b.data()));
  EXPECT_LT(radau->statistics().steps * 4, cvode->statistics().steps);
  EXPECT_LT(radau->statistics().linear_setups, cvode->statistics().linear_setups);
}

// Linear systems with constant coefficients: Newton's iteration converges at once, so one Jacobian serves for ever,
// and the order goes up.
TEST(Radau, OneJacobianForLinearSystems) {
  TestProblem test = oscillator();
  test.jacobian = {[](double, const double*, double* j, void*) {
                     j[0] = j[3] = 0;
                     j[1] = -1;
                     j[2] = 1;
                     return 0;
                   },
                   nullptr, full_pattern(2)};
  test.t_end = 40 * M_PI;
  const auto integrator = make("radau", test, {.relative = 1e-10, .absolute = 1e-10});
  const std::vector<double> x = solve_to_end(*integrator, test);
  EXPECT_NEAR(x[0], 1, 1e-9);
  EXPECT_EQ(integrator->statistics().jacobians, 1);
  EXPECT_LT(integrator->statistics().steps, 500);  // order 5 alone needs thousands
}

// y' = -1e6 (y - cos t): no order reduction at the end points, whatever the stiffness.
TEST(Radau, StiffPartFollowsTheSlowOne) {
  const TestProblem test{
      .rhs = {[](double t, const double* x, double* dx, void*) { return dx[0] = -1e6 * (x[0] - std::cos(t)), 0; }},
      .x0 = {0},
      .t_end = 10};
  const auto integrator = make("radau", test, {.relative = 1e-8, .absolute = 1e-8});
  const std::vector<double> x = solve_to_end(*integrator, test);
  EXPECT_NEAR(x[0], std::cos(10.0) + 1e-6 * std::sin(10.0), 1e-8);
  EXPECT_LT(integrator->statistics().steps, 300);
}

TEST(Radau, SparseRunContinuesBitIdenticallyAfterRestore) {
  constexpr int n = 100;
  const Rhs rhs{[](double t, const double* x, double* dx, void*) {
    for (int i = 0; i < n; ++i) {
      dx[i] = 1000 * (x[(i + 1) % n] - 2 * x[i] + x[(i + n - 1) % n]) - x[i] * x[i] * x[i] + std::sin(t);
    }
    return 0;
  }};
  TestProblem test{.rhs = rhs, .x0 = std::vector<double>(n, 1.0), .t_end = 3};
  test.x0[7] = 3;
  Sparsity ring{n, {0}, {}};
  for (int j = 0; j < n; ++j) {
    for (const int i : {j, (j + 1) % n, (j + n - 1) % n}) ring.row.push_back(i);
    ring.column_start.push_back(static_cast<int>(ring.row.size()));
  }
  test.jacobian.pattern = ring;
  const auto first = make("radau", test), second = make("radau", test);
  EXPECT_EQ(first->start(0, test.x0.data(), false), Status::ok);
  for (int i = 0; i < 12; ++i) ASSERT_EQ(first->step(test.t_end), Status::ok);
  std::vector<std::byte> bytes;
  ASSERT_TRUE(first->save(bytes));
  ASSERT_TRUE(second->restore(bytes));
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(first->step(test.t_end), Status::ok);
    ASSERT_EQ(second->step(test.t_end), Status::ok);
    ASSERT_EQ(first->time(), second->time());
    ASSERT_TRUE(std::equal(first->state(), first->state() + n, second->state()));
  }
}

}  // namespace
}  // namespace orrery::solve
