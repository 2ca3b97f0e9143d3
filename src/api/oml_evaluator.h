// SPDX-License-Identifier: Apache-2.0
// OML behind the compiler's evaluator interface: contexts and parameter texts are run by the interpreter.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "compile/evaluator.h"
#include "oml/extensions.h"
#include "oml/interpreter.h"
#include "program/graph.h"

namespace orrery::trace {
struct ParameterHome;
}

namespace orrery::api {

// What ends scripts that do not end by themselves.
struct ScriptLimits {
  double seconds = 0;  // 0: none
  const std::atomic<bool>* interrupt = nullptr;
};

class OmlEvaluator final : public compile::Evaluator {
 public:
  // With an interpreter of its own, whose base workspace lives as long as the evaluator. The model may compute, and
  // what has been allowed.
  explicit OmlEvaluator(Consent consent = {}, const ScriptLimits& limits = {});
  // Within a script that runs: contexts see its functions, and its base workspace by name, and may do what it may.
  explicit OmlEvaluator(oml::Interpreter& interpreter);
  ~OmlEvaluator() override;
  // The scripts of its model have been run; what is left to do are runs of what was compiled.
  void leave();
  OmlEvaluator(const OmlEvaluator&) = delete;
  OmlEvaluator& operator=(const OmlEvaluator&) = delete;

  // Begins the evaluation for one run: the variables of the last one are gone, the base workspace stays. `counter` is
  // the number of the run, from 1.
  void begin_run(int counter);
  void pin(const std::string& name, oml::Value value);
  // Pinned and varied variables get their values after the initialization, which computes with its own (Activate, 6.4):
  // the variables of a context that a script hands over.
  void pin_after_initialization() { after_initialization_ = true; }
  // Variables of the initialization and the top context that are to stay parameters, besides those the model calls
  // exposable. From the next begin_run() on. "T(2)" is the second element of T, which then is a parameter by itself.
  void vary(std::vector<std::string> names) { varied_ = std::move(names); }
  // exposable(name, fallback, unit): what the run was given, a variable of the base workspace, or the fallback, as a
  // parameter of the model.
  oml::Value exposed(const std::string& name, const oml::Value& fallback, const std::string& unit);
  // Of the outermost scope, those that could be varied.
  struct Variable {
    std::string name;
    int rows, cols;
    std::vector<double> values;
  };
  std::vector<Variable> variables() const;
  oml::Interpreter& interpreter() { return *interpreter_; }
  const std::shared_ptr<oml::Environment>& scope() const { return scopes_.back(); }  // the innermost
  const Consent& consent() const { return interpreter_->options().consent; }
  const std::shared_ptr<trace::ParameterHome>& parameters() const { return home_; }
  // What the runs of a model hand on to each other besides the base workspace, one object of each type; the first run
  // begins without.
  template <typename T>
  T& between_runs() {
    return between_runs_.get<T>();
  }
  // The evaluator whose model's scripts the interpreter runs; nullptr: none.
  static OmlEvaluator* running(oml::Interpreter& interpreter);

  void push_scope(const std::vector<compile::GivenVariable>& variables, Diagnostics& diagnostics) override;
  void pop_scope() override;
  void run(const std::vector<std::string>& lines, const Place& place, Diagnostics& diagnostics) override;
  void pin(const std::string& name, std::string_view text, const Place& place, Diagnostics& diagnostics) override;
  std::optional<compile::Value> evaluate(std::string_view text, const Place& place, Diagnostics& diagnostics) override;
  void set(const std::string& name, compile::Value value) override;
  void build(const std::vector<std::string>& lines, const Place& place, model::Diagram& diagram,
             Diagnostics& diagnostics) override;
  std::shared_ptr<const blocks::Tracer> tracer() override;
  std::shared_ptr<program::ParameterSpace> parameter_space() override;

 private:
  void attach();
  std::optional<oml::Value> value_of(std::string_view text, const Place& place, Diagnostics& diagnostics);
  void relocate(const Diagnostics& from, const Place& place, Diagnostics& to) const;
  std::string name_help(const std::string& name) const;
  void set_pinned();
  void name_varied();
  void name_elements(const std::string& name);
  oml::Value as_parameter(const std::string& name, const oml::Value& value, const std::string& unit);
  Place place_now() const;

  oml::Extensions between_runs_;
  std::unique_ptr<oml::Interpreter> own_;
  oml::Interpreter* interpreter_;
  std::vector<std::shared_ptr<oml::Environment>> scopes_;  // the outermost is the model's
  std::vector<std::pair<std::string, oml::Value>> pinned_;
  std::shared_ptr<trace::ParameterHome> home_;
  std::vector<std::string> varied_;
  std::map<std::string, program::ExprId> by_elements_;  // what variables are whose elements are parameters
  bool after_initialization_ = false;                   // it does not see what is pinned and varied
  bool is_first_run_ = true;                            // a model that is run again has results already
  Place place_;                                         // of the text that is evaluated now
  OmlEvaluator* outer_ = nullptr;                       // the evaluator of the model whose script runs this one
  bool attached_ = false;
};

}  // namespace orrery::api
