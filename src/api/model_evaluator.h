// SPDX-License-Identifier: Apache-2.0
// A model that scripts run again and again (vssCreateEvaluator): compiled once for the variables that change, with
// derivatives where a search looks for slopes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/repeated_runs.h"
#include "oml/value.h"

namespace orrery::api {

class ModelEvaluator {
 public:
  explicit ModelEvaluator(std::shared_ptr<model::Model> model) : model_(std::move(model)) {}

  const std::shared_ptr<model::Model>& model() const { return model_; }

  struct Answer {
    const program::Program* program = nullptr;
    RepeatedRun run;
    bool compiled = false;  // for this call
    bool along = false;     // not run: the last run, moved along its derivatives
  };
  // With these variables, all of them real numbers. Nothing: the model cannot be compiled once for them (its scripts
  // read what may change, a variable decides its structure, it restarts or writes to the base workspace), and is to be
  // run from its texts.
  std::optional<Answer> run(const std::vector<VariedVariable>& variables, oml::Interpreter& interpreter);

 private:
  struct Compiled {
    std::unique_ptr<RepeatedRuns> plain, sensitive;
    bool has_no_derivatives = false;
    std::vector<double> last;      // values of the last run that was one
    RepeatedRun with_derivatives;  // there
    std::vector<double> derivatives_at;
  };
  bool is_repeatable(oml::Interpreter& interpreter) const;
  std::unique_ptr<RepeatedRuns> compile(const std::vector<VariedVariable>& variables, bool derivatives,
                                        oml::Interpreter& interpreter) const;
  std::optional<RepeatedRun> moved(Compiled& compiled, const std::vector<double>& values,
                                   const std::vector<VariedVariable>& variables, oml::Interpreter& interpreter) const;

  std::shared_ptr<model::Model> model_;
  std::optional<bool> repeatable_;
  std::map<std::string, Compiled> compiled_;  // by names and sizes of the variables
};

// The fields of a struct as real numbers; nothing where one is something else.
std::optional<std::vector<VariedVariable>> real_fields(const oml::Value& value);

}  // namespace orrery::api
