// SPDX-License-Identifier: Apache-2.0
// Delayed signals in detail: before the start, no delay at all, other element types, fixed steps, events, saved runs.
#include "api/run.h"
#include "hybrid_runs.h"
#include "inside.h"
#include "program/print.h"

namespace orrery::tests::delay_details_test {
namespace {

std::vector<double> rows_at(const ModelRun& run, const std::string& column, double t) {
  std::vector<double> found;
  const std::vector<double> values = column_of(run, column);
  for (std::size_t r = 0; r < values.size(); ++r) {
    if (std::abs(run.recording.time[r] - t) < 1e-10) found.push_back(values[r]);
  }
  return found;
}

TEST(DelayDetails, BeforeTheStart) {
  // From a table: 1 until -2, a jump to 3 at -1 (written twice), then a line to 0 at 0.
  const ModelRun run = simulate(R"(
    stop 4
    rtol 1e-9
    t: Time
    D: FixedDelay T=3 init_times=[-2,-1,-1,0] init=[1,1,3,0]
    I: Integral
    S: Scope inputs=2
    t:1 -> D:1
    D:1 -> I:1 S:1
    I:1 -> S:2
  )");
  const auto before = [](double s) { return s < -1 ? 1.0 : s < 0 ? -3 * s : s; };
  const std::vector<double> y = column_of(run, "/S.1");
  for (std::size_t r = 0; r < y.size(); ++r) {
    const double s = run.recording.time[r] - 3;
    if (std::abs(s + 1) > 1e-9) {
      EXPECT_NEAR(y[r], before(s), 1e-9) << s;
    }
  }
  EXPECT_EQ(rows_at(run, "/S.1", 2).front(), 1);
  EXPECT_NEAR(rows_at(run, "/S.1", 2).back(), 3, 1e-9);
  EXPECT_NEAR(last(run, "/S.2"), 2 + 1.5 + 0.5, 1e-8);
}

TEST(DelayDetails, NoneIsAWire) {
  const ModelRun run = simulate(R"(
    stop 2
    u: SineWaveGenerator
    D: FixedDelay T=0 init=5
    d: Constant value=0
    V: VariableDelay max=1 init=5
    S: Scope inputs=3
    u:1 -> D:1 V:1 S:3
    d:1 -> V:2
    D:1 -> S:1
    V:1 -> S:2
  )");
  EXPECT_EQ(column_of(run, "/S.1"), column_of(run, "/S.3"));
  EXPECT_EQ(column_of(run, "/S.2"), column_of(run, "/S.3"));
}

// A delay longer than the run, one as long as it, and one that ends with a jump exactly at the stop time.
TEST(DelayDetails, LongerThanTheRun) {
  const ModelRun run = simulate(R"(
    stop 2
    u: StepGenerator time=0.5 before=1 after=2
    long: FixedDelay T=100 init=7
    same: FixedDelay T=2 init=8
    last: FixedDelay T=1.5 init=9
    S: Scope inputs=3
    u:1 -> long:1 same:1 last:1
    long:1 -> S:1
    same:1 -> S:2
    last:1 -> S:3
  )");
  for (const double y : column_of(run, "/S.1")) EXPECT_EQ(y, 7);
  EXPECT_EQ(column_of(run, "/S.2").front(), 8);
  EXPECT_EQ(rows_at(run, "/S.2", 2).front(), 8);
  EXPECT_EQ(rows_at(run, "/S.3", 1.5).front(), 9);
  EXPECT_EQ(rows_at(run, "/S.3", 1.5).back(), 1);
}

// What begins at 0 arrives at start + delay: an event of the same instant sees it.
TEST(DelayDetails, ArriveAtAnEventOfTheSameInstant) {
  const ModelRun run = simulate(R"(
    stop 3
    u: Constant value=4
    D: FixedDelay T=1 init=-1
    clock: SampleClock period=0.5
    H: SampleHold
    S: Scope
    clock:1 => H:1
    u:1 -> D:1
    D:1 -> H:1
    H:1 -> S:1
  )");
  EXPECT_EQ(rows_at(run, "/S.1", 0.5).back(), -1);
  EXPECT_EQ(rows_at(run, "/S.1", 1).back(), 4);
  EXPECT_EQ(rows_at(run, "/S.1", 1.5).back(), 4);
}

// A delay that inherits the events of its input looks at a past that goes on between them.
TEST(DelayDetails, ThatOnlyEventsActivate) {
  const ModelRun run = simulate(R"(
    stop 3
    u: SineWaveGenerator frequency=2
    clock: SampleClock period=0.5
    H: SampleHold
    D: FixedDelay T=0.3 @inherit
    S: Scope
    clock:1 => H:1
    u:1 -> H:1
    H:1 -> D:1
    D:1 -> S:1
  )");
  for (int k = 1; k <= 6; ++k) {
    const std::vector<double> rows = rows_at(run, "/S.1", 0.5 * k);
    ASSERT_FALSE(rows.empty()) << k;
    EXPECT_NEAR(rows.back(), std::sin(k - 1.0), 1e-12);  // what was sampled at the tick before
  }
}

// Signals that events change, of every element type, delayed by something that is no multiple of the period.
TEST(DelayDetails, OfSampledSignalsOfEveryType) {
  for (const std::string type : {"double", "int8", "int16", "int32", "uint8", "uint16", "uint32", "boolean"}) {
    const ModelRun run = simulate(fmt::format(R"(
      stop 3
      clock: SampleClock period=0.5
      count: Counter
      C: DataTypeConversion type='{}'
      D: FixedDelay T=0.7
      S: Scope
      clock:1 => count:1
      count:1 -> C:1
      C:1 -> D:1
      D:1 -> S:1
    )",
                                              type),
                                  {"/C"});
    const std::vector<double> own = column_of(run, "/C");
    ASSERT_FALSE(own.empty()) << type;
    for (int k = 0; k < 4; ++k) {
      const double arrives = 0.5 * k + 0.7;
      const std::vector<double> sides = rows_at(run, "/S.1", arrives), source = rows_at(run, "/C", 0.5 * k);
      ASSERT_FALSE(sides.empty()) << type << " at " << arrives;
      EXPECT_EQ(sides.back(), source.back()) << type;
    }
  }
}

TEST(DelayDetails, OfVectorsAndComplexNumbers) {
  const ModelRun run = simulate(R"(
    stop 3
    rtol 1e-9
    t: Time
    v: MatrixExpression expression='[u1,2*u1;sin(u1),-u1]'
    c: DataTypeConversion type='complex'
    z: Gain k=1+2i
    D: FixedDelay T=1
    E: FixedDelay T=1 init=2i
    S: Scope inputs=2
    t:1 -> v:1 c:1
    c:1 -> z:1
    v:1 -> D:1
    z:1 -> E:1
    D:1 -> S:1
    E:1 -> S:2
  )");
  ASSERT_EQ(run.recording.names.size(), 6u);
  const auto at_end = [&](std::size_t c) { return run.recording.value(run.recording.rows() - 1, c); };
  const double expected[] = {2, std::sin(2.0), 4, -2, 2, 4};
  for (std::size_t c = 0; c < 6; ++c) EXPECT_NEAR(at_end(c), expected[c], 1e-8) << run.recording.names[c];
}

TEST(DelayDetails, OutsideTheirRangeEndTheRun) {
  const auto run = [](const std::string& more) {
    return run_hybrid("stop 5\nrtol 1e-9\nt: Time\nu: SineWaveGenerator\n" + more +
                      "u:1 -> D:1\nS: Scope\nD:1 -> S:1\n");
  };
  const HybridRun longer = run("D: VariableDelay max=2\nt:1 -> D:2\n");
  EXPECT_TRUE(longer.fails_at("assertion-failed", 2, 1e-6)) << to_text(longer.diagnostics);
  const HybridRun negative =
      run("d: Bias bias=-1\nm: Gain k=-1\nt:1 -> d:1\nd:1 -> m:1\nm:1 -> D:2\nD: VariableDelay max=2\n");
  EXPECT_TRUE(negative.fails_at("assertion-failed", 1, 1e-6)) << to_text(negative.diagnostics);
  for (const char* wrong : {"T=-1", "T=inf", "T=nan"}) {
    const HybridRun refused = run_hybrid(fmt::format("u: Constant\nD: FixedDelay {}\nu:1 -> D:1\n", wrong));
    EXPECT_TRUE(has_code(refused, "bad-parameter")) << wrong;
  }
  EXPECT_TRUE(has_code(run_hybrid("u: Constant\nD: VariableDelay max=inf\nu:1 -> D:1 D:2\n"), "bad-parameter"));
  EXPECT_TRUE(has_code(run_hybrid("u: Time\nD: FixedDelay T=1e-18\nu:1 -> D:1\nS: Scope\nD:1 -> S:1\n"), "bad-delay"));
}

// x' = -x(t - 1): halving the step divides the error by 2^order, also where breaks lie at ends of steps.
TEST(DelayDetails, WithFixedStepsKeepTheOrder) {
  const auto error = [](const std::string& solver, double step) {
    const ModelRun run = simulate(fmt::format(R"(
      stop 3
      solver {}
      step {}
      I: Integral x0=1
      D: FixedDelay T=1 init=1
      minus: Gain k=-1
      S: Scope
      I:1 -> D:1 S:1
      D:1 -> minus:1
      minus:1 -> I:1
    )",
                                              solver, step));
    // 1 - t + (t-1)^2/2 - (t-2)^3/6 at 3 is 1 - 3 + 2 - 1/6.
    return std::abs(last(run, "/S.1") + 1.0 / 6);
  };
  EXPECT_NEAR(error("euler", 0.05) / error("euler", 0.025), 2, 0.1);
  EXPECT_LT(error("rk4", 0.1), 1e-9);
  EXPECT_LT(error("trapezoidal-explicit", 0.025), 0.3 * error("trapezoidal-explicit", 0.05) + 1e-12);
}

TEST(DelayDetails, ShorterThanAFixedStepAreWarnedOf) {
  const ModelRun run = simulate(
      "stop 1\nsolver rk4\nstep 0.1\nt: Time\nD: FixedDelay T=0.03\nS: Scope\nI: Integral\nt:1 -> I:1\n"
      "I:1 -> D:1\nD:1 -> S:1\n");
  EXPECT_TRUE(has_code(run, "delay-below-step"));
  EXPECT_NEAR(last(run, "/S.1"), 0.97 * 0.97 / 2, 1e-9);
}

const char* const saved_model = R"(
  stop 8
  rtol 1e-8
  solver {}
  I: Integral x0=0.3
  D: FixedDelay T=1 init=0.3
  relay: Sign
  E: VariableDelay max=2 init=1
  d: SineWaveGenerator bias=1 amplitude=0.9
  rate: MathExpression expression='-u1-0.3*u2' inputs=2
  S: Scope inputs=2
  I:1 -> D:1 E:1 S:1
  D:1 -> relay:1
  relay:1 -> rate:1
  d:1 -> E:2
  E:1 -> rate:2 S:2
  rate:1 -> I:1
)";

// In the middle, into another run of the same model and into a copy.
TEST(DelayDetails, SavedRunsContinueBitIdentically) {
  for (const char* solver : {"dopri", "dopri853", "radau", "sdirk"}) {
    Diagnostics diagnostics;
    const auto compiled = compile_model(diagram(fmt::format(fmt::runtime(saved_model), solver)), {}, diagnostics);
    ASSERT_TRUE(compiled) << to_text(diagnostics);
    api::Run whole = start(*compiled), second = start(*compiled);
    whole.run_past(3.3);
    const double saved_at = whole.time();
    const auto bytes = whole.save();
    whole.run();
    ASSERT_TRUE(second.restore(bytes)) << to_text(second.diagnostics());
    api::Run third = second.copy();
    for (api::Run* run : {&second, &third}) {
      ASSERT_EQ(run->run(), api::RunState::reached_stop) << to_text(run->diagnostics());
      EXPECT_EQ(first_difference(whole.results(), run->results(), saved_at), "") << solver;
    }
    const auto broken = std::span(bytes).first(bytes.size() - 40);
    EXPECT_FALSE(start(*compiled).restore(broken));
  }
}

TEST(DelayDetails, OfBothTiersAreTheSameBits) {
  const model::Model model = diagram(fmt::format(fmt::runtime(saved_model), "dopri"));
  RunSetup first, second;
  second.native = api::NativeCode::second;
  const ModelRun a = run_model(model, first), b = run_model(model, second);
  ASSERT_FALSE(a.diagnostics.has_errors()) << to_text(a.diagnostics);
  EXPECT_EQ(first_difference(a.recording, b.recording), "");
}

// Other largest steps, the same answer.
TEST(DelayDetails, DoNotDependOnTheLargestStep) {
  std::vector<double> ends;
  for (const char* hmax : {"1", "0.31", "0.07", "0.011"}) {
    ends.push_back(last(simulate(fmt::format(fmt::runtime(saved_model), "dopri") + "hmax " + hmax + "\n"), "/S.1"));
  }
  for (const double end : ends) EXPECT_NEAR(end, ends[0], 2e-6);
}

const char* const varied_delay = R"({"orrery": 1, "name": "varied", "simulation": {"stop": "3", "rtol": "1e-9"},
  "context": ["tau = 1;"],
  "blocks": [{"name": "U", "type": "Time"}, {"name": "S", "type": "Scope"}, {"name": "I", "type": "Integral"},
             {"name": "D", "type": "FixedDelay", "parameters": {"T": "tau", "init": "-tau"}}],
  "links": [{"from": "U:1", "to": ["D:1"]}, {"from": "D:1", "to": ["I:1", "S:1"]}]})";

// The delay is a parameter like others: compiled once, run with several.
TEST(DelayDetails, MayBeVariedFromRunToRun) {
  Diagnostics diagnostics;
  const auto model = api::Model::read(varied_delay, "varied.orr", diagnostics);
  ASSERT_TRUE(model) << to_text(diagnostics);
  api::CompileOptions options;
  options.vary = {"tau"};
  const auto compiled = model->compile(options, diagnostics);
  ASSERT_TRUE(compiled) << to_text(diagnostics);
  for (const double tau : {0.25, 1.0, 2.5}) {
    api::Run run = compiled->start();
    EXPECT_TRUE(run.set_parameter("tau", tau));
    EXPECT_EQ(run.run(), api::RunState::reached_stop) << to_text(run.diagnostics());
    EXPECT_NEAR(run.value("D"), 3 - tau, 1e-9);
    EXPECT_NEAR(run.value("I"), -tau * tau + (3 - tau) * (3 - tau) / 2, 1e-8);
  }
  api::Run none = compiled->start();
  EXPECT_TRUE(none.set_parameter("tau", 0));
  EXPECT_EQ(none.run(), api::RunState::failed);
  EXPECT_NE(to_text(none.diagnostics()).find("bad-delay"), std::string::npos) << to_text(none.diagnostics());
}

// What is older is dropped, and nothing grows.
TEST(DelayDetails, ForgetWhatNobodyLooksAt) {
  Diagnostics diagnostics;
  const auto compiled =
      compile_model(diagram("stop 400\nu: SineWaveGenerator\nD: FixedDelay T=0.5\nI: Integral\nu:1 -> D:1\n"
                            "D:1 -> I:1\nS: Scope\nI:1 -> S:1\n"),
                    {}, diagnostics);
  ASSERT_TRUE(compiled) << to_text(diagnostics);
  api::Run run = start(*compiled);
  run.run_past(100);
  const std::size_t quarter = run.save().size();
  run.run_past(300);
  EXPECT_LT(run.save().size(), 2 * quarter);
}

TEST(DelayDetails, ArePrinted) {
  Diagnostics diagnostics;
  const auto program =
      program_of(diagram("t: Time\nD: FixedDelay T=2 init=3\nS: Scope\nt:1 -> D:1\nD:1 -> S:1\n"), {}, diagnostics);
  ASSERT_TRUE(program);
  const std::string text = to_text(*program);
  EXPECT_NE(text.find("past0 = time, before the start 3, delays 2 to 2"), std::string::npos) << text;
}

}  // namespace
}  // namespace orrery::tests::delay_details_test
