// SPDX-License-Identifier: Apache-2.0
// Formulas that only a corner keeps from having no value, in models with algebraic loops, which some solvers take over.
#include "hybrid_runs.h"

namespace orrery::tests::protected_formulas_test {
namespace {

class ProtectedFormulas : public WithEverySolver {};

INSTANTIATE_TEST_SUITE_P(Solvers, ProtectedFormulas, testing::ValuesIn(variable_step_solvers()), name_of_solver);

// h' = q - k sqrt(max(h, 0)) beside an equation z = cos(z) that something shows: empty after 2 / k seconds.
TEST_P(ProtectedFormulas, BesideLoops) {
  const auto run = run_hybrid(settings("stop 3") + R"(
    h: Integral x0=1
    z: MathExpression inputs=2 expression='cos(u1)+0*u2'
    f: MathExpression inputs=2 expression='-sqrt(max(u1,0))+0*u2'
    o: Scope inputs=2
    h:1 -> f:1 z:2 o:1
    z:1 -> z:1 f:2 o:2
    f:1 -> h:1)");
  EXPECT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
  EXPECT_NEAR(last(run, "/o.1"), 0, 1e-6);
  EXPECT_NEAR(last(run, "/o.2"), 0.7390851332151607, 1e-6);
  const auto h = column_of(run, "/o.1");
  for (std::size_t r = 0; r < h.size(); ++r) {
    const double s = std::max(0.0, 1 - run.recording.time[r] / 2);
    EXPECT_NEAR(h[r], s * s, 1e-6) << run.recording.time[r];
  }
}

// y + y^3 = sqrt(max(h, 0)) with h = 1 - t: the integral of y is 2 (y^3 / 3 + 4 y^5 / 5 + 3 y^7 / 7) for the y of h
// = 1.
TEST_P(ProtectedFormulas, InLoops) {
  const auto run = run_hybrid(settings("stop 2") + R"(
    c: Constant value=-1
    h: Integral x0=1
    y: MathExpression inputs=2 expression='sqrt(max(u1,0))-u2^3'
    i: Integral
    o: Scope
    c:1 -> h:1
    h:1 -> y:1
    y:1 -> y:2 i:1
    i:1 -> o:1)");
  EXPECT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
  const double y = 0.6823278038280193;
  EXPECT_NEAR(last(run, "/o.1"), 2 * (std::pow(y, 3) / 3 + 4 * std::pow(y, 5) / 5 + 3 * std::pow(y, 7) / 7), 1e-6);
}

}  // namespace
}  // namespace orrery::tests::protected_formulas_test
