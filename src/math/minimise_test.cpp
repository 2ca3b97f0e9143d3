// SPDX-License-Identifier: Apache-2.0
// Searches for minima against problems whose solutions are known.
#include <gtest/gtest.h>

#include <cmath>

#include "math/stepwise_minimiser.h"

namespace orrery::math {
namespace {

using Numbers = std::vector<double>;

double rosenbrock(const Numbers& x) {
  double sum = 0;
  for (std::size_t k = 0; k + 1 < x.size(); ++k)
    sum += 100 * std::pow(x[k + 1] - x[k] * x[k], 2) + std::pow(1 - x[k], 2);
  return sum;
}

MinimiseProblem boxed(double (*f)(const Numbers&), std::size_t n, double low, double high) {
  return {Numbers(n, low), Numbers(n, high), f};
}

TEST(Minimise, FindsTheBottomOfTheBanana) {
  for (const MethodInfo& info : minimise_methods()) {
    MinimiseOptions options;
    options.method = info.method;
    options.evaluations = 40000;
    const Minimum found = minimise(boxed(rosenbrock, 2, -3, 3), {-1.2, 1}, options);
    const double tolerance = info.method == MinimiseMethod::genetic ? 0.05 : 1e-4;
    EXPECT_NEAR(found.x[0], 1, tolerance) << info.name;
    EXPECT_NEAR(found.x[1], 1, 2 * tolerance) << info.name;
    EXPECT_LE(found.evaluations, 40010) << info.name;
    EXPECT_NE(found.end, MinimiseEnd::failed) << info.name;
  }
}

TEST(Minimise, StaysWithinTheBounds) {
  for (const MethodInfo& info : minimise_methods()) {
    MinimiseOptions options;
    options.method = info.method;
    MinimiseProblem problem{{0.5, -2}, {3, 0.25}, [](const Numbers& x) {
                              EXPECT_TRUE(x[0] >= 0.5 && x[0] <= 3 && x[1] >= -2 && x[1] <= 0.25);
                              return rosenbrock(x);
                            }};
    const Minimum found = minimise(problem, {2, -1}, options);
    // On x2 = 1/4 the function is least at x1 = 0.5.. by its slope: (1-x)^2 + 100 (1/4 - x^2)^2.
    double best = HUGE_VAL, at = 0;
    for (double x = 0.5; x <= 3; x += 1e-5) {
      const double value = rosenbrock({x, 0.25});
      if (value < best) best = value, at = x;
    }
    EXPECT_NEAR(found.value, best, info.method == MinimiseMethod::genetic ? 1e-3 : 1e-6) << info.name;
    EXPECT_NEAR(found.x[0], at, 0.01) << info.name;
  }
}

// Hock and Schittkowski, problem 71: minimum 17.0140173 at (1, 4.7429994, 3.8211503, 1.3794082).
TEST(Minimise, KeepsConstraints) {
  MinimiseProblem problem{Numbers(4, 1), Numbers(4, 5),
                          [](const Numbers& x) { return x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2]; }};
  problem.inequalities = [](const Numbers& x) { return Numbers{25 - x[0] * x[1] * x[2] * x[3]}; };
  problem.equalities = [](const Numbers& x) {
    return Numbers{x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] - 40};
  };
  for (const MinimiseMethod method : {MinimiseMethod::sqp, MinimiseMethod::cobyla}) {
    MinimiseOptions options;
    options.method = method;
    const Minimum found = minimise(problem, {1, 5, 5, 1}, options);
    EXPECT_NEAR(found.value, 17.0140173, 1e-5) << info_of(method).name;
    EXPECT_NEAR(found.x[1], 4.7429994, 1e-3) << info_of(method).name;
    EXPECT_LT(found.violation, 1e-6) << info_of(method).name;
  }
}

TEST(Minimise, GlobalMethodsLeaveTheNearestValley) {
  // Rastrigin's function: 10 n + sum x^2 - 10 cos(2 pi x); from 3.9 the nearest valley is far from the deepest.
  const auto rastrigin = [](const Numbers& x) {
    double sum = 0;
    for (const double v : x) sum += 10 + v * v - 10 * std::cos(2 * M_PI * v);
    return sum;
  };
  MinimiseOptions options;
  options.evaluations = 20000;
  for (const MinimiseMethod method : {MinimiseMethod::crs, MinimiseMethod::genetic, MinimiseMethod::cma}) {
    options.method = method;
    options.population = method == MinimiseMethod::cma ? 60 : 0;
    const Minimum found = minimise(boxed(rastrigin, 2, -5.12, 5.12), {3.9, 3.9}, options);
    EXPECT_LT(found.value, 0.05) << info_of(method).name;
  }
}

TEST(Minimise, FewerCallsWithGradients) {
  MinimiseProblem problem = boxed(rosenbrock, 2, -3, 3);
  const Minimum without = minimise(problem, {-1.2, 1}, {});
  problem.gradient = [](const Numbers& x) {
    return Numbers{-400 * x[0] * (x[1] - x[0] * x[0]) - 2 * (1 - x[0]), 200 * (x[1] - x[0] * x[0])};
  };
  const Minimum with = minimise(problem, {-1.2, 1}, {});
  EXPECT_NEAR(with.x[0], 1, 1e-6);
  EXPECT_LT(3 * with.evaluations, without.evaluations);
}

TEST(StepwiseMinimiser, GoesTheWayOfTheMethodItself) {
  MinimiseOptions options;
  options.method = MinimiseMethod::bobyqa;
  std::vector<Numbers> called;
  MinimiseProblem problem{Numbers(3, -2), Numbers(3, 2), [&](const Numbers& x) {
                            called.push_back(x);
                            return rosenbrock(x);
                          }};
  const Minimum direct = minimise(problem, {-1.2, 1, 0.5}, options);
  StepwiseMinimiser stepwise({-1.2, 1, 0.5}, Numbers(3, -2), Numbers(3, 2), options);
  std::vector<Numbers> wanted;
  while (stepwise.wanted()) {
    wanted.push_back(*stepwise.wanted());
    stepwise.tell(rosenbrock(wanted.back()));
  }
  EXPECT_EQ(wanted, called);
  EXPECT_EQ(stepwise.minimum().x, direct.x);
  EXPECT_NEAR(stepwise.minimum().x[2], 1, 1e-4);
}

TEST(StepwiseMinimiser, CanBeLeft) {
  MinimiseOptions options;
  options.method = MinimiseMethod::bobyqa;
  StepwiseMinimiser never_told({0, 0}, Numbers(2, -1), Numbers(2, 1), options);
  StepwiseMinimiser told_once({0, 0}, Numbers(2, -1), Numbers(2, 1), options);
  told_once.tell(3);
  EXPECT_TRUE(told_once.wanted());
}

}  // namespace
}  // namespace orrery::math
