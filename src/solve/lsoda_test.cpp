// SPDX-License-Identifier: Apache-2.0
// LSODA's switching: little work on non-stiff problems, few steps on stiff ones, and both in one run.
#include <gtest/gtest.h>

#include "solve/test_sets_for_tests.h"

namespace orrery::solve {
namespace {

TEST(Lsoda, LeavesNewtonAloneOnNonStiffProblems) {
  TestProblem test = oscillator();
  test.t_end = 200;
  const auto integrator = make("lsoda", test, {.relative = 1e-8, .absolute = 1e-8});
  const auto bdf = make("cvode-bdf-newton", test, {.relative = 1e-8, .absolute = 1e-8});
  const std::vector<double> x = solve_to_end(*integrator, test);
  solve_to_end(*bdf, test);
  EXPECT_NEAR(x[0], std::cos(200.0), 1e-4);
  EXPECT_LT(integrator->statistics().jacobians, 20);
  EXPECT_LT(integrator->statistics().steps * 3, bdf->statistics().steps * 2);
}

TEST(Lsoda, StaysWithNewtonOnStiffProblems) {
  for (const TestSet& set : {hires(), robertson()}) {
    const auto integrator = make("lsoda", set, settings_for(set, 1e-6));
    const auto bdf = make("cvode-bdf-newton", set, settings_for(set, 1e-6));
    solve_to_end(*integrator, set);
    solve_to_end(*bdf, set);
    EXPECT_LT(integrator->statistics().steps, 2 * bdf->statistics().steps) << set.name;
  }
}

// Most steps are those of the right method, and changes are rare, on published problems of both kinds.
TEST(Lsoda, StepsOfTheRightMethod) {
  for (const TestSet& set : {van_der_pol(), hires(), robertson(), oregonator(), pollution()}) {
    const auto integrator = make("lsoda", set, settings_for(set, 1e-6));
    solve_to_end(*integrator, set);
    const Statistics& statistics = integrator->statistics();
    EXPECT_GT(statistics.stiff_steps * 10, statistics.steps * 4) << set.name;
    EXPECT_LE(statistics.switches * 20, statistics.steps) << set.name;
  }
  for (const TestSet& set : {pleiades(), arenstorf()}) {
    const auto integrator = make("lsoda", set, settings_for(set, 1e-8));
    solve_to_end(*integrator, set);
    const Statistics& statistics = integrator->statistics();
    EXPECT_LT(statistics.stiff_steps * 10, statistics.steps * 4) << set.name;
  }
}

// Oscillates undisturbed until t = 20, then a fast component that follows it is switched on.
TEST(Lsoda, SwitchesBothWaysInOneRun) {
  const Rhs rhs{[](double t, const double* x, double* dx, void*) {
    const double rate = t < 20 || t > 40 ? 1 : 1e5;
    dx[0] = x[1];
    dx[1] = -x[0];
    dx[2] = -rate * (x[2] - x[0]);
    return 0;
  }};
  const TestProblem test{.rhs = rhs, .x0 = {1, 0, 1}, .t_end = 60};
  const auto integrator = make("lsoda", test, {.relative = 1e-7, .absolute = 1e-7});
  EXPECT_EQ(integrator->start(0, test.x0.data(), false), Status::ok);
  ASSERT_TRUE(run_to(*integrator, 20));
  const long before = integrator->statistics().jacobians;
  ASSERT_TRUE(run_to(*integrator, 40));
  const long during = integrator->statistics().jacobians;
  EXPECT_GT(during, before);
  EXPECT_NEAR(integrator->state()[2], integrator->state()[0], 1e-4);
  ASSERT_TRUE(run_to(*integrator, 60));
  EXPECT_LT(integrator->statistics().jacobians - during, 10);
  EXPECT_NEAR(integrator->state()[0], std::cos(60.0), 1e-3);
  EXPECT_LT(integrator->statistics().steps, 6000);
  EXPECT_GE(integrator->statistics().switches, 3);
  EXPECT_LE(integrator->statistics().switches, 15);
}

}  // namespace
}  // namespace orrery::solve
