// SPDX-License-Identifier: Apache-2.0
// One suite for every DAE solver: published problems, landing, dense output, restarts, failures; and the start.
#include "solve/dae.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solve/dae_problems_for_tests.h"

namespace orrery::solve {
namespace {

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
  for (const DaeTest& test : {robertson_dae(), transistor_amplifier(), pendulum_index_1()}) {
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
  EXPECT_EQ(integrator->failure().code, FailureCode::nan_derivative);
  EXPECT_EQ(integrator->failure().state, 2);
  EXPECT_NEAR(integrator->time(), 0.5, 0.02);
}

TEST_P(EveryDaeSolver, BadSettings) {
  DaeTest test = forced_decay();
  test.problem.tolerance.relative = -1;
  const auto integrator = make(test);
  EXPECT_EQ(integrator->start(0, test.x0.data(), test.dx0.data(), false), Status::failed);
  EXPECT_EQ(integrator->failure().code, FailureCode::bad_solver_setting);
}

TEST_P(EveryDaeSolver, SavedRunsContinue) {
  const DaeTest test = forced_decay();
  const auto first = make(test), second = make(test);
  EXPECT_EQ(first->start(0, test.x0.data(), test.dx0.data(), false), Status::ok);
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
  EXPECT_EQ(integrator->failure().code, FailureCode::bad_solver_setting);
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
  EXPECT_FALSE(failure.message.empty());
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
  EXPECT_EQ(failure.code, FailureCode::singular_start);
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
