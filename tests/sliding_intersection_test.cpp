// SPDX-License-Identifier: Apache-2.0
// Motion along several attracting surfaces at once: arrivals, exits, coupled switches, controllers, refusals.
#include "hybrid_runs.h"

namespace orrery::tests::sliding_intersection_test {
namespace {

double last(const ModelRun& run, std::size_t column) { return run.recording.value(run.recording.rows() - 1, column); }

class SlidingTogether : public WithEverySolver {
 protected:
  static ModelRun run(const std::string& text) { return simulate(settings("sliding true\n" + text)); }
};

// x1' = 0.3 - sign(x1) from 1: at zero from 10/7 on. x2' = 0.2 sin t - sign(x2) from 1/2: zero where
// 0.7 - t - 0.2 cos t is. y is the integral of x1 + x2, and z that of the switches: 0.3 and 0.2 sin t while they slide.
TEST_P(SlidingTogether, TwoRelaysThatKnowNothingOfEachOther) {
  const auto result = run(R"(
    stop 5
    t: Time
    a: MathExpression inputs=1 expression='0.3-sign(u1)'
    b: MathExpression inputs=2 expression='0.2*sin(u2)-sign(u1)'
    c: MathExpression inputs=2 expression='u1+u2'
    d: MathExpression inputs=2 expression='sign(u1)+2*sign(u2)'
    x1: Integral x0=1
    x2: Integral x0=0.5
    y: Integral
    z: Integral
    S: Scope inputs=4
    x1:1 -> a:1 c:1 d:1 S:1
    x2:1 -> b:1 c:2 d:2 S:2
    t:1 -> b:2
    a:1 -> x1:1
    b:1 -> x2:1
    c:1 -> y:1
    d:1 -> z:1
    y:1 -> S:3
    z:1 -> S:4)");
  double arrival = 0.5;
  for (int k = 0; k < 60; ++k) arrival = 0.7 - 0.2 * std::cos(arrival);
  const double t1 = 10.0 / 7, t2 = arrival;
  EXPECT_NEAR(last(result, 0), 0, 1e-8);
  EXPECT_NEAR(last(result, 1), 0, 1e-8);
  EXPECT_NEAR(last(result, 2), t1 / 2 + 0.7 * t2 - t2 * t2 / 2 - 0.2 * std::sin(t2), 1e-7);
  EXPECT_NEAR(last(result, 3), t1 + 0.3 * (5 - t1) + 2 * (t2 + 0.2 * (std::cos(t2) - std::cos(5.0))), 1e-6);
}

// x1' = 0.3 - s1 - s2 / 2, x2' = 0.2 - 0.4 s1 - s2, y' = s1 + 2 s2 from (1, 2, 0). Both fall with 1.2 until x1 is zero
// at t = 5/6; it slides with s1 = -0.2, x2 falls with 0.72 until t = 5/6 + 1/0.72 = 20/9; then both slide with s1 =
// 0.25 and s2 = 0.1, and y grows with 0.45 from 5 on.
TEST_P(SlidingTogether, SwitchesThatActOnBoth) {
  const auto result = run(R"(
    stop 5
    a: MathExpression inputs=2 expression='0.3-sign(u1)-0.5*sign(u2)'
    b: MathExpression inputs=2 expression='0.2-0.4*sign(u1)-sign(u2)'
    c: MathExpression inputs=2 expression='sign(u1)+2*sign(u2)'
    x1: Integral x0=1
    x2: Integral x0=2
    y: Integral
    S: Scope inputs=3
    x1:1 -> a:1 b:1 c:1 S:1
    x2:1 -> a:2 b:2 c:2 S:2
    a:1 -> x1:1
    b:1 -> x2:1
    c:1 -> y:1
    y:1 -> S:3)");
  EXPECT_NEAR(last(result, 0), 0, 1e-8);
  EXPECT_NEAR(last(result, 1), 0, 1e-8);
  EXPECT_NEAR(last(result, 2), 6.25, 1e-6);
}

// x1' = t / 2 - sign(x1) from 1/4 is zero at (4 - sqrt(12)) / 2 and leaves at t = 2 while x2 goes on sliding, then with
// x1 = (t - 2)^2 / 4; x2' = 0.3 - sign(x2) + x1 slides from 1 on until x1 = 0.7, at 2 + sqrt(2.8).
TEST_P(SlidingTogether, OneLeavesWhileTheOtherGoesOn) {
  const auto result = run(R"(
    stop 5
    t: Time
    a: MathExpression inputs=2 expression='u2/2-sign(u1)'
    b: MathExpression inputs=2 expression='0.3-sign(u1)+u2'
    x1: Integral x0=0.25
    x2: Integral x0=0.6
    up: ZeroCross direction='up'
    S: Scope inputs=2
    x1:1 -> a:1 b:2 up:1 S:1
    x2:1 -> b:1 S:2
    t:1 -> a:2
    a:1 -> x1:1
    b:1 -> x2:1)");
  const double leaves = 2 + std::sqrt(2.8);
  EXPECT_NEAR(last(result, 0), 2.25, 1e-7);
  EXPECT_NEAR(last(result, 1), (27 - std::pow(leaves - 2, 3)) / 12 - 0.7 * (5 - leaves), 1e-6);
  EXPECT_TRUE(event_times(result, EventCause::crossing).empty());  // it leaves zero, and does not cross it
  for (std::size_t row = 0; row < result.recording.rows(); ++row) {
    const double t = result.recording.time[row];
    const bool first = t > 0.3 && t<1.99, second = t> 1.1 && t < leaves - 0.01;
    EXPECT_NEAR(first ? result.recording.value(row, 0) : 0, 0, 1e-8) << t;
    EXPECT_NEAR(second ? result.recording.value(row, 1) : 0, 0, 1e-8) << t;
  }
}

// A controller with two inputs holds s1 = q1' + q1 and s2 = q2' + 2 q2 at zero from the start, against disturbances and
// with inputs that act on both: q1 = exp(-t), q2 = 2 exp(-2 t).
TEST_P(SlidingTogether, AControllerWithTwoInputs) {
  const auto result = run(R"(
    stop 4
    t: Time
    f: MathExpression inputs=5 expression='0.5*cos(u5)-3*sign(u2+u1)-0.4*sign(u4+2*u3)'
    g: MathExpression inputs=5 expression='0.7*sin(3*u5)*u1-0.6*sign(u2+u1)-11*sign(u4+2*u3)'
    q1: Integral x0=1
    v1: Integral x0=-1
    q2: Integral x0=2
    v2: Integral x0=-4
    S: Scope inputs=2
    v1:1 -> q1:1 f:2 g:2
    v2:1 -> q2:1 f:4 g:4
    q1:1 -> f:1 g:1 S:1
    q2:1 -> f:3 g:3 S:2
    t:1 -> f:5 g:5
    f:1 -> v1:1
    g:1 -> v2:1)");
  EXPECT_NEAR(last(result, 0), std::exp(-4), 1e-6);
  EXPECT_NEAR(last(result, 1), 2 * std::exp(-8), 1e-6);
}

// A clock that disturbs the integrator does not disturb what slides, nor does a block see crossings in it; a reset
// does: x comes back to zero with slope -0.7 from 0.35 at t = 2, so at 2.5.
TEST_P(SlidingTogether, EventsMeanwhile) {
  const auto result = run(R"(
    stop 4
    a: MathExpression inputs=1 expression='0.3-sign(u1)'
    b: MathExpression inputs=1 expression='-0.4-sign(u1)'
    x1: Integral reset='activation' x0=0.35
    k: Constant value=0.35
    x2: Integral x0=0.1
    z: ZeroCross
    c: SampleClock period=0.25
    h: Counter
    hold: Gain k=0.001
    y: Integral
    at: EventGenerate times=2
    S: Scope inputs=3
    x1:1 -> a:1 z:1 S:1
    x2:1 -> b:1 S:2
    k:1 -> x1:2
    a:1 -> x1:1
    b:1 -> x2:1
    c:1 => h:1
    h:1 -> hold:1
    hold:1 -> y:1
    y:1 -> S:3
    at:1 => x1:1)");
  EXPECT_NEAR(last(result, 0), 0, 1e-8);
  EXPECT_NEAR(last(result, 1), 0, 1e-8);
  const std::vector<double> crossings = event_times(result, EventCause::crossing);
  ASSERT_EQ(crossings.size(), 2u);
  EXPECT_NEAR(crossings[0], 0.5, 1e-7);
  EXPECT_NEAR(crossings[1], 2.5, 1e-7);
}

// Three of them, the last two at once and all coupled: x_i' = d_i - s_i - 0.2 (s1 + s2 + s3), y' = s1 + 2 s2 + 4 s3.
TEST_P(SlidingTogether, Three) {
  const auto result = run(R"(
    stop 6
    a: MathExpression inputs=3 expression='0.1-sign(u1)-0.2*(sign(u1)+sign(u2)+sign(u3))'
    b: MathExpression inputs=3 expression='0.2-sign(u2)-0.2*(sign(u1)+sign(u2)+sign(u3))'
    c: MathExpression inputs=3 expression='0.3-sign(u3)-0.2*(sign(u1)+sign(u2)+sign(u3))'
    d: MathExpression inputs=3 expression='sign(u1)+2*sign(u2)+4*sign(u3)'
    x1: Integral x0=0
    x2: Integral x0=0
    x3: Integral x0=0
    y: Integral
    S: Scope inputs=4
    x1:1 -> a:1 b:1 c:1 d:1 S:1
    x2:1 -> a:2 b:2 c:2 d:2 S:2
    x3:1 -> a:3 b:3 c:3 d:3 S:3
    a:1 -> x1:1
    b:1 -> x2:1
    c:1 -> x3:1
    d:1 -> y:1
    y:1 -> S:4)");
  // The sum s of all: s + 0.6 s = 0.6, so s_i = d_i - 0.075.
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(last(result, k), 0, 1e-8);
  EXPECT_NEAR(last(result, 3), 6 * (0.025 + 2 * 0.125 + 4 * 0.225), 1e-6);
}

// x1' = 2 s2 - s1, x2' = -2 s1 - s2 from (1, 0.5): a spiral whose crossings accumulate at the origin at t = 0.75. From
// there on both slide with s1 = s2 = 0.
TEST_P(SlidingTogether, PastCrossingsThatAccumulate) {
  const auto result = run(R"(
    stop 5
    a: MathExpression inputs=2 expression='-sign(u1)+2*sign(u2)'
    b: MathExpression inputs=2 expression='-2*sign(u1)-sign(u2)'
    x1: Integral x0=1
    x2: Integral x0=0.5
    S: Scope inputs=2
    x1:1 -> a:1 b:1 S:1
    x2:1 -> a:2 b:2 S:2
    a:1 -> x1:1
    b:1 -> x2:1)");
  EXPECT_NEAR(last(result, 0), 0, 1e-8);
  EXPECT_NEAR(last(result, 1), 0, 1e-8);
  for (std::size_t row = 0; row < result.recording.rows(); ++row) {
    EXPECT_NEAR(result.recording.time[row] > 0.76 ? result.recording.value(row, 0) : 0, 0, 1e-8);
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, SlidingTogether, testing::ValuesIn(variable_step_solvers()), name_of_solver);

// Nothing says what the product of two switches is while both slide.
TEST(Sliding, SwitchesThatActTogetherAreRefused) {
  const ModelRun run = run_model(diagram(R"(
    sliding true
    stop 3
    a: MathExpression inputs=1 expression='-sign(u1)'
    b: MathExpression inputs=1 expression='-sign(u1)'
    c: MathExpression inputs=2 expression='sign(u1)*sign(u2)'
    x1: Integral x0=1
    x2: Integral x0=0.5
    y: Integral
    S: Scope
    x1:1 -> a:1 c:1
    x2:1 -> b:1 c:2
    a:1 -> x1:1
    b:1 -> x2:1
    c:1 -> y:1
    y:1 -> S:1)"),
                                 {});
  EXPECT_TRUE(has_code(run, "sliding-not-unique")) << to_text(run.diagnostics);
}

}  // namespace
}  // namespace orrery::tests::sliding_intersection_test
