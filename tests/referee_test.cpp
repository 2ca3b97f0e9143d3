// SPDX-License-Identifier: Apache-2.0
// Random hybrid diagrams: the simulator and the referee (tests/referee) give the same events and values.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "referee/random_hybrid.h"
#include "referee/referee.h"
#include "run_model.h"

namespace orrery::tests::referee_test {
namespace {

// At rtol 1e-9: how far times, relative to the horizon, and values may be apart.
constexpr double time_tolerance = 1e-7;
constexpr double value_tolerance = 1e-6;
constexpr int referee_shards = 4;

int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

const char* name_of(referee::What what) {
  return what == referee::What::tick ? "tick" : what == referee::What::programmed ? "programmed" : "crossing";
}

std::string text_of(const referee::Diagram& diagram, const std::vector<referee::Event>& events, std::size_t around) {
  std::string text;
  for (std::size_t i = around < 6 ? 0 : around - 6; i < events.size() && i < around + 3; ++i) {
    const referee::Event& e = events[i];
    text += fmt::format("    {:.12g} {} {}\n", e.time, name_of(e.what),
                        e.block < 0 ? "" : referee::name_of(diagram, e.block));
  }
  return text;
}

std::string describe(const referee::Diagram& diagram) {
  std::string text;
  for (int b = 0; b < static_cast<int>(diagram.blocks.size()); ++b) {
    const auto& block = diagram.blocks[static_cast<std::size_t>(b)];
    text += fmt::format("  {} {} {} {}", referee::name_of(diagram, b), block.a, block.b, block.c);
    if (block.kind == referee::Kind::max || block.kind == referee::Kind::greater) text += " (max, >)";
    if (block.kind == referee::Kind::min || block.kind == referee::Kind::greater_equal) text += " (min, >=)";
    for (const int i : block.inputs) text += " <- " + referee::name_of(diagram, i);
    for (const auto& link : diagram.activations) {
      if (link.to == b) text += fmt::format(" <= {}:{}", referee::name_of(diagram, link.from), link.port);
    }
    text += "\n";
  }
  return text;
}

struct EngineRun {
  Diagnostics diagnostics;
  bool ended = false;
  referee::Outcome outcome;
};

// Crossings are known by the events that their owners emit: the ledger also lists those in the direction that does not
// count.
EngineRun run_engine(const referee::Diagram& diagram) {
  EngineRun run;
  RunSetup setup;
  for (const int probe : diagram.probes) setup.watch.push_back("/" + referee::name_of(diagram, probe));
  std::map<std::string, int> names;
  for (int b = 0; b < static_cast<int>(diagram.blocks.size()); ++b) names["/" + referee::name_of(diagram, b)] = b;
  auto compiled = compile_model(referee::to_model(diagram), setup, run.diagnostics);
  if (!compiled) return run;
  api::Run simulation = start(*compiled);
  run.ended = simulation.run() == api::RunState::reached_stop;
  for (const Diagnostic& diagnostic : simulation.diagnostics().all()) run.diagnostics.add(diagnostic);
  for (const api::Event& entry : simulation.events()) {
    const auto found = names.find(entry.block);
    const int block = found == names.end() ? -1 : found->second;
    if (entry.cause == EventCause::clock) run.outcome.events.push_back({entry.time, referee::What::tick, -1});
    if (entry.cause == EventCause::programmed)
      run.outcome.events.push_back({entry.time, referee::What::programmed, block});
  }
  const api::Results recording = simulation.results();
  const auto& clock = diagram.blocks[static_cast<std::size_t>(diagram.probe_clock)];
  for (long k = 0; clock.b + static_cast<double>(k) * clock.a <= diagram.stop; ++k) {
    referee::Sample sample{clock.b + static_cast<double>(k) * clock.a, {}};
    for (std::size_t r = recording.rows(); r-- > 0;) {
      if (std::abs(recording.time[r] - sample.time) > 1e-12) continue;
      for (std::size_t c = 0; c < recording.names.size(); ++c) sample.values.push_back(recording.value(r, c));
      break;
    }
    run.outcome.samples.push_back(std::move(sample));
  }
  return run;
}

// What differs; empty when nothing does.
std::string difference(const referee::Diagram& diagram, const referee::Outcome& engine, const referee::Outcome& law) {
  const double near = time_tolerance * diagram.stop;
  for (std::size_t i = 0; i < std::max(engine.events.size(), law.events.size()); ++i) {
    const bool both = i < engine.events.size() && i < law.events.size();
    if (both && engine.events[i].what == law.events[i].what && engine.events[i].block == law.events[i].block &&
        std::abs(engine.events[i].time - law.events[i].time) <= near)
      continue;
    return fmt::format("event {}\n  simulator:\n{}  referee:\n{}", i, text_of(diagram, engine.events, i),
                       text_of(diagram, law.events, i));
  }
  for (std::size_t i = 0; i < law.samples.size(); ++i) {
    for (std::size_t p = 0; p < diagram.probes.size(); ++p) {
      if (engine.samples[i].values.size() != diagram.probes.size()) return fmt::format("no sample {}", i);
      const double a = engine.samples[i].values[p], b = law.samples[i].values[p];
      if (std::abs(a - b) <= value_tolerance * std::max(1.0, std::abs(b))) continue;
      const int probe = diagram.probes[p];
      const int shown = diagram.blocks[static_cast<std::size_t>(probe)].inputs[0];
      return fmt::format("{} at {}: simulator {:.12g}, referee {:.12g}", referee::name_of(diagram, shown),
                         law.samples[i].time, a, b);
    }
  }
  return {};
}

// Empty when both agree or the diagram is ill-posed, which `doubt` says.
std::string disagreement(const referee::Diagram& diagram, std::string& doubt) {
  referee::Outcome law = referee::judge(diagram);
  std::erase_if(law.events, [](const referee::Event& e) { return e.what == referee::What::crossing; });
  doubt = law.doubt;
  if (!doubt.empty()) return {};
  const EngineRun engine = run_engine(diagram);
  // A refusal that says why: where a corner lies on a surface that is followed, the mixture is not the only one.
  const bool refused =
      std::ranges::any_of(engine.diagnostics.all(), [](const Diagnostic& d) { return d.code == "sliding-not-unique"; });
  if (refused) doubt = "the motion along several surfaces is not unique";
  if (refused) return {};
  return engine.ended ? difference(diagram, engine.outcome, law)
                      : "the simulator does not reach the end\n" + to_text(engine.diagnostics);
}

// Whether a block reads it or is activated by it: without its activation it would inherit another one.
bool is_used(const referee::Diagram& diagram, int block) {
  return block == diagram.probe_clock ||
         std::ranges::any_of(
             diagram.blocks,
             [&](const referee::Block& b) { return std::ranges::find(b.inputs, block) != b.inputs.end(); }) ||
         std::ranges::any_of(diagram.activations, [&](const referee::Activation& a) { return a.from == block; });
}

referee::Diagram without(referee::Diagram diagram, int block) {
  const auto renumber = [&](int& b) { b -= b > block; };
  diagram.blocks.erase(diagram.blocks.begin() + block);
  for (referee::Block& b : diagram.blocks) std::ranges::for_each(b.inputs, renumber);
  std::erase_if(diagram.activations, [&](const referee::Activation& a) { return a.from == block || a.to == block; });
  for (referee::Activation& a : diagram.activations) {
    renumber(a.from);
    renumber(a.to);
  }
  std::erase(diagram.probes, block);
  std::ranges::for_each(diagram.probes, renumber);
  renumber(diagram.probe_clock);
  return diagram;
}

// Leaves out blocks that nobody uses as long as the two still disagree.
referee::Diagram smallest(referee::Diagram diagram) {
  std::string doubt;
  for (bool changed = true; changed;) {
    changed = false;
    for (int b = static_cast<int>(diagram.blocks.size()) - 1; b >= 0; --b) {
      if (is_used(diagram, b)) continue;
      referee::Diagram smaller = without(diagram, b);
      if (disagreement(smaller, doubt).empty()) continue;
      diagram = std::move(smaller);
      changed = true;
    }
  }
  return diagram;
}

class Referee : public testing::TestWithParam<int> {};

TEST_P(Referee, AgreesOnRandomHybridDiagrams) {
  const int diagrams = from_environment("ORRERY_RANDOM_MODELS", 1200) / referee_shards;
  int skipped = 0, disagreed = 0;
  std::map<std::string, int> doubts;
  std::string seeds;  // of those that disagree
  for (int k = 0; k < diagrams; ++k) {
    const int seed = from_environment("ORRERY_RANDOM_SEED", GetParam() * 100'000 + k);
    const referee::Diagram diagram = referee::random_hybrid(static_cast<std::uint64_t>(seed));
    std::string doubt;
    const std::string differs = disagreement(diagram, doubt);
    if (!doubt.empty()) {
      ++skipped;
      ++doubts[doubt];
    }
    if (differs.empty()) continue;
    seeds += fmt::format(" {}", seed);
    if (++disagreed > 5) continue;
    const referee::Diagram small = smallest(diagram);
    ADD_FAILURE() << "seed " << seed << ": " << disagreement(small, doubt) << "\n" << describe(small);
  }
  std::string reasons;
  for (const auto& [doubt, count] : doubts) reasons += fmt::format(", {}: {}", doubt, count);
  fmt::print("{} agree, {} disagree, {} skipped{}\n", diagrams - skipped - disagreed, disagreed, skipped, reasons);
  EXPECT_EQ(disagreed, 0) << "seeds" << seeds;
  EXPECT_LT(skipped, std::max(1, diagrams / 3)) << "too many diagrams are ill-posed" << reasons;
}

INSTANTIATE_TEST_SUITE_P(Seeds, Referee, testing::Range(0, referee_shards));

}  // namespace
}  // namespace orrery::tests::referee_test
