// SPDX-License-Identifier: Apache-2.0
// OML behind the compiler's evaluator interface: contexts and parameter texts are run by the interpreter.
#pragma once

#include <memory>
#include <vector>

#include "compile/evaluator.h"
#include "oml/interpreter.h"

namespace orrery::api {

class OmlEvaluator final : public compile::Evaluator {
 public:
  OmlEvaluator();

  void push_scope() override;
  void pop_scope() override;
  bool run(const std::vector<std::string>& lines, const Place& place, Diagnostics& diagnostics) override;
  std::optional<compile::Value> evaluate(std::string_view text, const Place& place, Diagnostics& diagnostics) override;
  void set(const std::string& name, compile::Value value) override;
  std::shared_ptr<const blocks::Tracer> tracer() override;

 private:
  bool evaluating_ = false;  // a parameter, not a context
  oml::Interpreter interpreter_;
  std::vector<std::shared_ptr<oml::Environment>> scopes_;  // the outermost is the interpreter's base workspace
};

}  // namespace orrery::api
