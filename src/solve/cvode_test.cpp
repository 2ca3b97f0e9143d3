// SPDX-License-Identifier: Apache-2.0
// CVODE: a stiff problem with a published answer, counters over restarts, silence.
#include <gtest/gtest.h>

#include "solve/test_sets_for_tests.h"

namespace orrery::solve {
namespace {

// Robertson's kinetics; Hairer and Wanner, Solving ODEs II, section IV.1. The values at t = 40 are those of the
// LSODE documentation (Hindmarsh 1980), which gives four digits.
TEST(Cvode, Robertson) {
  TestProblem test = robertson();
  test.t_end = 40;
  const Jacobian exact = test.jacobian;
  for (const bool with_jacobian : {true, false}) {
    test.jacobian = with_jacobian ? exact : Jacobian{};
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

TEST(Cvode, CountersSurviveRestarts) {
  const TestProblem test = oscillator();
  const auto integrator = make("cvode-bdf-newton", test);
  long steps = 0;
  EXPECT_EQ(integrator->start(0, test.x0.data(), false), Status::ok);
  EXPECT_EQ(integrator->start(0, test.x0.data(), false), Status::ok);
  for (int i = 1; i <= 10; ++i) {
    while (integrator->time() < i * 0.1) {
      ASSERT_EQ(integrator->step(i * 0.1), Status::ok);
      ++steps;
    }
    EXPECT_EQ(integrator->start(integrator->time(), integrator->state(), true), Status::ok);
    ASSERT_EQ(integrator->statistics().steps, steps);
  }
  EXPECT_EQ(integrator->statistics().restarts, 12);
}

TEST(Cvode, SaysNothingItself) {
  const TestProblem test{.rhs = {[](double, const double* x, double* dx, void*) { return dx[0] = x[0] * x[0], 0; }},
                         .x0 = {1}};
  testing::internal::CaptureStderr();
  const auto integrator = make("cvode-adams-functional", test);
  EXPECT_EQ(integrator->start(0, test.x0.data(), false), Status::ok);
  EXPECT_FALSE(run_to(*integrator, 2));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace orrery::solve
