// SPDX-License-Identifier: Apache-2.0
// What the hybrid loop asks of every solver besides accuracy: events on dense output, steps that go on over events that
// disturb nothing, tolerances per state, discarded trials.
#include <gtest/gtest.h>

#include <algorithm>

#include "solve/locate_root.h"
#include "solve/test_sets_for_tests.h"

namespace orrery::solve {
namespace {

class SolverMatrix : public testing::TestWithParam<SolverInfo> {
 protected:
  const SolverInfo& info() const { return GetParam(); }

  std::unique_ptr<Integrator> with_limits(const TestProblem& test, const StepLimits& limits,
                                          const Tolerance& tolerance) const {
    Problem problem{.n = static_cast<int>(test.x0.size()),
                    .rhs = test.rhs,
                    .jacobian = {},
                    .tolerance = tolerance,
                    .limits = limits,
                    .t_end_hint = test.t_end};
    return make_integrator(info(), problem);
  }
};

INSTANTIATE_TEST_SUITE_P(Solvers, SolverMatrix, testing::ValuesIn(solvers()), [](const auto& solver) {
  std::string name = solver.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// The zeros of cos t, found on the dense output.
TEST_P(SolverMatrix, EventsAreLocatedWithTheAccuracyOfTheSteps) {
  TestProblem test = oscillator();
  test.t_end = 12;
  const auto integrator = make(info(), test, {.relative = 1e-8, .absolute = 1e-8, .fixed = 1e-3});
  ASSERT_EQ(integrator->start(0, test.x0.data(), false), Status::ok);
  std::vector<double> events;
  double before = test.x0[0], x[2];
  while (integrator->time() < test.t_end) {
    ASSERT_EQ(integrator->step(test.t_end), Status::ok);
    const double after = integrator->state()[0];
    if (changes_sign(before, after)) {
      const Bracket bracket{integrator->previous_time(), integrator->time(), before, after};
      const auto g = [&](double t) {
        integrator->interpolate(t, x);
        return x[0];
      };
      events.push_back(locate_root(g, bracket, 1e-13).hi);
    }
    before = after;
  }
  ASSERT_EQ(events.size(), 4u);
  const double expected = info().fixed_step ? (info().order == 1 ? 1e-2 : 1e-5) : info().multistep ? 2e-5 : 1e-6;
  for (std::size_t k = 0; k < events.size(); ++k)
    EXPECT_NEAR(events[k], (static_cast<double>(k) + 0.5) * M_PI, expected);
}

// Events that disturb no state are handled on the dense output: the run must be that without them, step for step, and
// much cheaper than one that starts anew at each of them.
TEST_P(SolverMatrix, HotStartsCostNothing) {
  const TestProblem test = oscillator();
  const Settings settings{.relative = 1e-6, .absolute = 1e-6, .fixed = 0.05};
  const auto hot = make(info(), test, settings), plain = make(info(), test, settings),
             cold = make(info(), test, settings);
  const double period = test.t_end / 60;
  solve_to_end(*plain, test);
  EXPECT_EQ(hot->start(0, test.x0.data(), false), Status::ok);
  int seen = 1;
  double x[2], worst = 0;
  while (hot->time() < test.t_end) {
    ASSERT_EQ(hot->step(test.t_end), Status::ok);
    for (; seen * period <= hot->time(); ++seen) {
      hot->interpolate(seen * period, x);
      worst = std::max(worst, std::abs(x[0] - std::cos(seen * period)));
    }
  }
  EXPECT_EQ(seen, 61);
  EXPECT_LT(worst, info().order == 1 ? 0.3 : 0.02);
  EXPECT_EQ(hot->statistics().steps, plain->statistics().steps);
  EXPECT_EQ(hot->state()[0], plain->state()[0]);
  EXPECT_EQ(cold->start(0, test.x0.data(), false), Status::ok);
  for (int k = 1; k <= 60; ++k) {
    ASSERT_TRUE(run_to(*cold, k == 60 ? test.t_end : k * period));
    EXPECT_EQ(cold->start(cold->time(), cold->state(), false), Status::ok);
  }
  EXPECT_GE(cold->statistics().steps, plain->statistics().steps);
  EXPECT_EQ(cold->statistics().restarts, 61);
}

// The second state only sums up a fast oscillation. With a loose tolerance of its own it does not make the steps small,
// and the first one is as accurate as it was asked to be.
TEST_P(SolverMatrix, TolerancesPerState) {
  if (info().fixed_step) return;
  const TestProblem test{.rhs = {[](double t, const double* x, double* dx, void*) {
                           dx[0] = -x[0];
                           dx[1] = 100 * std::cos(100 * t);
                           return 0;
                         }},
                         .x0 = {1, 0},
                         .t_end = 2};
  const auto strict = with_limits(test, {}, {1e-6, 1e-6, {}});
  const auto loose = with_limits(test, {}, {1e-6, 1e-6, {1e-6, 1e3}});
  solve_to_end(*strict, test);
  const std::vector<double> x = solve_to_end(*loose, test);
  EXPECT_LT(4 * loose->statistics().steps, strict->statistics().steps);
  EXPECT_NEAR(x[0], std::exp(-2.0), info().multistep ? 2e-4 : 5e-6);
  const std::vector<long>& limiting = strict->statistics().limiting;
  ASSERT_EQ(limiting.size(), 2u);
  EXPECT_GE(limiting[1], limiting[0]);
}

// x' = -2 sqrt(x) from 1: x = (1 - t)^2, and no derivative below zero, where a first step of 0.8 tries to go.
TEST_P(SolverMatrix, DiscardedTrialsAreRepeatedWithSmallerSteps) {
  if (info().fixed_step) return;
  const TestProblem test{.rhs = {[](double, const double* x, double* dx, void*) {
                           if (x[0] < 0) return 1;
                           dx[0] = -2 * std::sqrt(x[0]);
                           return 0;
                         }},
                         .x0 = {1},
                         .t_end = 0.9};
  const auto integrator = with_limits(test, {.initial = 0.8}, {1e-7, 1e-7, {}});
  const std::vector<double> x = solve_to_end(*integrator, test);
  EXPECT_NEAR(x[0], 0.01, info().multistep ? 1e-4 : 1e-6);
  EXPECT_GT(integrator->statistics().rejected_other + integrator->statistics().rejected_error, 0);
}

// Error-controlled methods of each kind on the problems that they are made for; nothing is asked of the others.
TEST_P(SolverMatrix, ProblemsOfItsClass) {
  if (info().fixed_step) return;
  const double factor = info().multistep ? 1000 : 30;
  const bool stiff = info().stiffness == Stiffness::stiff || info().stiffness == Stiffness::any;
  std::vector<TestSet> sets = {pleiades(), arenstorf()};
  if (stiff) sets = {van_der_pol(), hires(), robertson(), oregonator(), pollution(), ring_modulator(), pleiades()};
  for (const TestSet& set : sets) {
    const double tolerance = set.x0.size() == 15 ? 1e-5 : 1e-8;
    // The orbit, the stars and the circuit amplify every error.
    const double growth = set.x0.size() == 28 ? 40 : set.x0.size() == 4 ? 2e3 : set.x0.size() == 15 ? 40 : 1;
    const auto integrator = make(info(), set, settings_for(set, tolerance));
    const std::vector<double> x = solve_to_end(*integrator, set);
    EXPECT_LT(published::error_at_end(set, x.data()), factor * growth * tolerance) << set.name;
  }
}

}  // namespace
}  // namespace orrery::solve
