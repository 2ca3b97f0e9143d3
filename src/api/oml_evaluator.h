// SPDX-License-Identifier: Apache-2.0
// OML behind the compiler's evaluator interface: contexts and parameter texts are run by the interpreter.
#pragma once

#include <memory>
#include <vector>

#include "compile/evaluator.h"
#include "oml/interpreter.h"

namespace orrery::api {

struct Exposables;
// Under this name an interpreter finds the Exposables of the model whose scripts it runs.
constexpr const char* exposables_resource = "orrery exposables";

// Evaluates a model to look at it, not to run it: nothing is printed, no file is touched.
struct Rehearsal {};

class OmlEvaluator final : public compile::Evaluator {
 public:
  // With an interpreter of its own, whose base workspace lives as long as the evaluator.
  OmlEvaluator();
  explicit OmlEvaluator(Rehearsal);
  // Within a script that runs: contexts see its functions, and its base workspace by name.
  explicit OmlEvaluator(oml::Interpreter& interpreter);
  ~OmlEvaluator() override;
  OmlEvaluator(const OmlEvaluator&) = delete;
  OmlEvaluator& operator=(const OmlEvaluator&) = delete;

  // Begins the evaluation for one run: the variables of the last one are gone, the base workspace stays. `counter` is
  // the number of the run, from 1.
  void begin_run(int counter);
  void pin(const std::string& name, oml::Value value);
  oml::Interpreter& interpreter() { return *interpreter_; }
  const Exposables& exposables() const { return *exposables_; }

  void push_scope(const std::vector<compile::GivenVariable>& variables, Diagnostics& diagnostics) override;
  void pop_scope() override;
  bool run(const std::vector<std::string>& lines, const Place& place, Diagnostics& diagnostics) override;
  void pin(const std::string& name, std::string_view text, const Place& place, Diagnostics& diagnostics) override;
  std::optional<compile::Value> evaluate(std::string_view text, const Place& place, Diagnostics& diagnostics) override;
  void set(const std::string& name, compile::Value value) override;
  std::shared_ptr<const blocks::Tracer> tracer() override;
  std::shared_ptr<const blocks::ForeignModels> foreign_models() override { return foreign_models_; }
  void set_foreign_models(std::shared_ptr<const blocks::ForeignModels> models) { foreign_models_ = std::move(models); }

 private:
  void attach_exposables();
  std::optional<oml::Value> value_of(std::string_view text, const Place& place, Diagnostics& diagnostics);
  void relocate(const Diagnostics& from, const Place& place, Diagnostics& to) const;
  std::string name_help(const std::string& message) const;
  void set_pinned();

  std::unique_ptr<oml::Interpreter> own_;
  oml::Interpreter* interpreter_;
  std::vector<std::shared_ptr<oml::Environment>> scopes_;  // the outermost is the model's
  std::vector<std::pair<std::string, oml::Value>> pinned_;
  std::shared_ptr<const blocks::ForeignModels> foreign_models_;
  std::shared_ptr<Exposables> exposables_;
  std::shared_ptr<void> outer_exposables_;  // of the model whose script runs this one
};

}  // namespace orrery::api
