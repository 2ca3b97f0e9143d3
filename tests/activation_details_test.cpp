// SPDX-License-Identifier: Apache-2.0
// The law of activations (docs/semantics.md), a test per sentence: its fine print.
#include "semantics.h"

namespace orrery::tests::activation_details_test {
namespace {

std::vector<double> column(const ModelRun& run, const std::string& name) {
  for (std::size_t c = 0; c < run.recording.names.size(); ++c) {
    if (run.recording.names[c] != name) continue;
    std::vector<double> values;
    for (std::size_t r = 0; r < run.recording.rows(); ++r) values.push_back(run.recording.value(r, c));
    return values;
  }
  ADD_FAILURE() << "no column " << name;
  return {};
}

// The gain hangs on a counter that runs under a guard: both follow every second tick.
TEST(Inheritance, KeepsTheGuard) {
  const auto run = simulate(R"(
    stop 5
    clk: SampleClock period=1
    n: Counter
    odd: MathExpression expression='mod(u1,2)-0.5'
    if: IfThenElse
    m: Counter from=1
    g: Gain k=10
    d: DiscreteDelay
    out: Scope inputs=2
    n:1 -> odd:1
    odd:1 -> if:1
    m:1 -> g:1
    g:1 -> d:1 out:1
    d:1 -> out:2
    clk:1 => n:1 if:1
    if:1 => m:1)");
  EXPECT_EQ(last(run, "/out.1"), 30);  // ticks 1, 3, 5
  EXPECT_EQ(last(run, "/out.2"), 20) << "the delay has moved at those ticks only";
}

// Continuous time computes the output of the memory's neighbour but leaves the memory alone.
TEST(ContinuousTime, NeitherUpdatesMemoriesNorProgramsEvents) {
  const auto run = simulate(R"(
    stop 2
    t: Time
    m: Memory z0=-1 @always
    d: EventVariableDelay @always
    one: Constant
    S: EventScope
    x: Integral
    out: Scope
    t:1 -> m:1 x:1
    m:1 -> out:1
    one:1 -> d:1
    d:1 => S:1)");
  EXPECT_EQ(last(run, "/out.1"), -1);
  EXPECT_EQ(event_times(run, EventCause::programmed).size(), 0u);
}

TEST(Clocks, OfPeriodZeroAndMinusOne) {
  const auto run = simulate(R"(
    stop 2
    always: SampleClock period=0
    first: SampleClock period=-1
    t: Time
    a: Gain
    b: SampleHold
    out: Scope inputs=2
    bias: Bias bias=7
    t:1 -> a:1 bias:1
    bias:1 -> b:1
    a:1 -> out:1
    b:1 -> out:2
    always:1 => a:1
    first:1 => b:1)");
  EXPECT_EQ(last(run, "/out.1"), 2);
  EXPECT_EQ(last(run, "/out.2"), 7);
}

// The condition is a mode: its change is located, once, and the part that is no longer chosen keeps its value.
TEST(Conditional, InContinuousTimeTheChoiceIsAModeAndUnchosenOutputsHold) {
  const auto run = simulate(R"(
    stop 4
    rtol 1e-9
    t: Time
    early: MathExpression expression='1.5-u1'
    if: IfThenElse
    always: AlwaysActivate
    a: Gain k=2
    b: Gain k=-1
    x: Integral
    y: Integral
    out: Scope inputs=4
    t:1 -> early:1 a:1 b:1
    early:1 -> if:1
    a:1 -> x:1 out:1
    b:1 -> y:1 out:2
    x:1 -> out:3
    y:1 -> out:4
    always:1 => if:1
    if:1 => a:1
    if:2 => b:1)");
  EXPECT_EQ(run.report.mode_changes, 1);
  EXPECT_NEAR(last(run, "/out.1"), 3, 1e-9) << "2 t, held from t = 1.5 on";
  EXPECT_EQ(last(run, "/out.2"), -4);
  EXPECT_NEAR(last(run, "/out.3"), 2.25 + 3 * 2.5, 1e-8);
  EXPECT_NEAR(last(run, "/out.4"), -(16 - 2.25) / 2, 1e-8);
}

TEST(ContinuousTime, DoesNotLeaveThroughDividersAndTriggers) {
  const auto run = simulate(R"(
    stop 3
    always: AlwaysActivate
    u: EventUnion
    g: EventGenerate times=[1,2] outputs='one'
    by2: FrequencyDivider
    t: Time
    b: Bias bias=-1.25
    edge: EdgeTrigger
    n: Counter from=1
    m: Counter from=1
    x: Integral
    out: Scope inputs=2
    t:1 -> b:1 x:1
    b:1 -> edge:1
    n:1 -> out:1
    m:1 -> out:2
    always:1 => u:1
    g:1 => u:2
    u:1 => by2:1
    by2:1 => n:1
    edge:1 => m:1)");
  EXPECT_EQ(last(run, "/out.1"), 1) << "one of two events passes, continuous time does not";
  EXPECT_EQ(last(run, "/out.2"), 1);
  EXPECT_NEAR(event_times(run, EventCause::crossing).at(0), 1.25, 1e-12);
}

// The delay reads the counter's new output and the memory's old state.
TEST(Order, ProgrammingReadsNewOutputsAndOldStates) {
  const auto run = simulate(R"(
    stop 10
    g: EventGenerate times=[1,5] outputs='one'
    n: Counter from=1
    m: DiscreteDelay z0=0.25
    sum: Sum
    d: EventVariableDelay
    S: EventScope
    n:1 -> m:1 sum:1
    m:1 -> sum:2
    sum:1 -> d:1
    g:1 => n:1 m:1 d:1
    d:1 => S:1)");
  // 1 + (1 + 0.25), then 5 + (2 + 1).
  EXPECT_EQ(event_times(run, EventCause::programmed), numbers({1, 2.25, 5, 8}));
}

TEST(Order, FirstTicksComeBeforeEventsProgrammedAtTheStart) {
  const auto run = simulate(R"(
    stop 1
    g: EventGenerate times=[0,0.5] outputs='one'
    clk: SampleClock period=0.5
    S: EventScope inputs=2
    g:1 => S:1
    clk:1 => S:2)");
  std::vector<EventCause> order;
  for (const auto& entry : run.events) {
    if (entry.cause != EventCause::initial && entry.time == 0) order.push_back(entry.cause);
  }
  EXPECT_EQ(order, (std::vector<EventCause>{EventCause::clock, EventCause::programmed}));
}

// Two events half a tolerance apart are one instant of continuous time: the integrator does not step between them.
TEST(ProgrammedEvents, NearerThanTheToleranceAreDueNow) {
  model::Model model = diagram(R"(
    stop 2
    g: EventGenerate times=[1,1.0005] outputs='one'
    x: Integral
    one: Constant
    h: SampleHold
    out: Scope
    one:1 -> x:1
    x:1 -> h:1
    h:1 -> out:1
    g:1 => h:1)");
  model.settings.time_tolerance.text = "1e-3";
  RunSetup setup;
  const ModelRun coarse = run_model(model, setup);
  EXPECT_EQ(event_times(coarse, EventCause::programmed), numbers({1, 1}));
  EXPECT_NEAR(last(coarse, "/out.1"), 1, 1e-12);
  model.settings.time_tolerance.text.clear();
  const ModelRun fine = run_model(model, setup);
  EXPECT_EQ(event_times(fine, EventCause::programmed), numbers({1, 1.0005}));
  EXPECT_NEAR(last(fine, "/out.1"), 1.0005, 1e-12);
}

// With a recording the derivative is evaluated as often as without: showing is no part of it.
TEST(ContinuousTime, BlocksThatOnlyShowAreNotInTheDerivatives) {
  const std::string lags = R"(
    stop 10
    sin: SineWaveGenerator
    l1: ContTransFunc num=[1] den=[0.1,1]
    sin:1 -> l1:1)";
  const auto plain = simulate(lags);
  const auto shown = simulate(lags + R"(
    g: Gain k=3
    e: MathFunc function='exp'
    out: Scope
    l1:1 -> g:1
    g:1 -> e:1
    e:1 -> out:1)");
  EXPECT_EQ(plain.report.evaluations, shown.report.evaluations);
  const std::vector<double> values = column(shown, "/out.1");
  EXPECT_EQ(static_cast<long>(values.size()), shown.report.points + 1) << "a row for each step, and the start";
}

TEST(Settings, LargestStepAndAbsoluteToleranceByDefault) {
  const std::string slow = R"(
    stop 50
    solver dopri
    one: Constant
    x: Integral
    one:1 -> x:1)";
  EXPECT_GE(simulate(slow).report.steps, 100) << "nothing but hmax = 50 / 100 limits the steps";
  EXPECT_LE(simulate(slow + "\n hmax 25").report.steps, 15);
  const std::string decay = R"(
    stop 30
    rtol 1e-6
    solver dopri
    x: Integral x0=1
    k: Gain k=-1
    x:1 -> k:1
    k:1 -> x:1)";
  const long steps = simulate(decay).report.steps;
  EXPECT_EQ(steps, simulate(decay + "\n atol 1e-6").report.steps);
  EXPECT_LT(steps, simulate(decay + "\n atol 1e-12").report.steps);
}

// |x| with a threshold: the mode still flips at each sign change, the zero-crossing beside it is masked.
TEST(Modes, TheThresholdDoesNotConcernThem) {
  const auto run = simulate(R"(
    stop 20
    zero_threshold 2
    sin: SineWaveGenerator phase=0.5
    abs: Abs
    x: Integral
    z: ZeroCross direction='both'
    S: EventScope
    sin:1 -> abs:1 z:1
    abs:1 -> x:1
    z:1 => S:1)");
  EXPECT_EQ(run.report.mode_changes, 6);  // pi - 0.5 to 6 pi - 0.5
  EXPECT_EQ(event_times(run, EventCause::crossing).size(), 1u) << "a sine never exceeds 2 again";
}

TEST(Surfaces, OneThatHasFiredIsMaskedUntilTheThresholdIsPassed) {
  const std::string wave = R"(
    stop 20
    sin: SineWaveGenerator phase=0.5
    z: ZeroCross direction='both'
    S: EventScope
    sin:1 -> z:1
    z:1 => S:1)";
  EXPECT_EQ(event_times(simulate(wave), EventCause::crossing).size(), 6u);
  EXPECT_EQ(event_times(simulate(wave + "\n zero_threshold 0.5"), EventCause::crossing).size(), 6u);
  EXPECT_EQ(event_times(simulate(wave + "\n zero_threshold 1.5"), EventCause::crossing).size(), 1u);
  // Restarts for other reasons mask nothing.
  const auto restarted = simulate(wave + R"(
    zero_threshold 0.5
    clk: SampleClock period=0.1
    n: Counter
    x: Integral
    n:1 -> x:1
    clk:1 => n:1)");
  EXPECT_EQ(event_times(restarted, EventCause::crossing).size(), 6u);
  EXPECT_GT(restarted.report.restarts, 150);
}

// The second switch looks at what the first one gives: at the jump both have to change, one after the other.
TEST(Modes, AreRelaxedWhereOneDependsOnAnother) {
  const auto run = simulate(R"(
    stop 3
    rtol 1e-9
    h: StepGenerator time=1 before=-1 after=1
    five: Constant value=5
    less: Constant value=-5
    s1: Switch2 rule='>=' threshold=0
    s2: Switch2 rule='>=' threshold=0
    x: Integral
    out: Scope
    five:1 -> s1:1 s2:1
    h:1 -> s1:2
    less:1 -> s1:3 s2:3
    s1:1 -> s2:2
    s2:1 -> x:1
    x:1 -> out:1)");
  EXPECT_NEAR(last(run, "/out.1"), -5 + 10, 1e-8);
}

// At the root of sin the sign of the slope flips as well: the owner of the crossing must see the new mode.
TEST(Surfaces, ModesOfTheSameInstantChangeFirst) {
  const auto run = simulate(R"(
    stop 4
    sin: SineWaveGenerator
    plus: Constant value=1
    minus: Constant value=-1
    sw: Switch2 rule='>=' threshold=0
    x: Integral
    z: ZeroCross direction='down'
    hold: SampleHold
    out: Scope
    plus:1 -> sw:1
    minus:1 -> sw:3
    sin:1 -> sw:2 z:1
    sw:1 -> x:1 hold:1
    hold:1 -> out:1
    z:1 => hold:1)");
  ASSERT_EQ(event_times(run, EventCause::crossing).size(), 1u);
  EXPECT_EQ(last(run, "/out.1"), -1);
}

// t - 1 is exactly zero where the last step ends.
TEST(Surfaces, ReachingZeroAtTheEndOfAStepFires) {
  const auto run = simulate(R"(
    stop 1
    t: Time
    b: Bias bias=-1
    z: ZeroCross direction='both'
    S: EventScope
    t:1 -> b:1
    b:1 -> z:1
    z:1 => S:1)");
  EXPECT_EQ(event_times(run, EventCause::crossing), numbers({1}));
}

// The crossing at 1 comes before the event of that instant; what it emits comes after it.
TEST(Surfaces, ComeBeforeEventsOfTheirInstantAndEmitBehindThem) {
  const auto run = simulate(R"(
    stop 2
    t: Time
    b: Bias bias=-1
    z: ZeroCross direction='up'
    d: EventDelay delay=0
    g: EventGenerate times=1
    S: EventScope inputs=3
    b:1 -> z:1
    t:1 -> b:1
    z:1 => d:1 S:1
    d:1 => S:2
    g:1 => S:3)");
  EXPECT_EQ(fired_blocks(run), (std::vector<std::string>{"/z", "/g", "/z", "/d"})) << "z crosses, g, what z emits, d";
}

}  // namespace
}  // namespace orrery::tests::activation_details_test
