// SPDX-License-Identifier: Apache-2.0
// The law of activations (docs/semantics.md), a test per sentence: events, clocks, order, inheritance.
#include "semantics.h"

namespace orrery::tests::semantics_test {
namespace {

// (Activate, figure 1.1)
TEST(ProgrammedEvents, FeedbackOfADelayGivesEventsAtOneThreeFive) {
  const auto run = simulate(R"(
    stop 10
    G: EventGenerate times=1
    U: EventUnion
    D: EventDelay delay=2
    S: EventScope
    G:1 => U:1
    D:1 => U:2
    U:1 => D:1 S:1)");
  EXPECT_EQ(event_times(run, EventCause::programmed), numbers({1, 3, 5, 7, 9}));
}

TEST(ProgrammedEvents, ProgrammingAgainReplacesThePendingEventWithAWarning) {
  const auto run = simulate(R"(
    stop 10
    G: EventGenerate times=[1,2] outputs='one'
    D: EventDelay delay=3
    C: Counter
    G:1 => D:1
    D:1 => C:1)",
                            {"C"});
  EXPECT_TRUE(has_code(run, "event-reprogrammed"));
  EXPECT_EQ(run.report.reprogrammed, 1);
  EXPECT_EQ(event_times(run, EventCause::programmed), numbers({1, 2, 5}));  // 4 is lost
}

// The event programmed at 1 for 4 is pending when another delay comes at 2.
ModelRun delayed_again_by(const std::string& delay) {
  return simulate(R"(
    stop 10
    A: EventGenerate times=1
    B: EventGenerate times=2
    plus: Constant value=3
    again: Constant value=)" +
                  delay + R"(
    sel: SelectInput
    U: EventUnion
    D: EventVariableDelay
    S: EventScope
    plus:1 -> sel:1
    again:1 -> sel:2
    sel:1 -> D:1
    A:1 => sel:1 U:1
    B:1 => sel:2 U:2
    U:1 => D:1
    D:1 => S:1)");
}

TEST(ProgrammedEvents, NegativeDelayCancels) {
  const auto run = delayed_again_by("-1");
  EXPECT_TRUE(has_code(run, "event-cancelled"));
  EXPECT_EQ(event_times(run, EventCause::programmed), numbers({1, 2}));
}

TEST(ProgrammedEvents, InfiniteDelayCancels) {
  const auto run = delayed_again_by("inf");
  EXPECT_TRUE(has_code(run, "event-cancelled"));
  EXPECT_EQ(event_times(run, EventCause::programmed), numbers({1, 2}));
}

// Values travel with their events, overtake each other with them, and leave in the order of arrival.
TEST(ProgrammedEvents, ValuesTravelWithTheEventsOfAChannel) {
  const auto run = simulate(R"(
    stop 6
    C: SampleClock period=0.125
    R: Random a=-0.2 b=1.4 seed=3
    N: Counter from=1 to=1000
    M: Mux inputs=2
    D: EventDelayedChannel values=1 capacity=20
    In: Scope inputs=2
    Out: Scope
    C:1 => R:1 N:1 D:1
    N:1 -> M:1 M:2 In:2
    R:1 -> D:1 In:1
    M:1 -> D:2
    D:1 -> Out:1
    D:1 => Out:1
  )");
  struct Car {
    double due, number;
  };
  std::vector<Car> cars;
  std::vector<double> seen;
  const auto value = [&](std::size_t r, const char* name) {
    return run.recording.value(r, run.recording.column(name));
  };
  for (std::size_t r = 0; r < run.recording.rows(); ++r) {
    const double t = run.recording.time[r], number = value(r, "/In.2");
    const bool enters =
        !std::isnan(number) && (cars.empty() || number != cars.back().number) && std::fmod(t, 0.125) == 0;
    if (enters) cars.push_back({t + value(r, "/In.1"), number});
    EXPECT_TRUE(std::isnan(value(r, "/Out.1[1]")) || value(r, "/Out.1[1]") == value(r, "/Out.1[2]"));
    if (value(r, "/Out.1[1]") != (seen.empty() ? 0 : seen.back()) && !std::isnan(value(r, "/Out.1[1]")))
      seen.push_back(value(r, "/Out.1[1]"));
  }
  EXPECT_GT(cars.size(), 45u);
  std::vector<double> expected;
  std::vector<Car> travelling;
  for (std::size_t k = 0; k < cars.size(); ++k) {
    const double entered = static_cast<double>(k) * 0.125;
    if (cars[k].due >= entered && cars[k].due <= 6) travelling.push_back(cars[k]);
  }
  std::stable_sort(travelling.begin(), travelling.end(), [](const Car& a, const Car& b) { return a.due < b.due; });
  for (const Car& car : travelling) expected.push_back(car.number);
  EXPECT_EQ(seen, expected);
  EXPECT_FALSE(std::is_sorted(seen.begin(), seen.end()));  // some were overtaken
  EXPECT_LT(travelling.size(), cars.size());               // negative delays were dropped
  const auto full = run_model(
      diagram("stop 6\nC: SampleClock period=1\nL: Constant value=9\nD: EventDelayedChannel values=1 capacity=3\nL:1 "
              "-> D:1 D:2\nC:1 => D:1"),
      {});
  EXPECT_TRUE(has_code(full, "stopped-by-model"));
}

TEST(ProgrammedEvents, DelayedChannelKeepsATrainThatADelayLoses) {
  const std::string model = R"(
    stop 10
    G: EventGenerate times=[1,1.5,2] outputs='one'
    c: Constant value=3
    D: EventDelayedChannel
    S: EventScope
    c:1 -> D:1
    G:1 => D:1
    D:1 => S:1)";
  EXPECT_EQ(last(simulate(model), "/S.event1"), 3);
  const auto lossy = simulate(R"(
    stop 10
    G: EventGenerate times=[1,1.5,2] outputs='one'
    D: EventDelay delay=3
    S: EventScope
    G:1 => D:1
    D:1 => S:1)");
  EXPECT_EQ(last(lossy, "/S.event1"), 1);
}

TEST(ProgrammedEvents, NeverInAChannelLeavesTheOthers) {
  const auto run = simulate(R"(
    stop 10
    G: EventGenerate times=[1,2,3] outputs='one'
    t: Time
    delay: MathExpression expression='If_exp(u1==2,inf,5)'
    D: EventDelayedChannel
    S: EventScope
    t:1 -> delay:1
    delay:1 -> D:1
    G:1 => D:1
    D:1 => S:1)");
  EXPECT_EQ(last(run, "/S.event1"), 2);
}

// (Activate, 1.4.2) Clocks of 0.1 and 0.15 meet at 0.3 in one event.
TEST(Clocks, SampleClocksAreSynchronous) {
  const auto run = simulate(R"(
    stop 1
    A: SampleClock period=0.1
    B: SampleClock period=0.15
    both: ActivationIntersection
    S: EventScope inputs=3
    U: EventUnion
    A:1 => both:1 U:1
    B:1 => both:2 U:2
    both:1 => S:1
    U:1 => S:2)");
  EXPECT_EQ(last(run, "/S.event1"), 4);   // 0, 0.3, 0.6, 0.9
  EXPECT_EQ(last(run, "/S.event2"), 14);  // 11 + 7 - 4
  const auto times = event_times(run, EventCause::clock);
  EXPECT_EQ(std::count(times.begin(), times.end(), 0.3), 1) << "one instant, one event";
}

// The event code (Activate, GetNevIn) is the sum over active inputs: both together are code 3.
TEST(Clocks, TicksTogetherReachABlockThroughBothPortsAtOnce) {
  const auto run = simulate(R"(
    stop 0.35
    A: SampleClock period=0.1
    B: SampleClock period=0.15
    one: Constant value=1
    two: Constant value=2
    sel: SelectInput
    high: SelectInput priority='highest'
    out: Scope inputs=2
    one:1 -> sel:1 high:1
    two:1 -> sel:2 high:2
    sel:1 -> out:1
    high:1 -> out:2
    A:1 => sel:1 high:1
    B:1 => sel:2 high:2)");
  EXPECT_EQ(run.events.back().time, 0.3);
  EXPECT_EQ(last(run, "/out.1"), 1) << "where both are active the lowest input is taken";
  EXPECT_EQ(last(run, "/out.2"), 2) << "or the highest";
}

TEST(Clocks, EventClocksAtEqualTimesRunOneAfterTheOtherInProgrammingOrder) {
  const auto run = simulate(R"(
    stop 2
    A: EventClock period=1
    B: EventClock period=1
    both: ActivationIntersection
    S: EventScope inputs=1
    A:1 => both:1
    B:1 => both:2
    both:1 => S:1)");
  EXPECT_EQ(last(run, "/S.event1"), 0) << "simultaneous is not synchronous";
  EXPECT_EQ(fired_blocks(run, EventCause::programmed), (std::vector<std::string>{"/A", "/B", "/A", "/B", "/A", "/B"}));
}

TEST(Clocks, SyncTagSeparatesDomains) {
  const std::string text = R"({"orrery":1,"name":"t","simulation":{"stop":"1"},"blocks":[
    {"name":"A","type":"SampleClock","parameters":{"period":"0.5"}},
    {"name":"both","type":"ActivationIntersection"},{"name":"S","type":"EventScope"},
    {"name":"Sub","type":"SuperBlock","diagram":{"blocks":[
      {"name":"tag","type":"SyncTag"},
      {"name":"B","type":"SampleClock","parameters":{"period":"0.5"}},
      {"name":"out","type":"EventOutput","parameters":{"port":"1"}}],
      "links":[{"event":"B:1","to":["out:1"]}]}}],
    "links":[{"event":"A:1","to":["both:1"]},{"event":"Sub:1","to":["both:2"]},{"event":"both:1","to":["S:1"]}]})";
  Diagnostics diagnostics;
  const auto model = model::parse(text, "sync.orr", diagnostics);
  ASSERT_TRUE(model) << to_text(diagnostics);
  const ModelRun run = run_model(*model, {});
  ASSERT_TRUE(run.compiled) << to_text(run.diagnostics);
  EXPECT_EQ(last(run, "/S.event1"), 0);
  EXPECT_EQ(event_times(run, EventCause::clock).size(), 6u) << "two domains, three ticks each";
}

TEST(Clocks, TicksAreComputedFromIntegers) {
  const auto run = simulate(R"(
    stop 1000
    A: SampleClock period=0.1
    C: Counter
    A:1 => C:1)",
                            {"C"});
  const auto times = event_times(run, EventCause::clock);
  ASSERT_EQ(times.size(), 10001u);
  for (std::size_t k = 0; k < times.size(); ++k) ASSERT_EQ(times[k], static_cast<double>(k) / 10.0);
}

TEST(Clocks, ResampledClockIsSynchronousWithItsSource) {
  const auto run = simulate(R"(
    stop 1
    A: SampleClock period=0.1
    R: ReSampleClock factor=3
    both: ActivationIntersection
    S: EventScope inputs=2
    A:1 => R:1 both:1
    R:1 => both:2 S:2
    both:1 => S:1)");
  EXPECT_EQ(last(run, "/S.event1"), 4);
  EXPECT_EQ(last(run, "/S.event2"), 4);
}

TEST(Order, DelayZeroGoesBehindEventsAlreadyDue) {
  // A and B are due at 1; A programs D without delay: B runs before D.
  const auto run = simulate(R"(
    stop 2
    A: EventGenerate times=1
    B: EventGenerate times=1
    D: EventDelay delay=0
    S: EventScope
    A:1 => D:1
    B:1 => S:1
    D:1 => S:1)");
  EXPECT_EQ(fired_blocks(run, EventCause::programmed), (std::vector<std::string>{"/A", "/B", "/D"}));
}

// Outputs before state updates: two delays in a ring swap their values.
TEST(Order, UpdatesReadTheValuesBeforeThePhase) {
  const auto run = simulate(R"(
    stop 2
    clk: SampleClock period=1
    a: DiscreteDelay z0=1
    b: DiscreteDelay z0=2
    out: Scope inputs=2
    a:1 -> b:1 out:1
    b:1 -> a:1 out:2
    clk:1 => a:1 b:1 out:1)");
  EXPECT_EQ(last(run, "/out.1"), 1);  // ticks 0, 1, 2: swapped twice
  EXPECT_EQ(last(run, "/out.2"), 2);
}

TEST(Conditional, IfThenElseSplitsItsActivationSynchronously) {
  const auto run = simulate(R"(
    stop 5
    clk: SampleClock period=1
    n: Counter
    two: Constant value=2.5
    cmp: Sum signs='+-'
    if: IfThenElse
    both: ActivationIntersection
    S: EventScope inputs=3
    n:1 -> cmp:1
    two:1 -> cmp:2
    cmp:1 -> if:1
    clk:1 => n:1 if:1 both:1
    if:1 => S:1 both:2
    if:2 => S:2
    both:1 => S:3)");
  const double then_count = last(run, "/S.event1"), else_count = last(run, "/S.event2");
  EXPECT_EQ(then_count + else_count, 6);
  EXPECT_EQ(last(run, "/S.event3"), then_count) << "the branch is the same event as the clock";
}

TEST(Inheritance, UnionByDefaultAndPerInputForSelectInput) {
  const auto run = simulate(R"(
    stop 3
    A: SampleClock period=1
    B: SampleClock period=1 offset=0.5
    n: Counter
    m: Counter from=100
    sum: Sum
    sel: SelectInput
    out: Scope inputs=2
    n:1 -> sum:1 sel:1
    m:1 -> sum:2 sel:2
    sum:1 -> out:1
    sel:1 -> out:2
    A:1 => n:1
    B:1 => m:1)");
  EXPECT_EQ(last(run, "/out.1"), 3 + 102);  // the sum follows both
  EXPECT_EQ(last(run, "/out.2"), 3);        // the last activation came through input 1
}

}  // namespace
}  // namespace orrery::tests::semantics_test
