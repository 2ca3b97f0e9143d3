// SPDX-License-Identifier: Apache-2.0
// Integrals, least squares, tests of samples and regression against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "math/hypothesis_tests.h"
#include "math/least_squares.h"
#include "math/quadrature.h"

namespace orrery::math {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(Quadrature, HasTheValuesOfPrimitives) {
  const auto bell = [](const std::vector<double>& x) {
    std::vector<double> y;
    for (const double v : x) y.push_back(std::exp(-v * v));
    return y;
  };
  EXPECT_NEAR(integrate_gauss_kronrod(bell, -infinite, infinite, 1e-12), std::sqrt(std::numbers::pi), 1e-10);
  EXPECT_NEAR(integrate_gauss_kronrod(bell, 1, 0, 1e-12), -std::sqrt(std::numbers::pi) / 2 * std::erf(1), 1e-14);
  const auto decay = [](double x) { return std::exp(-x); };
  const Integral whole = integrate_gauss_legendre(decay, 0, infinite);
  EXPECT_NEAR(whole.value, 1, 1e-8);
  EXPECT_GT(whole.evaluations, 9);
  EXPECT_NEAR(integrate_gauss_legendre(decay, 2, 1).value, std::exp(-2) - std::exp(-1), 1e-12);
  EXPECT_NEAR(integrate_simpson([](double x) { return std::sin(x); }, 0, std::numbers::pi, 1e-10).value, 2, 1e-9);
}

TEST(Quadrature, EndsWhereTheFunctionDoesNotSettle) {
  const Integral noise = integrate_simpson([](double x) { return std::sin(1e9 * x * x); }, 0, 1, 1e-14);
  EXPECT_LE(noise.evaluations, 10000 + 200);
  const auto short_answer = [](const std::vector<double>&) { return std::vector<double>{1}; };
  EXPECT_THROW(integrate_gauss_kronrod(short_answer, 0, 1, 1e-10), Error);
}

// Rosenbrock's valley; with x at most 1/2 the best y is 1/4.
TEST(LeastSquaresSearch, FindsTheMinimumWithAndWithoutBounds) {
  const auto valley = [](const std::vector<double>& x) {
    return std::vector<double>{10 * (x[1] - x[0] * x[0]), 1 - x[0]};
  };
  const LeastSquares free = least_squares(valley, {-1.2, 1});
  EXPECT_TRUE(free.converged());
  EXPECT_NEAR(free.x[0], 1, 1e-9);
  EXPECT_NEAR(free.x[1], 1, 1e-9);
  EXPECT_EQ(free.jacobian.rows, 2);
  const LeastSquares bounded = least_squares(valley, {-1.2, 1}, {.high = {0.5}});
  EXPECT_NEAR(bounded.x[0], 0.5, 1e-9);
  EXPECT_NEAR(bounded.x[1], 0.25, 1e-9);
  EXPECT_FALSE(least_squares(valley, {-1.2, 1}, {.iterations = 2}).converged());
}

TEST(LeastSquaresSearch, LevenbergAndMarquardtDoNotMindScales) {
  // Rosenbrock's valley with x in millionths and y in millions.
  const auto valley = [](const std::vector<double>& z) {
    const double x = 1e6 * z[0], y = 1e-6 * z[1];
    return std::vector<double>{10 * (y - x * x), 1 - x};
  };
  LeastSquaresOptions options;
  options.method = LeastSquaresMethod::marquardt;
  const LeastSquares free = least_squares(valley, {-1.2e-6, 1e6}, options);
  EXPECT_TRUE(free.converged());
  EXPECT_NEAR(free.x[0] * 1e6, 1, 1e-9);
  EXPECT_NEAR(free.x[1] * 1e-6, 1, 1e-9);
  EXPECT_LT(free.iterations, 60);
  options.high = {0.5e-6};
  const LeastSquares bounded = least_squares(valley, {-1.2e-6, 1e6}, options);
  EXPECT_NEAR(bounded.x[0] * 1e6, 0.5, 1e-12);
  EXPECT_NEAR(bounded.x[1] * 1e-6, 0.25, 1e-9);
}

// |x - (3, 4)|^2: on the circle of radius 1 at (0.6, 0.8), within x + y <= 1 at (0, 1), both ways round; and where the
// inequality holds by itself it does not matter. A relative gain of 1e-12 in the squares is one of 1e-6 in x.
TEST(LeastSquaresSearch, KeepsConstraints) {
  ConstrainedSquares problem;
  problem.numbers = [](const std::vector<double>& x) {
    return std::vector<double>{x[0] - 3, x[1] - 4, x[0] * x[0] + x[1] * x[1] - 1, x[0] + x[1] - 1, x[0] + x[1] - 100};
  };
  problem.jacobian = [](const std::vector<double>& x) {
    RealMatrix j(5, 2);
    j(0, 0) = j(1, 1) = j(3, 0) = j(3, 1) = j(4, 0) = j(4, 1) = 1;
    j(2, 0) = 2 * x[0];
    j(2, 1) = 2 * x[1];
    return j;
  };
  problem.residuals = {0, 1};
  for (const auto method : {LeastSquaresMethod::marquardt, LeastSquaresMethod::dogleg}) {
    LeastSquaresOptions options;
    options.method = method;
    problem.equalities = {2};
    problem.inequalities = {4};
    LeastSquares found = constrained_least_squares(problem, {1, 0.1}, options);
    EXPECT_TRUE(found.converged());
    EXPECT_NEAR(found.x[0], 0.6, 1e-6);
    EXPECT_NEAR(found.x[1], 0.8, 1e-6);
    problem.equalities = {};
    problem.inequalities = {3, 4};
    found = constrained_least_squares(problem, {-5, 0}, options);
    EXPECT_NEAR(found.x[0], 0, 1e-6);
    EXPECT_NEAR(found.x[1], 1, 1e-6);
    problem.inequalities = {4};
    found = constrained_least_squares(problem, {50, 90}, options);
    EXPECT_NEAR(found.x[0], 3, 1e-6);
    EXPECT_NEAR(found.x[1], 4, 1e-6);
  }
}

// Of Student's distribution with 4 degrees: P(|T| < t) = sin a (1 + cos(a)^2 / 2), tan a = t / 2.
TEST(HypothesisTests, OfTheMean) {
  const std::vector<double> x{1, 2, 3, 4, 5};
  const TestResult r = t_test(x, 2, 0.05);
  const double angle = std::atan(std::sqrt(2.0) / 2);
  EXPECT_NEAR(r.statistic, std::sqrt(2.0), 1e-14);
  EXPECT_NEAR(r.p, 1 - std::sin(angle) * (1 + std::pow(std::cos(angle), 2) / 2), 1e-14);
  EXPECT_NEAR(r.high - 3, 2.7764451051977987 * std::sqrt(0.5), 1e-12);
  EXPECT_EQ(r.freedom, std::vector<double>{4});
  EXPECT_NEAR(t_test(x, x, 0.05).p, 1, 1e-15);
  EXPECT_NEAR(z_test(x, 3 - 1.959963984540054 / std::sqrt(5.0), 1, 0.05).p, 0.05, 1e-12);
}

// Chi squared with 2 degrees: 1 - exp(-x / 2); F with 2 and 2 degrees: f / (1 + f).
TEST(HypothesisTests, OfTheVariance) {
  const std::vector<double> x{1, 2, 3}, y{2, 4, 6};
  EXPECT_NEAR(variance_test(x, 0.5, 0.05).p, 2 * std::exp(-2), 1e-14);
  const TestResult r = variance_test(x, y, 0.1);
  EXPECT_NEAR(r.statistic, 0.25, 1e-15);
  EXPECT_NEAR(r.p, 2 * 0.2, 1e-14);
  EXPECT_NEAR(r.low, 0.25 / 19, 1e-13);
  EXPECT_NEAR(r.high, 0.25 * 19, 1e-11);
}

// By hand: slope 2.3, intercept 0.8, squares of residuals 0.3 of 26.75; Student's quantile for 2 degrees.
TEST(HypothesisTests, Regression) {
  RealMatrix x(4, 2);
  for (Index k = 0; k < 4; ++k) {
    x(k, 0) = 1;
    x(k, 1) = static_cast<double>(k);
  }
  const Regression r = regress({1, 3, 5, 8}, x, 0.05);
  EXPECT_NEAR(r.b[0], 0.8, 1e-13);
  EXPECT_NEAR(r.b[1], 2.3, 1e-13);
  EXPECT_NEAR(r.r_squared, 1 - 0.3 / 26.75, 1e-13);
  EXPECT_NEAR(r.variance, 0.15, 1e-13);
  EXPECT_NEAR(r.f, 26.45 / 0.15, 1e-9);
  const double quantile = 0.95 * std::sqrt(2 / (4 * 0.975 * 0.025));
  EXPECT_NEAR(r.interval(1, 1) - r.b[1], quantile * std::sqrt(0.15 * 0.2), 1e-12);
  EXPECT_NEAR(r.p, 1 - std::sqrt(r.f / (2 + r.f)), 1e-13);
  EXPECT_FALSE(r.singular);
  x(0, 0) = x(1, 0) = x(2, 0) = x(3, 0) = 0;
  EXPECT_TRUE(regress({1, 3, 5, 8}, x, 0.05).singular);
}

}  // namespace
}  // namespace orrery::math
