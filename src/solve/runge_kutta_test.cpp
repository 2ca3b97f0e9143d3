// SPDX-License-Identifier: Apache-2.0
// Explicit Runge–Kutta methods: tables, the Arenstorf orbit, step control, the grid of fixed steps.
#include <gtest/gtest.h>

#include "solve/butcher_tables.h"
#include "solve/dormand_prince_853.h"
#include "solve/test_sets_for_tests.h"

namespace orrery::solve {
namespace {

template <class Table>
class Tables : public testing::Test {};
using AllTables = testing::Types<Euler, Heun, Kutta4, DormandPrince, CashKarp>;
TYPED_TEST_SUITE(Tables, AllTables);

// Row sums, the order conditions of quadrature, and weights of error and dense output that vanish on constants.
TYPED_TEST(Tables, Consistent) {
  for (int i = 0; i < TypeParam::stages; ++i) {
    double sum = 0;
    for (int j = 0; j < TypeParam::stages; ++j) {
      sum += TypeParam::a[i][j];
      EXPECT_TRUE(j < i || TypeParam::a[i][j] == 0);
    }
    EXPECT_NEAR(sum, TypeParam::c[i], 1e-14);
  }
  for (int power = 0; power < TypeParam::order; ++power) {
    double sum = 0;
    for (int j = 0; j < TypeParam::stages; ++j) sum += TypeParam::b[j] * std::pow(TypeParam::c[j], power);
    EXPECT_NEAR(sum, 1.0 / (power + 1), 1e-14);
  }
  double error = 0, dense = 0;
  for (const double e : TypeParam::error) error += e;
  for (const double d : TypeParam::dense) dense += d;
  EXPECT_NEAR(error, 0, 1e-15);
  EXPECT_NEAR(dense, 0, 1e-13);
}

// The same for order 8; besides, the estimates see nothing of their orders, and the dense output is exact to degree 7:
// x = t^q on a step of size 1.
TEST(Dopri853, TableIsConsistent) {
  using Table = DormandPrince853;
  constexpr int points = Table::stages + 1 + Table::dense_stages;
  double c[points];
  std::copy_n(Table::c, Table::stages, c);
  c[Table::stages] = 1;
  std::copy_n(Table::dense_c, Table::dense_stages, c + Table::stages + 1);
  const auto sum = [&](const double* weights, int count, int power) {
    double result = 0;
    for (int j = 0; j < count; ++j) result += weights[j] * std::pow(c[j], power);
    return result;
  };
  for (int i = 0; i < Table::stages; ++i) EXPECT_NEAR(sum(Table::a[i], i, 0), c[i], 1e-13);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(sum(Table::dense_a[i], points, 0), Table::dense_c[i], 1e-14);
  for (int power = 0; power < 8; ++power) {
    EXPECT_NEAR(sum(Table::b, Table::stages, power), 1.0 / (power + 1), 1e-14);
  }
  for (int power = 0; power < 5; ++power) EXPECT_NEAR(sum(Table::error, Table::stages + 1, power), 0, 1e-14);
  for (int power = 0; power < 3; ++power) EXPECT_NEAR(sum(Table::rough_error, Table::stages + 1, power), 0, 1e-14);
  EXPECT_GT(std::abs(sum(Table::error, Table::stages + 1, 5)), 1e-4);
  EXPECT_GT(std::abs(sum(Table::rough_error, Table::stages + 1, 3)), 1e-2);
  for (int q = 1; q <= 7; ++q) {
    double term[4];
    for (int k = 0; k < 4; ++k) term[k] = q * sum(Table::dense[k], points, q - 1);
    for (const double s : {0.1, 0.37, 0.5, 0.83}) {
      const double d = 1, p = (q == 1 ? 1 : 0) - d, r = 1 - s;
      const double higher = term[0] + s * (term[1] + r * (term[2] + s * term[3]));
      EXPECT_NEAR(s * (d + r * (p + s * (d - q - p + r * higher))), std::pow(s, q), 1e-12) << q;
    }
  }
}

// Steps of one size: the error at their ends falls with h^8, the one between them at least with h^7.
TEST(Dopri853, ConvergesWithItsOrder) {
  const Rhs rhs{[](double t, const double* x, double* dx, void*) {
    dx[0] = x[0] * std::cos(t);
    dx[1] = x[1] * x[1] * std::sin(t) * x[0] / std::exp(std::sin(t));
    return 0;
  }};
  const auto errors = [&](double h) {
    Problem problem;
    problem.n = 2;
    problem.rhs = rhs;
    problem.tolerance = {.relative = 1, .absolute = 1, .absolute_per_state = {}};
    problem.limits = {.initial = h, .minimum = 0, .maximum = h, .fixed = 0};
    const auto integrator = make_integrator(*find_solver("dopri853"), problem);
    // exp(sin t), and 1 / (1 + cos t) from x2' = x2^2 sin t
    const double x0[2] = {1, 0.5};
    const auto error = [](double t, const double* x) {
      return std::hypot(x[0] - std::exp(std::sin(t)), x[1] - 1 / (1 + std::cos(t)));
    };
    EXPECT_EQ(integrator->start(0, x0, false), Status::ok);
    double between = 0;
    while (integrator->time() < 2 && integrator->step(2) == Status::ok) {
      double x[2];
      const double from = integrator->previous_time(), width = integrator->time() - from;
      for (const double s : {0.15, 0.5, 0.8}) {
        integrator->interpolate(from + s * width, x);
        between = std::max(between, error(from + s * width, x));
      }
    }
    return std::pair{error(2, integrator->state()), between};
  };
  const auto coarse = errors(0.25), fine = errors(0.125);
  EXPECT_NEAR(std::log2(coarse.first / fine.first), 8, 0.7);
  EXPECT_GT(std::log2(coarse.second / fine.second), 6.7);
}

TEST(Dopri853, ArenstorfOrbitClosesInFewSteps) {
  const TestProblem test = arenstorf();
  const auto integrator = make("dopri853", test, {.relative = 1e-10, .absolute = 1e-10});
  const std::vector<double> x = solve_to_end(*integrator, test);
  EXPECT_NEAR(x[0], test.x0[0], 1e-5);
  EXPECT_NEAR(x[1], test.x0[1], 1e-5);
  EXPECT_LT(integrator->statistics().steps, 250);
}

TEST(Dopri, ArenstorfOrbitCloses) {
  const TestProblem test = arenstorf();
  const auto integrator = make("dopri", test, {.relative = 1e-10, .absolute = 1e-10});
  const std::vector<double> x = solve_to_end(*integrator, test);
  EXPECT_NEAR(x[0], test.x0[0], 1e-5);
  EXPECT_NEAR(x[1], test.x0[1], 1e-5);
  const Statistics& statistics = integrator->statistics();
  EXPECT_GT(statistics.rejected_error, 0);
  EXPECT_LT(statistics.steps, 1500);
  EXPECT_GE(statistics.limiting[0] + statistics.limiting[1] + statistics.limiting[2] + statistics.limiting[3],
            statistics.rejected_error);
}

TEST(Dopri, TheWrongSlopeOfOneStateIsNamed) {
  // The second state jumps between two slopes faster than any step allowed.
  const TestProblem test{
      .rhs = {[](double t, const double*, double* dx, void*) { return dx[0] = 1, dx[1] = t < 0.5 ? 0 : 1e6, 0; }},
      .x0 = {0, 0}};
  Problem problem;
  problem.n = 2;
  problem.rhs = test.rhs;
  problem.limits.minimum = 1e-3;
  const auto integrator = make_integrator(*find_solver("dopri"), problem);
  EXPECT_EQ(integrator->start(0, test.x0.data(), false), Status::ok);
  EXPECT_FALSE(run_to(*integrator, 1));
  EXPECT_EQ(integrator->failure().code, FailureCode::step_underflow);
  EXPECT_EQ(integrator->failure().state, 1);
  EXPECT_NEAR(integrator->failure().t, 0.5, 0.002);
}

TEST(Dopri, KeepsTheStepAcrossSamples) {
  const TestProblem test = oscillator();
  const auto integrator = make("dopri", test);
  EXPECT_EQ(integrator->start(0, test.x0.data(), false), Status::ok);
  ASSERT_TRUE(run_to(*integrator, 1));
  const long before = integrator->statistics().steps, evaluations = integrator->statistics().evaluations;
  for (int i = 1; i <= 100; ++i) {
    ASSERT_TRUE(run_to(*integrator, 1 + i * 1e-3));
    EXPECT_EQ(integrator->start(integrator->time(), integrator->state(), true), Status::ok);
  }
  EXPECT_EQ(integrator->statistics().steps - before, 100);
  EXPECT_EQ(integrator->statistics().evaluations - evaluations, 700);
}

TEST(Dopri, StepsStayWithinTheLimits) {
  const TestProblem test = decay();
  Problem problem{.n = 1,
                  .rhs = test.rhs,
                  .jacobian = {},
                  .tolerance = {.relative = 1e-2, .absolute = 1e-2, .absolute_per_state = {}},
                  .limits = {.initial = 1e-4, .maximum = 0.03},
                  .t_end_hint = 2};
  const auto integrator = make_integrator(*find_solver("dopri"), problem);
  EXPECT_EQ(integrator->start(0, test.x0.data(), false), Status::ok);
  EXPECT_EQ(integrator->step(2), Status::ok);
  EXPECT_DOUBLE_EQ(integrator->time(), 1e-4);
  while (integrator->time() < 2) {
    ASSERT_EQ(integrator->step(2), Status::ok);
    EXPECT_LE(integrator->time() - integrator->previous_time(), 0.03 * (1 + 1e-12));
  }
}

// A state that overflows must not hide behind its own large scale.
TEST(Dopri, OverflowIsNotAccepted) {
  const TestProblem test{
      .rhs = {[](double, const double* x, double* dx, void*) { return dx[0] = std::isinf(x[0]) ? 0 : 1e308, 0; }},
      .x0 = {1e308}};
  const auto integrator = make("dopri", test);
  EXPECT_EQ(integrator->start(0, test.x0.data(), false), Status::ok);
  EXPECT_FALSE(run_to(*integrator, 10));
  EXPECT_TRUE(std::isfinite(integrator->state()[0]));
}

// More states than are summed one by one: the paired sums give the same as independent copies.
TEST(Dopri, ManyStatesAgreeWithFew) {
  static int count = 0;
  const Rhs rhs{[](double, const double* x, double* dx, void*) {
    for (int i = 0; i < count; ++i) dx[i] = -x[i];
    return 0;
  }};
  for (const int n : {1, 2, 7, 8, 9, 10, 33}) {
    count = n;
    const TestProblem test{.rhs = rhs, .x0 = std::vector<double>(n, 1.0), .t_end = 2};
    const auto integrator = make("dopri", test);
    for (const double x : solve_to_end(*integrator, test)) EXPECT_NEAR(x, std::exp(-2.0), 1e-6) << n;
  }
}

TEST(FixedStep, GridIsCountedNotAccumulated) {
  const TestProblem test = decay();
  const auto integrator = make("euler", test, {.fixed = 0.1});
  EXPECT_EQ(integrator->start(0, test.x0.data(), false), Status::ok);
  for (int k = 1; k <= 1000; ++k) {
    ASSERT_EQ(integrator->step(1e6), Status::ok);
    ASSERT_EQ(integrator->time(), k * 0.1);
  }
  // A stop between grid points shortens one step; the next ends on the grid again, a kept restart included.
  ASSERT_EQ(integrator->step(100.03), Status::ok);
  EXPECT_EQ(integrator->time(), 100.03);
  EXPECT_EQ(integrator->start(integrator->time(), integrator->state(), true), Status::ok);
  ASSERT_EQ(integrator->step(200), Status::ok);
  EXPECT_EQ(integrator->time(), 1001 * 0.1);
  // A stop within rounding of a grid point is that point.
  const double near = std::nextafter(1002 * 0.1, 0);
  ASSERT_EQ(integrator->step(near), Status::ok);
  EXPECT_EQ(integrator->time(), near);
  ASSERT_EQ(integrator->step(200), Status::ok);
  EXPECT_EQ(integrator->time(), 1003 * 0.1);
  // A restart that keeps nothing begins a new grid.
  EXPECT_EQ(integrator->start(100.37, integrator->state(), false), Status::ok);
  ASSERT_EQ(integrator->step(200), Status::ok);
  EXPECT_EQ(integrator->time(), 100.37 + 0.1);
}

TEST(FixedStep, EvaluatesOncePerStage) {
  const TestProblem test = decay();
  const std::pair<const char*, int> cases[] = {{"euler", 1}, {"trapezoidal-explicit", 2}, {"rk4", 4}, {"rk5", 6}};
  for (const auto& [name, stages] : cases) {
    const auto integrator = make(name, test, {.fixed = 0.01});
    solve_to_end(*integrator, test);
    EXPECT_EQ(integrator->statistics().steps, 200);
    EXPECT_EQ(integrator->statistics().evaluations, 200 * stages);
  }
}

}  // namespace
}  // namespace orrery::solve
