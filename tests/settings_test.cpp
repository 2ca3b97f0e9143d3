// SPDX-License-Identifier: Apache-2.0
// The table of settings against what runs, the command line and scripts make of it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <tuple>

#include "api/session.h"
#include "command_line.h"
#include "model/settings.h"
#include "sim/options.h"

namespace orrery {
namespace {

double number_of(std::string_view text) {
  return text == "true" ? 1 : text == "false" ? 0 : std::strtod(std::string(text).c_str(), nullptr);
}

// A run with every default of the table written out is the run in which none is given.
TEST(SettingsTable, DefaultsAreThoseOfRuns) {
  model::SettingValues values;
  for (const model::SettingInfo& info : model::setting_table()) {
    if (info.default_text.empty()) continue;
    if (info.word != nullptr) {
      values.*info.word = info.default_text;
    } else {
      values.*info.number = number_of(info.default_text);
    }
  }
  const sim::RunOptions none = api::options_of({}), given = api::options_of(values);
  EXPECT_EQ(none.start, given.start);
  EXPECT_EQ(none.stop, given.stop);
  EXPECT_EQ(none.solver, given.solver);
  EXPECT_EQ(none.tolerance.relative, given.tolerance.relative);
  EXPECT_EQ(none.limits.minimum, given.limits.minimum);
  EXPECT_EQ(none.zero_threshold, given.zero_threshold);
  EXPECT_EQ(none.final_tick, given.final_tick);
  EXPECT_EQ(none.sliding, given.sliding);
  EXPECT_EQ(none.algebraic, given.algebraic);
}

// Every setting reaches the options of a run.
TEST(SettingsTable, EverySettingChangesARun) {
  const auto all_of = [](const sim::RunOptions& o) {
    return std::tuple(o.start, o.stop, o.solver, o.tolerance.relative, o.tolerance.absolute, o.limits.maximum,
                      o.limits.minimum, o.limits.initial, o.limits.fixed, o.time_tolerance, o.zero_threshold,
                      o.final_tick, o.sliding, o.algebraic);
  };
  for (const model::SettingInfo& info : model::setting_table()) {
    model::SettingValues values;
    if (info.word != nullptr) {
      values.*info.word = info.choices.empty() ? "rk4" : info.choices.back();
    } else {
      values.*info.number = info.default_text == "true" ? 0 : 0.5;
    }
    EXPECT_NE(all_of(api::options_of({})), all_of(api::options_of(values))) << info.name;
  }
}

TEST(SettingsTable, ChoicesOfAlgebraicAreThoseOfRuns) {
  const model::SettingInfo* info = model::find_setting("algebraic");
  ASSERT_EQ(info->choices.size(), 4u);
  for (const std::string_view choice : info->choices) {
    EXPECT_TRUE(sim::find_algebraic_method(choice)) << choice;
    EXPECT_NE(info->about.find(choice), std::string_view::npos) << choice;
  }
  EXPECT_FALSE(sim::find_algebraic_method("guess"));
}

class SettingsOnTheCommandLine : public tests::CommandLine {};

TEST_F(SettingsOnTheCommandLine, HelpNamesEveryOptionOfTheTable) {
  const Outcome help = orrery({"run", "--help"});
  for (const model::SettingInfo& info : model::setting_table()) {
    if (info.option.empty()) continue;
    EXPECT_NE(help.out.find(info.option), std::string::npos) << info.option;
  }
}

}  // namespace
}  // namespace orrery
