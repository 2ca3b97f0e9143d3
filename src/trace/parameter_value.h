// SPDX-License-Identifier: Apache-2.0
// Parameters of a model as OML values: a number that also knows its formula.
#pragma once

#include <memory>

#include "oml/symbolic.h"
#include "program/parameter_space.h"
#include "trace/start_computations.h"

namespace orrery::trace {

// The parameters of one evaluation of a model.
struct ParameterHome {
  explicit ParameterHome(oml::Interpreter& interpreter) : computations(interpreter) {}
  program::ParameterSpace space;
  StartComputations computations;
};

// A parameter, or what scripts have computed from parameters. Operations are carried out on the numbers, as OML does
// them, and on the formulas. What has no formula is computed anew when a run starts, if the function is one of those
// that depend on their arguments alone; else the script goes on with the number, and the space remembers why.
class ParameterValue final : public oml::SymbolicValue {
 public:
  // The number alone when the formula is a constant.
  static oml::Value wrap(const std::shared_ptr<ParameterHome>& home, program::ExprId formula, oml::Value number);

  const std::shared_ptr<ParameterHome>& home() const { return home_; }
  program::ExprId formula() const { return formula_; }
  bool has_formula_in(const program::Graph& graph) const;

  oml::Index rows() const override { return number_.dims().rows(); }
  oml::Index cols() const override { return number_.dims().cols(); }
  std::string text() const override { return "a parameter"; }
  const oml::Value* known() const override { return &number_; }
  void settle(const std::string& reason) const override;
  oml::Value binary(oml::BinaryOp op, const oml::Value& left, const oml::Value& right) const override;
  oml::Value unary(oml::UnaryOp op, const oml::Value& operand) const override;
  std::optional<oml::Values> call(oml::Interpreter& interpreter, const std::string& builtin,
                                  const oml::Values& arguments, int nargout) const override;
  oml::Value index(const oml::Value& self, const oml::Values& subscripts) const override;
  oml::Value assign(const oml::Value& target, const oml::Values& subscripts, const oml::Value& value) const override;
  oml::Value remove(const oml::Value& target, const oml::Values& subscripts) const override;
  oml::Value concatenate(const oml::Values& parts, bool vertically) const override;

 private:
  ParameterValue(std::shared_ptr<ParameterHome> home, program::ExprId formula, oml::Value number);
  template <class Formula>
  oml::Value with_formula(oml::Value number, const oml::Values& operands, Formula formula) const;
  oml::Values settled_subscripts(const oml::Values& subscripts) const;
  program::Graph& graph() const { return home_->space.graph(); }

  std::shared_ptr<ParameterHome> home_;
  program::ExprId formula_;
  const program::Program* made_in_;  // whose graph the formula belongs to
  oml::Value number_;
};

inline bool is_parameter(const oml::Value& value) {
  return value.kind() == oml::Kind::symbolic && value.symbolic().known() != nullptr;
}

// The value with the numbers of the parameters in it, also within cells and structs.
oml::Value numbers_of(const oml::Value& value);

}  // namespace orrery::trace
