// SPDX-License-Identifier: Apache-2.0
// An Evaluator for constant expressions: literals, matrices, operators, elementary functions, assignments.
#pragma once

#include <map>

#include "compile/evaluator.h"

namespace orrery::compile {

class LiteralEvaluator final : public Evaluator {
 public:
  LiteralEvaluator();

  void push_scope() override;
  void pop_scope() override;
  bool run(const std::vector<std::string>& lines, const Place& place, Diagnostics& diagnostics) override;
  std::optional<Value> evaluate(std::string_view text, const Place& place, Diagnostics& diagnostics) override;
  void set(const std::string& name, Value value) override;

  // The innermost variable of that name, or null.
  const Value* find(std::string_view name) const;
  std::vector<std::string_view> names() const;

 private:
  std::vector<std::map<std::string, Value, std::less<>>> scopes_;
};

}  // namespace orrery::compile
