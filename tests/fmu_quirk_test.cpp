// SPDX-License-Identifier: Apache-2.0
// FMUs with the faults of real ones, as blocks: every one runs, or the block says what is wrong with it.
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "base/folders_for_tests.h"
#include "fmu_block.h"
#include "io/csv.h"

namespace orrery::tests::fmu_quirk_test {
namespace {

std::string alone(const std::string& name, const std::string& more = "") {
  return "stop 1\nrtol 1e-8\nF: FMU " + more + " " + fmu(name) + "\nS: Scope\nF:1 -> S:1\n";
}

double decay(double t) { return std::exp(-t); }

TEST(FmuBlockQuirks, FaultsOfModelExchangeAreTolerated) {
  for (const char* name : {"quirk_time_first_1_me",
                           "quirk_talkative_2",
                           "quirk_shouting_2",
                           "quirk_threads_2",
                           "quirk_traps_2",
                           "quirk_fast_math_2",
                           "quirk_undefined_2",
                           "quirk_companion_2",
                           "quirk_prefix_2",
                           "quirk_prefix_3",
                           "quirk_streams_2",
                           "quirk_library_name_2",
                           "quirk_stale_event_2",
                           "quirk_no_logging_2",
                           "quirk_tool_2",
                           "quirk_no_times_1_me",
                           "quirk_no_times_2",
                           "quirk_no_times_3",
                           "source_only_2",
                           "quirk_nameless_companion_2",
                           "quirk_longer_companion_2",
                           "quirk_old_library_2",
                           "quirk_percent_2",
                           "quirk_changes_folder_2",
                           "quirk_bad_manners_2"}) {
    EXPECT_LT(error(good_run(alone(name, "kind='me'")), "/S.1", decay), 1e-6) << name;
  }
}

TEST(FmuBlockQuirks, FaultsOfCoSimulationAreTolerated) {
  for (const char* name :
       {"quirk_constant_step_1_cs", "quirk_constant_step_2", "quirk_talkative_1_cs", "quirk_small_steps_2",
        "quirk_half_steps_2", "quirk_pending_2", "quirk_prefix_3", "quirk_tool_1_cs", "quirk_no_times_3"}) {
    const auto result = good_run(alone(name, "kind='cs' step=0.1"));
    EXPECT_NEAR(last(result, "/S.1"), decay(1), 1e-6) << name;
  }
}

// Nominals that are not written, functions that are missing, derivatives that are wrong: the solution is the same.
TEST(FmuBlockQuirks, TheRestOfAModelDoesNotMind) {
  const double exact = last(good_run(alone("van_der_pol_2", "kind='me'")), "/S.1");
  for (const char* name :
       {"quirk_silent_nominals_1_me", "quirk_silent_nominals_2", "quirk_few_functions_1_me", "quirk_few_functions_2"}) {
    EXPECT_NEAR(last(good_run(alone(name, "kind='me'")), "/S.1"), exact, 1e-6) << name;
  }
  for (const char* solver : {"solver cvode-bdf-newton\n", "solver radau\n"}) {
    EXPECT_NEAR(last(good_run(solver + alone("quirk_wrong_directional_2", "kind='me'")), "/S.1"), exact, 1e-5);
  }
}

TEST(FmuBlockQuirks, CompletedStepsComeBeforeEvents) {
  for (const char* name : {"quirk_completed_first_1_me", "quirk_completed_first_2", "quirk_description_2"}) {
    const auto result = good_run(alone(name, "kind='me'"));
    // The first bounce is at sqrt(2 / 9.81) = 0.4515; then the speed is 0.7 of what it was.
    const double t = std::sqrt(2 / 9.81), v = 0.7 * 9.81 * t, s = 1 - t;
    EXPECT_NEAR(last(result, "/S.1"), v * s - 9.81 / 2 * s * s, 1e-5) << name;
  }
}

TEST(FmuBlockQuirks, TheEndIsSeenWhereverItIsAskedFor) {
  auto result = good_run(alone("quirk_ends_in_step_2", "kind='me'") + "stop 5\n");
  EXPECT_EQ(result.report.end, sim::End::stopped);
  EXPECT_GT(result.report.time, 1.5);
  result = good_run(alone("quirk_ends_at_start_2", "kind='me'"));
  EXPECT_EQ(result.report.end, sim::End::stopped);
  EXPECT_LT(result.report.time, 1e-9);
}

TEST(FmuBlockQuirks, WhatCannotWorkIsNamed) {
  struct Case {
    const char *name, *more, *code, *words;
  };
  const Case cases[] = {
      {"other_platform_2", "", "fmi-no-binary", "win64"},
      {"quirk_32_bit_2", "", "fmi-no-binary", "linux32"},
      {"quirk_absent_library_2", "", "fmi-missing-library", "libabsent.so.3"},
      {"quirk_endless_iteration_2", "kind='me'", "fmi-event-iteration", "does not end"},
      {"quirk_no_state_functions_2", "kind='cs' step=0.1 iterations=5", "fmi-call-failed", "fmi2GetFMUstate"},
  };
  for (const Case& c : cases) {
    const auto result = run(alone(c.name, c.more));
    EXPECT_TRUE(result.failed()) << c.name;
    bool found = false;
    for (const Diagnostic& item : result.diagnostics.all()) {
      found = found || (item.code == c.code && item.message.find(c.words) != std::string::npos);
    }
    EXPECT_TRUE(found) << c.name << to_text(result.diagnostics);
  }
}

// Clock 1 ticks at 0, 1, 2, ...; clock 3 half a second after t = 4; clock 4 at 0.25 and then after 1, 2 and 4 seconds.
// Clock 2 waits for somebody who does not come.
TEST(FmuBlockQuirks, ClocksTick) {
  for (const char* kind : {"kind='me' ", "kind='cs' step=0.5 "}) {
    const auto result = good_run(std::string("stop 9.9\nF: FMU inputs={'input'} ") +
                                 "outputs={'ticks_1','ticks_2','ticks_3','ticks_4'} " + kind + fmu("clocks_3") +
                                 "\nS: Scope inputs=4\nF:1 -> S:1\nF:2 -> S:2\nF:3 -> S:3\nF:4 -> S:4\n");
    EXPECT_EQ(last(result, "/S.1"), 10) << kind;
    EXPECT_EQ(last(result, "/S.2"), 0) << kind;
    EXPECT_EQ(last(result, "/S.3"), 1) << kind;
    EXPECT_EQ(last(result, "/S.4"), 4) << kind;
  }
}

TEST(FmuBlockQuirks, AnFmuWithoutPortsIsABlock) {
  for (const char* name : {"only_parameters_1_me", "only_parameters_1_cs", "only_parameters_2", "only_parameters_3"}) {
    good_run("stop 1\nF: FMU start={'p',3} " + fmu(name) + "\nC: Constant\nS: Scope\nC:1 -> S:1\n");
  }
}

// Runs the executable in a scratch folder; the last value of the first column.
double run_executable(const std::string& file) {
  const std::string table = fmt::format("orrery_quirk_{}.csv", getpid());
  const std::string command = fmt::format("cd '{}' && '{}' run '{}' --allow native --out {} --quiet 2>/dev/null",
                                          testing::TempDir(), orrery_binary(), file, table);
  EXPECT_EQ(std::system(command.c_str()), 0) << file;
  Diagnostics diagnostics;
  const auto rows = io::read_csv(testing::TempDir() + table, diagnostics);
  std::remove((testing::TempDir() + table).c_str());
  return rows && !rows->time.empty() ? rows->columns[0].back() : std::nan("");
}

// The executable itself: no symbol of its libraries gets into the FMU, and what the FMU does at its end, or with the
// working folder, spoils nothing.
TEST(FmuExecutable, IsKeptApartFromTheFmu) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer puts its symbols before those of every library, and ends the process at a crash";
#endif
  for (const std::string name :
       {"quirk_own_symbols_2", "quirk_bad_end_2", "quirk_bad_end_of_library_2", "quirk_changes_folder_2"}) {
    const std::string file = fmt::format("{}/{}.fmu", test_fmu_folder(), name);
    EXPECT_NEAR(run_executable(file), decay(10), 1e-6) << name;
    const std::string model = fmt::format("{}orrery_quirk_{}.orr", testing::TempDir(), getpid());
    std::ofstream(model) << R"({"orrery": 1, "name": "m", "simulation": {"stop": "1", "rtol": "1e-8"}, "blocks": [
      {"name": "F", "type": "FMU", "parameters": {"fmu": "')"
                         << file << R"('"}}, {"name": "S", "type": "Scope"}],
      "links": [{"from": "F:1", "to": ["S:1"]}]})";
    EXPECT_NEAR(run_executable(model), decay(1), 1e-6) << name;
    std::remove(model.c_str());
  }
}

}  // namespace
}  // namespace orrery::tests::fmu_quirk_test
