// SPDX-License-Identifier: Apache-2.0
// What `auto` chooses, and when it changes: published problems of both kinds, events, sizes, tolerances.
#include "sim/choose_solver.h"

#include <gtest/gtest.h>

#include "solve/test_sets_for_tests.h"

namespace orrery::sim {
namespace {

solve::Problem problem_of(const solve::TestProblem& test, double tolerance = 1e-6) {
  solve::Problem problem;
  problem.n = static_cast<int>(test.x0.size());
  problem.rhs = test.rhs;
  problem.tolerance = {tolerance, tolerance, {}};
  problem.t_end_hint = test.t_end;
  return problem;
}

std::string chosen(const solve::TestSet& set, const RestartShape& shape = {}, double tolerance = 1e-6) {
  const SolverChoice choice = choose_solver(problem_of(set, tolerance), shape, 0, set.t_end, set.x0.data());
  EXPECT_FALSE(choice.reason.empty());
  return choice.solver->name;
}

TEST(ChooseSolver, StiffAtTheStart) {
  EXPECT_EQ(chosen(solve::van_der_pol()), "cvode-bdf-newton");
  EXPECT_EQ(chosen(solve::pollution()), "cvode-bdf-newton");
  EXPECT_EQ(chosen(solve::robertson()), "cvode-bdf-newton");
}

TEST(ChooseSolver, NotStiff) {
  EXPECT_EQ(chosen(solve::pleiades()), "dopri");
  EXPECT_EQ(chosen(solve::arenstorf()), "dopri");
}

TEST(ChooseSolver, EventsAndTolerancesDecideAmongStiffMethods) {
  EXPECT_EQ(chosen(solve::van_der_pol(), {.state_events = true}), "radau");
  EXPECT_EQ(chosen(solve::van_der_pol(), {.ticks = 1000}), "radau");
  EXPECT_EQ(chosen(solve::van_der_pol(), {.ticks = 3}), "cvode-bdf-newton");
  EXPECT_EQ(chosen(solve::van_der_pol(), {}, 1e-8), "radau");
  solve::Problem large = problem_of(solve::decay(), 1e-8);
  large.n = 10000;
  EXPECT_EQ(choose_stiff_solver(large, {.state_events = true}).solver->name, "cvode-bdf-newton");
}

// Steps of dopri on a problem until the watch speaks up; nothing: it never does.
std::optional<double> turns_stiff(const solve::TestProblem& test) {
  const solve::Problem problem = problem_of(test);
  const auto integrator = solve::make_integrator(*solve::find_solver("dopri"), problem);
  EXPECT_EQ(integrator->start(0, test.x0.data(), false), solve::Status::ok);
  StiffnessWatch watch(problem, false);
  for (int k = 0; k < 20000 && integrator->time() < test.t_end; ++k) {
    if (integrator->step(test.t_end) != solve::Status::ok) return std::nullopt;
    if (watch.look(*integrator, test.t_end)) return integrator->time();
  }
  return std::nullopt;
}

TEST(StiffnessWatch, SpeaksUpWhereStabilityLimitsTheSteps) {
  // Not stiff at the start, soon after.
  const std::optional<double> hires = turns_stiff(solve::hires());
  ASSERT_TRUE(hires);
  EXPECT_LT(*hires, 100);
  EXPECT_TRUE(turns_stiff(solve::van_der_pol()));
}

TEST(StiffnessWatch, KeepsQuietOtherwise) {
  EXPECT_FALSE(turns_stiff(solve::pleiades()));
  EXPECT_FALSE(turns_stiff(solve::arenstorf()));
  solve::TestProblem oscillator = solve::oscillator();
  oscillator.t_end = 500;
  EXPECT_FALSE(turns_stiff(oscillator));
}

// Stiff, but over so soon that nothing is gained by a change.
TEST(StiffnessWatch, KeepsQuietNearTheEnd) {
  const solve::TestProblem test{
      .rhs = {[](double t, const double* x, double* dx, void*) { return dx[0] = -1000 * (x[0] - std::cos(t)), 0; }},
      .x0 = {1},
      .t_end = 0.5};
  EXPECT_FALSE(turns_stiff(test));
}

}  // namespace
}  // namespace orrery::sim
