// SPDX-License-Identifier: Apache-2.0
// Operations on parameters: on their numbers and on their formulas.
#include "trace/parameter_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "oml/convert.h"
#include "oml/error.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "trace/signal_elements.h"
#include "trace/signal_functions.h"
#include "trace/signal_operations.h"
#include "trace/signal_value.h"

namespace orrery::trace {
namespace {

using oml::Value;
using oml::Values;
using program::Expr;
using program::Graph;
using program::Scalar;

Values plain_values(const Values& values) {
  Values numbers;
  for (const Value& value : values) numbers.push_back(numbers_of(value));
  return numbers;
}

// Whether a formula can stand for a number: the same size, and complex where the number is.
bool fits(Expr formula, const Value& number) {
  const bool same_size =
      number.dims().count() == 2 && number.dims().rows() == formula.rows() && number.dims().cols() == formula.cols();
  return same_size && number.is_arithmetic() && !number.is_text() &&
         number.is_complex() == (formula.scalar_type() == Scalar::c128);
}

// Functions that show a number and change nothing.
bool only_shows(const std::string& builtin) {
  static const std::unordered_set<std::string> names = {"printf", "fprintf", "fdisp", "display", "puts",  "fputs",
                                                        "error",  "warning", "plot",  "assert",  "fwrite"};
  return names.contains(builtin);
}

}  // namespace

Value numbers_of(const Value& value) {
  if (is_parameter(value)) return *value.symbolic().known();
  if (value.is_cell()) {
    Value cell = value;
    for (oml::Index k = 0; k < value.numel(); ++k) {
      const Value& item = value.cell()[k];
      if (is_parameter(item) || item.is_cell() || item.is_struct()) cell.edit_cell()[k] = numbers_of(item);
    }
    return cell;
  }
  if (value.is_struct()) {
    Value copy = value;
    for (std::size_t k = 0; k < value.structure_ref().columns.size(); ++k) {
      for (std::size_t e = 0; e < value.structure_ref().columns[k].size(); ++e) {
        const Value& item = value.structure_ref().columns[k][e];
        if (is_parameter(item) || item.is_cell() || item.is_struct()) {
          copy.edit_structure().columns[k][e] = numbers_of(item);
        }
      }
    }
    return copy;
  }
  return value;
}

ParameterValue::ParameterValue(std::shared_ptr<ParameterHome> home, program::ExprId formula, Value number)
    : home_(std::move(home)), formula_(formula), made_in_(&home_->space.program()), number_(std::move(number)) {}

Value ParameterValue::wrap(const std::shared_ptr<ParameterHome>& home, program::ExprId formula, Value number) {
  if (home->space.graph().is_constant(formula)) return number;
  return Value(new ParameterValue(home, formula, std::move(number)));
}

bool ParameterValue::has_formula_in(const Graph& graph) const {
  if (home_->space.paused || &graph != &home_->space.graph()) return false;
  return made_in_ == &home_->space.beginning() || made_in_ == &home_->space.program();
}

void ParameterValue::settle(const std::string& reason) const {
  if (has_formula_in(graph())) home_->space.fix(formula_, reason);
}

// The number of an operation together with its formula. Where there is none, the operands are settled.
template <class Formula>
Value ParameterValue::with_formula(Value number, const Values& operands, Formula formula) const {
  if (home_->space.paused) return number;
  std::string why = "there is no formula for what is computed from it";
  try {
    const Value made = formula();
    if (!is_signal(made)) return number;  // a constant, whatever the parameters are
    const Expr expr = to_expr(made, graph());
    if (fits(expr, number)) return wrap(home_, expr.id(), std::move(number));
    if (number.is_complex()) why = "what is computed from it is complex";
  } catch (const oml::OmlError& error) {
    why = error.message;
  }
  for (const Value& operand : operands) {
    if (is_parameter(operand)) operand.symbolic().settle(why);
  }
  return number;
}

Value ParameterValue::binary(oml::BinaryOp op, const Value& left, const Value& right) const {
  const auto formula = [&] {
    return SignalValue::wrap(apply_operator(op, to_expr(left, graph()), to_expr(right, graph())));
  };
  if (is_signal(left) || is_signal(right)) {
    Graph& g = *static_cast<const SignalValue&>((is_signal(left) ? left : right).symbolic()).expr().graph();
    return SignalValue::wrap(apply_operator(op, to_expr(left, g), to_expr(right, g)));
  }
  return with_formula(oml::apply_binary(op, numbers_of(left), numbers_of(right)), {left, right}, formula);
}

Value ParameterValue::unary(oml::UnaryOp op, const Value& operand) const {
  return with_formula(oml::apply_unary(op, number_), {operand},
                      [&] { return SignalValue::wrap(apply_operator(op, to_expr(operand, graph()))); });
}

std::optional<Values> ParameterValue::call(oml::Interpreter& interpreter, const std::string& builtin,
                                           const Values& arguments, int nargout) const {
  for (const Value& argument : arguments) {
    if (is_signal(argument)) return argument.symbolic().call(interpreter, builtin, arguments, nargout);
  }
  if (builtin == "horzcat" || builtin == "vertcat") return Values{concatenate(arguments, builtin == "vertcat")};
  std::optional<Values> formulas;
  const bool flat =
      std::all_of(arguments.begin(), arguments.end(), [](const Value& a) { return !a.is_cell() && !a.is_struct(); });
  std::string why = fmt::format("{} works with its number", builtin);
  if (moves_values_only(builtin) || (!flat && !StartComputations::can_run(builtin))) return std::nullopt;
  if (flat && !home_->space.paused) {
    Values signals;
    for (const Value& argument : arguments) {
      signals.push_back(is_parameter(argument) ? SignalValue::wrap(to_expr(argument, graph())) : argument);
    }
    try {
      formulas = call_on_signals(interpreter, builtin, signals, nargout, graph());
    } catch (const oml::OmlError&) {
      formulas.reset();
    }
    if (formulas && !any_signal(*formulas)) return formulas;  // a question about sizes and types
  }
  oml::CallSite site;
  site.builtin = interpreter.builtin(builtin);
  Values plain = plain_values(arguments);
  const Values numbers = interpreter.call_callee(builtin, site, plain, nargout);
  if (home_->space.paused || only_shows(builtin)) return numbers;
  if (formulas && formulas->size() == numbers.size()) {
    Values results;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      results.push_back(with_formula(numbers[k], arguments, [&] { return (*formulas)[k]; }));
    }
    return results;
  }
  if (StartComputations::can_run(builtin)) {
    if (auto results = home_->computations.add(home_, builtin, arguments, numbers, nargout)) return results;
    why = fmt::format("what {} gives for it is no real matrix", builtin);
  }
  for (const Value& argument : arguments) {
    if (is_parameter(argument)) argument.symbolic().settle(why);
  }
  if (!flat) settle(why);
  return numbers;
}

Values ParameterValue::settled_subscripts(const Values& subscripts) const {
  Values result;
  for (const Value& subscript : subscripts) {
    if (is_parameter(subscript)) subscript.symbolic().settle("it is an index");
    result.push_back(numbers_of(subscript));
  }
  return result;
}

Value ParameterValue::index(const Value& self, const Values& subscripts) const {
  const Values at = settled_subscripts(subscripts);
  if (any_signal(at)) return index_elements(to_expr(self, graph()), at, graph());
  if (!is_parameter(self)) return oml::index_value(self, at);
  return with_formula(oml::index_value(numbers_of(self), at), {self},
                      [&] { return index_elements(to_expr(self, graph()), at, graph()); });
}

Value ParameterValue::assign(const Value& target, const Values& subscripts, const Value& value) const {
  const Values at = settled_subscripts(subscripts);
  if (target.is_cell() || target.is_struct()) {
    Value changed = target;
    oml::assign_index(changed, at, target.is_cell() && is_parameter(value) ? Value::cell_row({value}) : value);
    return changed;
  }
  if (any_signal(at) || is_signal(target) || is_signal(value)) {
    return assign_elements(target, at, value, graph());
  }
  Value number = numbers_of(target);
  if (!is_parameter(target) && !is_parameter(value)) {
    oml::assign_index(number, at, value);
    return number;
  }
  oml::assign_index(number, at, numbers_of(value));
  return with_formula(std::move(number), {target, value}, [&] { return assign_elements(target, at, value, graph()); });
}

Value ParameterValue::remove(const Value& target, const Values& subscripts) const {
  const Values at = settled_subscripts(subscripts);
  Value number = numbers_of(target);
  oml::delete_elements(number, at);
  return with_formula(std::move(number), {target}, [&] { return remove_elements(target, at, graph()); });
}

Value ParameterValue::concatenate(const Values& parts, bool vertically) const {
  const auto glued = [&] { return concatenate_elements(parts, vertically, graph()); };
  for (const Value& part : parts) {
    if (is_signal(part)) return part.symbolic().concatenate(parts, vertically);
  }
  const bool some_cells = std::any_of(parts.begin(), parts.end(), [](const Value& v) { return v.is_cell(); });
  if (some_cells) {
    Values cells;
    for (const Value& part : parts) cells.push_back(part.is_cell() ? part : Value::cell_row({part}));
    return oml::concatenate(cells, vertically ? 0 : 1);
  }
  return with_formula(oml::concatenate(plain_values(parts), vertically ? 0 : 1), parts, glued);
}

}  // namespace orrery::trace
