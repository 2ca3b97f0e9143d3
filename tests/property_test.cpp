// SPDX-License-Identifier: Apache-2.0
// 300 random models give the same bits on both tiers, with and without folding and sharing, and after save and restore.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "inside.h"
#include "random_diagram.h"

namespace orrery::tests::property_test {
namespace {

constexpr int shards = 12;
constexpr int diagrams_per_shard = 25;

// What differs between two runs of one model; empty when nothing does.
std::string difference(const ModelRun& a, const ModelRun& b) {
  if (to_text(a.diagnostics) != to_text(b.diagnostics)) return "the diagnostics: " + to_text(b.diagnostics);
  const std::string of_values = first_difference(a.recording, b.recording);
  return of_values.empty() ? first_difference(a.events, b.events) : of_values;
}

// Without folding, more can seem to depend on an event than does: instants may be recorded at which nothing changes.
std::string difference_without_folding(const ModelRun& a, const ModelRun& b) {
  const std::string of_values = difference_at_common_times(a.recording, b.recording);
  return of_values.empty() ? first_difference(a.events, b.events) : of_values;
}

// Pauses in mid-run, copies the run into another one and lets both go on.
std::string difference_after_restoring(const model::Model& model, const RunSetup& setup, const ModelRun& whole) {
  Diagnostics diagnostics;
  const auto compiled = compile_model(model, setup, diagnostics);
  api::Run paused = start(*compiled);
  if (paused.run_past(0.6) != api::RunState::paused) return {};
  const double now = paused.time();
  api::Run copy = start(*compiled);
  if (!copy.restore(paused.save())) return "the run cannot be restored";
  paused.run();
  copy.run();
  const std::string of_paused = first_difference(whole.recording, paused.results(), now);
  if (!of_paused.empty()) return fmt::format("paused at {}: {}", now, of_paused);
  // A multistep method starts cold when it is restored.
  if (whole.report.solver.starts_with("cvode")) return {};
  const std::string of_copy = first_difference(whole.recording, copy.results(), now);
  return of_copy.empty() ? of_copy : fmt::format("restored at {}: {}", now, of_copy);
}

class RandomDiagrams : public testing::TestWithParam<int> {
 protected:
  void compare(std::uint64_t seed);
  void compare_without_folding(std::uint64_t seed);
  void expect_none(const std::string& what, const std::string& difference) {
    if (!difference.empty()) failures += what + ": " + difference + "\n";
  }

  std::string failures;  // of one diagram
  int completed = 0;
};

// What makes steps: states and critical activations.
std::vector<bool> structure_of(const program::Program& program) {
  std::vector<bool> structure(program.states.size(), true);
  for (const program::Source& source : program.sources) structure.push_back(source.table.critical);
  return structure;
}

// Whether steps of variable size may differ when nothing is folded.
bool has_surfaces_or_other_steps(const model::Model& model, const RunSetup& setup) {
  Diagnostics diagnostics;
  const auto folded = program_of(model, setup, diagnostics);
  const auto unfolded = program_of(model, setup, diagnostics, {false, false});
  return !folded->surfaces.empty() || structure_of(*folded) != structure_of(*unfolded);
}

// Folding may find that a switch never switches, that two are one, or that a surface is linear. Then surfaces are
// watched in another way and variable steps differ; so models with surfaces are compared with fixed steps. So are those
// of methods that solve linear systems, where the order of the unknowns decides about roundings. Memories in continuous
// time are left out: what they read there takes the place of formulas that must be shared to be found.
void RandomDiagrams::compare_without_folding(std::uint64_t seed) {
  RandomDiagram random(seed, false);
  const model::Model& model = random.diagram().model();
  RunSetup setup;
  setup.watch = blocks_with_outputs(model);
  ModelRun first = run_model(model, setup);
  ModelRun unfolded = run_unfolded(model, setup);
  if (has_surfaces_or_other_steps(model, setup) || first.report.solver.starts_with("cvode")) {
    random.diagram().model().settings.solver.text = "rk4";
    random.diagram().model().settings.step.text = "0.01";
    first = run_model(model, setup);
    unfolded = run_unfolded(model, setup);
  }
  expect_none("not folded, not shared", difference_without_folding(first, unfolded));
  if (seed % 4 != 0) return;
  setup.native = api::NativeCode::second;
  expect_none("second tier, not folded, not shared", difference(unfolded, run_unfolded(model, setup)));
}

void RandomDiagrams::compare(std::uint64_t seed) {
  RandomDiagram random(seed);
  const model::Model& model = random.diagram().model();
  const std::string text = random.diagram().text();
  RunSetup setup;
  setup.watch = blocks_with_outputs(model);
  RunSetup second = setup;
  second.native = api::NativeCode::second;

  failures.clear();
  const ModelRun first = run_model(model, setup);
  if (first.compiled) {
    completed += first.report.state == api::RunState::reached_stop;
    const ModelRun of_second = run_model(model, second);
    EXPECT_TRUE(of_second.report.second_tier);
    expect_none("second tier", difference(first, of_second));
    if (seed % 5 == 0) expect_none("save and restore", difference_after_restoring(model, setup, first));
    compare_without_folding(seed);
  } else {
    failures = "not compiled\n";
  }
  EXPECT_EQ(failures, "") << "seed " << seed << "\n" << to_text(first.diagnostics) << text;
}

TEST_P(RandomDiagrams, GiveTheSameBitsHoweverTheyAreCompiled) {
  for (int k = 0; k < diagrams_per_shard; ++k) compare(static_cast<std::uint64_t>(GetParam() * diagrams_per_shard + k));
  EXPECT_GE(completed, diagrams_per_shard * 3 / 4) << "too many of the models end before their time";
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomDiagrams, testing::Range(0, shards));

}  // namespace
}  // namespace orrery::tests::property_test
