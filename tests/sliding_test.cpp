// SPDX-License-Identifier: Apache-2.0
// Motion along a surface that attracts from both sides, and the error where nobody allowed it.
#include "hybrid_runs.h"

namespace orrery::tests::sliding_test {
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

// |v| that is limited, where v = 1 - t goes through zero: both "v >= 0" and "|v| > 0" are zero there and change alike,
// but only v goes on; |v| turns back, and nothing slides. Then v slides along zero for real, and |v| with it.
TEST(Sliding, CornersOnASurfaceAreNoSurfaces) {
  for (const std::string& solver : variable_step_solvers()) {
    const std::string settings = "sliding true\n solver " + solver + "\n rtol 1e-9\n";
    const auto passes = run_hybrid(settings + R"(
      stop 3
      c: Constant value=-1
      v: Integral x0=1
      a: Abs
      w: Integral x0=0 lower=-1 upper=10
      S: Scope inputs=3
      c:1 -> v:1
      v:1 -> a:1 S:3
      a:1 -> w:1 S:1
      w:1 -> S:2)");
    EXPECT_FALSE(passes.diagnostics.has_errors()) << solver << to_text(passes.diagnostics);
    EXPECT_NEAR(last(passes, "/S.1"), 2, 1e-8) << solver;
    EXPECT_NEAR(last(passes, "/S.2"), 2.5, 1e-8) << solver;
    // v' = 0.5 - 2 sign(v) from v = 1: at zero from t = 2/3 on, where |v| stays; its integral is 1/3.
    const auto rests = run_hybrid(settings + R"(
      stop 3
      c: Constant value=0.5
      sum: Sum signs='++'
      v: Integral x0=1
      s: Sign
      k: Gain k=-2
      a: Abs
      w: Integral x0=0 lower=-1 upper=10
      S: Scope inputs=2
      c:1 -> sum:1
      sum:1 -> v:1
      v:1 -> s:1 a:1
      s:1 -> k:1
      k:1 -> sum:2
      a:1 -> w:1 S:1
      w:1 -> S:2)");
    EXPECT_FALSE(rests.diagnostics.has_errors()) << solver << to_text(rests.diagnostics);
    EXPECT_NEAR(last(rests, "/S.1"), 0, 1e-7) << solver;
    EXPECT_NEAR(last(rests, "/S.2"), 1.0 / 3, 1e-7) << solver;
  }
}

// The same with r as a state, which the surface does not read, and with the rate of x found by a loop (an automaton of
// one mode): the end of the motion along the surface is located with every solver.
TEST(Sliding, ItsEndIsLocatedWhateverDecidesIt) {
  for (const char* law : {"x: Integral x0=1\nsum:1 -> x:1\nx:1 -> s:1 S:1",
                          "a: Automaton x0=1\nm: MatrixExpression inputs=2 expression='[u1(2)-u2;u1(1)]'\n"
                          "x: MatrixExpression expression='u1(1)'\na:2 -> m:1 x:1\nsum:1 -> m:2\nm:1 -> a:1\n"
                          "x:1 -> s:1 S:1"}) {
    for (const std::string& solver : variable_step_solvers()) {
      const auto run = run_hybrid(fmt::format(R"(
        sliding true
        solver {}
        stop 3
        rtol 1e-9
        one: Constant
        r: Integral x0=0.5
        s: Sign
        k: Gain k=-2
        sum: Sum signs='++'
        S: Scope
        one:1 -> r:1
        r:1 -> sum:1
        s:1 -> k:1
        k:1 -> sum:2
        {})",
                                              solver, law));
      EXPECT_FALSE(run.diagnostics.has_errors()) << solver << to_text(run.diagnostics);
      EXPECT_NEAR(last(run, "/S.1"), 1.125, 1e-6) << solver << law;
      std::vector<double> ends;
      for (const api::Event& event : run.events) {
        if (event.cause == EventCause::mode && event.time > 1.1) ends.push_back(event.time);
      }
      ASSERT_FALSE(ends.empty()) << solver << law;
      EXPECT_NEAR(ends[0], 1.5, 1e-6) << solver << law;
    }
  }
}

// Two masses that rub on each other, v1' = -2 s, v2' = 2 s + 1 with s = sign(v1 - v2), written in two blocks or in one:
// from 1 and 0 they meet at t = 1/5 and go on together, with the sum 1 + t of their momenta.
TEST(Sliding, OneConditionInTwoBlocksIsOneSurface) {
  const auto run = simulate(R"(
    sliding true
    stop 3
    rtol 1e-9
    a: MathExpression inputs=2 expression='-2*sign(u1-u2)'
    b: MathExpression inputs=2 expression='1+2*sign(u1-u2)'
    v1: Integral x0=1
    v2: Integral
    S: Scope inputs=2
    v1:1 -> a:1 b:1 S:1
    v2:1 -> a:2 b:2 S:2
    a:1 -> v1:1
    b:1 -> v2:1)");
  const std::size_t last = run.recording.rows() - 1;
  EXPECT_NEAR(run.recording.value(last, 0), 2, 1e-7);
  EXPECT_NEAR(run.recording.value(last, 1), 2, 1e-7);
}

// The arrival at the surface is a crossing, for a block that watches it as well.
TEST(Sliding, ArrivalIsACrossing) {
  const auto run = simulate(R"(
    sliding true
    stop 3
    rtol 1e-9
    v: Integral x0=1
    s: Sign
    k: Gain k=-1
    z: ZeroCross direction='down'
    n: Counter
    S: Scope
    v:1 -> s:1 z:1
    s:1 -> k:1
    k:1 -> v:1
    z:1 => n:1
    n:1 -> S:1)");
  EXPECT_EQ(run.recording.value(run.recording.rows() - 1, 0), 0);  // not NaN: the counter has run, and begins with 0
}

TEST(Sliding, IsAnErrorUnlessItIsAllowed) {
  const ModelRun run = run_model(diagram(relay("")), {});
  EXPECT_TRUE(has_code(run, "chattering") || has_code(run, "zeno")) << to_text(run.diagnostics);
}

}  // namespace
}  // namespace orrery::tests::sliding_test
