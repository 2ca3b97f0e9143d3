// SPDX-License-Identifier: Apache-2.0
// A model that is compiled once and run with other values of its variables, with derivatives of what it records.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/oml_evaluator.h"
#include "api/session.h"
#include "sim/start_procedure.h"

namespace orrery::api {

// "T(2)" for an element of several, "k" for one number.
std::string element_name(const std::string& variable, std::size_t element, std::size_t count);

// The derivative of "/x[2]" by k is the column "d(/x)/d(k)[2]".
std::string derivative_column(const std::string& column, const std::string& element);

// Numbers of variables, one after the other.
struct VariedVariable {
  std::string name;
  int rows = 1, cols = 1;
  std::vector<double> values;
};

struct RepeatedRun {
  sim::End end = sim::End::failed;
  double time = 0;           // where it ended
  sim::Recording recording;  // of what the request wants to see
  Diagnostics diagnostics;
};

// What is different in one of the runs.
struct RunVariation {
  std::vector<double> values;  // of all variables
  std::vector<sim::InputSeries> inputs;
  std::vector<double> row_times;  // empty: every accepted point
  std::vector<sim::ParameterSetting> others;
  const std::atomic<bool>* interrupt = nullptr;
};

class RepeatedRuns {
 public:
  // Nothing, and diagnostics, where the model cannot be compiled, or a variable is none of its own or decides its
  // structure. With derivatives every recorded column has one for each element of the variables, named
  // "d(column)/d(T(2))". With an evaluator, the model's texts are evaluated within a script that runs.
  static std::unique_ptr<RepeatedRuns> create(const model::Model& model, const RunRequest& request,
                                              std::vector<VariedVariable> variables, bool derivatives,
                                              const std::shared_ptr<OmlEvaluator>& evaluator, Diagnostics& diagnostics);

  RepeatedRun run(const RunVariation& variation) const;

  const program::Program& program() const { return compiled_->program(); }
  const sim::RunOptions& options() const { return options_; }
  const std::vector<VariedVariable>& variables() const { return variables_; }
  std::vector<std::string> column_names() const;

 private:
  std::vector<VariedVariable> variables_;
  bool derivatives_ = false;
  bool bookkeeping_ = false;
  Prepared prepared_;  // without its Program
  sim::RunOptions options_;
  std::shared_ptr<const sim::CompiledProgram> compiled_;
};

}  // namespace orrery::api
