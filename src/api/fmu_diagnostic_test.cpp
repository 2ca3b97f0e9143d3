// SPDX-License-Identifier: Apache-2.0
// Provokes the diagnostics that no other test of this folder provokes.
#include <sys/resource.h>

#include <cstdlib>
#include <fstream>

#include "api/fmu_run_for_tests.h"
#include "fmi/archive_for_tests.h"
#include "fmi/check.h"

namespace orrery::fmi {
namespace {

#define EXPECT_CODE(result, code) EXPECT_TRUE(has_code(result, code)) << to_text((result).diagnostics)

TEST(FmiDiagnostics, Folders) {
  const char* kept = std::getenv("TMPDIR");
  const std::string old = kept != nullptr ? kept : "";
  setenv("TMPDIR", "/none/such", 1);
  EXPECT_CODE(simulate(fmu("dahlquist_2"), {}), "fmi-no-folder");
  kept != nullptr ? setenv("TMPDIR", old.c_str(), 1) : unsetenv("TMPDIR");
  const AlteredFmu conflict("resource_2", {}, {{"resources", "a file, not a folder"}});
  EXPECT_CODE(simulate(conflict.path(), {}), "fmi-unpack-failed");
}

TEST(FmiDiagnostics, Libraries) {
  const std::string place = "binaries/linux64/dahlquist.so";
  EXPECT_CODE(simulate(AlteredFmu("dahlquist_2", {}, {{place, "no library"}}).path(), {}), "fmi-load-failed");
  // The functions of FMI 1.0 carry the identifier, which is another one now.
  const AlteredFmu other("dahlquist_1_me", {{"modelIdentifier=\"dahlquist\"", "modelIdentifier=\"other\""}});
  EXPECT_CODE(simulate(other.path(), {}), "fmi-missing-function");
  const AlteredFmu broken("source_only_2", {}, {{"sources/dahlquist.c", "this is no C;"}});
  EXPECT_CODE(simulate(broken.path(), {}), "fmi-compile-failed");
  const AlteredFmu nameless("dahlquist_1_me", {{"modelIdentifier=\"dahlquist\"", ""}});
  EXPECT_CODE(simulate(nameless.path(), {}), "fmi-no-identifier");
}

TEST(FmiDiagnostics, Instances) {
  const AlteredFmu stranger("dahlquist_2", {{"guid=\"{test}\"", "guid=\"{other}\""}});
  RunResult result = simulate(stranger.path(), {});
  EXPECT_CODE(result, "fmi-no-instance");
  ASSERT_FALSE(result.diagnostics.all().back().notes.empty());
  EXPECT_EQ(result.diagnostics.all().back().notes.back(), "wrong guid {other}");
  const AlteredFmu unknown("dahlquist_2", {{"valueReference=\"0\"", "valueReference=\"5000\""}});
  EXPECT_CODE(simulate(unknown.path(), {}), "fmi-call-failed");
  RunOptions options;
  const ScratchFile log("diagnostic_log");
  options.log = log.path();
  EXPECT_CODE(simulate(fmu("quirk_no_logging_2"), options), "fmi-no-logging");
}

TEST(FmiDiagnostics, Values) {
  RunOptions options;
  options.set = {{"time", "1"}};
  EXPECT_CODE(simulate(fmu("dahlquist_3"), options), "fmi-not-settable");
  EXPECT_CODE(simulate(fmu("only_parameters_2"), {}), "fmi-no-outputs");
  const AlteredFmu huge("state_space_3",
                        {{"variability=\"fixed\" start=\"3\"", "variability=\"fixed\" start=\"2000000\""}});
  EXPECT_CODE(simulate(huge.path(), {}), "fmi-too-large");
  const ScratchFile table("diagnostic.csv");
  options = {};
  options.input = table.write("time,\"A[1,1]\",\"A[1,2]\"\n0,1,2\n");
  EXPECT_CODE(simulate(fmu("state_space_3"), options), "fmi-incomplete-input");
  options = co_simulation();
  options.input = table.write("time,u\n0,0\n2,2\n");
  const RunResult result = simulate(fmu("quirk_no_slopes_2"), options);
  EXPECT_RUNS(result);
  EXPECT_CODE(result, "fmi-no-input-derivatives");
}

TEST(FmiDiagnostics, Runs) {
  EXPECT_CODE(simulate(fmu("quirk_endless_iteration_2"), exchange()), "fmi-event-iteration");
  EXPECT_CODE(simulate(fmu("quirk_crowd_2"), exchange()), "fmi-event-chatter");
  EXPECT_CODE(simulate(fmu("quirk_no_progress_3"), co_simulation()), "fmi-no-progress");
  const RunResult result = simulate(fmu("quirk_no_intervals_3"), {});
  EXPECT_RUNS(result);
  EXPECT_CODE(result, "fmi-no-intervals");
  EXPECT_EQ(last(result, "ticks_1"), 11);
  const AlteredFmu endless("dahlquist_1_cs", {{"stopTime=\"10\"", "stopTime=\"1e12\" stepSize=\"1e-3\""}});
  EXPECT_CODE(simulate(endless.path(), {}), "fmi-bad-times");
}

TEST(FmiDiagnosticsDeathTest, NoMemoryNoProcess) {
  if (under_sanitizer) GTEST_SKIP();
  const auto attempt = [] {
    const rlimit little{std::uint64_t{400} << 20, std::uint64_t{400} << 20};
    setrlimit(RLIMIT_AS, &little);
    RunOptions options;
    options.safe = true;
    std::_Exit(has_code(simulate(fmu("dahlquist_2"), options), "fmi-no-process") ? 7 : 8);
  };
  EXPECT_EXIT(attempt(), testing::ExitedWithCode(7), "");
}

TEST(FmiDiagnostics, Descriptions) {
  std::string many;
  for (int k = 0; k < 60; ++k) many += "<ScalarVariable name=\"v" + std::to_string(k) + "\" valueReference=\"1\"/>";
  const AlteredFmu sloppy("dahlquist_2", {{"</ModelVariables>", many + "</ModelVariables>"}});
  EXPECT_CODE(simulate(sloppy.path(), {}), "fmi-more-warnings");
}

TEST(FmiDiagnostics, Checks) {
  const auto check = [](const AlteredFmu& altered, const char* code) {
    const Diagnostics diagnostics = check_fmu(altered.path());
    EXPECT_NE(find_code(diagnostics, code), nullptr) << code << "\n" << to_text(diagnostics);
  };
  check(AlteredFmu("dahlquist_2", {{"guid=\"{test}\"", "guid=\"\""}}), "fmi-check-head");
  check(AlteredFmu("dahlquist_2", {{"<Real start=\"1\"", "<Real declaredType=\"None\" start=\"1\""}}),
        "fmi-check-types");
  check(AlteredFmu("dahlquist_3", {{"valueReference=\"2\"", "valueReference=\"1\""}}), "fmi-check-references");
  TestFile bare("bare.fmu");
  Diagnostics diagnostics;
  const auto archive = Archive::open(fmu("dahlquist_2"), diagnostics);
  bare.write_zip({{"modelDescription.xml", archive->read("modelDescription.xml", diagnostics).value_or("")}});
  EXPECT_NE(find_code(check_fmu(bare.path()), "fmi-check-archive"), nullptr);
}

}  // namespace
}  // namespace orrery::fmi
