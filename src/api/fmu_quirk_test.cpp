// SPDX-License-Identifier: Apache-2.0
// FMUs with the faults of real ones: every one runs, or says what is wrong with it.
#include <fenv.h>
#include <immintrin.h>

#include <thread>

#include "api/fmu_run_for_tests.h"
#include "fmi/archive_for_tests.h"
#include "fmi/guard.h"
#include "fmi/mend_library.h"
#include "io/output_file.h"

namespace orrery::fmi {
namespace {

TEST(SimulateQuirks, FaultsOfRealFmusAreTolerated) {
  for (const char* name :
       {"quirk_time_first_1_me", "quirk_completed_first_1_me", "quirk_completed_first_2", "quirk_silent_nominals_1_me",
        "quirk_silent_nominals_2", "quirk_few_functions_2", "quirk_few_functions_1_me", "quirk_few_functions_1_cs",
        "quirk_null_string_2", "quirk_description_2", "quirk_streams_2", "quirk_prefix_2", "quirk_prefix_3",
        "quirk_companion_2", "quirk_shouting_2", "quirk_fast_math_2", "quirk_event_at_once_2"}) {
    EXPECT_RUNS(simulate(fmu(name), {}));
    EXPECT_EQ(simulate(fmu(name), {}).end, End::reached_stop) << name;
  }
}

TEST(SimulateQuirks, CompanionsOfAllKindsAreFound) {
  for (const std::string name : {"quirk_nameless_companion_2", "quirk_opens_companion_2", "quirk_longer_companion_2"}) {
    // The sanitizer opens libraries in the name of the FMU, and knows nothing of its folder.
    if (under_sanitizer && name == "quirk_opens_companion_2") continue;
    EXPECT_RUNS(simulate(fmu(name), {}));
  }
}

TEST(SimulateQuirks, NullStringsAreEmpty) {
  const RunResult result = simulate(fmu("quirk_null_string_2"), {});
  EXPECT_EQ(result.recording.texts.back(), "");
}

TEST(SimulateQuirks, ConstantStepsStayConstant) {
  RunOptions options = co_simulation();
  options.step = 0.3;  // 10 is no multiple of it
  for (const char* name : {"quirk_constant_step_1_cs", "quirk_constant_step_2"}) {
    const RunResult result = simulate(fmu(name), options);
    EXPECT_RUNS(result);
    EXPECT_NEAR(result.time, 10.2, 1e-9);
  }
}

TEST(SimulateQuirks, LibrariesAreFoundOrNamed) {
  for (const char* name : {"quirk_library_name_2", "quirk_lib_before_2"}) {
    const RunResult result = simulate(fmu(name), {});
    EXPECT_RUNS(result);
    EXPECT_TRUE(has_code(result, "fmi-library-name")) << name;
  }
  const RunResult result = simulate(fmu("quirk_absent_library_2"), {});
  ASSERT_TRUE(has_code(result, "fmi-missing-library"));
  EXPECT_NE(result.diagnostics.all().back().message.find("libabsent.so.3"), std::string::npos);
}

// Compilers give their libraries a new number every few years; the one of this machine does as well.
TEST(SimulateQuirks, OldLibrariesHaveSuccessors) {
  const RunResult result = simulate(fmu("quirk_old_library_2"), {});
  EXPECT_RUNS(result);
  const Diagnostic* warning = find_code(result.diagnostics, "fmi-other-library");
  ASSERT_NE(warning, nullptr);
  EXPECT_NE(warning->message.find("libgfortran.so.3"), std::string::npos);
}

TEST(SimulateQuirks, LibrariesNeedNoCodeOnTheStack) {
  EXPECT_RUNS(simulate(fmu("quirk_code_on_stack_2"), {}));
  Diagnostics diagnostics;
  const auto archive = Archive::open(fmu("quirk_code_on_stack_2"), diagnostics);
  const std::string name = "binaries/linux64/quirk_code_on_stack.so";
  const ScratchFile library("stack.so");
  library.write(archive->read(name, diagnostics).value_or(""));
  EXPECT_TRUE(leave_stack_alone(library.path()));
  EXPECT_FALSE(leave_stack_alone(library.path()));  // it is said once
  const auto bytes = io::read_file(library.path(), diagnostics);
  ASSERT_TRUE(bytes);
  const AlteredFmu mended("quirk_code_on_stack_2", {}, {{name, *bytes}});
  EXPECT_RUNS(simulate(mended.path(), {}));
}

// Files that are no libraries, or broken ones, are left as they are.
TEST(SimulateQuirks, NoLibrariesAreMended) {
  const ScratchFile file("none.so");
  std::string bytes = "no library";
  for (int round = 0; round < 2; ++round) {
    file.write(bytes);
    EXPECT_FALSE(look_beside(file.path()));
    EXPECT_FALSE(leave_stack_alone(file.path()));
    EXPECT_FALSE(replace_needed(file.path(), "libm.so.6", "libc.so.6"));
    Diagnostics diagnostics;
    const auto archive = Archive::open(fmu("dahlquist_2"), diagnostics);
    bytes = archive->read("binaries/linux64/dahlquist.so", diagnostics).value_or("").substr(0, 300);
  }
}

TEST(SimulateQuirks, LoadersSayWhatMayHelp) {
  const AlteredFmu altered("dahlquist_2", {}, {{"binaries/linux64/dahlquist.so", "MZ" + std::string(2000, '.')}});
  const RunResult result = simulate(altered.path(), {});
  const Diagnostic* error = find_code(result.diagnostics, "fmi-load-failed");
  ASSERT_NE(error, nullptr);
  EXPECT_NE(error->help.find("no library for Linux"), std::string::npos) << error->message;
}

TEST(SimulateQuirks, TextsThatAreNoFormatsAreKept) {
  if (under_sanitizer) GTEST_SKIP();
  const ScratchFile log("percent");
  RunOptions options;
  options.log = log.path();
  EXPECT_RUNS(simulate(fmu("quirk_percent_2"), options));
  std::ifstream file(log.path());
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  EXPECT_NE(line.find("90%s of 100%n"), std::string::npos) << line;
}

TEST(SimulateQuirks, TheWorkingFolderIsKept) {
  char before[4096] = "", after[4096] = "";
  ASSERT_NE(getcwd(before, sizeof before), nullptr);
  EXPECT_RUNS(simulate(fmu("quirk_changes_folder_2"), {}));
  ASSERT_NE(getcwd(after, sizeof after), nullptr);
  EXPECT_STREQ(before, after);
}

TEST(SimulateQuirks, LargeArraysFitOnTheStack) {
  if (under_sanitizer) GTEST_SKIP();
  EXPECT_RUNS(simulate(fmu("quirk_stack_2"), {}));
}

// Texts cannot be read at all, everything else can.
TEST(SimulateQuirks, TypesThatCannotBeReadDoNotSpoilTheOthers) {
  for (const char* name : {"quirk_no_strings_1_me", "quirk_no_strings_1_cs"}) {
    const RunResult result = simulate(fmu(name), {});
    EXPECT_RUNS(result);
    const Diagnostic* warning = find_code(result.diagnostics, "fmi-no-value");
    ASSERT_NE(warning, nullptr) << name;
    EXPECT_NE(warning->message.find("GetString"), std::string::npos) << warning->message;
    EXPECT_GT(result.recording.rows(), 2u) << name;
    EXPECT_EQ(last(result, "Int32_output"), 0) << name;
    EXPECT_EQ(last_text(result, "String_output"), "") << name;
  }
  RunOptions only_text;
  only_text.variables = {"String_output"};
  EXPECT_TRUE(has_code(simulate(fmu("quirk_no_strings_1_me"), only_text), "fmi-call-failed"));
}

// Two of three outputs have no value between 3.05 and 5.05.
TEST(SimulateQuirks, OutputsWithoutAValueDoNotSpoilTheOthers) {
  const RunResult result = simulate(fmu("quirk_gaps_2"), exchange());
  EXPECT_RUNS(result);
  EXPECT_TRUE(has_code(result, "fmi-no-value"));
  const RunResult whole = simulate(fmu("oscillator_2"), exchange());
  ASSERT_EQ(result.recording.rows(), whole.recording.rows());
  for (std::size_t row = 0; row < whole.recording.rows(); ++row) {
    const double t = result.recording.time[row];
    EXPECT_NEAR(result.recording.number(row, 0), whole.recording.number(row, 0), 1e-9);
    EXPECT_EQ(std::isnan(result.recording.number(row, 1)), t > 3.05 && t < 5.05) << t;
  }
}

// x'' + 0.2 x' + x = 0 with noise of 1e-5 on the derivatives.
TEST(SimulateQuirks, NoiseOfInnerIterationsIsEndured) {
  const RunResult result = simulate(fmu("quirk_noise_2"), exchange());
  EXPECT_RUNS(result);
  EXPECT_NEAR(last(result, "x"), last(simulate(fmu("oscillator_2"), exchange()), "x"), 1e-4);
}

TEST(SimulateQuirks, WithoutOutputsAllThatChangesIsRecorded) {
  for (const std::string& name : versions("quirk_no_outputs", "me")) {
    const RunResult result = simulate(fmu(name), exchange());
    EXPECT_RUNS(result);
    for (const char* column : {"x0", "x1", "der(x0)"}) EXPECT_GE(result.recording.find(column), 0) << name << column;
    EXPECT_EQ(result.recording.find("mu"), -1);
  }
  RunOptions options = co_simulation();
  EXPECT_GE(simulate(fmu("quirk_no_outputs_1_cs"), options).recording.find("x1"), 0);
  options.also = {"mu", "nobody", "x0"};
  const RunResult more = simulate(fmu("van_der_pol_2"), options);
  EXPECT_EQ(last(more, "mu"), 1);
  EXPECT_EQ(more.recording.columns.size(), 3u);
}

TEST(SimulateQuirks, SourcesAreCompiledWhenNoBinaryFits) {
  const RunResult result = simulate(fmu("source_only_2"), exchange());
  EXPECT_RUNS(result);
  EXPECT_NEAR(last(result, "x"), std::exp(-10.0), 1e-5);
}

TEST(SimulateQuirks, ChatterGoesToTheLogWithNames) {
  const std::string path = testing::TempDir() + "orrery_fmi_log_" + std::to_string(getpid());
  for (const char* name : {"quirk_talkative_1_cs", "quirk_talkative_2"}) {
    RunOptions options = co_simulation();
    options.log = path;
    EXPECT_RUNS(simulate(fmu(name), options));
    std::ifstream file(path);
    std::string line;
    ASSERT_TRUE(std::getline(file, line));
    EXPECT_NE(line.find("warning [chatter] step to 0"), std::string::npos) << line;
    EXPECT_NE(line.find("with x"), std::string::npos) << line;
  }
  std::remove(path.c_str());
}

TEST(SimulateQuirks, WrongDerivativesAreNotUsed) {
  for (const char* name : {"quirk_no_directional_2", "quirk_wrong_directional_2"}) {
    RunOptions options = exchange();
    options.solver = "radau";
    const RunResult result = simulate(fmu(name), options);
    EXPECT_RUNS(result);
    EXPECT_TRUE(has_code(result, "fmi-no-directional-derivatives")) << name;
    EXPECT_GT(result.statistics.steps, 0);
  }
}

TEST(SimulateQuirks, StatesAreFoundWithoutAStructure) {
  const RunResult result = simulate(fmu("quirk_no_structure_2"), exchange());
  EXPECT_RUNS(result);
  EXPECT_TRUE(has_code(result, "fmi-bad-structure"));
  EXPECT_EQ(result.states, 2u);
  EXPECT_NEAR(
      last(result, "x"),
      std::exp(-1.0) * (std::cos(std::sqrt(0.99) * 10) + 0.1 / std::sqrt(0.99) * std::sin(std::sqrt(0.99) * 10)), 1e-5);
}

TEST(SimulateQuirks, RefusedStepsAreTriedSmaller) {
  for (const char* name : {"quirk_small_steps_2", "quirk_half_steps_2", "quirk_pending_2"}) {
    const RunResult result = simulate(fmu(name), co_simulation());
    EXPECT_RUNS(result);
    EXPECT_EQ(result.time, 10) << name;
    EXPECT_NEAR(last(result, "x"), std::exp(-10.0), 1e-8) << name;
  }
}

TEST(SimulateQuirks, StepsMayEndTheRun) {
  const RunResult result = simulate(fmu("quirk_ends_in_step_2"), exchange());
  EXPECT_RUNS(result);
  EXPECT_EQ(result.end, End::terminated);
  EXPECT_GT(result.time, 1.5);
  EXPECT_LT(result.time, 4);
}

TEST(SimulateQuirks, EventsThatHaveBeenAreIgnored) {
  const RunResult result = simulate(fmu("quirk_stale_event_2"), exchange());
  EXPECT_RUNS(result);
  EXPECT_TRUE(has_code(result, "fmi-stale-event"));
  EXPECT_EQ(result.end, End::reached_stop);
  EXPECT_NEAR(last(result, "x"), std::exp(-10.0), 1e-5);
}

TEST(SimulateQuirks, ToolCouplingIsTried) {
  for (const char* name : {"quirk_tool_1_cs", "quirk_tool_2"}) {
    const RunResult result = simulate(fmu(name), co_simulation());
    EXPECT_RUNS(result);
    EXPECT_TRUE(has_code(result, "fmi-needs-tool")) << name;
  }
}

TEST(SimulateQuirks, TimesHaveDefaults) {
  for (const std::string& name : versions("quirk_no_times", "cs")) {
    RunOptions options = co_simulation();
    RunResult result = simulate(fmu(name), options);
    EXPECT_RUNS(result);
    EXPECT_TRUE(has_code(result, "fmi-no-stop-time")) << name;
    EXPECT_EQ(result.time, 1) << name;
    options.start = -2;
    options.stop = 1e-4 - 2;
    options.step = 1e-7;
    result = simulate(fmu(name), options);
    EXPECT_RUNS(result);
    EXPECT_FALSE(has_code(result, "fmi-no-stop-time")) << name;
    EXPECT_EQ(result.counts.communication_steps, 1000) << name;
    EXPECT_NEAR(last(result, "x"), std::exp(-1e-4), 1e-12) << name;
  }
}

TEST(SimulateQuirks, AStopTimeThatIsNoneIsLeftOut) {
  const AlteredFmu altered("dahlquist_2", {{"stopTime=\"10\"", "stopTime=\"0\""}});
  const RunResult result = simulate(altered.path(), exchange());
  EXPECT_RUNS(result);
  EXPECT_TRUE(has_code(result, "fmi-no-stop-time"));
  EXPECT_NEAR(last(result, "x"), std::exp(-1.0), 1e-6);
}

// 1e308 + 0.1 is 1e308.
TEST(SimulateQuirks, TimesBeyondAllStepsDoNotHang) {
  RunOptions options;
  for (const Kind kind : {Kind::model_exchange, Kind::co_simulation}) {
    options.kind = kind;
    options.start = 1e308;
    options.stop = 1e308;
    RunResult result = simulate(fmu("feedthrough_2"), options);
    EXPECT_RUNS(result);
    EXPECT_EQ(result.recording.rows(), 1u);
    options.stop = 1.1e308;
    options.step = 0.1;
    EXPECT_TRUE(has_code(simulate(fmu("feedthrough_2"), options), "fmi-bad-times"));
    options.step.reset();
  }
}

// More event indicators than the FMU writes, and a derivative that belongs to no state.
TEST(SimulateQuirks, CountsThatAreWrongDoNoHarm) {
  for (const auto& [from, to] : {std::pair("numberOfEventIndicators=\"1\"", "numberOfEventIndicators=\"5\""),
                                 {"<Unknown index=\"4\"/></D", "<Unknown index=\"4\"/><Unknown index=\"5\"/></D"}}) {
    const AlteredFmu altered("bouncing_ball_2", {{from, to}});
    const RunResult result = simulate(altered.path(), exchange());
    EXPECT_RUNS(result);
    EXPECT_EQ(last(result, "h"), last(simulate(fmu("bouncing_ball_2"), exchange()), "h")) << to;
  }
}

TEST(SimulateQuirks, RunsMayStartLate) {
  for (const std::string& name : versions("quirk_late_start", "me")) {
    const RunResult result = simulate(fmu(name), exchange());
    EXPECT_RUNS(result);
    EXPECT_EQ(result.start, 4.5) << name;
    EXPECT_EQ(last(result, "counter"), 1 + 6) << name;  // steps at 5, 6, ..., 10
  }
}

TEST(SimulateQuirks, IncompleteLibrariesAreLoaded) {
  const RunResult result = simulate(fmu("quirk_undefined_2"), {});
  EXPECT_RUNS(result);
  EXPECT_TRUE(has_code(result, "fmi-undefined-symbol"));
}

TEST(SimulateQuirks, OtherPlatformsAreNamed) {
  const RunResult result = simulate(fmu("other_platform_2"), {});
  EXPECT_TRUE(result.failed());
  const Diagnostic* error = find_code(result.diagnostics, "fmi-no-binary");
  ASSERT_NE(error, nullptr);
  EXPECT_NE(error->message.find("win64"), std::string::npos);
  const RunResult small = simulate(fmu("quirk_32_bit_2"), {});
  error = find_code(small.diagnostics, "fmi-no-binary");
  ASSERT_NE(error, nullptr);
  EXPECT_NE(error->help.find("32 bits"), std::string::npos);
}

TEST(SimulateQuirks, AnFmuMayHaveNothingButParameters) {
  for (const char* kind : {"me", "cs"}) {
    for (const std::string& name : versions("only_parameters", kind)) {
      const RunResult result = simulate(fmu(name), std::string(kind) == "me" ? exchange() : co_simulation());
      EXPECT_RUNS(result);
      EXPECT_TRUE(has_code(result, "fmi-no-outputs")) << name;
      EXPECT_EQ(result.end, End::reached_stop) << name;
    }
  }
}

TEST(SimulateQuirks, TheFirstEventMayEndTheRun) {
  const RunResult result = simulate(fmu("quirk_ends_at_start_2"), exchange());
  EXPECT_RUNS(result);
  EXPECT_EQ(result.end, End::terminated);
  EXPECT_EQ(result.recording.rows(), 1u);
}

TEST(SimulateQuirks, TheFloatingPointEnvironmentIsKept) {
  for (const char* name : {"quirk_traps_2", "quirk_fast_math_2"}) {
    EXPECT_RUNS(simulate(fmu(name), {}));
    EXPECT_EQ(fegetexcept(), 0) << name;
#if defined(__SSE2__)
    EXPECT_EQ(_mm_getcsr() & 0xffc0u, 0x1f80u) << name;  // all masked, round to nearest, denormals kept
#endif
  }
}

TEST(SimulateQuirks, WordsFromOtherThreadsAndAfterTheEndDoNoHarm) {
  for (int k = 0; k < 3; ++k) EXPECT_RUNS(simulate(fmu("quirk_threads_2"), co_simulation()));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
}

TEST(SimulateQuirks, MeaninglessTolerancesAreLeftOut) {
  const RunResult result = simulate(fmu("dahlquist_2"), exchange(1));
  EXPECT_RUNS(result);
  EXPECT_TRUE(has_code(result, "fmi-loose-tolerance"));
  EXPECT_NEAR(last(result, "x"), std::exp(-10.0), 1e-5);
}

TEST(SimulateQuirks, IndicatorsWithoutStatesAreWatched) {
  for (const std::string& name : versions("zero_states", "me")) {
    const RunResult result = simulate(fmu(name), exchange());
    EXPECT_RUNS(result);
    EXPECT_EQ(last(result, "changes"), 5) << name;
    EXPECT_EQ(result.counts.state_events, 5) << name;
  }
}

// In this process too: what was computed before the crash is kept.
TEST(SimulateCrash, NamesTheCallAndKeepsTheRows) {
  if (under_sanitizer) GTEST_SKIP();
  const std::pair<const char*, const char*> cases[] = {{"crash_1_me", "fmiGetDerivatives"},
                                                       {"crash_2", "fmi2GetDerivatives"},
                                                       {"crash_3", "fmi3GetContinuousStateDerivatives"},
                                                       {"divide_2", "fmi2GetDerivatives"},
                                                       {"throw_2", "fmi2GetDerivatives: thrown by a test"},
                                                       {"overflow_stack_2", "fmi2GetDerivatives"}};
  for (const auto& [name, words] : cases) {
    const RunResult result = simulate(fmu(name), exchange());
    EXPECT_TRUE(result.failed());
    EXPECT_TRUE(result.started);
    EXPECT_GT(result.recording.rows(), 2u) << name;
    const Diagnostic* error = find_code(result.diagnostics, "fmi-crash");
    ASSERT_NE(error, nullptr) << name << to_text(result.diagnostics);
    EXPECT_NE(error->message.find(words), std::string::npos) << error->message;
  }
  // The simulator lives on.
  EXPECT_RUNS(simulate(fmu("dahlquist_2"), exchange()));
}

TEST(SimulateCrash, BeforeTheRunIsNamedToo) {
  if (under_sanitizer) GTEST_SKIP();
  const std::pair<const char*, const char*> cases[] = {{"crash_at_start_2", "fmi2Instantiate"},
                                                       {"crash_at_initialise_1_me", "fmiInitialize"},
                                                       {"crash_at_initialise_2", "fmi2ExitInitializationMode"},
                                                       {"crash_at_initialise_3", "fmi3ExitInitializationMode"}};
  for (const auto& [name, function] : cases) {
    const RunResult result = simulate(fmu(name), {});
    EXPECT_TRUE(result.failed());
    const Diagnostic* error = find_code(result.diagnostics, "fmi-crash");
    ASSERT_NE(error, nullptr) << name << to_text(result.diagnostics);
    EXPECT_NE(error->message.find(function), std::string::npos) << error->message;
  }
}

// Results are out before the FMU is released.
TEST(SimulateDeathTest, CrashesAtTheEndSpoilNothing) {
  if (under_sanitizer) GTEST_SKIP();
  const auto finished = [](RunResult& result) {
    std::fprintf(stderr, "%s at %g, ", result.failed() ? "failed" : "kept", result.time);
    expect_end(0);
  };
  EXPECT_EXIT(api::run_fmu(fmu("quirk_bad_end_2"), {}, finished), testing::ExitedWithCode(0),
              "kept at 10, warning.*crashed in fmi2FreeInstance");
  EXPECT_EXIT(api::run_fmu(fmu("quirk_bad_end_of_library_2"), {}, finished), testing::ExitedWithCode(0),
              "kept at 10, warning.*crashed in dlclose");
}

TEST(SimulateDeathTest, EndsOfTheProgramAreNamed) {
  if (under_sanitizer) GTEST_SKIP();
  EXPECT_EXIT(simulate(fmu("abort_2"), {}), testing::ExitedWithCode(1), "the FMU crashed in fmi2GetDerivatives");
  EXPECT_EXIT(simulate(fmu("crash_at_load_2"), {}), testing::ExitedWithCode(1), "crash_at_load.*crashed in dlopen");
  EXPECT_EXIT(simulate(fmu("leave_2"), {}), testing::ExitedWithCode(1),
              "the FMU ended the program in fmi2GetDerivatives");
}

}  // namespace
}  // namespace orrery::fmi
