// SPDX-License-Identifier: Apache-2.0
// FMUs that change the process they are in, and FMUs that refuse.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include <clocale>

#include "api/fmu_run_for_tests.h"

namespace orrery::fmi {
namespace {

// Handlers, blocked signals, the mask of new files, the locale and closed streams.
TEST(SimulateManners, TheProcessIsKept) {
  for (const bool safe : {false, true}) {
    const mode_t mask = umask(022);
    struct sigaction interrupt = {}, crash = {};
    sigset_t blocked;
    RunOptions options;
    options.safe = safe;
    const auto finished = [&](RunResult&) {  // results are written here
      EXPECT_GE(fcntl(1, F_GETFD), 0);
      EXPECT_GE(fcntl(2, F_GETFD), 0);
      EXPECT_EQ(umask(022), 022u);
      EXPECT_STREQ(setlocale(LC_ALL, nullptr), "C");
    };
    EXPECT_RUNS(api::run_fmu(fmu("quirk_bad_manners_2"), options, finished));
    sigaction(SIGINT, nullptr, &interrupt);
    sigaction(SIGSEGV, nullptr, &crash);
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    EXPECT_EQ(interrupt.sa_handler, SIG_DFL);
    EXPECT_EQ(sigismember(&blocked, SIGINT), 0);
    Dl_info where = {};
    EXPECT_NE(dladdr(reinterpret_cast<const void*>(crash.sa_handler), &where), 0);
    umask(mask);
  }
  // A crash later on is still caught.
  if (under_sanitizer) return;
  EXPECT_TRUE(has_code(simulate(fmu("crash_2"), exchange()), "fmi-crash"));
}

TEST(SimulateManners, RefusedDerivativesAreTriedWithSmallerSteps) {
  for (const bool safe : {false, true}) {
    RunOptions options = exchange();
    options.safe = safe;
    const RunResult result = simulate(fmu("quirk_discards_2"), options);
    EXPECT_RUNS(result);
    EXPECT_GT(result.statistics.rejected_other, 0);
    EXPECT_NEAR(last(result, "x"), std::exp(-10.0), 1e-5);
  }
}

// What came before is kept, and what the FMU says reaches the user. After "fatal" nothing more is called.
TEST(SimulateManners, RefusalsForGoodAreNamed) {
  for (const bool safe : {false, true}) {
    for (const auto& [name, status] : {std::pair("quirk_fails_2", "error"), {"quirk_fatal_2", "fatal"}}) {
      // After a fatal error nothing may be freed (FMI 2.0: 2.1.3): what looks like a leak is none of ours.
      if (under_sanitizer && !safe && std::string(status) == "fatal") continue;
      RunOptions options = exchange();
      options.safe = safe;
      const RunResult result = simulate(fmu(name), options);
      EXPECT_TRUE(result.failed());
      EXPECT_GE(result.recording.rows(), 5u) << name;
      const std::string text = to_text(result.diagnostics);
      EXPECT_NE(text.find("no value after 0.5"), std::string::npos) << text;
      EXPECT_NE(text.find(std::string("fmi2GetDerivatives returned ") + status), std::string::npos) << text;
    }
    RunOptions options;
    options.safe = safe;
    const RunResult result = simulate(fmu("quirk_no_licence_2"), options);
    const Diagnostic* error = find_code(result.diagnostics, "fmi-no-instance");
    ASSERT_NE(error, nullptr);
    EXPECT_NE(to_text(result.diagnostics).find("no licence for quirk_no_licence"), std::string::npos);
  }
}

}  // namespace
}  // namespace orrery::fmi
