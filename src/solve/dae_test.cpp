// SPDX-License-Identifier: Apache-2.0
// One suite for every DAE solver: published problems, landing, dense output, restarts, failures; and the start.
#include "solve/dae.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solve/test_sets_for_tests.h"

namespace orrery::solve {
namespace {

struct DaeTest {
  DaeProblem problem;
  std::vector<double> x0, dx0;
  double t_end = 1;
  std::vector<double> reference = {};
};

// Robertson's kinetics with the conservation law as an equation.
DaeTest robertson_dae() {
  DaeTest test;
  test.problem.n = 3;
  test.problem.residual = {[](double, const double* x, const double* dx, double* r, void*) {
    const double first = -0.04 * x[0] + 1e4 * x[1] * x[2], third = 3e7 * x[1] * x[1];
    r[0] = dx[0] - first;
    r[1] = dx[1] + first + third;
    r[2] = x[0] + x[1] + x[2] - 1;
    return 0;
  }};
  test.problem.jacobian = {[](double, double c, const double* x, const double*, double* j, void*) {
                             const double columns[] = {
                                 c + 0.04,    -0.04,      1, -1e4 * x[2], c + 1e4 * x[2] + 6e7 * x[1], 1,
                                 -1e4 * x[1], 1e4 * x[1], 1};
                             std::copy_n(columns, 9, j);
                             return 0;
                           },
                           nullptr, full_pattern(3)};
  test.problem.differential = {1, 1, 0};
  test.problem.tolerance = {.relative = 1e-7, .absolute = 1e-7, .absolute_per_state = {1e-13, 1e-18, 1e-9}};
  test.x0 = {1, 0, 0};
  test.dx0 = {-0.04, 0.04, 0};
  test.t_end = 1e11;
  test.reference = robertson().reference;
  return test;
}

// The two-transistor amplifier of the Test Set for IVP Solvers: capacitors couple the derivatives, index 1.
int amplifier(double t, const double* y, const double* d, double* r, void*) {
  const double ub = 6, alpha = 0.99, r0 = 1000, rk = 9000;
  const auto g = [](double u) { return 1e-6 * (std::exp(u / 0.026) - 1); };
  const double ue = 0.1 * std::sin(200 * M_PI * t), g23 = g(y[1] - y[2]), g56 = g(y[4] - y[5]);
  const double f[8] = {-ue / r0 + y[0] / r0,
                       -ub / rk + y[1] * 2 / rk - (alpha - 1) * g23,
                       -g23 + y[2] / rk,
                       -ub / rk + y[3] / rk + alpha * g23,
                       -ub / rk + y[4] * 2 / rk - (alpha - 1) * g56,
                       -g56 + y[5] / rk,
                       -ub / rk + y[6] / rk + alpha * g56,
                       y[7] / rk};
  const double m[8] = {1e-6 * (d[1] - d[0]), 1e-6 * (d[0] - d[1]), -2e-6 * d[2],         3e-6 * (d[4] - d[3]),
                       3e-6 * (d[3] - d[4]), -4e-6 * d[5],         5e-6 * (d[7] - d[6]), 5e-6 * (d[6] - d[7])};
  for (int i = 0; i < 8; ++i) r[i] = m[i] - f[i];
  return 0;
}

DaeTest transistor_amplifier() {
  DaeTest test;
  test.problem.n = 8;
  test.problem.residual = {amplifier};
  test.problem.tolerance = {.relative = 1e-7, .absolute = 1e-7, .absolute_per_state = {}};
  test.x0 = {0, 3, 3, 6, 3, 3, 6, 0};
  test.dx0 = {51.338775,   51.338775,          -3 / (2e-6 * 9000), -24.9757667,
              -24.9757667, -3 / (4e-6 * 9000), -10.00564453,       -10.00564453};
  test.t_end = 0.2;
  test.reference = {-0.5562145012262709e-2, 3.006522471903042, 2.849958788608128, 2.926422536206241,
                    2.704617865010554,      2.761837778393145, 4.770927631616772, 1.236995868091548};
  return test;
}

// x' = y, 0 = y + x z - sin t, 0 = z - 1: an oscillation with algebraic parts; x' = sin t - x from x(0) = 1.
DaeTest forced_decay() {
  DaeTest test;
  test.problem.n = 3;
  test.problem.residual = {[](double t, const double* x, const double* dx, double* r, void*) {
    r[0] = dx[0] - x[1];
    r[1] = x[1] + x[0] * x[2] - std::sin(t);
    r[2] = x[2] - 1;
    return 0;
  }};
  test.problem.differential = {1, 0, 0};
  test.problem.tolerance = {.relative = 1e-8, .absolute = 1e-8, .absolute_per_state = {}};
  test.x0 = {1, -1, 1};
  test.dx0 = {-1, 0, 0};
  test.t_end = 5;
  return test;
}

double forced_decay_at(double t) { return 1.5 * std::exp(-t) + (std::sin(t) - std::cos(t)) / 2; }

bool run_to(DaeIntegrator& integrator, double t) {
  for (int i = 0; i < 1000000 && integrator.time() < t; ++i) {
    if (integrator.step(t) != Status::ok) return false;
  }
  return integrator.time() == t;
}

class EveryDaeSolver : public testing::TestWithParam<SolverInfo> {
 protected:
  std::unique_ptr<DaeIntegrator> make(const DaeTest& test) const {
    DaeProblem problem = test.problem;
    problem.t_end_hint = test.t_end;
    return make_dae_integrator(GetParam(), problem);
  }
};

INSTANTIATE_TEST_SUITE_P(Solvers, EveryDaeSolver, testing::ValuesIn(dae_solvers()),
                         [](const auto& solver) { return solver.param.name; });

TEST_P(EveryDaeSolver, PublishedProblems) {
  for (const DaeTest& test : {robertson_dae(), transistor_amplifier()}) {
    const auto integrator = make(test);
    ASSERT_EQ(integrator->start(0, test.x0.data(), test.dx0.data(), false), Status::ok);
    ASSERT_TRUE(run_to(*integrator, test.t_end)) << integrator->failure().message;
    for (std::size_t i = 0; i < test.reference.size(); ++i) {
      const double scale = test.problem.n == 3 ? std::abs(test.reference[i]) : 1 + std::abs(test.reference[i]);
      EXPECT_NEAR(integrator->state()[i], test.reference[i], 1000 * 1e-7 * scale) << i;
    }
  }
}

TEST_P(EveryDaeSolver, StepsDenseOutputAndRestarts) {
  const DaeTest test = forced_decay();
  const auto integrator = make(test);
  ASSERT_EQ(integrator->start(0, test.x0.data(), test.dx0.data(), false), Status::ok);
  double x[3], dx[3];
  for (int k = 1; k <= 50; ++k) {
    const double stop = 0.1 * k;
    while (integrator->time() < stop) {
      ASSERT_EQ(integrator->step(stop), Status::ok) << integrator->failure().message;
      const double middle = 0.3 * integrator->time() + 0.7 * integrator->previous_time();
      integrator->interpolate(middle, x, dx);
      EXPECT_NEAR(x[0], forced_decay_at(middle), 1e-5);
      EXPECT_NEAR(dx[0], std::sin(middle) - forced_decay_at(middle), 1e-3);
    }
    ASSERT_EQ(integrator->time(), stop);
    if (k % 10 == 0) {
      ASSERT_EQ(integrator->start(stop, integrator->state(), integrator->derivative(), true), Status::ok);
    }
  }
  EXPECT_NEAR(integrator->state()[0], forced_decay_at(5), 1e-5);
  EXPECT_NEAR(integrator->state()[1], std::sin(5.0) - forced_decay_at(5), 1e-5);
  EXPECT_EQ(integrator->statistics().restarts, 6);
  EXPECT_GT(integrator->statistics().jacobians, 0);
  const double near = std::nextafter(integrator->time(), 10);
  ASSERT_TRUE(run_to(*integrator, near));
}

TEST_P(EveryDaeSolver, ResidualThatIsNotFiniteNamesTheEquation) {
  DaeTest test = forced_decay();
  test.problem.residual = {[](double t, const double* x, const double* dx, double* r, void*) {
    r[0] = dx[0] - x[1];
    r[1] = x[1] + x[0] - 1;
    r[2] = t > 0.5 ? std::nan("") : x[2] - 1;
    return 0;
  }};
  test.x0 = {1, 0, 1};
  test.dx0 = {0, 0, 0};
  const auto integrator = make(test);
  ASSERT_EQ(integrator->start(0, test.x0.data(), test.dx0.data(), false), Status::ok);
  EXPECT_FALSE(run_to(*integrator, 1));
  EXPECT_EQ(integrator->failure().code, "nan-derivative");
  EXPECT_EQ(integrator->failure().state, 2);
  EXPECT_NEAR(integrator->time(), 0.5, 0.02);
}

TEST_P(EveryDaeSolver, BadSettings) {
  DaeTest test = forced_decay();
  test.problem.tolerance.relative = -1;
  const auto integrator = make(test);
  EXPECT_EQ(integrator->start(0, test.x0.data(), test.dx0.data(), false), Status::failed);
  EXPECT_EQ(integrator->failure().code, "bad-solver-setting");
}

TEST_P(EveryDaeSolver, SavedRunsContinue) {
  const DaeTest test = forced_decay();
  const auto first = make(test), second = make(test);
  first->start(0, test.x0.data(), test.dx0.data(), false);
  for (int i = 0; i < 10; ++i) ASSERT_EQ(first->step(5), Status::ok);
  std::vector<std::byte> bytes;
  if (GetParam().multistep) {
    EXPECT_FALSE(first->save(bytes));
    return;
  }
  ASSERT_TRUE(first->save(bytes));
  ASSERT_TRUE(second->restore(bytes));
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(first->step(5), second->step(5));
    ASSERT_TRUE(std::equal(first->state(), first->state() + 3, second->state()));
    ASSERT_TRUE(std::equal(first->derivative(), first->derivative() + 3, second->derivative()));
  }
}

TEST(RadauDae, RefusesVaryingCoefficients) {
  DaeTest test = forced_decay();
  test.problem.residual = {[](double t, const double* x, const double* dx, double* r, void*) {
    r[0] = (1 + x[0] * x[0]) * dx[0] - x[1];
    r[1] = x[1] + x[0] * x[2] - std::sin(t);
    r[2] = x[2] - 1;
    return 0;
  }};
  const auto integrator = make_dae_integrator(*find_dae_solver("radau"), test.problem);
  EXPECT_EQ(integrator->start(0, test.x0.data(), test.dx0.data(), false), Status::failed);
  EXPECT_EQ(integrator->failure().code, "bad-solver-setting");
  EXPECT_EQ(integrator->failure().state, 0);
}

class ConsistentStart : public testing::TestWithParam<StartMethod> {};
INSTANTIATE_TEST_SUITE_P(Methods, ConsistentStart, testing::Values(StartMethod::idacalc, StartMethod::newton),
                         [](const auto& method) { return method.param == StartMethod::newton ? "newton" : "idacalc"; });

TEST_P(ConsistentStart, FindsAlgebraicPartsAndDerivatives) {
  DaeTest test = forced_decay();
  test.x0 = {1, 7, 3};
  test.dx0 = {0, 0, 0};
  Failure failure;
  ASSERT_EQ(make_consistent(test.problem, GetParam(), 0, test.x0.data(), test.dx0.data(), failure), Status::ok)
      << failure.message;
  EXPECT_EQ(test.x0[0], 1);
  EXPECT_NEAR(test.x0[1], -1, 1e-7);
  EXPECT_NEAR(test.x0[2], 1, 1e-7);
  EXPECT_NEAR(test.dx0[0], -1, 1e-7);
}

TEST_P(ConsistentStart, FailureLeavesTheGuessAlone) {
  DaeTest test = forced_decay();
  test.problem.residual = {[](double, const double* x, const double* dx, double* r, void*) {
    r[0] = dx[0] - x[1];
    r[1] = x[1] * x[1] + 1;  // has no solution
    r[2] = x[2] - x[0];
    return 0;
  }};
  test.x0 = {1, 0.5, 0};
  const std::vector<double> guess = test.x0;
  Failure failure;
  EXPECT_EQ(make_consistent(test.problem, GetParam(), 0, test.x0.data(), test.dx0.data(), failure), Status::failed);
  EXPECT_EQ(test.x0, guess);
  EXPECT_FALSE(failure.code.empty());
}

// z appears nowhere: its column is zero, and the message says whose it is.
TEST(ConsistentStart, SingularSystemNamesTheComponent) {
  DaeTest test = forced_decay();
  test.problem.residual = {[](double, const double* x, const double* dx, double* r, void*) {
    r[0] = dx[0] - x[1];
    r[1] = x[1] + x[0];
    r[2] = x[1] + x[0];
    return 0;
  }};
  Failure failure;
  EXPECT_EQ(make_consistent(test.problem, StartMethod::newton, 0, test.x0.data(), test.dx0.data(), failure),
            Status::failed);
  EXPECT_EQ(failure.code, "singular-start");
  EXPECT_EQ(failure.state, 2);
}

// A strongly nonlinear equation, far from its solution: damping is needed.
TEST(ConsistentStart, DampingReachesFarSolutions) {
  DaeTest test = forced_decay();
  test.problem.residual = {[](double, const double* x, const double* dx, double* r, void*) {
    r[0] = dx[0] - x[1];
    r[1] = std::atan(x[1] - 2);
    r[2] = std::exp(x[2]) - 5;
    return 0;
  }};
  test.x0 = {1, 40, -8};
  Failure failure;
  ASSERT_EQ(make_consistent(test.problem, StartMethod::newton, 0, test.x0.data(), test.dx0.data(), failure), Status::ok)
      << failure.message;
  EXPECT_NEAR(test.x0[1], 2, 1e-7);
  EXPECT_NEAR(test.x0[2], std::log(5.0), 1e-7);
}

}  // namespace
}  // namespace orrery::solve
