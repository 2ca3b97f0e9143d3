// SPDX-License-Identifier: Apache-2.0
// What the hybrid loop asks of every DAE solver besides accuracy: the suite of solver_matrix_test.cpp for 0 = F.
#include <gtest/gtest.h>

#include "solve/dae_problems_for_tests.h"
#include "solve/locate_root.h"

namespace orrery::solve {
namespace {

class DaeMatrix : public testing::TestWithParam<SolverInfo> {
 protected:
  std::unique_ptr<DaeIntegrator> started(const DaeTest& test) const {
    DaeProblem problem = test.problem;
    problem.t_end_hint = test.t_end;
    auto integrator = make_dae_integrator(GetParam(), problem);
    EXPECT_EQ(integrator->start(0, test.x0.data(), test.dx0.data(), false), Status::ok);
    return integrator;
  }
  double error(double tolerance) const {
    DaeTest test = forced_decay();
    test.problem.tolerance.relative = test.problem.tolerance.absolute = tolerance;
    const auto integrator = started(test);
    EXPECT_TRUE(run_to(*integrator, test.t_end)) << integrator->failure().message;
    return std::abs(integrator->state()[0] - forced_decay_at(test.t_end));
  }
};

INSTANTIATE_TEST_SUITE_P(Solvers, DaeMatrix, testing::ValuesIn(dae_solvers()),
                         [](const auto& solver) { return solver.param.name; });

TEST_P(DaeMatrix, ErrorFollowsTheTolerance) {
  const double coarse = error(1e-4), fine = error(1e-8);
  EXPECT_LT(coarse, 1e-2);
  EXPECT_LT(fine, GetParam().multistep ? 1e-5 : 1e-7);
  EXPECT_LT(fine, coarse * 0.05);
}

// The height of the pendulum crosses -1/2 on the way down and up again.
TEST_P(DaeMatrix, EventsAreLocatedOnDenseOutput) {
  const DaeTest test = pendulum_index_1();
  const auto integrator = started(test);
  std::vector<double> angles;
  double before = test.x0[1] + 0.5, x[5];
  while (integrator->time() < test.t_end) {
    ASSERT_EQ(integrator->step(test.t_end), Status::ok);
    const double after = integrator->state()[1] + 0.5;
    if (changes_sign(before, after)) {
      const auto g = [&](double t) {
        integrator->interpolate(t, x, nullptr);
        return x[1] + 0.5;
      };
      const Bracket found = locate_root(g, {integrator->previous_time(), integrator->time(), before, after}, 1e-13);
      integrator->interpolate(found.hi, x, nullptr);
      angles.push_back(std::abs(x[0]));
    }
    before = after;
  }
  ASSERT_GE(angles.size(), 3u);
  for (const double x0 : angles) EXPECT_NEAR(x0, std::sqrt(0.75), 1e-5);
}

// As for explicit problems: a fast component with a loose tolerance of its own does not make the steps small.
TEST_P(DaeMatrix, TolerancesPerComponent) {
  DaeTest test;
  test.problem.n = 2;
  test.problem.residual = {[](double t, const double* x, const double* dx, double* r, void*) {
    r[0] = dx[0] + x[0];
    r[1] = dx[1] - 100 * std::cos(100 * t);
    return 0;
  }};
  test.problem.tolerance = {1e-6, 1e-6, {}};
  test.x0 = {1, 0};
  test.dx0 = {-1, 100};
  test.t_end = 2;
  const auto strict = started(test);
  test.problem.tolerance.absolute_per_state = {1e-6, 1e3};
  const auto loose = started(test);
  ASSERT_TRUE(run_to(*strict, 2));
  ASSERT_TRUE(run_to(*loose, 2));
  EXPECT_LT(4 * loose->statistics().steps, strict->statistics().steps);
  EXPECT_NEAR(loose->state()[0], std::exp(-2.0), GetParam().multistep ? 2e-4 : 5e-6);
  EXPECT_GE(strict->statistics().limiting.at(1), strict->statistics().limiting.at(0));
}

TEST_P(DaeMatrix, DiscardedTrialsAreRepeatedWithSmallerSteps) {
  DaeTest test;
  test.problem.n = 1;
  test.problem.residual = {[](double, const double* x, const double* dx, double* r, void*) {
    if (x[0] < 0) return 1;
    r[0] = dx[0] + 2 * std::sqrt(x[0]);
    return 0;
  }};
  test.problem.tolerance = {1e-7, 1e-7, {}};
  test.problem.limits.initial = 0.8;
  test.x0 = {1};
  test.dx0 = {-2};
  test.t_end = 0.9;
  const auto integrator = started(test);
  ASSERT_TRUE(run_to(*integrator, test.t_end)) << integrator->failure().message;
  EXPECT_NEAR(integrator->state()[0], 0.01, GetParam().multistep ? 1e-4 : 1e-6);
  EXPECT_GT(integrator->statistics().rejected_other + integrator->statistics().rejected_error, 0);
}

TEST_P(DaeMatrix, HotStartsCostNothing) {
  const DaeTest test = forced_decay();
  const auto hot = started(test), plain = started(test);
  ASSERT_TRUE(run_to(*plain, test.t_end));
  double x[3];
  while (hot->time() < test.t_end) {
    ASSERT_EQ(hot->step(test.t_end), Status::ok);
    hot->interpolate(0.4 * hot->time() + 0.6 * hot->previous_time(), x, nullptr);
  }
  EXPECT_EQ(hot->statistics().steps, plain->statistics().steps);
  EXPECT_EQ(hot->state()[0], plain->state()[0]);
}

}  // namespace
}  // namespace orrery::solve
