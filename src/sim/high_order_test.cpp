// SPDX-License-Identifier: Apache-2.0
// When `auto` prefers order 8: smooth, long, tight; not otherwise.
#include "sim/high_order.h"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery::sim {
namespace {

solve::Problem lorenz(double tolerance) {
  solve::Problem problem;
  problem.n = 3;
  problem.rhs.function = [](double, const double* x, double* dx, void*) {
    dx[0] = 10 * (x[1] - x[0]);
    dx[1] = 28 * x[0] - x[1] - x[0] * x[2];
    dx[2] = x[0] * x[1] - 8.0 / 3 * x[2];
    return 0;
  };
  problem.tolerance.relative = problem.tolerance.absolute = tolerance;
  return problem;
}

TEST(HighOrder, PaysForTightTolerancesOverLongTimes) {
  const double x[3] = {1, 1, 1};
  EXPECT_NE(why_high_order(lorenz(1e-9), 0, 1000, x), "");
  EXPECT_EQ(why_high_order(lorenz(1e-3), 0, 1000, x), "") << "dopri needs as few derivatives";
  EXPECT_EQ(why_high_order(lorenz(1e-9), 0, 0.5, x), "") << "over before it pays";
}

TEST(HighOrder, DoesNotPayWhereTheDerivativeHasKinks) {
  solve::Problem problem = lorenz(1e-8);
  problem.n = 1;
  problem.rhs.function = [](double t, const double*, double* dx, void*) {
    return dx[0] = std::fabs(std::sin(40 * t)), 0;
  };
  const double x = 0;
  EXPECT_EQ(why_high_order(problem, 0, 1000, &x), "");
}

TEST(HighOrder, FailuresAreNoReason) {
  solve::Problem problem = lorenz(1e-8);
  problem.rhs.function = [](double, const double*, double*, void*) { return -1; };
  const double x[3] = {1, 1, 1};
  EXPECT_EQ(why_high_order(problem, 0, 1000, x), "");
}

}  // namespace
}  // namespace orrery::sim
