// SPDX-License-Identifier: Apache-2.0
// The FMU block: test FMUs of all versions in diagrams, against closed forms and against runs of the FMU alone.
#include "fmu_block.h"
#include "base/folders_for_tests.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "api/fmu_run.h"

namespace orrery::tests::fmu_block_test {
namespace {

class ModelExchangeBlock : public testing::TestWithParam<const char*> {
 protected:
  std::string version() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Versions, ModelExchangeBlock, testing::Values("1_me", "2", "3"));

// x = exp(-t); the tolerance of the run is 1e-8.
TEST_P(ModelExchangeBlock, Dahlquist) {
  for (const char* solver : {"dopri5", "cvode-bdf-newton"}) {
    const auto result = good_run("stop 5\nrtol 1e-8\nsolver " + std::string(solver) + "\nF: FMU " +
                                 fmu("dahlquist_" + version()) + "\nS: Scope\nF:1 -> S:1\n");
    EXPECT_LT(error(result, "/S.1", [](double t) { return std::exp(-t); }), 1e-7) << solver;
  }
}

TEST_P(ModelExchangeBlock, StartValuesAndParametersAreSet) {
  const auto result = good_run("stop 1\nrtol 1e-8\nF: FMU start={'k',2,'x',3} " + fmu("dahlquist_" + version()) +
                               "\nS: Scope\nF:1 -> S:1\n");
  EXPECT_LT(error(result, "/S.1", [](double t) { return 3 * std::exp(-2 * t); }), 1e-6);
}

// Bounces of a ball that falls from 1 m and keeps 70 % of its speed: sums of a geometric series.
TEST_P(ModelExchangeBlock, BouncingBallHitsTheGroundWhenTheFormulaSays) {
  const auto result = good_run("stop 2\nrtol 1e-8\nF: FMU " + fmu("bouncing_ball_" + version()) +
                               "\nS: Scope inputs=2\nF:1 -> S:1\nF:2 -> S:2\n");
  std::vector<double> bounces;
  double t = std::sqrt(2 / 9.81), v = std::sqrt(2 * 9.81);
  for (int k = 0; k < 4; ++k) {
    bounces.push_back(t);
    v *= 0.7;
    t += 2 * v / 9.81;
  }
  std::vector<double> found;
  for (double crossing : times(result, sim::Cause::crossing)) {
    if (found.empty() || crossing > found.back() + 1e-6) found.push_back(crossing);
  }
  ASSERT_EQ(found.size(), bounces.size());
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], bounces[k], 1e-8);
  const double flight = 2 - bounces[3];
  EXPECT_NEAR(last(result, "/S.1"), v * flight - 9.81 / 2 * flight * flight, 1e-6);
  EXPECT_NEAR(last(result, "/S.2"), v - 9.81 * flight, 1e-6);
}

TEST_P(ModelExchangeBlock, VanDerPolIsWhatTheFmuGivesAlone) {
  const std::string file = fmt::format("{}/van_der_pol_{}.fmu", test_fmu_folder(), version());
  fmi::RunOptions options;
  options.kind = fmi::Kind::model_exchange;
  options.rtol = 1e-10;
  options.stop = 10;
  const api::FmuRunResult alone = api::run_fmu(file, options);
  ASSERT_FALSE(alone.failed()) << to_text(alone.diagnostics);
  const double expected = alone.recording.number(alone.recording.rows() - 1, 0);
  for (const char* solver : {"dopri5", "cvode-bdf-newton", "radau"}) {
    const auto result = good_run("stop 10\nrtol 1e-9\nsolver " + std::string(solver) + "\nF: FMU " +
                                 fmu("van_der_pol_" + version()) + "\nS: Scope\nF:1 -> S:1\n");
    EXPECT_NEAR(last(result, "/S.1"), expected, 1e-6) << solver;
  }
}

// Counts at t = 1, 2, … and asks for the end at 10 steps.
TEST_P(ModelExchangeBlock, StairsHaveTheirTimeEventsAndEndTheRun) {
  const auto result = good_run("stop 20\nF: FMU " + fmu("stairs_" + version()) + "\nS: Scope\nF:1 -> S:1\n");
  EXPECT_EQ(result.report.end, sim::End::stopped);
  EXPECT_NEAR(result.report.time, 9, 1e-12);
  EXPECT_EQ(last(result, "/S.1"), 10);
  const std::vector<double> found = times(result, sim::Cause::programmed);
  ASSERT_EQ(found.size(), 9u);
  for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(found[k], static_cast<double>(k + 1), 1e-12);
}

// x' = sin t, so x = 1 - cos t; the discrete input takes the values of a sampled signal at its ticks.
TEST_P(ModelExchangeBlock, ContinuousAndDiscreteInputs) {
  const auto result = good_run(
      "stop 3\nrtol 1e-9\nF: FMU " + fmu("input_integral_" + version()) +
      "\nU: SineWaveGenerator\nC: SampleClock period=0.5\nN: Counter\nK: DataTypeConversion type='int32'\nX: Scope\nS: "
      "Scope\nU:1 -> F:1\nC:1 => N:1\nN:1 -> K:1\nK:1 -> F:2 S:1\nF:1 -> X:1\nO: Scope\nF:2 -> O:1\n");
  EXPECT_LT(error(result, "/X.1", [](double t) { return 1 - std::cos(t); }), 1e-7);
  EXPECT_EQ(last(result, "/O.1"), last(result, "/S.1"));
  EXPECT_GT(last(result, "/O.1"), 4);
}

// A discrete input that continuous time changes: the mode of a relation.
TEST(FmuBlock, ADiscreteInputFollowsAMode) {
  const auto result = good_run("stop 3\nF: FMU " + fmu("feedthrough_2") +
                               " inputs='Boolean_input' outputs='Boolean_output'\nT: Time\nH: Constant value=1.25\nR: "
                               "RelationalOp operator='>='\nS: "
                               "Scope\nT:1 -> R:1\nH:1 -> R:2\nR:1 -> F:1\nF:1 -> S:1\n");
  const std::size_t k = column_of(result, "/S.1");
  for (std::size_t row = 0; row < result.recording.rows(); ++row) {
    const double t = result.recording.time[row];
    if (std::fabs(t - 1.25) < 1e-9) continue;
    EXPECT_EQ(result.recording.value(row, k), t > 1.25 ? 1 : 0) << t;
  }
}

// The counter of the first FMU is 1 only after its first event, which comes when the second has read it already.
TEST(FmuBlock, DiscreteInputsAreRightFromTheStart) {
  const auto result =
      good_run("stop 3.5\nF: FMU " + fmu("stairs_2") + "\nG: FMU inputs='Int32_input' outputs='Int32_output' " +
               fmu("feedthrough_2") + "\nF:1 -> G:1\nS: Scope inputs=2\nF:1 -> S:1\nG:1 -> S:2\n");
  EXPECT_EQ(last(result, "/S.2"), 4);
  for (std::size_t row = 0; row < result.recording.rows(); ++row) {
    const double t = result.recording.time[row];
    if (t > 0 && std::fabs(t - std::round(t)) > 1e-9) {
      EXPECT_EQ(result.recording.value(row, 0), result.recording.value(row, 1)) << t;
    }
  }
}

TEST(FmuBlock, AllTypesPass) {
  const auto result = good_run(
      "stop 1\nF: FMU inputs={'Int8_input','UInt32_input','Float32_input','Int64_input'} "
      "outputs={'Int8_output','UInt32_output','Float32_output','Int64_output'} " +
      fmu("feedthrough_3") +
      "\nA: Constant value=int8(-7)\nB: Constant value=uint32(4000000000)\nC: Constant "
      "value=0.5\nD: Constant value=1e15\nS: Scope inputs=4\nA:1 -> F:1\nB:1 -> F:2\nC:1 -> "
      "F:3\nD:1 -> F:4\nF:1 -> S:1\nF:2 -> S:2\nF:3 -> S:3\nF:4 -> S:4\n");
  EXPECT_EQ(last(result, "/S.1"), -7);
  EXPECT_EQ(last(result, "/S.2"), 4e9);
  EXPECT_EQ(last(result, "/S.3"), 0.5);
  EXPECT_EQ(last(result, "/S.4"), 1e15);
}

// x' = A x with a diagonal A, an array of states and of outputs; the start value is a matrix of the FMU, row by row.
TEST(FmuBlock, ArraysAreMatrices) {
  const auto result = good_run("stop 1\nrtol 1e-9\nF: FMU outputs='y' start={'A',[-1,0,0;0,-2,0;0,0,-4]} " +
                               fmu("state_space_3") + "\nS: Scope\nF:1 -> S:1\n");
  EXPECT_NEAR(last(result, "/S.1[1]"), std::exp(-1), 1e-7);
  EXPECT_NEAR(last(result, "/S.1[2]"), 2 * std::exp(-2), 1e-7);
  EXPECT_NEAR(last(result, "/S.1[3]"), 3 * std::exp(-4), 1e-7);
}

TEST(FmuBlock, ATunableParameterCanBeAnInput) {
  const auto result =
      good_run("stop 2\nF: FMU inputs={'Float64_input','offset'} outputs='Float64_output' " + fmu("feedthrough_2") +
               "\nT: Time\nC: SampleClock period=1\nN: Counter\nS: Scope\nC:1 => N:1\nT:1 -> F:1\n"
               "N:1 -> F:2\nF:1 -> S:1\nD: Scope\nN:1 -> D:1\n");
  EXPECT_NEAR(last(result, "/S.1"), 2 + last(result, "/D.1"), 1e-12);
}

// y = u with u = y / 2 + sin t, a true loop through the FMU: y = 2 sin t. The matrix of the loop comes from
// differences.
TEST(FmuBlock, AlgebraicLoopsAreSolved) {
  for (const char* version : {"1_me", "2", "3"}) {
    const auto result =
        good_run("stop 2\nrtol 1e-9\nF: FMU inputs='Float64_input' outputs='Float64_output' " +
                 fmu(std::string("feedthrough_") + version) +
                 "\nU: SineWaveGenerator\nG: Gain k=0.5\nA: Sum signs='++'\nI: Integral\nS: Scope inputs=2\n"
                 "F:1 -> G:1 S:1 I:1\nG:1 -> A:1\nU:1 -> A:2\nA:1 -> F:1\nI:1 -> S:2\n");
    EXPECT_LT(error(result, "/S.1", [](double t) { return 2 * std::sin(t); }), 1e-7) << version;
    EXPECT_LT(error(result, "/S.2", [](double t) { return 2 - 2 * std::cos(t); }), 1e-6) << version;
  }
}

TEST(FmuBlock, FixedStepSolvers) {
  const auto decay =
      good_run("stop 1\nsolver rk4\nstep 0.01\nF: FMU " + fmu("dahlquist_2") + "\nS: Scope\nF:1 -> S:1\n");
  EXPECT_LT(error(decay, "/S.1", [](double t) { return std::exp(-t); }), 1e-9);
  const auto stairs =
      good_run("stop 3.5\nsolver rk4\nstep 0.01\nF: FMU " + fmu("stairs_2") + "\nS: Scope\nF:1 -> S:1\n");
  EXPECT_EQ(last(stairs, "/S.1"), 4);
  // Impacts wait for the ends of steps, up to 4.4 mm below the ground.
  const auto ball =
      good_run("stop 1\nsolver rk4\nstep 0.001\nF: FMU " + fmu("bouncing_ball_2") + "\nS: Scope\nF:1 -> S:1\n");
  EXPECT_NEAR(last(ball, "/S.1"), 0.225059761, 0.02);
}

TEST(FmuBlock, EventsThatDoNotEndAreStopped) {
  const auto code = [](const api::RunResult& result) {
    return result.diagnostics.all().empty() ? "" : result.diagnostics.all()[0].code;
  };
  EXPECT_EQ(code(run("stop 1\nF: FMU " + fmu("quirk_crowd_2") + "\n")), "fmi-event-chatter");
  EXPECT_EQ(code(run("stop 1\nF: FMU " + fmu("quirk_endless_iteration_2") + "\n")), "fmi-event-iteration");
  const auto stale = good_run("stop 1\nF: FMU " + fmu("quirk_stale_event_2") + "\n");
  EXPECT_EQ(code(stale), "fmi-stale-event");
}

// x' = u with u = 3 from the parameter start, since nothing drives it.
TEST(FmuBlock, InputsThatNothingDrivesKeepTheirStartValues) {
  for (const char* kind : {"kind='me' ", "kind='cs' step=0.1 "}) {
    const auto result = good_run("stop 2\nF: FMU start={'u',3} " + std::string(kind) + fmu("input_integral_2") +
                                 "\nS: Scope\nF:1 -> S:1\n");
    EXPECT_NEAR(last(result, "/S.1"), 6, 1e-6) << kind;
  }
}

TEST(FmuBlock, TwoOfOneFileShareNothing) {
  const auto result = good_run("stop 1\nrtol 1e-8\nF: FMU " + fmu("dahlquist_2") + "\nG: FMU start={'k',3} " +
                               fmu("dahlquist_2") + "\nS: Scope inputs=2\nF:1 -> S:1\nG:1 -> S:2\n");
  EXPECT_NEAR(last(result, "/S.1"), std::exp(-1), 1e-6);
  EXPECT_NEAR(last(result, "/S.2"), std::exp(-3), 1e-6);
}

TEST(FmuBlock, ACrashIsAnErrorOfTheBlock) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer keeps the handlers of signals for itself";
#endif
  for (const char* safe : {"", "safe=1 "}) {
    const auto result = run("stop 1\nF: FMU " + std::string(safe) + fmu("crash_2") + "\nS: Scope\nF:1 -> S:1\n");
    EXPECT_TRUE(result.failed());
    ASSERT_FALSE(result.diagnostics.all().empty());
    EXPECT_EQ(result.diagnostics.all()[0].code, "fmi-crash") << to_text(result.diagnostics);
    EXPECT_EQ(result.diagnostics.all()[0].place.block, "/F");
  }
}

// Activation input 2 ends the FMU at t = 1: what it gives stays as it was.
TEST(FmuBlock, AnEventCanEndIt) {
  const auto result = good_run("stop 3\nrtol 1e-8\nF: FMU " + fmu("dahlquist_2") +
                               "\nE: EventGenerate times=1\nS: Scope\nE:1 => F:2\nF:1 -> S:1\n");
  EXPECT_NEAR(last(result, "/S.1"), std::exp(-1), 1e-6);
}

TEST(FmuBlock, EventPortsTellOfEventsAndOfTheEnd) {
  const auto result = good_run("stop 20\nF: FMU event_ports=1 " + fmu("stairs_2") +
                               "\nE: EventScope inputs=2\nF:1 => E:1\nF:2 => E:2\n");
  EXPECT_EQ(result.report.end, sim::End::reached_stop);
  EXPECT_GE(last(result, "/E.event1"), 9);
  EXPECT_GE(last(result, "/E.event2"), 1);
}

TEST(FmuBlock, SafeModeGivesTheSameBits) {
  const std::string text = "stop 2\nsolver dopri5\nF: FMU " + fmu("van_der_pol_2") + "\nS: Scope\nF:1 -> S:1\n";
  std::string safe = text;
  safe.insert(safe.find("fmu="), "safe=1 ");
  const auto a = good_run(text), b = good_run(safe);
  EXPECT_EQ(last(a, "/S.1"), last(b, "/S.1"));
}

TEST(FmuBlock, ResultsGoToAFileOfTheirOwn) {
  const auto file = std::filesystem::temp_directory_path() / fmt::format("orrery-fmu-{}.csv", ::getpid());
  good_run("stop 2\nF: FMU results='" + file.string() + "' results_at='events' results_all=1 " +
           fmu("bouncing_ball_2") + "\n");
  std::ifstream stream(file);
  std::string head, line;
  std::getline(stream, head);
  EXPECT_EQ(head, "time,h,v,der(h),der(v),g,e");
  int rows = 0;
  while (std::getline(stream, line)) ++rows;
  EXPECT_GE(rows, 8) << "both sides of four bounces";
  std::filesystem::remove(file);
}

// Runs to the end, and from a state saved on the way to the end: the states are the same.
void expect_same_after_saving(const std::string& text) {
  Diagnostics diagnostics;
  const auto compiled = compile_model(diagram("stop 2\nsolver dopri5\n" + text), {}, diagnostics);
  ASSERT_TRUE(compiled) << to_text(diagnostics);
  api::Run first = compiled->start(), second = compiled->start();
  first.run_past(0.9);
  const auto bytes = first.save();
  EXPECT_EQ(first.run(), api::RunState::reached_stop) << to_text(first.diagnostics());
  ASSERT_TRUE(second.restore(bytes)) << to_text(second.diagnostics());
  EXPECT_EQ(second.run(), api::RunState::reached_stop) << to_text(second.diagnostics());
  int states = 0;
  for (const api::VariableInfo& variable : compiled->variables()) {
    if (variable.kind != api::VariableKind::state) continue;
    EXPECT_EQ(first.values(variable.name), second.values(variable.name)) << variable.name;
    ++states;
  }
  EXPECT_GT(states, 0);
}

TEST(FmuBlock, SavedRunsContinueBitIdentically) {
  expect_same_after_saving("F: FMU " + fmu("bouncing_ball_2") + "\nS: Scope\nF:1 -> S:1\n");
  expect_same_after_saving("F: FMU " + fmu("scaled_2") + "\nS: Scope\nF:1 -> S:1\n");
  for (const char* mode : {"step=0.1 interpolate=1", "step=0.1 iterations=5", "step=0.1 coupling='newton'", ""}) {
    expect_same_after_saving("R: Ramp\nF: FMU kind='cs' inputs={'u'} outputs={'x'} " + std::string(mode) + " " +
                             fmu("input_integral_2") + "\nI: Integral\nR:1 -> F:1\nF:1 -> I:1\nS: Scope\nI:1 -> S:1\n");
  }
}

std::string complaint(const std::string& text) {
  const auto result = run(text);
  EXPECT_TRUE(result.failed());
  return result.diagnostics.all().empty() ? "" : to_text(result.diagnostics.all()[0]);
}

TEST(FmuBlock, MistakesAreFoundAtTheBlock) {
  const std::string ball = fmu("bouncing_ball_2");
  const auto contains = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  contains(complaint("F: FMU\n"), "/F parameter fmu: names no file");
  contains(complaint("F: FMU fmu='nowhere.fmu'\n"), "/F parameter fmu");
  contains(complaint("F: FMU kind='cs' " + fmu("dahlquist_1_me") + "\n"), "/F parameter kind");
  contains(complaint("F: FMU outputs={'h','w'} " + ball + "\n"), "no variable called 'w'");
  contains(complaint("F: FMU inputs='h' " + ball + "\n"), "neither an input nor a tunable parameter");
  contains(complaint("F: FMU start={'gg',1} " + ball + "\n"), "no variable called 'gg'");
  contains(complaint("F: FMU start={'g','down'} " + ball + "\n"), "/F parameter start");
  contains(complaint("F: FMU start={'g'} " + ball + "\n"), "names and values in turn");
  contains(complaint("F: FMU kind='cs' " + fmu("quirk_constant_step_2") + "\n"), "/F parameter step");
  contains(complaint("F: FMU " + ball + "\nC: Constant\nC:1 -> F:1\n"), "has no inputs");
  contains(complaint("F: FMU results='/tmp/x.csv' results_at='sometimes' " + ball + "\n"), "'sometimes'");
  contains(complaint("F: FMU results=5 " + ball + "\n"), "/F parameter results: must be a text");
  contains(complaint("F: FMU log_categories=1 " + ball + "\n"), "/F parameter log_categories: must be a text");
  contains(complaint("F: FMU step='a' " + ball + "\n"), "/F parameter step: must be one real number");
}

}  // namespace
}  // namespace orrery::tests::fmu_block_test
