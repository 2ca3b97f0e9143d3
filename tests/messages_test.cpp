// SPDX-License-Identifier: Apache-2.0
// What models say: messages with numbers, assertions in continuous time and at events, the end of a run.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "notation.h"
#include "run_model.h"

namespace orrery::tests::messages_test {
namespace {

ModelRun simulate(const std::string& text) { return run_model(diagram(text), {}); }

const Diagnostic* find(const ModelRun& run, const std::string& code, std::size_t number = 0) {
  for (const Diagnostic& d : run.diagnostics.all()) {
    if (d.code == code && number-- == 0) return &d;
  }
  return nullptr;
}

int count(const ModelRun& run, const std::string& code) {
  int n = 0;
  for (const Diagnostic& d : run.diagnostics.all()) n += d.code == code ? 1 : 0;
  return n;
}

// x = 1 - t, and y' = sqrt(x), which means nothing beyond t = 1.
std::string draining(const std::string& solver) {
  return "stop 3\nrtol 1e-8\nsolver " + solver +
         "\nm: Constant value=-1\nx: Integral x0=1\nr: MathExpression expression='sqrt(u1)'\ny: Integral\n"
         "a: Assertion text='x={}'\nout: Scope\nm:1 -> x:1\nx:1 -> r:1 a:1 a:2\nr:1 -> y:1\ny:1 -> out:1\n";
}

TEST(Assertions, EndTheRunWhereTheSolutionBreaksThem) {
  for (const char* solver : {"dopri", "radau", "cvode-bdf-newton", "cvode-adams-functional", "sdirk"}) {
    const auto run = simulate(draining(solver));
    EXPECT_EQ(run.report.state, api::RunState::failed) << solver;
    const Diagnostic* d = find(run, "assertion-failed");
    ASSERT_NE(d, nullptr) << solver << to_text(run.diagnostics);
    EXPECT_NEAR(d->time.value_or(0), 1, 1e-6) << solver;
    EXPECT_EQ(d->place.block, "/a");
    EXPECT_EQ(d->message.substr(0, 2), "x=");
    EXPECT_NEAR(std::stod(d->message.substr(2)), 0, 1e-6) << solver;
    EXPECT_EQ(run.diagnostics.error_count(), 1) << to_text(run.diagnostics);
    EXPECT_NEAR(last(run, "/out.1"), 2.0 / 3, 1e-5) << solver;  // all of the tank has gone
  }
}

// exp(-t) stays positive, however far steps of low accuracy reach.
TEST(Assertions, ThatHoldChangeNothing) {
  const std::string model =
      "stop 20\nrtol 1e-3\nx: Integral x0=1\ng: Gain k=-1\nout: Scope\nx:1 -> g:1 out:1\ng:1 -> x:1\n";
  const auto with = simulate(model + "a: Assertion\nx:1 -> a:1\n");
  const auto without = simulate(model);
  EXPECT_EQ(with.report.state, api::RunState::reached_stop) << to_text(with.diagnostics);
  EXPECT_NEAR(last(with, "/out.1"), last(without, "/out.1"), 1e-3);
  EXPECT_GT(last(with, "/out.1"), 0);
}

// sin t + 0.999 is negative for 0.09 s around 3 pi / 2 and 7 pi / 2 only, far less than a step.
TEST(Assertions, WarnAtTheInstantEachTime) {
  const auto run = simulate(
      "stop 12\nhmax 4\nt: Time\nf: MathExpression expression='sin(u1)+0.999'\na: Assertion severity='warning' "
      "text='low:{}'\nt:1 -> f:1 a:2\nf:1 -> a:1\n");
  EXPECT_EQ(run.report.state, api::RunState::reached_stop) << to_text(run.diagnostics);
  ASSERT_EQ(count(run, "model-warning"), 2) << to_text(run.diagnostics);
  const double first = std::numbers::pi + std::asin(0.999);
  EXPECT_NEAR(find(run, "model-warning")->time.value_or(0), first, 1e-9);
  EXPECT_NEAR(find(run, "model-warning", 1)->time.value_or(0), first + 2 * std::numbers::pi, 1e-9);
}

TEST(Assertions, HoldAtEvents) {
  const auto run = simulate(
      "stop 10\nc: SampleClock period=1\nn: Counter from=0 to=9\nl: RelationalOp operator='<'\nk: Constant value=4\n"
      "a: Assertion text='n={}'\nc:1 => n:1\nn:1 -> l:1 a:2\nk:1 -> l:2\nl:1 -> a:1\n");
  EXPECT_EQ(run.report.state, api::RunState::failed) << to_text(run.diagnostics);
  const Diagnostic* d = find(run, "stopped-by-model");
  ASSERT_NE(d, nullptr) << to_text(run.diagnostics);
  EXPECT_EQ(d->message, "n=4");
  EXPECT_EQ(d->time.value_or(0), 4);
}

TEST(Assertions, HoldInFixedSteps) {
  const auto run = simulate(
      "stop 3\nstep 0.01\nsolver rk4\nm: Constant value=-1\nx: Integral x0=1.005\na: Assertion\nm:1 -> x:1\nx:1 -> "
      "a:1\n");
  const Diagnostic* d = find(run, "assertion-failed");
  ASSERT_NE(d, nullptr) << to_text(run.diagnostics);
  EXPECT_NEAR(d->time.value_or(0), 1.01, 1e-9);
}

TEST(Messages, HaveNumbersInThem) {
  const auto run = simulate(
      "stop 2.5\nc: SampleClock period=1\nt: Time\nn: Counter from=0 to=9\nm: Message text='{}:{}'\n"
      "c:1 => n:1 m:1\nn:1 -> m:1\nt:1 -> m:2\n");
  ASSERT_EQ(count(run, "model-message"), 3) << to_text(run.diagnostics);
  EXPECT_EQ(find(run, "model-message", 2)->message, "2:2");
  EXPECT_EQ(find(run, "model-message", 2)->severity, Severity::note);
  EXPECT_FALSE(run.diagnostics.has_errors());
}

// 0/0 of the processor has its sign bit set.
TEST(Messages, CallNaNByItsName) {
  const auto run = simulate(
      "stop 1\ng: InitialEvent\nz: Constant value=0\nd: Product signs='*/'\n"
      "n: Gain k=-1\nm: Message text='{}:{}'\ng:1 => m:1\nz:1 -> d:1 d:2\nd:1 -> m:1 n:1\nn:1 -> m:2\n");
  ASSERT_EQ(count(run, "model-message"), 1) << to_text(run.diagnostics);
  EXPECT_EQ(find(run, "model-message")->message, "NaN:NaN");
}

TEST(FinalEvent, IsTheLast) {
  const auto run = simulate(
      "stop 2\nc: SampleClock period=1\nn: Counter from=0 to=9\nf: FinalEvent\ns: SampleHold\nm: Message text='{}'\n"
      "d: EventDelay delay=0\nlate: Message text='late'\nout: Scope\n"
      "c:1 => n:1\nf:1 => s:1 m:1 d:1\nd:1 => late:1\nn:1 -> s:1\ns:1 -> m:1 out:1\n");
  EXPECT_EQ(run.report.state, api::RunState::reached_stop) << to_text(run.diagnostics);
  ASSERT_EQ(count(run, "model-message"), 1) << to_text(run.diagnostics);
  EXPECT_EQ(find(run, "model-message")->message, "2");  // the tick of the stop time was before it
  EXPECT_EQ(last(run, "/out.1"), 2);
}

TEST(FinalEvent, FollowsAnEndBlockButNoFailure) {
  const std::string model =
      "stop 9\ng: EventGenerate times=3\nf: FinalEvent\nt: Time\nm: Message text='{}'\nf:1 => m:1\nt:1 -> m:1\n";
  const auto ended = simulate(model + "e: End\ng:1 => e:1\n");
  ASSERT_EQ(count(ended, "model-message"), 1) << to_text(ended.diagnostics);
  EXPECT_EQ(find(ended, "model-message")->message, "3");
  const auto failed = simulate(model + "e: End action='fail'\ng:1 => e:1\n");
  EXPECT_EQ(count(failed, "model-message"), 0);
}

// At 1 by an event, at 2.5 by a condition in continuous time. The instants are whole when the run pauses.
const std::string pausing =
    "stop 4\ng: EventGenerate times=1\nt: Time\nb: Bias bias=-2.5\nx: Integral\nn: Counter from=1\n"
    "e: End action='pause' message='look'\nf: End action='pause' when='positive'\no: Scope\n"
    "t:1 -> b:1 x:1\nb:1 -> f:1\nx:1 -> o:1\ng:1 => e:1 n:1\n";

TEST(Pause, IsForProgramsThatDriveTheRun) {
  Diagnostics diagnostics;
  const auto model = api::Model::read(model::write(diagram(pausing)), "pausing.orr", diagnostics);
  ASSERT_TRUE(model) << to_text(diagnostics);
  const auto compiled = model->compile({}, diagnostics);
  ASSERT_TRUE(compiled) << to_text(diagnostics);
  api::Run run = compiled->start();
  ASSERT_EQ(run.run(), api::RunState::paused);
  EXPECT_NEAR(run.time(), 1, 1e-12);
  EXPECT_EQ(run.value("/n"), 1);
  ASSERT_EQ(run.run(), api::RunState::paused);
  EXPECT_NEAR(run.time(), 2.5, 1e-9);
  ASSERT_EQ(run.run(), api::RunState::reached_stop);
  EXPECT_NEAR(run.value("/x"), 8, 1e-9);
  int asked = 0;
  for (const Diagnostic& d : run.diagnostics().all()) asked += d.code == "model-pause" ? 1 : 0;
  EXPECT_EQ(asked, 2);
}

TEST(Pause, DoesNotEndBeforeAnExactTime) {
  Diagnostics diagnostics;
  const auto model = api::Model::read(model::write(diagram(pausing)), "pausing.orr", diagnostics);
  ASSERT_TRUE(model) << to_text(diagnostics);
  const auto compiled = model->compile({}, diagnostics);
  ASSERT_TRUE(compiled) << to_text(diagnostics);
  api::Run run = compiled->start();
  ASSERT_EQ(run.run_until(3), api::RunState::paused);
  EXPECT_EQ(run.time(), 3);
}

// As `orrery run` does it.
TEST(Pause, IsANoteWhereNobodyWaits) {
  const api::RunResult result = run_text(model::write(diagram(pausing)));
  int asked = 0;
  for (const Diagnostic& d : result.diagnostics.all()) asked += d.code == "model-pause" ? 1 : 0;
  EXPECT_EQ(asked, 2) << to_text(result.diagnostics);
  EXPECT_EQ(result.report.end, sim::End::reached_stop);
  EXPECT_EQ(result.report.time, 4);
}

}  // namespace
}  // namespace orrery::tests::messages_test
