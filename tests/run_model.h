// SPDX-License-Identifier: Apache-2.0
// For tests: compiles and runs a model as asked, and compares what two runs left behind bit for bit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/model.h"
#include "api/oml_evaluator.h"
#include "api/run.h"
#include "api/session.h"

namespace orrery::tests {

struct RunSetup {
  api::NativeCode native = api::NativeCode::first;
  std::vector<std::string> watch;            // recorded besides the model's sinks
  Capabilities allow = Capabilities::all();  // what the model may do besides computing
};

struct ModelRun {
  Diagnostics diagnostics;
  bool compiled = false;
  api::Results recording;
  std::vector<api::Event> events;
  api::RunReport report;
};

// By way of its text, as people have it.
std::optional<api::CompiledModel> compile_model(const model::Model& model, const RunSetup& setup,
                                                Diagnostics& diagnostics);
// As the model wants it, with a list of events.
api::Run start(const api::CompiledModel& model);
ModelRun run_model(const model::Model& model, const RunSetup& setup);

// What a column holds at the end; a failure of the test when there is none of this name.
double last(const api::Results& recording, const Diagnostics& diagnostics, const std::string& column);
double last(const sim::Recording& recording, const Diagnostics& diagnostics, const std::string& column);
double last(const auto& run, const std::string& column) { return last(run.recording, run.diagnostics, column); }

// Runs the text of a model file as the command line would, without a file. It may do everything, unless an evaluator
// says what it may.
api::RunResult run_text(const std::string& text, const api::RunRequest& request = {});
api::RunResult run_text(const std::string& text, api::OmlEvaluator& evaluator, const api::RunRequest& request = {});

// Nothing when the two are the same to the last bit (any NaN equals any NaN), else where they differ. Rows up to
// `after` are not looked at.
std::string first_difference(const api::Results& a, const api::Results& b, double after = -1e300);
std::string first_difference(const sim::Recording& a, const sim::Recording& b);
std::string first_difference(const std::vector<api::Event>& a, const std::vector<api::Event>& b);
// The same, for the values at the end of every instant that both have rows of. The first and the last must be among
// them.
std::string difference_at_common_times(const api::Results& a, const api::Results& b);

// A folder for compiled code and other files that is removed when the process ends.
const std::string& cache_of_this_process();

// Every block of the top diagram that has outputs, for RunSetup::watch.
std::vector<std::string> blocks_with_outputs(const model::Model& model);

}  // namespace orrery::tests
