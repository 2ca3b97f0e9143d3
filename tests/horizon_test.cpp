// SPDX-License-Identifier: Apache-2.0
// The law of activations (docs/semantics.md), a test per sentence: fixed steps, beginning and end of runs, results.
#include "semantics.h"

namespace orrery::tests::horizon_test {
namespace {

// One crossing between 0.75 and 1 is noticed at 1, before the event that waits there; |u| is computed as it stands.
TEST(FixedStep, SurfacesAreComparedAtStepEndsBeforeWaitingEvents) {
  const auto run = simulate(R"(
    stop 2
    solver euler
    step 0.25
    t: Time
    b: Bias bias=-0.8
    abs: Abs
    x: Integral
    z: ZeroCross direction='up'
    g: EventGenerate times=0.9
    S: EventScope inputs=2
    out: Scope
    t:1 -> b:1
    b:1 -> z:1 abs:1
    abs:1 -> x:1
    x:1 -> out:1
    z:1 => S:1
    g:1 => S:2)");
  for (const auto& entry : run.events) EXPECT_EQ(entry.time, entry.cause == EventCause::initial ? 0 : 1);
  EXPECT_EQ(fired_blocks(run), (std::vector<std::string>{"/z", "/g", "/z"})) << "z crosses, g, what z emits";
  EXPECT_EQ(run.report.mode_changes, 0);
  double sum = 0;
  for (int k = 0; k < 8; ++k) sum += 0.25 * std::fabs(0.25 * k - 0.8);
  EXPECT_NEAR(last(run, "/out.1"), sum, 1e-14);
}

// Three events fall into one step: all happen at its end, none is lost.
TEST(FixedStep, EveryEventOfAStepHappensAtItsEnd) {
  const auto run = simulate(R"(
    stop 1
    solver euler
    step 0.5
    x: Integral
    one: Constant
    g: EventGenerate times=[0.1,0.2,0.6] outputs='one'
    c: EventClock period=0.2 offset=0.1
    S: EventScope inputs=2
    one:1 -> x:1
    g:1 => S:1
    c:1 => S:2)");
  EXPECT_EQ(last(run, "/S.event1"), 3);
  EXPECT_EQ(last(run, "/S.event2"), 5);  // 0.1 and 0.3 at 0.5, with 0.5 itself; 0.7 and 0.9 at 1
}

TEST(Horizon, FinalTickCanBeLeftOut) {
  const auto run = simulate(R"(
    stop 1
    final_tick false
    clk: SampleClock period=0.25
    g: EventGenerate times=1
    S: EventScope inputs=2
    clk:1 => S:1
    g:1 => S:2)");
  EXPECT_EQ(event_times(run, EventCause::clock), numbers({0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(event_times(run, EventCause::programmed), numbers({1})) << "only periodic ticks are meant";
}

// The integrator starts with the mode that the initial table has led to, not with the one of the declared values.
TEST(Horizon, TheInitialTableRunsBeforeModesAndTheIntegrator) {
  const auto run = simulate(R"(
    stop 1
    first: InitialEvent
    minus: Constant value=-3
    zero: Constant value=0
    x: JumpStateSpace A=0 B=1 C=1 D=0 x0=2
    abs: Abs
    y: Integral
    out: Scope inputs=2
    zero:1 -> x:1
    minus:1 -> x:2
    x:1 -> abs:1 out:2
    abs:1 -> y:1
    y:1 -> out:1
    first:1 => x:1)");
  EXPECT_EQ(last(run, "/out.2"), -3);
  EXPECT_NEAR(last(run, "/out.1"), 3, 1e-9);
  EXPECT_EQ(run.report.restarts, 0);
  EXPECT_EQ(run.report.mode_changes, 0);
}

// Half a period of x'' = -x in each half; the multistep method cannot take its history along.
TEST(Horizon, SavedMultistepRunsStartCold) {
  const model::Model model = diagram(R"(
    stop 6
    solver cvode-bdf-newton
    rtol 1e-8
    x: Integral x0=1
    v: Integral
    k: Gain k=-1
    out: Scope
    x:1 -> k:1 out:1
    k:1 -> v:1
    v:1 -> x:1)");
  Diagnostics diagnostics;
  auto compiled = compile_model(model, {}, diagnostics);
  ASSERT_TRUE(compiled) << to_text(diagnostics);
  api::Run first = start(*compiled);
  EXPECT_EQ(first.run_past(3), api::RunState::paused);
  const double paused_at = first.time();
  api::Run second = start(*compiled);
  ASSERT_TRUE(second.restore(first.save()));
  EXPECT_EQ(second.run(), api::RunState::reached_stop);
  EXPECT_NEAR(second.results().values.back(), std::cos(6), 1e-6);
  const auto entries = second.events();
  ASSERT_FALSE(entries.empty());
  EXPECT_EQ(entries[0].time, paused_at);
  EXPECT_TRUE(entries[0].restarted);
}

// What was recorded until then is kept; a request that cannot fit is refused at the start.
TEST(Results, HaveALimit) {
  const model::Model model = diagram(R"(
    stop 1000
    clk: SampleClock period=0.001
    n: Counter
    out: Scope
    n:1 -> out:1
    clk:1 => n:1 out:1)");
  Diagnostics diagnostics;
  auto compiled = compile_model(model, {}, diagnostics);
  ASSERT_TRUE(compiled) << to_text(diagnostics);
  const auto outcome = [&](double interval, bool events) {
    api::RunSettings settings = compiled->settings();
    settings.results_limit = 1e6;
    settings.interval = interval;
    settings.events = events;
    api::Run run = compiled->start(settings);
    EXPECT_EQ(run.run(), api::RunState::failed);
    EXPECT_EQ(run.diagnostics().all().at(0).code, "results-too-large");
    return run;
  };
  const api::Run by_rows = outcome(0, false);
  EXPECT_EQ(by_rows.results().rows(), static_cast<std::size_t>(std::ceil(1e6 / 17)));
  EXPECT_NEAR(by_rows.time(), 1e-3 * static_cast<double>(by_rows.results().rows()) / 2, 1);
  EXPECT_EQ(outcome(1e-12, false).time(), 0);
  EXPECT_GT(outcome(1, true).events().size(), 10000u);
}

// A jump of a state by an event at 1, of a signal by a mode at 2.5.
TEST(Results, RowsKnowTheirPhase) {
  const auto run = simulate(R"(
    stop 3
    t: Time
    b: Bias bias=-2.5
    plus: Constant
    minus: Constant value=-1
    sign: Switch2
    y: Integral
    g: EventGenerate times=1
    five: Constant value=5
    one: Constant
    x: JumpStateSpace A=0 B=1 C=1 D=0
    out: Scope inputs=2
    t:1 -> b:1
    plus:1 -> sign:1
    b:1 -> sign:2
    minus:1 -> sign:3
    sign:1 -> y:1 out:2
    one:1 -> x:1
    five:1 -> x:2
    x:1 -> out:1
    g:1 => x:1)");
  const auto phases_at = [&](double t) {
    std::vector<int> phases;
    for (std::size_t r = 0; r < run.recording.rows(); ++r) {
      if (std::fabs(run.recording.time[r] - t) < 1e-9) phases.push_back(static_cast<int>(run.recording.phase[r]));
    }
    return phases;
  };
  EXPECT_EQ(phases_at(0), (std::vector<int>{6}));
  EXPECT_EQ(phases_at(1), (std::vector<int>{-1, 1}));
  const std::vector<int> around = phases_at(2.5);
  ASSERT_GE(around.size(), 2u);
  EXPECT_EQ(std::vector<int>(around.end() - 2, around.end()), (std::vector<int>{4, 5}));
  EXPECT_EQ(phases_at(3), (std::vector<int>{0}));
}

}  // namespace
}  // namespace orrery::tests::horizon_test
