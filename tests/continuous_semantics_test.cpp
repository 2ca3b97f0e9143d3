// SPDX-License-Identifier: Apache-2.0
// The law of activations (docs/semantics.md), a test per sentence: continuous time, surfaces, modes, ends of runs.
#include <fmt/format.h>

#include "semantics.h"

namespace orrery::tests::continuous_semantics_test {
namespace {

TEST(Criticality, AnIdleClockDoesNotChangeTheSteps) {
  const std::string lags = R"(
    stop 100
    rtol 1e-6
    atol 1e-6
    sin: SineWaveGenerator
    l1: ContTransFunc num=[1] den=[0.1,1]
    l2: ContTransFunc num=[1] den=[0.1,1]
    out: Scope
    sin:1 -> l1:1
    l1:1 -> l2:1 out:1)";
  const auto plain = simulate(lags);
  const auto idle = simulate(lags + R"(
    clk: SampleClock period=0.1
    one: Constant
    d: DiscreteDelay
    one:1 -> d:1
    clk:1 => d:1)");
  EXPECT_EQ(plain.report.steps, idle.report.steps);
  EXPECT_EQ(idle.report.restarts, 0);
  EXPECT_EQ(event_times(idle, EventCause::clock).size(), 1001u);
  EXPECT_NEAR(last(plain, "/out.1"), -0.5867302, 2e-6);  // (sin t - 0.1 cos t) / 1.01
}

TEST(Criticality, ASampledControllerRestartsAtEveryTick) {
  const auto run = simulate(R"(
    stop 1
    clk: SampleClock period=0.1
    x: Integral x0=1
    hold: SampleHold
    k: Gain k=-1
    out: Scope
    x:1 -> hold:1 out:1
    hold:1 -> k:1
    k:1 -> x:1
    clk:1 => hold:1)");
  EXPECT_EQ(run.report.restarts, 9);  // ticks inside the horizon
  EXPECT_NEAR(last(run, "/out.1"), std::pow(0.9, 10), 1e-12);
}

// dx/dt = |sin t|: 31 sign changes in (0, 100].
TEST(Modes, AbsoluteSineRestartsExactlyThirtyOneTimes) {
  const std::string model = R"(
    stop 100
    rtol 1e-10
    sin: SineWaveGenerator
    abs: Abs
    x: Integral
    out: Scope
    sin:1 -> abs:1
    abs:1 -> x:1
    x:1 -> out:1)";
  const auto run = simulate(model);
  const double exact = 2 * 31 + 1 - std::cos(100 - 31 * M_PI);
  EXPECT_NEAR(last(run, "/out.1"), exact, 1e-9);
  EXPECT_EQ(run.report.restarts, 31);
  EXPECT_EQ(run.report.mode_changes, 31);
}

// A thousand periods in the horizon are ten in each of the longest steps.
TEST(Modes, FastOnesAreSeenWhateverTheUnitOfTime) {
  for (const double unit : {1.0, 1e-9, 1e6}) {
    const auto run = simulate(fmt::format(R"(
      stop {}
      sin: SineWaveGenerator frequency=2*pi*1000/{} phase=0.1
      cross: ZeroCross
      n: Counter from=1
      out: Scope
      sin:1 -> cross:1
      cross:1 => n:1
      n:1 -> out:1)",
                                          unit, unit));
    EXPECT_EQ(last(run, "/out.1"), 2000) << unit;
  }
}

// A slow state against a fast sine: |x| < 1 meets it twice in each period.
TEST(Modes, FastTermsOfASurfaceAreSeen) {
  const auto run = simulate(R"(
    stop 1
    x: Integral x0=0.5
    back: Gain k=-1
    sin: SineWaveGenerator frequency=2*pi*1000
    difference: Sum signs='+-'
    cross: ZeroCross
    n: Counter from=1
    out: Scope
    x:1 -> back:1 difference:1
    back:1 -> x:1
    sin:1 -> difference:2
    difference:1 -> cross:1
    cross:1 => n:1
    n:1 -> out:1)");
  EXPECT_EQ(last(run, "/out.1"), 2000);
}

// Events evaluate the condition as it stands.
TEST(Modes, NoSurfaceWhereNothingDependsOnIt) {
  const auto run = simulate(R"(
    stop 100
    sin: SineWaveGenerator
    abs: Abs
    clock: SampleClock period=7
    hold: SampleHold
    out: Scope
    x: Integral
    sin:1 -> abs:1 x:1
    abs:1 -> hold:1
    clock:1 => hold:1
    hold:1 -> out:1)");
  EXPECT_EQ(run.report.mode_changes, 0);
  EXPECT_EQ(run.report.restarts, 0);
}

TEST(Surfaces, OneThatStartsAtZeroFiresOnlyAfterItHasLeft) {
  const auto run = simulate(R"(
    stop 7
    sin: SineWaveGenerator
    z: ZeroCross direction='both'
    S: EventScope
    sin:1 -> z:1
    z:1 => S:1)");
  const auto times = event_times(run, EventCause::crossing);
  ASSERT_EQ(times.size(), 2u);
  EXPECT_NEAR(times[0], M_PI, 1e-12);
  EXPECT_NEAR(times[1], 2 * M_PI, 1e-12);
}

TEST(Surfaces, TouchingWithoutCrossingDoesNotFire) {
  // (t - 1)^2 from x' = 2 (t - 1): touches zero at t = 1, off every grid.
  const auto run = simulate(R"(
    stop 3
    t: Time
    b: Bias bias=-1.0000001
    sq: MathFunc function='square'
    eps: Bias bias=1e-9
    z: ZeroCross direction='both'
    S: EventScope
    t:1 -> b:1
    b:1 -> sq:1
    sq:1 -> eps:1
    eps:1 -> z:1
    z:1 => S:1)");
  EXPECT_EQ(event_times(run, EventCause::crossing).size(), 0u);
}

TEST(Surfaces, CrossingTwiceWithinOneStepIsSeen) {
  // A parabola is integrated exactly in one step of any size: it crosses zero at 4.9 and 5.1.
  const auto run = simulate(R"(
    stop 100
    hmax 50
    x: Integral x0=[24.99;-10]
    A: MatrixGain K=[0,1;0,0]
    c: Constant value=[0;2]
    s: Sum signs='++'
    first: MatrixGain K=[1,0]
    z: ZeroCross direction='both'
    S: EventScope
    x:1 -> A:1 first:1
    A:1 -> s:1
    c:1 -> s:2
    s:1 -> x:1
    first:1 -> z:1
    z:1 => S:1)");
  const auto times = event_times(run, EventCause::crossing);
  ASSERT_EQ(times.size(), 2u);
  EXPECT_NEAR(times[0], 4.9, 1e-9);
  EXPECT_NEAR(times[1], 5.1, 1e-9);
}

TEST(Surfaces, TouchingZeroExactlyInsideAStepDoesNotFire) {
  // (t - 1)^2 is zero exactly at t = 1, a third of the first step.
  const auto run = simulate(R"(
    stop 3
    hmax 3
    t: Time
    b: Bias bias=-1
    sq: MathFunc function='square'
    z: ZeroCross direction='both'
    S: EventScope
    t:1 -> b:1
    b:1 -> sq:1
    sq:1 -> z:1
    z:1 => S:1)");
  EXPECT_EQ(event_times(run, EventCause::crossing).size(), 0u);
}

TEST(Surfaces, AJumpToExactlyZeroFires) {
  const auto run = simulate(R"(
    stop 3
    step: StepGenerator time=1 before=-1 after=0
    z: ZeroCross direction='up'
    S: EventScope
    step:1 -> z:1
    z:1 => S:1)");
  EXPECT_EQ(event_times(run, EventCause::crossing), numbers({1}));
}

TEST(Surfaces, AJumpAcrossZeroFires) {
  const auto run = simulate(R"(
    stop 3
    step: StepGenerator time=1 before=-1 after=1
    z: ZeroCross direction='up'
    S: EventScope
    step:1 -> z:1
    z:1 => S:1)");
  EXPECT_EQ(event_times(run, EventCause::crossing), numbers({1}));
}

// A hundred steps of 0.1 do not add up to 10: the events of that time, and the last row, are there all the same.
TEST(Surfaces, AJumpAcrossZeroAtTheStopTimeFires) {
  const auto run = simulate(R"(
    stop 10
    wave: SquareWaveGenerator period=4
    edge: EdgeTrigger edge='both'
    S: EventScope
    wave:1 -> edge:1
    edge:1 => S:1)");
  EXPECT_EQ(event_times(run, EventCause::crossing), numbers({2, 4, 6, 8, 10}));
}

TEST(Surfaces, TwoInOneInstantFireEachOwnerOnceInFileOrder) {
  const auto run = simulate(R"(
    stop 4
    sin: SineWaveGenerator
    z1: ZeroCross direction='down'
    z2: ZeroCross direction='both'
    S: EventScope inputs=2
    sin:1 -> z1:1 z2:1
    z1:1 => S:1
    z2:1 => S:2)");
  EXPECT_EQ(fired_blocks(run, EventCause::crossing), (std::vector<std::string>{"/z1", "/z2"}));
}

TEST(Surfaces, NonCriticalCrossingDoesNotRestart) {
  const auto run = simulate(R"(
    stop 20
    x: Integral x0=1
    v: Integral
    k: Gain k=-1
    z: ZeroCross direction='both'
    n: Counter
    x:1 -> k:1 z:1
    k:1 -> v:1
    v:1 -> x:1
    z:1 => n:1)",
                            {"n"});
  EXPECT_EQ(event_times(run, EventCause::crossing).size(), 6u);
  EXPECT_EQ(run.report.restarts, 0);
}

TEST(Horizon, TicksAtBothEndsRun) {
  const auto run = simulate(R"(
    stop 1
    clk: SampleClock period=0.25
    S: EventScope
    clk:1 => S:1)");
  EXPECT_EQ(event_times(run, EventCause::clock), numbers({0, 0.25, 0.5, 0.75, 1}));
}

TEST(Horizon, NoEventAtAllWorks) {
  const auto run = simulate(R"(
    stop 5
    c: Constant value=7
    out: Scope
    c:1 -> out:1)");
  EXPECT_EQ(last(run, "/out.1"), 7);
  EXPECT_EQ(run.report.time, 5);
}

TEST(FixedStep, EventsWaitForTheEndOfTheStep) {
  const auto run = simulate(R"(
    stop 1
    solver euler
    step 0.25
    g: EventGenerate times=0.3
    x: Integral x0=1
    z: SampleHold
    out: Scope
    x:1 -> x:1 z:1
    z:1 -> out:1
    g:1 => z:1)");
  EXPECT_EQ(event_times(run, EventCause::programmed), numbers({0.5}));
  EXPECT_DOUBLE_EQ(last(run, "/out.1"), 1.25 * 1.25);
}

TEST(FixedStep, AJumpAcrossZeroFires) {
  const auto run = simulate(R"(
    stop 3
    solver rk4
    step 0.5
    x: Integral
    step: StepGenerator time=1 before=-1 after=1
    z: ZeroCross direction='up'
    S: EventScope
    step:1 -> z:1 x:1
    z:1 => S:1)");
  EXPECT_EQ(event_times(run, EventCause::crossing), numbers({1}));
}

TEST(Jumps, ReinitialisationKeepsBothSides) {
  const auto run = simulate(R"(
    stop 2
    rtol 1e-9
    g: EventGenerate times=1
    one: Constant
    five: Constant value=5
    x: JumpStateSpace A=0 B=1 C=1 D=0
    out: Scope
    one:1 -> x:1
    five:1 -> x:2
    x:1 -> out:1
    g:1 => x:1)");
  std::vector<double> at_one;
  for (std::size_t r = 0; r < run.recording.rows(); ++r) {
    if (run.recording.time[r] == 1) at_one.push_back(run.recording.value(r, 0));
  }
  ASSERT_GE(at_one.size(), 2u);
  EXPECT_NEAR(at_one.front(), 1, 1e-9);
  EXPECT_EQ(at_one.back(), 5);
  EXPECT_NEAR(last(run, "/out.1"), 6, 1e-9);
}

TEST(Actions, EndStopsAndRepeatActivationRepeats) {
  const auto run = simulate(R"(
    stop 10
    clk: SampleClock period=1
    n: Counter
    limit: Bias bias=-3.5
    less: RelationalOp operator='<'
    zero: Constant value=0
    again: RepeatActivation when='nonzero'
    g: EventGenerate times=4.5
    end: End
    n:1 -> limit:1
    limit:1 -> less:1
    zero:1 -> less:2
    less:1 -> again:1
    clk:1 => n:1 again:1
    g:1 => end:1)",
                            {"n"});
  EXPECT_EQ(run.report.state, api::RunState::stopped);
  EXPECT_EQ(run.report.time, 4.5);
  EXPECT_GE(last(run, "/n"), 4) << "the first tick counted until the condition was met";
}

TEST(Actions, EndAtTheStartStopsAtTheStart) {
  const auto run = simulate(R"(
    stop 10
    first: InitialEvent
    end: End
    first:1 => end:1)");
  EXPECT_EQ(run.report.state, api::RunState::stopped);
  EXPECT_EQ(run.report.time, 0);
}

TEST(Loops, ZeroDelayCycleIsAnErrorThatNamesTheBlocks) {
  const ModelRun run = run_model(diagram(R"(
    stop 1
    g: EventGenerate times=0.5
    a: EventDelay delay=0
    b: EventDelay delay=0
    g:1 => a:1
    a:1 => b:1
    b:1 => a:1)"),
                                 {});
  EXPECT_TRUE(has_code(run, "zero-delay-cycle"));
}

}  // namespace
}  // namespace orrery::tests::continuous_semantics_test
