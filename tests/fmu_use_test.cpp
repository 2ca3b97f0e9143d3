// SPDX-License-Identifier: Apache-2.0
// What people do with FMU blocks: loops of both kinds, many instances, sizes, files of their own, other resources.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/folders_for_tests.h"
#include "fmu_block.h"

namespace orrery::tests::fmu_use_test {
namespace {

std::string scratch(const std::string& name) {
  return std::filesystem::temp_directory_path() / fmt::format("orrery-use-{}-{}", ::getpid(), name);
}

std::string content(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  std::filesystem::remove(path);
  return text.str();
}

// y1 = y2 / 2, y2 = 1 + y1 / 2 through two FMUs: 2/3 and 4/3.
TEST(FmuUse, AnAlgebraicLoopThroughTwoFmus) {
  for (const char* versions : {"22", "23", "33"}) {
    const auto part = [&](char version) {
      return "inputs='Float64_input' outputs='Float64_output' " + fmu(std::string("feedthrough_") + version);
    };
    const auto result = good_run("stop 1\nA: FMU " + part(versions[0]) + "\nB: FMU " + part(versions[1]) +
                                 "\nG: Gain k=0.5\nH: Gain k=0.5\nC: Constant\nP: Sum\nS: Scope inputs=2\n"
                                 "A:1 -> G:1 S:1\nG:1 -> P:1\nC:1 -> P:2\nP:1 -> B:1\nB:1 -> H:1 S:2\nH:1 -> A:1\n");
    EXPECT_NEAR(last(result, "/S.1"), 2.0 / 3, 1e-9) << versions;
    EXPECT_NEAR(last(result, "/S.2"), 4.0 / 3, 1e-9) << versions;
  }
}

// a' = -b in Model Exchange, b' = a in Co-Simulation with slopes: (cos t, sin t), up to the half step by which the held
// b is late; with the slope of b going on the error is of second order.
TEST(FmuUse, ModelExchangeAndCoSimulationInALoop) {
  const std::string part = "inputs={'u'} outputs={'x'} " + fmu("input_integral_2");
  const auto result =
      good_run("stop 2\nA: FMU start={'x',1} " + part + "\nB: FMU kind='cs' step=0.001 interpolate=1 " + part +
               "\nK: Gain k=-1\nS: Scope inputs=2\nA:1 -> B:1 S:1\nB:1 -> K:1 S:2\nK:1 -> A:1\n");
  EXPECT_NEAR(last(result, "/S.1"), std::cos(2.0), 1e-3);
  EXPECT_NEAR(last(result, "/S.2"), std::sin(2.0), 1e-3);
}

// a' = -b, b' = a in two FMUs that one clock steps through links; the mean of the inputs turns (a, b) by 2 atan(h / 2).
TEST(FmuUse, LinksStepFmusThatIterate) {
  const std::string file =
      fmu("input_integral_2") + " kind='cs' step=-1 inputs={'u'} outputs={'x'} iterations=40 iteration_tolerance=1e-10";
  const auto result = good_run("stop 2.05\nA: FMU start={'x',1} " + file + "\nB: FMU " + file +
                               "\nC: SampleClock period=0.1\nC:1 => A:1 B:1\nK: Gain k=-1\nS: Scope inputs=2\n"
                               "A:1 -> B:1 S:1\nB:1 -> K:1 S:2\nK:1 -> A:1\n");
  const double angle = 20 * 2 * std::atan(0.05);
  EXPECT_NEAR(last(result, "/S.1"), std::cos(angle), 1e-8);
  EXPECT_NEAR(last(result, "/S.2"), std::sin(angle), 1e-8);
}

// Two instances of a masked super block, k from the mask: exp(-k).
TEST(FmuUse, InsideMaskedSuperBlocks) {
  const auto part = [](int k) {
    return fmt::format(R"({{"name": "P{}", "type": "SuperBlock", "parameters": {{"rate": "{}"}}, "diagram": {{
      "mask": [{{"name": "rate", "default": "1"}}],
      "blocks": [{{"name": "F", "type": "FMU", "parameters": {{"start": "{{'k', rate}}", "fmu": "'{}/dahlquist_2.fmu'"}}}},
                 {{"name": "O", "type": "Output", "parameters": {{"port": "1"}}}}],
      "links": [{{"from": "F:1", "to": ["O:1"]}}]}}}})",
                       k, k, test_fmu_folder());
  };
  const auto result =
      run_text(R"({"orrery": 1, "name": "m", "simulation": {"stop": "1", "rtol": "1e-8"}, "blocks": [)" + part(1) +
               "," + part(2) + R"(, {"name": "S", "type": "Scope", "parameters": {"inputs": "2"}}],
      "links": [{"from": "P1:1", "to": ["S:1"]}, {"from": "P2:1", "to": ["S:2"]}]})");
  ASSERT_FALSE(result.failed()) << to_text(result.diagnostics);
  EXPECT_NEAR(last(result, "/S.1"), std::exp(-1), 1e-7);
  EXPECT_NEAR(last(result, "/S.2"), std::exp(-2), 1e-7);
}

TEST(FmuUse, OneInstancePerProcess) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer does not survive the fork";
#endif
  for (int round = 0; round < 2; ++round) {  // the first one is gone when the second run begins
    std::string text = "stop 1\nrtol 1e-8\nS: Scope inputs=3\n";
    for (int k = 1; k <= 3; ++k) {
      text += fmt::format("F{}: FMU start={{'k',{}}} {}\nF{}:1 -> S:{}\n", k, k, fmu("quirk_only_once_2"), k, k);
    }
    const auto result = good_run(text);
    for (int k = 1; k <= 3; ++k) EXPECT_NEAR(last(result, fmt::format("/S.{}", k)), std::exp(-k), 1e-7);
  }
}

TEST(FmuUse, StructuralParametersChangeTheSizesOfPorts) {
  const auto result =
      good_run("stop 1\nrtol 1e-8\nF: FMU start={'n',5} " + fmu("resizable_3") + "\nS: Scope\nF:1 -> S:1\n");
  for (int k = 1; k <= 5; ++k) EXPECT_NEAR(last(result, fmt::format("/S.1[{}]", k)), std::exp(-k), 1e-7);
}

TEST(FmuUse, AnotherNumberOfStatesThanDescribedIsAnError) {
  const auto result = run("stop 1\nF: FMU start={'n',2} " + fmu("state_space_3") + "\nS: Scope\nF:1 -> S:1\n");
  EXPECT_TRUE(result.failed());
  ASSERT_FALSE(result.diagnostics.all().empty());
  EXPECT_EQ(result.diagnostics.all()[0].code, "fmi-too-large");
}

TEST(FmuUse, TextsAreSetAndStoredButAreNoSignals) {
  const std::string file = scratch("texts.csv");
  good_run("stop 1\nF: FMU start={'String_parameter','hello'} results_all=1 results='" + file + "' " +
           fmu("feedthrough_3") + "\n");
  EXPECT_NE(content(file).find("hello,hello"), std::string::npos);
  const auto result = run("stop 1\nF: FMU outputs={'String_output'} " + fmu("feedthrough_3") + "\n");
  EXPECT_NE(to_text(result.diagnostics).find("is a String and no signal"), std::string::npos)
      << to_text(result.diagnostics);
}

// x = a t^2 / 2 through the FMU.
TEST(FmuUse, SensitivitiesPassThroughInputsAndAreRefusedForParameters) {
  const auto text = [](const std::string& start) {
    return R"({"orrery": 1, "name": "s", "simulation": {"stop": "2", "rtol": "1e-9"}, "context": ["a = 3;"], "blocks": [
      {"name": "F", "type": "FMU", "parameters": {"inputs": "{'u'}", "outputs": "{'x'}", "start": ")" +
           start + R"(", "fmu": ")" + "'" + test_fmu_folder() + "/input_integral_2.fmu'" + R"("}},
      {"name": "T", "type": "Time"}, {"name": "G", "type": "Gain", "parameters": {"k": "a"}}, {"name": "S", "type": "Scope"}],
      "links": [{"from": "T:1", "to": ["G:1"]}, {"from": "G:1", "to": ["F:1"]}, {"from": "F:1", "to": ["S:1"]}]})";
  };
  api::RunRequest request;
  request.sensitivities = {"a"};
  const auto result = run_text(text("[]"), request);
  ASSERT_FALSE(result.failed()) << to_text(result.diagnostics);
  EXPECT_NEAR(last(result, "/S.1"), 6, 1e-8);
  EXPECT_NEAR(last(result, "d(/S.1)/d(a)"), 2, 1e-8);
  EXPECT_NE(to_text(run_text(text("{'x', a}"), request).diagnostics).find("no-sensitivity"), std::string::npos);
}

TEST(FmuUse, ResultsAsHdf5AndMessagesOfOurOwn) {
  const std::string results = scratch("ball.mtsf"), log = scratch("ball.log");
  good_run("stop 1\nF: FMU log_level='info' log_own=1 log='" + log + "' results='" + results + "' " +
           fmu("bouncing_ball_2") + "\n");
  EXPECT_EQ(content(results).substr(0, 8), "\x89HDF\r\n\x1a\n");
  const std::string text = content(log);
  EXPECT_NE(text.find("ok [orrery] /F: Model Exchange of "), std::string::npos) << text;
  EXPECT_NE(text.find("state event at t = 0.45"), std::string::npos) << text;
}

TEST(FmuUse, TwoBlocksDoNotWriteOneFile) {
  const std::string part = "results='" + scratch("shared.csv") + "' " + fmu("dahlquist_2");
  const auto result = run("stop 1\nA: FMU " + part + "\nB: FMU " + part + "\n");
  EXPECT_TRUE(result.failed());
  EXPECT_NE(to_text(result.diagnostics).find("another FMU block writes to the file"), std::string::npos);
}

// Each update of the output is a row: far more than steps.
TEST(FmuUse, RowsAtEveryOutputUpdate) {
  const auto rows = [](const std::string& when) {
    const std::string file = scratch("rows.csv");
    good_run("stop 1\nsolver dopri5\nF: FMU results_at='" + when + "' results='" + file + "' " + fmu("dahlquist_2") +
             "\nI: Integral\nS: Scope\nF:1 -> I:1\nI:1 -> S:1\n");
    const std::string text = content(file);
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_GT(rows("outputs"), 3 * rows("steps"));
}

TEST(FmuUse, ResourcesOfAnotherFolder) {
  const std::string folder = scratch("resources");
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/y.txt") << "b";
  for (const char* version : {"2", "3"}) {
    const std::string file = fmu(std::string("resource_") + version);
    EXPECT_EQ(last(good_run("stop 1\nF: FMU " + file + "\nS: Scope\nF:1 -> S:1\n"), "/S.1"), 'a');
    const auto other = good_run("stop 1\nF: FMU resources='" + folder + "' " + file + "\nS: Scope\nF:1 -> S:1\n");
    EXPECT_EQ(last(other, "/S.1"), 'b') << version;
  }
  std::filesystem::remove_all(folder);
}

// A link that ends the FMU later does not keep it from seeing the events of its inputs: its copy follows the counter.
TEST(FmuUse, ALinkThatEndsItLeavesTheEventsOfItsInputs) {
  const auto result =
      good_run("stop 3.5\nF: FMU inputs={'k'} outputs={'k_copy'} " + fmu("input_integral_2") +
               "\nC: SampleClock period=1\nN: Counter\nI: DataTypeConversion type='int32'\nE: EventGenerate times=100\n"
               "S: Scope inputs=2\nC:1 => N:1\nN:1 -> I:1\nI:1 -> F:1 S:2\nE:1 => F:2\nF:1 -> S:1\n");
  EXPECT_EQ(last(result, "/S.1"), last(result, "/S.2"));
  EXPECT_GE(last(result, "/S.2"), 3);
}

}  // namespace
}  // namespace orrery::tests::fmu_use_test
