// SPDX-License-Identifier: Apache-2.0
// Signals among the values of OML.
#include "trace/signal_value.h"

#include <fmt/format.h>

#include "oml/convert.h"
#include "oml/error.h"
#include "oml/indexing.h"
#include "trace/loop_writer.h"
#include "trace/oml_values.h"
#include "trace/parameter_value.h"
#include "trace/signal_elements.h"
#include "trace/signal_functions.h"
#include "trace/signal_operations.h"

namespace orrery::trace {

using oml::Value;
using oml::Values;
using program::Expr;
using program::Graph;
using program::Scalar;
using program::Type;

namespace {

// A constant of the graph as the number it is.
Value number_of(Expr constant) {
  const Type type = constant.type();
  program::Value number = program::Value::matrix(type.rows, type.cols, 0, type.scalar);
  const auto data = constant.graph()->constant_data(constant.id());
  for (std::size_t k = 0; k < number.real.size(); ++k) {
    number.real[k] = type.scalar == Scalar::c128 ? data[2 * k] : data[k];
    if (type.scalar == Scalar::c128) number.imag[k] = data[2 * k + 1];
  }
  return to_oml(number);
}

}  // namespace

Value SignalValue::wrap(Expr expr) {
  return expr.graph()->is_constant(expr.id()) ? number_of(expr) : Value(new SignalValue(expr));
}

Expr to_expr(const Value& value, Graph& graph) {
  if (is_signal(value)) return static_cast<const SignalValue&>(value.symbolic()).expr();
  if (is_parameter(value)) {
    const auto& parameter = static_cast<const ParameterValue&>(value.symbolic());
    if (parameter.has_formula_in(graph)) return {&graph, parameter.formula()};
    return to_expr(*parameter.known(), graph);
  }
  if (!value.is_arithmetic() || value.dims().count() > 2 || value.is_empty()) {
    oml::fail(value.is_empty() ? "an empty matrix cannot be combined with a signal"
                               : fmt::format("a {} cannot be combined with a signal", value.class_name()));
  }
  const auto number = from_oml(value.is_text() ? oml::to_numeric(value) : value);
  if (!number) oml::fail(fmt::format("a {} cannot be combined with a signal", value.class_name()));
  const Type type{number->type, number->rows, number->cols};
  if (!number->is_complex()) return {&graph, graph.constant(type, number->real)};
  std::vector<double> pairs;
  for (std::size_t k = 0; k < number->real.size(); ++k) pairs.insert(pairs.end(), {number->real[k], number->imag[k]});
  return {&graph, graph.constant(type, pairs)};
}

Value SignalValue::binary(oml::BinaryOp op, const Value& left, const Value& right) const {
  return wrap(apply_operator(op, to_expr(left, *expr_.graph()), to_expr(right, *expr_.graph())));
}

Value SignalValue::unary(oml::UnaryOp op, const Value& operand) const {
  return wrap(apply_operator(op, to_expr(operand, *expr_.graph())));
}

std::optional<Values> SignalValue::call(oml::Interpreter& interpreter, const std::string& builtin,
                                        const Values& arguments, int nargout) const {
  if (builtin == "horzcat" || builtin == "vertcat") return Values{concatenate(arguments, builtin == "vertcat")};
  if (builtin == "cat" && arguments.size() > 1 && !is_signal(arguments[0])) {
    const double dimension = oml::to_double(arguments[0]);
    if (dimension != 1 && dimension != 2) oml::fail("signals are matrices: they can be joined along dimension 1 or 2");
    return Values{concatenate(Values(arguments.begin() + 1, arguments.end()), dimension == 1)};
  }
  return call_on_signals(interpreter, builtin, arguments, nargout, *expr_.graph());
}

Value SignalValue::index(const Value& self, const Values& subscripts) const {
  Graph& graph = *expr_.graph();
  if (self.is_cell() || self.is_struct()) oml::fail("an index into a cell or a struct depends on a signal");
  return index_elements(to_expr(self, graph), subscripts, graph);
}

Value SignalValue::assign(const Value& target, const Values& subscripts, const Value& value) const {
  if (target.is_cell()) {
    // c(k) = u stores the signal in the element.
    Value cell = target;
    oml::assign_index(cell, subscripts, Value::cell_row({value}));
    return cell;
  }
  return assign_elements(target, subscripts, value, *expr_.graph());
}

Value SignalValue::remove(const Value& target, const Values& subscripts) const {
  for (const Value& s : subscripts) {
    if (is_signal(s)) oml::fail("which elements are deleted depends on a signal; their number must be known");
  }
  return remove_elements(target, subscripts, *expr_.graph());
}

std::unique_ptr<oml::LoopWriter> SignalValue::write_loop(oml::Interpreter&) const {
  return std::make_unique<SignalLoop>(*expr_.graph());
}

Value SignalValue::concatenate(const Values& parts, bool vertically) const {
  return concatenate_elements(parts, vertically, *expr_.graph());
}

}  // namespace orrery::trace
