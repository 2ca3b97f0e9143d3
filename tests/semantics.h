// SPDX-License-Identifier: Apache-2.0
// For the tests of the law of activations: runs a diagram and asks what happened.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "notation.h"
#include "run_model.h"

namespace orrery::tests {

inline ModelRun simulate(const std::string& text, std::vector<std::string> watch = {}) {
  RunSetup setup;
  setup.watch = std::move(watch);
  ModelRun run = run_model(diagram(text), setup);
  EXPECT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
  return run;
}

inline std::vector<double> event_times(const ModelRun& run, EventCause cause) {
  std::vector<double> times;
  for (const auto& entry : run.events) {
    if (entry.cause == cause) times.push_back(entry.time);
  }
  return times;
}

// The blocks behind the entries of the ledger, in order: those of one cause, or all but the start.
inline std::vector<std::string> fired_blocks(const ModelRun& run, std::optional<EventCause> cause = {}) {
  std::vector<std::string> blocks;
  for (const auto& entry : run.events) {
    if (cause ? entry.cause == *cause : entry.cause != EventCause::initial) blocks.push_back(entry.block);
  }
  return blocks;
}

inline bool has_code(const ModelRun& run, const std::string& code) {
  for (const Diagnostic& d : run.diagnostics.all()) {
    if (d.code == code) return true;
  }
  return false;
}

inline std::vector<double> numbers(std::initializer_list<double> list) { return list; }

}  // namespace orrery::tests
