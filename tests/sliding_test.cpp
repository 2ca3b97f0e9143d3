// SPDX-License-Identifier: Apache-2.0
// Motion along a surface that attracts from both sides, and the error where nobody allowed it.
#include "semantics.h"

namespace orrery::tests {
namespace {

// x' = r(t) - 2 sign(x) from x = 1: at zero from t = 2/3 on, while |r| < 2; r = 0.5 + t leaves it at t = 1.5.
std::string relay(const std::string& settings) {
  return settings + R"(
    stop 3
    rtol 1e-9
    t: Time
    c: Bias bias=0.5
    r: Saturation lower=-100 upper=100
    x: Integral x0=1
    s: Sign
    k: Gain k=-2
    sum: Sum signs='++'
    S: Scope
    t:1 -> c:1
    c:1 -> r:1
    r:1 -> sum:1
    x:1 -> s:1 S:1
    s:1 -> k:1
    k:1 -> sum:2
    sum:1 -> x:1)";
}

TEST(Sliding, FollowsTheSurfaceAndLeavesItAgain) {
  for (const char* solver : {"dopri", "radau", "cvode-adams-newton"}) {
    const auto run = simulate(relay(std::string("sliding true\n solver ") + solver));
    // x' = t - 1.5 from x = 1: zero at (3 - sqrt(9 - 8)) / 2 = 1; free again from 1.5 on, with x' = t - 1.5.
    EXPECT_NEAR(run.recording.value(run.recording.rows() - 1, 0), 1.5 * 1.5 / 2, 1e-6) << solver;
    bool rests = false;
    for (std::size_t row = 0; row < run.recording.rows(); ++row) {
      const double t = run.recording.time[row], x = run.recording.value(row, 0);
      if (t > 1.01 && t < 1.49) {
        EXPECT_NEAR(x, 0, 1e-8) << solver << " at " << t;
        rests = true;
      }
    }
    EXPECT_TRUE(rests);
  }
}

TEST(Sliding, IsAnErrorUnlessItIsAllowed) {
  const ModelRun run = run_model(diagram(relay("")), {});
  EXPECT_TRUE(has_code(run, "chattering") || has_code(run, "zeno")) << to_text(run.diagnostics);
}

}  // namespace
}  // namespace orrery::tests
