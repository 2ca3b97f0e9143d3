// SPDX-License-Identifier: Apache-2.0
// Hybrid systems whose events are known in closed form: impacts, friction, relays, tanks.
#include "hybrid_runs.h"

namespace orrery::tests::known_systems_test {
namespace {

class KnownSystems : public WithEverySolver {};

INSTANTIATE_TEST_SUITE_P(Solvers, KnownSystems, testing::ValuesIn(variable_step_solvers()), name_of_solver);

constexpr double gravity = 9.81;

const char* const ball = R"(
    g: Constant value=-9.81
    v: Integral x0=0 reset='activation'
    h: Integral x0=1
    ground: ZeroCross direction='down'
    back: Gain k=-{}
    g:1 -> v:1
    v:1 -> h:1 back:1
    back:1 -> v:2
    h:1 -> ground:1
    ground:1 => v:1)";

struct Impacts {
  std::vector<double> times;
  double accumulation = 0;
};

Impacts impacts_of_ball(double e, double before_the_end) {
  Impacts impacts;
  double t = std::sqrt(2 / gravity), pause = 2 * t * e;
  impacts.accumulation = t + pause / (1 - e);
  for (; t < impacts.accumulation - before_the_end; t += pause, pause *= e) impacts.times.push_back(t);
  return impacts;
}

TEST_P(KnownSystems, EveryImpactOfABouncingBall) {
  for (const double e : {0.3, 0.5, 0.8, 0.9, 0.99}) {
    const Impacts impacts = impacts_of_ball(e, 1e-6);
    const double stop = impacts.accumulation - 1e-6;
    const auto run = run_hybrid(settings(fmt::format("stop {:.17g}", stop)) + fmt::format(fmt::runtime(ball), e));
    std::vector<double> found;
    for (const double t : run.crossings("ground")) {
      if (t < stop - 1e-9) found.push_back(t);
    }
    std::vector<double> expected;
    for (const double t : impacts.times) {
      if (t < stop - 1e-9) expected.push_back(t);
    }
    EXPECT_EQ(compare_times(found, expected, 1e-9), "") << "e = " << e << "\n" << to_text(run.diagnostics);
  }
}

TEST_P(KnownSystems, ABouncingBallComesToRest) {
  for (const double e : {0.3, 0.5, 0.8, 0.9, 0.99}) {
    const Impacts impacts = impacts_of_ball(e, 1e-6);
    const auto run =
        run_hybrid(settings(fmt::format("stop {}", impacts.accumulation + 1)) + fmt::format(fmt::runtime(ball), e));
    EXPECT_TRUE(has_code(run, "zeno")) << "e = " << e << "\n" << to_text(run.diagnostics);
    EXPECT_TRUE(run.fails_at("zeno", impacts.accumulation, 1e-6)) << "e = " << e << "\n" << to_text(run.diagnostics);
  }
}

TEST_P(KnownSystems, ABallThatDoesNotBounce) {
  const auto run = run_hybrid(settings("stop 3") + fmt::format(fmt::runtime(ball), 0));
  EXPECT_TRUE(has_code(run, "zeno")) << to_text(run.diagnostics);
  EXPECT_TRUE(run.fails_at("zeno", std::sqrt(2 / gravity), 1e-8)) << to_text(run.diagnostics);
}

// A ball's bounce is one crossing, also for whoever looks for both directions.
TEST_P(KnownSystems, ABounceIsOneCrossing) {
  std::string both = fmt::format(fmt::runtime(ball), 0.5);
  both.replace(both.find("'down'"), 6, "'both'");
  const auto run = run_hybrid(settings("stop 1") + both);
  EXPECT_EQ(compare_times(run.crossings("ground"), {std::sqrt(2 / gravity), 2 * std::sqrt(2 / gravity)}, 1e-7), "");
}

// Falls from 1/2 with a pull of 1, elastic: impacts at 1, 3, 5, … Blocks are added in front and behind.
std::string slow_ball(const std::string& before, const std::string& behind) {
  return before + R"(
    g: Constant value=-1
    v: Integral x0=0 reset='activation'
    h: Integral x0=0.5
    ground: ZeroCross direction='down'
    back: Gain k=-1
    g:1 -> v:1
    v:1 -> h:1 back:1
    back:1 -> v:2
    h:1 -> ground:1
    ground:1 => v:1
    )" + behind;
}

TEST_P(KnownSystems, ABounceInTheInstantOfATick) {
  for (const char* clock : {"SampleClock period=0.25", "SampleClock period=1", "EventClock period=0.5",
                            "EventGenerate times=[1,3,5,7] outputs='one'"}) {
    const auto run = run_hybrid(settings("stop 8.1") + slow_ball(fmt::format(R"(
      clk: {}
      n: Counter
      clk:1 => n:1)",
                                                                             clock),
                                                                 ""));
    EXPECT_EQ(compare_times(run.fired("ground"), {1, 3, 5, 7}, 1e-7), "") << clock << to_text(run.diagnostics);
  }
}

// Whoever looks for it sees a bounce once, and nobody sees the height become positive again.
TEST_P(KnownSystems, SeveralWatchABounce) {
  for (const char* clock : {"SampleClock period=0.3", "SampleClock period=0.5"}) {
    const auto run = run_hybrid(settings("stop 8.1") + slow_ball("", fmt::format(R"(
      clk: {}
      both: ZeroCross direction='both'
      up: ZeroCross direction='up'
      edge: EdgeTrigger edge='falling'
      positive: EdgeTrigger edge='rising'
      n: Counter
      m: Counter
      k: Counter
      l: Counter
      i: Counter
      h:1 -> both:1 up:1 edge:1 positive:1
      positive:1 => i:1
      both:1 => n:1
      up:1 => m:1
      edge:1 => k:1
      clk:1 => l:1)",
                                                                                 clock)));
    EXPECT_EQ(compare_times(run.fired("ground"), {1, 3, 5, 7}, 1e-7), "") << clock << to_text(run.diagnostics);
    EXPECT_EQ(compare_times(run.fired("both"), {1, 3, 5, 7}, 1e-7), "") << clock;
    EXPECT_EQ(compare_times(run.fired("up"), {}, 1e-7), "") << clock;
    EXPECT_EQ(compare_times(run.fired("edge"), {1, 3, 5, 7}, 1e-7), "") << clock;
    EXPECT_EQ(compare_times(run.fired("positive"), {}, 1e-7), "") << clock;
  }
}

// A limited integral that comes to its limit, rests there and leaves it.
TEST_P(KnownSystems, ATankThatRunsEmpty) {
  for (const char* clock : {"SampleClock period=0.3", "SampleClock period=0.5"}) {
    const auto run = run_hybrid(settings("stop 6.2") + fmt::format(R"(
      clk: {}
      flow: SineWaveGenerator phase=pi
      level: Integral x0=0.5 lower=0 upper=1
      both: ZeroCross direction='both'
      up: ZeroCross direction='up'
      rising: EdgeTrigger edge='rising'
      falling: EdgeTrigger edge='falling'
      n: Counter
      m: Counter
      k: Counter
      l: Counter
      i: Counter
      flow:1 -> level:1
      level:1 -> both:1 up:1 rising:1 falling:1
      both:1 => n:1
      up:1 => m:1
      rising:1 => k:1
      falling:1 => l:1
      clk:1 => i:1)",
                                                                   clock),
                                {"/level"});
    // 0.5 - (1 - cos t) is used up where cos t = 1/2; it fills again from pi on.
    EXPECT_EQ(compare_times(run.fired("both"), {std::acos(0.5)}, 1e-7), "") << clock << to_text(run.diagnostics);
    EXPECT_EQ(compare_times(run.fired("up"), {}, 1e-7), "") << clock;
    EXPECT_EQ(compare_times(run.fired("rising"), {M_PI}, 1e-7), "") << clock;
    EXPECT_EQ(compare_times(run.fired("falling"), {std::acos(0.5)}, 1e-7), "") << clock;
    EXPECT_NEAR(last(run, "/level"), 1, 1e-6) << clock;
  }
}

// Balls of equal mass on a line; what touches exchanges its speeds. `gaps` are between their surfaces.
std::string row_of_balls(const std::vector<double>& gaps) {
  const std::size_t n = gaps.size() + 1;
  std::string text;
  double x = -1;  // the first one comes with speed 1
  for (std::size_t i = 0; i < n; ++i) {
    text += fmt::format("zero{0}: Constant value=0\nv{0}: Integral x0={1} reset='activation'\nx{0}: Integral x0={2}\n",
                        i, i == 0 ? 1 : 0, x);
    text += fmt::format("s{0}: SelectInput\nzero{0}:1 -> v{0}:1\nv{0}:1 -> x{0}:1\ns{0}:1 -> v{0}:2\n", i);
    x += i == 0 ? 1 + gaps[0] : i < gaps.size() ? gaps[i] : 0;
  }
  for (std::size_t i = 0; i + 1 < n; ++i) {
    text += fmt::format("d{0}: Sum signs='+-'\nhit{0}: EdgeTrigger\nu{0}: EventUnion inputs=1\n", i);
    text += fmt::format("x{0}:1 -> d{0}:1\nx{1}:1 -> d{0}:2\nd{0}:1 -> hit{0}:1\nhit{0}:1 => u{0}:1\n", i, i + 1);
    text += fmt::format("v{1}:1 -> s{0}:2\nv{0}:1 -> s{1}:1\nu{0}:1 => s{0}:2 s{1}:1 v{0}:1 v{1}:1\n", i, i + 1);
  }
  text += fmt::format("v0:1 -> s0:1\nv{0}:1 -> s{0}:2\n", n - 1);  // never chosen
  return text;
}

TEST_P(KnownSystems, NewtonsCradle) {
  const std::vector<std::string> watch = {"/v0", "/v1", "/v2", "/v3", "/v4", "/x4"};
  // All five in contact: the impact goes through the row in one instant.
  const auto touching = run_hybrid(settings("stop 3") + row_of_balls({0, 0, 0, 0}), watch);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(compare_times(touching.fired(fmt::format("hit{}", i)), {1}, 1e-9), "")
        << "between " << i << " and the next";
    EXPECT_NEAR(last(touching, fmt::format("/v{}", i)), 0, 1e-8);
  }
  EXPECT_NEAR(last(touching, "/v4"), 1, 1e-8);
  EXPECT_NEAR(last(touching, "/x4"), 2, 1e-7) << to_text(touching.diagnostics);
  // With gaps, one after the other.
  const auto apart = run_hybrid(settings("stop 5") + row_of_balls({0, 0.5, 0.25, 0.25}), watch);
  const double expected[] = {1, 1.5, 1.75, 2};
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(compare_times(apart.fired(fmt::format("hit{}", i)), {expected[i]}, 1e-7), "")
        << to_text(apart.diagnostics);
  EXPECT_NEAR(last(apart, "/x4"), 4, 1e-7);
}

// A wheel of spokes without a rim rolls down a slope: between impacts a pendulum, at each a loss.
TEST_P(KnownSystems, RimlessWheel) {
  const double slope = 0.08, half = 0.39269908169872414;  // eight spokes
  const auto run = run_hybrid(settings("stop 12") + fmt::format(R"(
    w: Integral x0=0.5 reset='activation'
    a: Integral x0={0} reset='activation'
    pull: TrigFunc function='sin'
    turn: Constant value={0}
    loss: Gain k={1}
    over: Bias bias={2}
    impact: ZeroCross direction='up'
    after: SampleHold
    a:1 -> pull:1 over:1
    pull:1 -> w:1
    w:1 -> a:1 loss:1
    loss:1 -> w:2 after:1
    turn:1 -> a:2
    over:1 -> impact:1
    impact:1 => w:1 a:1 after:1)",
                                                                slope - half, std::cos(2 * half), -(slope + half)),
                              {"/after"});
  const auto speeds = column_of(run, "/after");
  double w = 0.5;
  std::size_t row = 0;
  const auto impacts = run.crossings("impact");
  ASSERT_GE(impacts.size(), 4u) << to_text(run.diagnostics);
  for (const double t : impacts) {
    w = std::cos(2 * half) * std::sqrt(w * w + 2 * (std::cos(slope - half) - std::cos(slope + half)));
    while (row + 1 < speeds.size() && run.recording.time[row + 1] <= t) ++row;
    EXPECT_NEAR(speeds[row], w, 1e-6) << "at " << t;
  }
}

// In a right-angled wedge the distances from both walls are two bouncing balls that know nothing of each other.
TEST_P(KnownSystems, BallInAWedge) {
  const double p = 1, q = 0.7, pull = gravity / std::sqrt(2);
  const double x = (q - p) / std::sqrt(2), y = (p + q) / std::sqrt(2);
  const auto run = run_hybrid(settings("stop 5") + fmt::format(R"(
    g: Constant value=-9.81
    none: Constant value=0
    vx: Integral reset='activation'
    vy: Integral reset='activation'
    x: Integral x0={}
    y: Integral x0={}
    p: Sum signs='+-'
    q: Sum signs='++'
    right: ZeroCross direction='down'
    left: ZeroCross direction='down'
    mx: Gain k=-1
    my: Gain k=-1
    sx: SelectInput
    sy: SelectInput
    none:1 -> vx:1
    g:1 -> vy:1
    vx:1 -> x:1 mx:1 sy:1
    vy:1 -> y:1 my:1 sx:1
    my:1 -> sx:2
    mx:1 -> sy:2
    sx:1 -> vx:2
    sy:1 -> vy:2
    y:1 -> p:1 q:1
    x:1 -> p:2 q:2
    p:1 -> right:1
    q:1 -> left:1
    right:1 => sx:1 sy:1 vx:1 vy:1
    left:1 => sx:2 sy:2 vx:1 vy:1)",
                                                               x, y));
  for (const auto& [wall, distance] : {std::pair("right", p), std::pair("left", q)}) {
    std::vector<double> expected;
    const double first = std::sqrt(2 * distance / pull);
    for (double t = first; t < 5; t += 2 * first) expected.push_back(t);
    EXPECT_EQ(compare_times(run.crossings(wall), expected, 1e-6), "") << wall << to_text(run.diagnostics);
  }
}

// A mass on a belt: it sticks until the spring is stronger than static friction, then slips until it is as fast as the
// belt.
TEST_P(KnownSystems, StickSlip) {
  const double belt = 0.5, strong = 1.5, weak = 1;  // mass and spring are 1
  const auto run = run_hybrid(settings("stop 30") + fmt::format(R"(
    zero: Constant value=0
    one: Constant value=1
    slip: SelectInput
    belt: Constant value={0}
    force: Bias bias={2}
    pull: Gain k=-1
    rate: Product
    v: Integral x0={0} reset='activation'
    x: Integral x0=0
    torn: Bias bias=-{1}
    tears: ZeroCross direction='up'
    same: Bias bias=-{0}
    sticks: ZeroCross direction='up'
    x:1 -> pull:1 torn:1
    pull:1 -> force:1
    zero:1 -> slip:1
    one:1 -> slip:2
    slip:1 -> rate:1
    force:1 -> rate:2
    rate:1 -> v:1
    belt:1 -> v:2
    v:1 -> x:1 same:1
    torn:1 -> tears:1
    same:1 -> sticks:1
    tears:1 => slip:2
    sticks:1 => slip:1 v:1)",
                                                                belt, strong, weak));
  const double slipping = 2 * (M_PI - std::atan((strong - weak) / belt)), sticking = 2 * (strong - weak) / belt;
  std::vector<double> tears, sticks;
  for (double t = strong / belt; t < 30; t += slipping + sticking) {
    tears.push_back(t);
    if (t + slipping < 30) sticks.push_back(t + slipping);
  }
  EXPECT_EQ(compare_times(run.crossings("tears"), tears, 1e-5), "") << to_text(run.diagnostics);
  EXPECT_EQ(compare_times(run.crossings("sticks"), sticks, 1e-5), "") << to_text(run.diagnostics);
}

TEST_P(KnownSystems, RelayWithNarrowHysteresis) {
  const double width = 1e-6;
  const auto run = run_hybrid(settings("stop 1e-3") + R"(
    up: Constant value=1
    down: Constant value=-1
    first: InitialEvent
    on: EventUnion
    relay: SelectInput
    x: Integral
    above: Bias bias=-1e-6
    below: Bias bias=1e-6
    high: ZeroCross direction='up'
    low: ZeroCross direction='down'
    up:1 -> relay:1
    down:1 -> relay:2
    relay:1 -> x:1
    x:1 -> above:1 below:1
    above:1 -> high:1
    below:1 -> low:1
    first:1 => on:1
    low:1 => on:2
    on:1 => relay:1
    high:1 => relay:2)");
  std::vector<double> highs, lows;
  for (int k = 0; (4 * k + 1) * width < 1e-3; ++k) highs.push_back((4 * k + 1) * width);
  for (int k = 0; (4 * k + 3) * width < 1e-3; ++k) lows.push_back((4 * k + 3) * width);
  EXPECT_EQ(compare_times(run.crossings("high"), highs, 1e-11), "") << to_text(run.diagnostics);
  EXPECT_EQ(compare_times(run.crossings("low"), lows, 1e-11), "") << to_text(run.diagnostics);
}

TEST_P(KnownSystems, ATankThatOverflows) {
  const auto steps = run_hybrid(settings("stop 5") + R"(
    flow: StepGenerator time=3 before=0.5 after=-0.25
    level: Integral lower=0 upper=1
    flow:1 -> level:1)",
                                {"/level"});
  EXPECT_NEAR(last(steps, "/level"), 0.5, 1e-8) << to_text(steps.diagnostics);
  const auto waves = run_hybrid(settings("stop 4") + R"(
    flow: SineWaveGenerator phase=pi/2
    level: Integral lower=-10 upper=0.5
    flow:1 -> level:1)",
                                {"/level"});
  EXPECT_NEAR(last(waves, "/level"), std::sin(4) - 0.5, 1e-7) << to_text(waves.diagnostics);
}

// One inflow for two tanks that leak faster than it fills: switching ever faster, it keeps both at their marks until
// the sum of what is above them has run out.
TEST_P(KnownSystems, TwoTanksAreSwitchedEverFaster) {
  const auto run = run_hybrid(settings("stop 10") + R"(
    one: Constant value=1
    zero: Constant value=0
    q: SelectInput
    fill: Gain k=1.5
    rest: Gain k=-1.5
    rate1: Bias bias=-1
    rate2: Bias bias=0.5
    x1: Integral x0=1
    x2: Integral x0=1
    low1: ZeroCross direction='down'
    low2: ZeroCross direction='down'
    one:1 -> q:1
    zero:1 -> q:2
    q:1 -> fill:1 rest:1
    fill:1 -> rate1:1
    rest:1 -> rate2:1
    rate1:1 -> x1:1
    rate2:1 -> x2:1
    x1:1 -> low1:1
    x2:1 -> low2:1
    start: InitialEvent
    other: EventUnion
    low1:1 => q:1
    start:1 => other:1
    low2:1 => other:2
    other:1 => q:2)");
  EXPECT_TRUE(has_code(run, "zeno")) << to_text(run.diagnostics);
  EXPECT_TRUE(run.fails_at("zeno", 2 / 0.5, 1e-5)) << to_text(run.diagnostics);
  double t = 1, x1 = 0, x2 = 1.5;  // when the first one is empty
  std::vector<double> first = {t}, second;
  while (x1 + x2 > 1e-4) {
    t += x2;
    x1 = 0.5 * x2;
    second.push_back(t);
    t += x1;
    x2 = 0.5 * x1;
    x1 = 0;
    first.push_back(t);
  }
  auto found = run.crossings("low1");
  ASSERT_GE(found.size(), first.size());
  found.resize(first.size());
  EXPECT_EQ(compare_times(found, first, 1e-7), "");
}

}  // namespace
}  // namespace orrery::tests::known_systems_test
