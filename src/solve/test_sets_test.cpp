// SPDX-License-Identifier: Apache-2.0
// Solvers on published problems: the error at the end point against the tolerance asked for.
#include <gtest/gtest.h>

#include "solve/test_sets_for_tests.h"

namespace orrery::solve {
namespace {

// How many times the tolerance the error may be: one-step methods keep it, multistep methods add up local errors.
struct Expectation {
  const char* solver;
  double factor;
};

class TestSets : public testing::TestWithParam<Expectation> {
 protected:
  void check(const TestSet& set, double tolerance, double extra = 1) {
    const auto integrator = make(GetParam().solver, set, settings_for(set, tolerance));
    const std::vector<double> x = solve_to_end(*integrator, set);
    EXPECT_LT(published::error_at_end(set, x.data()), extra * GetParam().factor * tolerance)
        << set.name << " at " << tolerance;
  }
};

INSTANTIATE_TEST_SUITE_P(Stiff, TestSets,
                         testing::Values(Expectation{"radau", 1}, Expectation{"sdirk", 20},
                                         Expectation{"cvode-bdf-newton", 500}, Expectation{"lsoda", 500}),
                         [](const auto& expectation) {
                           std::string name = expectation.param.solver;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(TestSets, VanDerPol) {
  for (const double tolerance : {1e-5, 1e-8}) check(van_der_pol(), tolerance);
}

TEST_P(TestSets, Hires) {
  for (const double tolerance : {1e-5, 1e-8}) check(hires(), tolerance);
}

TEST_P(TestSets, Robertson) {
  for (const double tolerance : {1e-5, 1e-8}) check(robertson(), tolerance);
}

TEST_P(TestSets, Oregonator) {
  for (const double tolerance : {1e-5, 1e-8}) check(oregonator(), tolerance);
}

// Close encounters of the stars amplify every error.
TEST_P(TestSets, Pleiades) {
  for (const double tolerance : {1e-5, 1e-8}) check(pleiades(), tolerance, 40);
}

TEST(TestSetsWithFixedSteps, BackwardEulerAndTrapezoidalFollowHires) {
  for (const char* solver : {"euler-implicit", "trapezoidal-implicit"}) {
    const TestSet set = hires();
    const auto integrator = make(solver, set, {.fixed = 0.02});
    const std::vector<double> x = solve_to_end(*integrator, set);
    EXPECT_LT(published::error_at_end(set, x.data()), find_solver(solver)->order == 1 ? 0.1 : 1e-3) << solver;
    // Jacobians are kept over many steps.
    EXPECT_LT(integrator->statistics().jacobians * 10, integrator->statistics().steps) << solver;
  }
}

}  // namespace
}  // namespace orrery::solve
