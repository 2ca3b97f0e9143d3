// SPDX-License-Identifier: Apache-2.0
// Corners at zero, and what happens in one instant: the sides of surfaces and the order of crossings, steps and ticks.
#include <numbers>

#include "hybrid_runs.h"

namespace orrery::tests::sides_and_ticks_test {
namespace {

class SidesAndTicks : public WithEverySolver {};

INSTANTIATE_TEST_SUITE_P(Solvers, SidesAndTicks, testing::ValuesIn(variable_step_solvers()), name_of_solver);

constexpr double ball_gravity = 9.81;

// Corners at zero: what counts are the sides before and after.
struct Corner {
  const char* what;
  const char* formula;   // of the time
  const char* detector;  // and its parameter
  std::vector<double> times;
};

TEST_P(SidesAndTicks, CornersAtZero) {
  const std::vector<Corner> corners = {
      {"a ramp that sets in", "max(u1-1,0)", "EdgeTrigger edge='rising'", {1}},
      {"a ramp that sets in, falling", "max(u1-1,0)", "EdgeTrigger edge='falling'", {}},
      {"a ramp that ends", "max(1-u1,0)", "EdgeTrigger edge='rising'", {}},
      {"a ramp that ends, falling", "max(1-u1,0)", "EdgeTrigger edge='falling'", {1}},
      {"a ramp that ends comes to rest", "max(1-u1,0)", "ZeroCross direction='both'", {1}},
      {"a ramp that sets in leaves its rest", "max(u1-1,0)", "ZeroCross direction='both'", {}},
      {"an absolute value touches", "abs(sin(u1))", "ZeroCross direction='both'", {}},
      {"an absolute value touches, negative", "-abs(u1-1)", "ZeroCross direction='both'", {}},
      {"an absolute value touches, edges", "abs(u1-2)", "EdgeTrigger edge='both'", {}},
      {"a negative one, edges", "-abs(u1-2)", "EdgeTrigger edge='both'", {}},
      {"a parabola touches", "(u1-1)*(u1-1)", "ZeroCross direction='both'", {}},
      {"a parabola touches from below", "-(u1-1)*(u1-1)", "EdgeTrigger edge='both'", {}},
      {"a sign", "sign(u1-2)", "ZeroCross direction='up'", {2}},
      {"a sign, edges", "sign(u1-2)", "EdgeTrigger edge='both'", {2}},
      {"minimum of two lines", "min(u1-1,3-u1)", "ZeroCross direction='both'", {1, 3}}};
  for (const Corner& corner : corners) {
    const auto run = run_hybrid(settings("stop 4") + fmt::format(R"(
      t: Time
      f: MathExpression expression='{}'
      d: {}
      n: Counter
      t:1 -> f:1
      f:1 -> d:1
      d:1 => n:1)",
                                                                 corner.formula, corner.detector));
    EXPECT_EQ(compare_times(run.fired("d"), corner.times, 1e-9), "") << corner.what << to_text(run.diagnostics);
  }
}

// The same corners as functions of a state.
TEST_P(SidesAndTicks, CornersOfAContactForce) {
  const auto run = run_hybrid(settings("stop 3") + R"(
    g: Constant value=-9.81
    force: MathExpression expression='max(-1000*u1,0)'
    sum: Sum
    v: Integral
    h: Integral x0=1
    down: EdgeTrigger edge='rising'
    up: EdgeTrigger edge='falling'
    n: Counter
    m: Counter
    h:1 -> force:1
    force:1 -> sum:1 down:1 up:1
    g:1 -> sum:2
    sum:1 -> v:1
    v:1 -> h:1
    down:1 => n:1
    up:1 => m:1)");
  // Fall, half a swing of the spring about the depth g/k, flight, and so on.
  const double w = std::sqrt(1000.0), fall = std::sqrt(2 / ball_gravity), speed = ball_gravity * fall;
  const double contact = 2 / w * (M_PI - std::atan(speed * w / ball_gravity));
  std::vector<double> downs, ups;
  for (double t = fall; t < 3; t += contact + 2 * fall) {
    downs.push_back(t);
    if (t + contact < 3) ups.push_back(t + contact);
  }
  EXPECT_EQ(compare_times(run.fired("down"), downs, 1e-6), "") << to_text(run.diagnostics);
  EXPECT_EQ(compare_times(run.fired("up"), ups, 1e-6), "") << to_text(run.diagnostics);
}

TEST_P(SidesAndTicks, EndWhenACornerBecomesPositive) {
  const auto run = run_hybrid(settings("stop 4") + R"(
    t: Time
    f: MathExpression expression='max(sin(u1-1),0)'
    e: End when='positive'
    t:1 -> f:1
    f:1 -> e:1)");
  EXPECT_EQ(run.report.state, api::RunState::stopped) << to_text(run.diagnostics);
  EXPECT_NEAR(run.report.time, 1, 1e-9);
}

TEST_P(SidesAndTicks, AStepToZeroIsNotPositive) {
  for (const auto& [after, count] : {std::pair("0", 0u), std::pair("1", 1u)}) {
    const auto run = run_hybrid(settings("stop 3") + fmt::format(R"(
      s: StepGenerator time=1 before=-1 after={}
      e: EdgeTrigger edge='rising'
      n: Counter from=1
      s:1 -> e:1
      e:1 => n:1)",
                                                                 after),
                                {"/n"});
    const double counted = last(run, "/n");  // not a number: never activated
    EXPECT_EQ(std::isnan(counted) ? 0 : counted, count) << "to " << after << to_text(run.diagnostics);
  }
}

TEST_P(SidesAndTicks, BothSidesOfAShownCondition) {
  const auto run = run_hybrid(settings("stop 5") + R"(
    t: Time
    pi: Constant value=pi
    late: RelationalOp operator='>'
    out: Scope
    t:1 -> late:1
    pi:1 -> late:2
    late:1 -> out:1)");
  bool before = false, after = false;
  const auto values = column_of(run, "/out.1");
  for (std::size_t r = 0; r < values.size(); ++r) {
    if (std::abs(run.recording.time[r] - M_PI) > 1e-9) continue;
    (values[r] > 0.5 ? after : before) = true;
  }
  EXPECT_TRUE(before);
  EXPECT_TRUE(after);
}

TEST_P(SidesAndTicks, AThousandTeethOfASaw) {
  const auto run = run_hybrid(settings("stop 1000") + R"(
    t: Time
    f: MathExpression expression='mod(u1,1)'
    x: Integral
    t:1 -> f:1
    f:1 -> x:1)",
                              {"/x"});
  EXPECT_NEAR(last(run, "/x"), 500, 1e-6) << to_text(run.diagnostics);
}

// The ramp reaches its mark in the very instant in which a tick takes it away.
TEST_P(SidesAndTicks, AResetDoesNotHideACrossing) {
  for (const char* clock : {"SampleClock period=1 offset=1", "EventClock period=1 offset=1"}) {
    const auto run = run_hybrid(settings("stop 5.5") + fmt::format(R"(
      one: Constant value=1
      zero: Constant value=0
      x: Integral reset='activation'
      mark: Bias bias=-1
      z: ZeroCross direction='up'
      clk: {}
      n: Counter
      one:1 -> x:1
      zero:1 -> x:2
      x:1 -> mark:1
      mark:1 -> z:1
      clk:1 => x:1
      z:1 => n:1)",
                                                                   clock));
    EXPECT_EQ(run.crossings("z"), (std::vector<double>{1, 2, 3, 4, 5})) << clock << to_text(run.diagnostics);
    EXPECT_EQ(run.fired("z"), (std::vector<double>{1, 2, 3, 4, 5})) << clock;
  }
}

// The crossing of a curve that no arithmetic hits exactly, in the instant of a tick: the tick's time is the instant's.
TEST_P(SidesAndTicks, ATickKeepsItsTime) {
  const auto run = run_hybrid(settings("stop 3.05") + R"(
    t: Time
    f: MathExpression expression='sin(3.14159265358979323846*10*u1)'
    z: ZeroCross
    clk: SampleClock period=0.1
    n: Counter
    m: Counter
    s: SampleHold
    t:1 -> f:1 s:1
    f:1 -> z:1
    clk:1 => m:1 s:1
    z:1 => n:1)",
                              {"/n", "/m"});
  std::size_t ticks = 0;
  for (const auto& entry : run.events) {
    if (entry.cause != EventCause::clock) continue;
    EXPECT_EQ(entry.time, static_cast<double>(ticks) / 10) << "tick " << ticks;
    ++ticks;
  }
  EXPECT_EQ(ticks, 31u);
  const auto crossings = run.crossings("z");
  ASSERT_EQ(crossings.size(), 30u) << to_text(run.diagnostics);
  for (std::size_t k = 0; k < crossings.size(); ++k) EXPECT_EQ(crossings[k], static_cast<double>(k + 1) / 10);
}

TEST_P(SidesAndTicks, TicksSeeAStepOfTheirInstant) {
  for (const char* offset : {"1", "0", "0.5"}) {
    const auto run = run_hybrid(settings("stop 1.25") + fmt::format(R"(
      clk: SampleClock period=0.5 offset={}
      s: StepGenerator time=1 before=3 after=7
      h: SampleHold
      s:1 -> h:1
      clk:1 => h:1)",
                                                                    offset),
                                {"/h"});
    EXPECT_EQ(last(run, "/h"), 7) << "offset " << offset << to_text(run.diagnostics);
  }
}

// The same for conditions that continuous time needs as modes: an earlier event of the instant has changed what they
// compare, h = 0.5 exp(0.5) while the time is 0.5.
TEST_P(SidesAndTicks, ATickReadsWhatAnEventOfItsInstantHasMade) {
  const auto run = run_hybrid(settings("stop 0.7") + R"(
    half: Constant value=0.5
    t: Time
    x: Integral x0=-0.5 reset='activation'
    tick: SampleClock period=0.5
    event: EventClock period=0.5
    h: SampleHold
    least: MaxMin function='min'
    cross: ZeroCross direction='down'
    n: Counter
    seen: SampleHold
    x:1 -> x:1 h:1
    half:1 -> x:2
    event:1 => x:1 h:1
    h:1 -> least:1
    t:1 -> least:2
    least:1 -> seen:1 cross:1
    cross:1 => n:1
    tick:1 => seen:1)",
                              {"/seen"});
  EXPECT_EQ(last(run, "/seen"), 0.5) << to_text(run.diagnostics);
}

// Numbers that are equal but for roundings: what is only shown of them does not stop the run.
TEST_P(SidesAndTicks, AConditionThatIsOnlyShownMayBeNoisy) {
  const auto run = run_hybrid(settings("stop 4") + R"(
    one: Constant value=1
    t: Time
    x: Integral
    later: RelationalOp operator='>'
    one:1 -> x:1
    t:1 -> later:1
    x:1 -> later:2)",
                              {"/later", "/x"});
  EXPECT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
  EXPECT_NEAR(last(run, "/x"), 4, 1e-9);
}

// A crossing starts the solver again within a step in which another surface goes through zero later, in a direction
// that does not count: its side is that of the crossing's time, not that of the end of the step.
TEST_P(SidesAndTicks, AResetWithinAStepSeesTheSidesOfItsTime) {
  const auto run = run_hybrid(settings("stop 2") + R"(
    hmax 2
    one: Constant value=1
    x: Integral x0=-0.7
    y: Integral x0=-0.5
    z: Integral reset='activation'
    back: Constant value=3
    up: ZeroCross direction='up'
    fall: EdgeTrigger edge='falling'
    n: Counter
    one:1 -> x:1 y:1 z:1
    back:1 -> z:2
    x:1 -> fall:1
    y:1 -> up:1
    up:1 => z:1
    fall:1 => n:1)");
  EXPECT_EQ(compare_times(run.fired("up"), {0.5}, 1e-9), "") << to_text(run.diagnostics);
  EXPECT_EQ(compare_times(run.fired("fall"), {}, 1e-9), "");
}

// A limited integral that leaves its limit from rest: the dense output of implicit methods begins with a slope that is
// a little wrong, and is not taken for another arrival at the limit.
TEST_P(SidesAndTicks, ALimitIsLeftOnce) {
  const auto run = run_hybrid(settings("stop 6") + R"(
    c: Integral x0=1
    s: Integral
    minus_s: Gain k=-1
    minus_c: Gain k=-1
    x: Integral x0=0.5 lower=0 upper=10
    cross: ZeroCross direction='both'
    n: Counter
    s:1 -> minus_s:1
    minus_s:1 -> c:1
    c:1 -> s:1 minus_c:1
    minus_c:1 -> x:1
    x:1 -> cross:1
    cross:1 => n:1)");
  // 0.5 - sin(t) is zero at pi/6; from pi/2 on it is 1 - sin(t), which touches zero again at 5 pi / 2 only.
  EXPECT_EQ(compare_times(run.fired("cross"), {std::numbers::pi / 6}, 1e-8), "") << to_text(run.diagnostics);
}

// What events read is evaluated as it stands, not with the modes of continuous time.
TEST_P(SidesAndTicks, ATickReadsWhatAStepOfItsInstantHasMade) {
  for (const auto& [formula, value] :
       {std::pair("abs(u1)", 0.5), std::pair("max(u1,0)", 0.0), std::pair("min(u1,0.25)", -0.5),
        std::pair("sign(u1)", -1.0), std::pair("If_exp(u1>0,7,8)", 8.0)}) {
    const auto run = run_hybrid(settings("stop 1.2") + fmt::format(R"(
      s: StepGenerator time=1 before=1 after=-0.5
      f: MathExpression expression='{}'
      x: Integral
      h: SampleHold
      clk: SampleClock period=0.5
      s:1 -> f:1
      f:1 -> x:1 h:1
      clk:1 => h:1)",
                                                                   formula),
                                {"/h"});
    EXPECT_EQ(last(run, "/h"), value) << formula << to_text(run.diagnostics);
  }
}

}  // namespace
}  // namespace orrery::tests::sides_and_ticks_test
