// SPDX-License-Identifier: Apache-2.0
// The examples of the block manual run without errors and show something.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "blocks/example_model.h"
#include "run_model.h"

namespace orrery::tests::manual_examples_test {
namespace {

// One value is what they have to show: a state at rest, the end of an iteration.
const std::set<std::string> still = {"Constant",        "BusConstant",      "InitialEvent", "RealTime",
                                     "InitialEquation", "RepeatActivation", "Anim2D",       "Optimization"};

TEST(ManualExamples, RunAndShowSomething) {
  api::OmlEvaluator evaluator;
  const blocks::TextEvaluator evaluate = [&](std::string_view text) {
    Diagnostics ignored;
    return evaluator.evaluate(text, {}, ignored);
  };
  const auto before = std::filesystem::current_path();  // examples of importers and exporters have files
  std::filesystem::create_directories(cache_of_this_process());
  std::filesystem::current_path(cache_of_this_process());
  RunSetup setup;
  setup.allow = Capabilities::all();
  int count = 0;
  std::string flat, without;
  for (const blocks::BlockType* type : blocks::library()) {
    const auto model = blocks::example_model(*type, evaluate);
    if (!model) without += " " + type->name;
    if (!model || type->name == "CppBlock") continue;  // UserTypes tests the skeleton that it names
    ++count;
    const ModelRun run = run_model(*model, setup);
    EXPECT_TRUE(run.compiled && !run.diagnostics.has_errors()) << type->name << "\n" << to_text(run.diagnostics);
    bool moves = false;
    for (std::size_t c = 0; run.compiled && c < run.recording.names.size(); ++c) {
      if (run.recording.names[c].starts_with("/in.")) continue;
      std::set<double> values;
      for (std::size_t r = 0; r < run.recording.rows(); ++r) {
        if (!std::isnan(run.recording.value(r, c))) values.insert(run.recording.value(r, c));
      }
      moves = moves || values.size() > 1;
    }
    if (!moves && !still.contains(type->name)) flat += " " + type->name;
  }
  std::filesystem::current_path(before);
  EXPECT_EQ(flat, "");
  EXPECT_EQ(without, "");
  EXPECT_GT(count, 180);
}

}  // namespace
}  // namespace orrery::tests::manual_examples_test
