// SPDX-License-Identifier: Apache-2.0
// The pendulum of chapter 10.3 with every solver that projects: no drift, whichever way the constraints are given.
#include "solve/projector.h"

#include <gtest/gtest.h>

#include "solve/problems_for_tests.h"

namespace orrery::solve {
namespace {

constexpr double g = 9.81;

// Unit length, Cartesian coordinates x, y and their derivatives; equations (10.6).
int pendulum_slope(double, const double* x, double* dx, void*) {
  const double force = g * x[1] - (x[2] * x[2] + x[3] * x[3]);
  dx[0] = x[2];
  dx[1] = x[3];
  dx[2] = x[0] * force;
  dx[3] = x[1] * force - g;
  return 0;
}

// Equations (10.7).
int pendulum_residual(double, const double* x, double* c, void*) {
  c[0] = x[0] * x[0] + x[1] * x[1] - 1;
  c[1] = x[0] * x[2] + x[1] * x[3];
  return 0;
}

// As the block of section 10.3.3 computes it.
int pendulum_correction(double, const double* x, double* move, void*) {
  const double r = std::hypot(x[0], x[1]), nx = x[0] / r, ny = x[1] / r;
  move[0] = nx - x[0];
  move[1] = ny - x[1];
  move[2] = x[2] * ny * ny - x[3] * nx * ny - x[2];
  move[3] = -x[2] * nx * ny + x[3] * nx * nx - x[3];
  return 0;
}

double drift(const double* x) {
  double c[2];
  pendulum_residual(0, x, c, nullptr);
  return std::max(std::abs(c[0]), std::abs(c[1]));
}

Problem pendulum(Projection projection) {
  Problem problem;
  problem.n = 4;
  problem.rhs = {pendulum_slope};
  problem.tolerance = {.relative = 1e-4, .absolute = 1e-4, .absolute_per_state = {}};
  problem.limits.fixed = 0.002;
  problem.projection = projection;
  return problem;
}

const double start_point[4] = {1, 0, 0, 0};

std::vector<SolverInfo> solvers_that_project() {
  std::vector<SolverInfo> list;
  for (const SolverInfo& info : solvers()) {
    if (info.projects) list.push_back(info);
  }
  return list;
}

class EveryProjectingSolver : public testing::TestWithParam<SolverInfo> {};
INSTANTIATE_TEST_SUITE_P(Solvers, EveryProjectingSolver, testing::ValuesIn(solvers_that_project()),
                         [](const auto& solver) {
                           std::string name = solver.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(EveryProjectingSolver, PendulumDoesNotDrift) {
  const Projection residuals{.residual = pendulum_residual, .constraints = 2};
  const Projection corrections{.correction = pendulum_correction};
  for (const Projection& projection : {residuals, corrections}) {
    const auto integrator = make_integrator(GetParam(), pendulum(projection));
    ASSERT_EQ(integrator->start(0, start_point, false), Status::ok);
    double worst = 0, between = 0, x[4];
    while (integrator->time() < 20) {
      ASSERT_EQ(integrator->step(20), Status::ok) << integrator->failure().message;
      worst = std::max(worst, drift(integrator->state()));
      integrator->interpolate(0.5 * (integrator->time() + integrator->previous_time()), x);
      between = std::max(between, drift(x));
    }
    EXPECT_LT(worst, 1e-6);
    EXPECT_LT(between, GetParam().order == 1 ? 1e-2 : 2e-2);
  }
}

TEST_P(EveryProjectingSolver, ConstraintsThatCannotBeMetEndTheRun) {
  Projection impossible{
      .residual = [](double t, const double* x, double* c, void*) { return c[0] = t > 0.5 ? x[0] * x[0] + 1 : 0, 0; },
      .constraints = 1};
  const auto integrator = make_integrator(GetParam(), pendulum(impossible));
  ASSERT_EQ(integrator->start(0, start_point, false), Status::ok);
  EXPECT_FALSE(run_to(*integrator, 1));
  EXPECT_EQ(integrator->failure().code, FailureCode::projection_failed);
  EXPECT_LE(integrator->time(), 0.51);
}

// Figures 10.6 and 10.7: without projection the drift grows, with it it stays below the tolerance. Forward Euler is
// left out: it feeds the pendulum energy until its steps are too long for it.
TEST(Projection, ThousandSeconds) {
  for (const char* name :
       {"radau", "sdirk", "cvode-bdf-newton", "dopri", "cash-karp", "rk4", "trapezoidal-explicit", "euler-implicit"}) {
    double with = 0, without = 0;
    for (const bool projects : {true, false}) {
      const Projection projection = projects ? Projection{.correction = pendulum_correction} : Projection{};
      Problem problem = pendulum(projection);
      problem.limits.fixed = 0.01;
      const auto integrator = make_integrator(*find_solver(name), problem);
      EXPECT_EQ(integrator->start(0, start_point, false), Status::ok);
      while (integrator->time() < 1000) {
        if (integrator->step(1000) != Status::ok) {
          EXPECT_FALSE(projects) << integrator->failure().message;  // the drift may ruin a run without it
          without = 1;
          break;
        }
        double& worst = projects ? with : without;
        worst = std::max(worst, drift(integrator->state()));
      }
    }
    EXPECT_LT(with, 1e-4) << name;
    EXPECT_GT(without, 100 * with) << name;
    EXPECT_GT(without, 1e-3) << name;
  }
}

TEST(Projection, RedundantConstraintsDoNoHarm) {
  const Projection twice{.residual =
                             [](double t, const double* x, double* c, void*) {
                               pendulum_residual(t, x, c, nullptr);
                               return c[2] = 2 * c[0], 0;
                             },
                         .constraints = 3};
  const auto projector = Projector::make(pendulum(twice));
  double x[4] = {0.9, 0.3, 0.1, 2};
  ASSERT_EQ(projector->project(0, x), 0);
  EXPECT_LT(drift(x), 1e-9);
}

TEST(Projection, AdamsRefuses) {
  const auto integrator =
      make_integrator(*find_solver("cvode-adams-functional"), pendulum({.correction = pendulum_correction}));
  EXPECT_EQ(integrator->start(0, start_point, false), Status::failed);
  EXPECT_EQ(integrator->failure().code, FailureCode::bad_solver_setting);
}

}  // namespace
}  // namespace orrery::solve
