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
    std::string reason;     // why; empty: it was not
    bool is_news = false;   // it was compiled again because of its structure, for the first time
  };
  // With these variables, all of them real numbers; those that decide the structure of the model cost a compilation
  // for each of their values. Nothing: the model cannot be compiled for them (its scripts read what may change, it
  // restarts or writes to the base workspace), and is to be run from its texts.
  std::optional<Answer> run(const std::vector<VariedVariable>& variables, oml::Interpreter& interpreter);
  const std::string& why_from_texts() const { return why_from_texts_; }

 private:
  struct Compiled {
    std::unique_ptr<RepeatedRuns> plain, sensitive;
    bool has_no_derivatives = false;
    std::vector<double> last;      // values of the last run that was one
    RepeatedRun with_derivatives;  // there
    std::vector<double> derivatives_at;
  };
  // Of a call: what is varied, and what is part of the structure.
  struct Split {
    std::vector<VariedVariable> varied, fixed;
    std::string key;
  };
  Split split(const std::vector<VariedVariable>& variables) const;
  bool is_repeatable(oml::Interpreter& interpreter);
  Compiled* find_or_compile(const std::vector<VariedVariable>& variables, Split& split, Answer& answer,
                            oml::Interpreter& interpreter);
  std::unique_ptr<RepeatedRuns> compile(const Split& split, bool derivatives, oml::Interpreter& interpreter,
                                        Diagnostics& diagnostics) const;
  bool add_structural(const std::vector<VariedVariable>& variables, const Diagnostics& said);
  std::optional<RepeatedRun> moved(Compiled& compiled, const Split& split, oml::Interpreter& interpreter) const;

  std::shared_ptr<model::Model> model_;
  std::optional<bool> repeatable_;
  std::string why_from_texts_;
  std::map<std::string, std::string> structural_;  // variables on whose values the structure depends, and how
  bool told_ = false;                              // that they cost compilations
  std::map<std::string, Compiled> compiled_;       // by names and sizes of the variables, and values of the structural
};

// The fields of a struct as real numbers; nothing where one is something else.
std::optional<std::vector<VariedVariable>> real_fields(const oml::Value& value);

}  // namespace orrery::api
