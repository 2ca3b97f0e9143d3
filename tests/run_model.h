// SPDX-License-Identifier: Apache-2.0
// For tests: compiles and runs a model as asked, and compares what two runs left behind bit for bit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/oml_evaluator.h"
#include "api/session.h"

namespace orrery::tests {

struct RunSetup {
  native::Tier tier = native::Tier::first;
  program::GraphOptions graph;
  std::vector<std::string> watch;
  long zero_delay_limit = 1000;
};

struct ModelRun {
  Diagnostics diagnostics;
  bool compiled = false;
  sim::Recording recording;
  sim::Ledger ledger;
  sim::Report report;
  std::vector<bool> structure;  // what makes steps: states, surfaces' shadows, critical activations
  std::size_t surfaces = 0;     // of the program
};

// A program and what the model's own settings ask of a run.
struct Compiled {
  program::Program program;
  sim::RunOptions options;
};
std::optional<Compiled> compile_model(const model::Model& model, const RunSetup& setup, Diagnostics& diagnostics);

ModelRun run_model(const model::Model& model, const RunSetup& setup);

// What a column holds at the end; a failure of the test when there is none of this name.
double last(const sim::Recording& recording, const Diagnostics& diagnostics, const std::string& column);
double last(const auto& run, const std::string& column) { return last(run.recording, run.diagnostics, column); }

// Runs the text of a model file as the command line would, without a file.
api::RunResult run_text(const std::string& text, const api::RunRequest& request = {});
api::RunResult run_text(const std::string& text, api::OmlEvaluator& evaluator, const api::RunRequest& request = {});

// Nothing when the two are the same to the last bit (any NaN equals any NaN), else where they differ. Rows up to
// `after` are not looked at.
std::string first_difference(const sim::Recording& a, const sim::Recording& b, double after = -1e300);
std::string first_difference(const sim::Ledger& a, const sim::Ledger& b);
// The same, for the values at the end of every instant that both have rows of. The first and the last must be among
// them.
std::string difference_at_common_times(const sim::Recording& a, const sim::Recording& b);

// Every block that has outputs, for RunSetup::watch.
std::vector<std::string> blocks_with_outputs(const model::Model& model);

// A folder for compiled code that is removed when the process ends.
const std::string& cache_of_this_process();

}  // namespace orrery::tests
