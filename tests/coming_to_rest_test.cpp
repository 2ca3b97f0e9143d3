// SPDX-License-Identifier: Apache-2.0
// What comes to rest on a surface: it does so within a number of steps, or the run ends with an error that names it.
#include "hybrid_runs.h"

namespace orrery::tests::coming_to_rest_test {
namespace {

class ComingToRest : public WithEverySolver {};

INSTANTIATE_TEST_SUITE_P(Solvers, ComingToRest, testing::ValuesIn(variable_step_solvers()), name_of_solver);

// A ball as an automaton of one mode, which is entered again at each impact: with restitution 0 it cannot stay there,
// and with 1/2 and the height as it is not beyond three times the time of the first impact.
TEST_P(ComingToRest, ABallWithoutAModeForItIsNamed) {
  const double fall = std::sqrt(2 / 9.81);
  for (const char* height : {"0", "u1(1)", "max(u1(1),0)"}) {
    for (const auto& [restitution, end] : {std::pair(0.0, fall), std::pair(0.5, 3 * fall)}) {
      if (restitution > 0 && std::string_view(height) != "u1(1)") continue;
      const auto run = run_hybrid(settings("stop 10") + fmt::format(R"(
        a: Automaton modes=1 x0=[1;0] jumps=[1]
        m: MatrixExpression expression='[u1(3)-u1(2);u1(4)+9.81;{};-{}*u1(2);-u1(1)]'
        a:2 -> m:1
        m:1 -> a:1)",
                                                                    height, restitution));
      EXPECT_TRUE(has_code(run, "jump-cycle") || has_code(run, "zeno")) << height << to_text(run.diagnostics);
      EXPECT_NEAR(run.report.time, end, 1e-6) << height << " " << restitution;
    }
  }
}

// h' = -k sign(h) sqrt(|h|): empty after 2 / k, where the slope of the root is infinite. Two vessels, as well.
TEST_P(ComingToRest, AnOrificeTakesLongStepsAtRest) {
  if (GetParam() == "ida" || GetParam() == "daskr") GTEST_SKIP() << "their steps stay short at the corner";
  for (const double k : {1.0, 10.0}) {
    for (const char* tolerances : {"rtol 1e-6\natol 1e-10\n", "rtol 1e-9\natol 1e-12\n"}) {
      const auto run = run_hybrid(settings("stop 10") + tolerances +
                                  fmt::format(R"(
        h: Integral x0=1
        f: MathExpression expression='-{}*sign(u1)*sqrt(abs(u1))'
        S: Scope
        h:1 -> f:1 S:1
        f:1 -> h:1)",
                                              k));
      EXPECT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
      const auto h = column_of(run, "/S.1");
      for (std::size_t row = 0; row < h.size(); ++row) {
        const double s = std::max(0.0, 1 - k * run.recording.time[row] / 2);
        ASSERT_NEAR(h[row], s * s, 1e-5) << run.recording.time[row];
      }
      EXPECT_LT(run.report.points, 20'000) << k << " " << tolerances;
    }
  }
}

}  // namespace
}  // namespace orrery::tests::coming_to_rest_test
