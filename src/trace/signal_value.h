// SPDX-License-Identifier: Apache-2.0
// A signal as an OML value: OML code that runs on it yields expressions of a Program.
#pragma once

#include <algorithm>

#include "oml/symbolic.h"
#include "program/expr.h"

namespace orrery::trace {

// Sizes are known, values are not: what depends on the value of a signal (sizes, control flow) is an OML error.
class SignalValue final : public oml::SymbolicValue {
 public:
  explicit SignalValue(program::Expr expr) : expr_(expr) {}
  // A number when the expression is a constant, so that control flow may depend on it.
  static oml::Value wrap(program::Expr expr);

  program::Expr expr() const { return expr_; }

  oml::Index rows() const override { return expr_.rows(); }
  oml::Index cols() const override { return expr_.cols(); }
  std::string text() const override { return "a signal of " + to_text(expr_.type()); }
  oml::Value binary(oml::BinaryOp op, const oml::Value& left, const oml::Value& right) const override;
  oml::Value unary(oml::UnaryOp op, const oml::Value& operand) const override;
  std::optional<oml::Values> call(oml::Interpreter& interpreter, const std::string& builtin,
                                  const oml::Values& arguments, int nargout) const override;
  oml::Value index(const oml::Value& self, const oml::Values& subscripts) const override;
  oml::Value assign(const oml::Value& target, const oml::Values& subscripts, const oml::Value& value) const override;
  oml::Value remove(const oml::Value& target, const oml::Values& subscripts) const override;
  std::unique_ptr<oml::LoopWriter> write_loop(oml::Interpreter& interpreter) const override;
  oml::Value concatenate(const oml::Values& parts, bool vertically) const override;

 private:
  program::Expr expr_;
};

inline bool is_signal(const oml::Value& value) {
  return value.kind() == oml::Kind::symbolic && value.symbolic().known() == nullptr;
}
inline bool any_signal(const oml::Values& values) { return std::any_of(values.begin(), values.end(), is_signal); }

// A value as an expression: signals as they are, parameters as their formulas, numbers as constants of their class.
// Throws OmlError for texts, cells and the like.
program::Expr to_expr(const oml::Value& value, program::Graph& graph);

}  // namespace orrery::trace
