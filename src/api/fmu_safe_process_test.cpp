// SPDX-License-Identifier: Apache-2.0
// FMUs in a process of their own: the same results, and no harm.
#include "fmi/safe_process.h"

#include <filesystem>

#include "api/fmu_run_for_tests.h"
#include "fmi/caller.h"
#include "fmi/launch.h"

namespace orrery::fmi {
namespace {

RunOptions safe(RunOptions options) {
  options.safe = true;
  options.time_limit = 20;
  return options;
}

TEST(SafeProcess, GivesTheSameResults) {
  for (const char* name : {"bouncing_ball_1_me", "bouncing_ball_2", "bouncing_ball_3", "stairs_1_cs", "feedthrough_3",
                           "van_der_pol_2", "state_space_3", "clocks_3", "resource_2", "ticking_3"}) {
    const RunResult plain = simulate(fmu(name), {}), apart = simulate(fmu(name), safe({}));
    EXPECT_RUNS(apart);
    EXPECT_EQ(plain.recording.time, apart.recording.time) << name;
    EXPECT_EQ(plain.recording.numbers, apart.recording.numbers) << name;
    EXPECT_EQ(plain.recording.texts, apart.recording.texts) << name;
  }
}

struct Harm {
  const char *name, *code, *words;
};

TEST(SafeProcess, NoHarmReachesTheSimulator) {
  const Harm cases[] = {{"crash_1_cs", "fmi-crash", "fmiDoStep"},
                        {"crash_2", "fmi-crash", "fmi2DoStep"},
                        {"crash_3", "fmi-crash", "fmi3DoStep"},
                        {"crash_at_load_2", "fmi-crash", "dlopen"},
                        {"crash_at_start_2", "fmi-crash", "fmi2Instantiate"},
                        {"crash_at_initialise_2", "fmi-crash", "fmi2ExitInitializationMode"},
                        {"leave_2", "fmi-crash", "fmi2DoStep"},
                        {"abort_2", "fmi-crash", "fmi2DoStep"},
                        {"divide_2", "fmi-crash", "fmi2DoStep"},
                        {"overflow_stack_2", "fmi-crash", "fmi2DoStep"},
                        {"throw_2", "fmi-crash", "thrown by a test"}};
  for (const Harm& harm : cases) {
    const RunResult result = simulate(fmu(harm.name), safe(co_simulation()));
    EXPECT_TRUE(result.failed());
    const Diagnostic* error = find_code(result.diagnostics, harm.code);
    // A sanitizer ends the process in its own way, and says so.
    if (under_sanitizer && error != nullptr) continue;
    ASSERT_NE(error, nullptr) << harm.name << to_text(result.diagnostics);
    EXPECT_NE(error->message.find(harm.words), std::string::npos) << harm.name << ": " << error->message;
    EXPECT_EQ(error->place.file, fmu(harm.name));
  }
}

TEST(SafeProcess, HangsEndAtTheTimeLimit) {
  for (const auto& [name, function] : {std::pair("hang_2", "fmi2DoStep"), {"hang_at_start_2", "fmi2Instantiate"}}) {
    RunOptions options = safe(co_simulation());
    options.time_limit = 0.3;
    const RunResult result = simulate(fmu(name), options);
    EXPECT_TRUE(result.failed());
    const Diagnostic* error = find_code(result.diagnostics, "fmi-hang");
    ASSERT_NE(error, nullptr) << to_text(result.diagnostics);
    EXPECT_NE(error->message.find(function), std::string::npos) << error->message;
  }
}

TEST(SafeProcess, MemoryIsLimited) {
  if (under_sanitizer) GTEST_SKIP();
  RunOptions options = safe(co_simulation());
  options.memory_limit = std::uint64_t{200} << 20;
  const RunResult result = simulate(fmu("eat_memory_2"), options);
  EXPECT_TRUE(result.failed());
  EXPECT_TRUE(has_code(result, "fmi-memory")) << to_text(result.diagnostics);
  EXPECT_RUNS(simulate(fmu("dahlquist_2"), options));
}

TEST(SafeProcess, WordsOfTheFmuArrive) {
  const ScratchFile log("safe_log");
  RunOptions options = safe(co_simulation());
  options.log = log.path();
  EXPECT_RUNS(simulate(fmu("quirk_talkative_2"), options));
  std::ifstream file(log.path());
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  EXPECT_NE(line.find("warning [chatter] step to 0.1 with x"), std::string::npos) << line;
}

TEST(SafeProcess, MistakesAreReportedAsInThisProcess) {
  RunResult result = simulate(fmu("quirk_absent_library_2"), safe({}));
  ASSERT_TRUE(has_code(result, "fmi-missing-library")) << to_text(result.diagnostics);
  result = simulate(fmu("quirk_undefined_2"), safe({}));
  EXPECT_RUNS(result);
  EXPECT_TRUE(has_code(result, "fmi-undefined-symbol"));
}

// Whole states by every way an instance can be reached.
TEST(SafeProcess, WholeStatesGoBackInTime) {
  for (const char* name : {"dahlquist_2", "dahlquist_3"}) {
    for (const bool apart : {false, true}) {
      Diagnostics diagnostics;
      const auto archive = Archive::open(fmu(name), diagnostics);
      ASSERT_TRUE(archive);
      const auto description =
          read_description(archive->read("modelDescription.xml", diagnostics).value_or(""), name, diagnostics);
      ASSERT_TRUE(description);
      Log log(*description, name);
      LaunchOptions options;
      options.safe = apart;
      const auto instance = launch(*archive, *description, log, options, diagnostics);
      ASSERT_TRUE(instance) << to_text(diagnostics);
      EventInfo events;
      StepInfo step;
      ASSERT_TRUE(succeeded(instance->setup({})));
      ASSERT_TRUE(succeeded(instance->enter_initialization()));
      ASSERT_TRUE(succeeded(instance->exit_initialization(events)));
      const ValueReference x = description->find("x")->reference;
      const auto value = [&] {
        double result = 0;
        EXPECT_TRUE(succeeded(instance->get_numbers(Type::float64, {&x, 1}, {&result, 1})));
        return result;
      };
      void* state = nullptr;
      ASSERT_TRUE(succeeded(instance->do_step(0, 1, step)));
      ASSERT_TRUE(succeeded(instance->get_state(state)));
      const double kept = value();
      ASSERT_TRUE(succeeded(instance->do_step(1, 1, step)));
      EXPECT_NE(value(), kept);
      std::vector<char> bytes;
      ASSERT_TRUE(succeeded(instance->serialize_state(state, bytes)));
      ASSERT_TRUE(succeeded(instance->set_state(state)));
      EXPECT_EQ(value(), kept);
      ASSERT_TRUE(succeeded(instance->do_step(1, 1, step)));
      void* again = nullptr;
      ASSERT_TRUE(succeeded(instance->deserialize_state(bytes, again)));
      ASSERT_TRUE(succeeded(instance->set_state(again)));
      EXPECT_EQ(value(), kept);
      ASSERT_TRUE(succeeded(instance->free_state(state)));
      ASSERT_TRUE(succeeded(instance->free_state(again)));
      EXPECT_EQ(state, nullptr);
    }
  }
}

}  // namespace
}  // namespace orrery::fmi
