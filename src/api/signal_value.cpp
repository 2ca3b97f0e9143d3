// SPDX-License-Identifier: Apache-2.0
// OML operations on signals. Non-smooth functions become relations and choices, so that a block can make modes of them.
#include "api/signal_value.h"

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <unordered_map>

#include "oml/convert.h"
#include "oml/error.h"
#include "oml/indexing.h"

namespace orrery::api {
namespace {

using oml::Value;
using oml::Values;
using program::Expr;
using program::Graph;
using program::Op;
using program::Scalar;
using program::Type;

void check_sizes(Expr a, Expr b, const char* operation) {
  if (a.type().is_scalar() || b.type().is_scalar()) return;
  if (a.rows() == b.rows() && a.cols() == b.cols()) return;
  oml::fail(fmt::format("sizes {}x{} and {}x{} do not fit for {}", a.rows(), a.cols(), b.rows(), b.cols(), operation));
}

Expr number_like(Expr a) { return a.scalar_type() == Scalar::boolean ? a.as(Scalar::f64) : a; }

Expr product(Expr a, Expr b) {
  if (a.type().is_scalar() || b.type().is_scalar()) return number_like(a) * number_like(b);
  if (a.cols() != b.rows()) {
    oml::fail(fmt::format("sizes {}x{} and {}x{} do not fit for *", a.rows(), a.cols(), b.rows(), b.cols()));
  }
  return matmul(number_like(a), number_like(b));
}

Expr solve_left(Expr a, Expr b) {
  if (a.type().is_scalar()) return number_like(b) / number_like(a);
  if (a.rows() != a.cols() || a.rows() != b.rows())
    oml::fail("only a square matrix of the right size can be divided by");
  return {a.graph(), a.graph()->solve(number_like(a).id(), number_like(b).id())};
}

Expr matrix_power(Expr a, Expr b) {
  if (a.type().is_scalar() && b.type().is_scalar()) return apply(Op::pow, number_like(a), number_like(b));
  Graph& g = *a.graph();
  if (!b.type().is_scalar() || !g.is_constant(b.id()) || a.rows() != a.cols()) {
    oml::fail("a matrix can only be raised to a constant whole power; element by element use .^");
  }
  const double exponent = g.constant_data(b.id())[0];
  if (exponent < 1 || exponent > 64 || exponent != static_cast<int>(exponent))
    oml::fail("the power must be a whole number from 1 to 64");
  Expr result = a;
  for (int k = 1; k < static_cast<int>(exponent); ++k) result = matmul(result, a);
  return result;
}

Expr elementwise(oml::BinaryOp op, Expr a, Expr b) {
  check_sizes(a, b, symbol_of(op));
  using oml::BinaryOp;
  switch (op) {
    case BinaryOp::add: return number_like(a) + number_like(b);
    case BinaryOp::subtract: return number_like(a) - number_like(b);
    case BinaryOp::times: return number_like(a) * number_like(b);
    case BinaryOp::divide: return number_like(a) / number_like(b);
    case BinaryOp::left_divide: return number_like(b) / number_like(a);
    case BinaryOp::power: return apply(Op::pow, number_like(a), number_like(b));
    case BinaryOp::less: return a < b;
    case BinaryOp::less_equal: return a <= b;
    case BinaryOp::greater: return a > b;
    case BinaryOp::greater_equal: return a >= b;
    case BinaryOp::equal: return a == b;
    case BinaryOp::not_equal: return a != b;
    case BinaryOp::logical_and: return a && b;
    case BinaryOp::logical_or: return a || b;
    default: break;
  }
  oml::fail(fmt::format("{} does not work on signals", symbol_of(op)));
}

Expr filled(Expr a, Type type) {
  if (!a.type().is_scalar() || type.is_scalar()) return a;
  return stack(type.with(a.scalar_type()), std::vector<Expr>(static_cast<std::size_t>(type.size()), a));
}

Expr choose(Expr condition, Expr yes, Expr no) {
  check_sizes(condition, yes, "If_exp");
  check_sizes(condition, no, "If_exp");
  check_sizes(yes, no, "If_exp");
  Type type = condition.type();
  if (type.is_scalar()) type = yes.type().is_scalar() ? no.type() : yes.type();
  return select(to_boolean(condition), filled(number_like(yes), type), filled(number_like(no), type));
}

Expr smaller(Expr a, Expr b) { return choose(a < b, a, b); }
Expr larger(Expr a, Expr b) { return choose(a > b, a, b); }

Expr over_elements(Expr a, const std::function<Expr(Expr, Expr)>& combine) {
  Expr result = a[0];
  for (std::int64_t k = 1; k < a.size(); ++k) result = combine(result, a[k]);
  return result;
}

// sum, prod, min, max of a matrix work column by column; of a vector, over all.
Expr by_columns(Expr a, const std::function<Expr(Expr, Expr)>& combine) {
  if (a.rows() == 1 || a.cols() == 1) return over_elements(a, combine);
  std::vector<Expr> columns;
  for (std::int32_t c = 0; c < a.cols(); ++c) {
    Expr result = a.at(0, c);
    for (std::int32_t r = 1; r < a.rows(); ++r) result = combine(result, a.at(r, c));
    columns.push_back(result);
  }
  return stack(Type{columns[0].scalar_type(), 1, a.cols()}, columns);
}

const std::unordered_map<std::string, Op>& smooth_functions() {
  static const std::unordered_map<std::string, Op> table = {
      {"sqrt", Op::sqrt},   {"exp", Op::exp},     {"log", Op::log},   {"log10", Op::log10}, {"sin", Op::sin},
      {"cos", Op::cos},     {"tan", Op::tan},     {"asin", Op::asin}, {"acos", Op::acos},   {"atan", Op::atan},
      {"sinh", Op::sinh},   {"cosh", Op::cosh},   {"tanh", Op::tanh}, {"asinh", Op::asinh}, {"acosh", Op::acosh},
      {"atanh", Op::atanh}, {"floor", Op::floor}, {"ceil", Op::ceil}, {"round", Op::round}, {"fix", Op::trunc},
      {"real", Op::real},   {"imag", Op::imag},   {"conj", Op::conj}, {"isnan", Op::is_nan}};
  return table;
}

using Binary = Expr (*)(Expr, Expr);
const std::unordered_map<std::string, Binary>& two_argument_functions() {
  static const std::unordered_map<std::string, Binary> table = {
      {"atan2", [](Expr a, Expr b) { return apply(Op::atan2, a, b); }},
      {"hypot", [](Expr a, Expr b) { return apply(Op::hypot, a, b); }},
      {"mod", [](Expr a, Expr b) { return apply(Op::mod, a, b); }},
      {"rem", [](Expr a, Expr b) { return apply(Op::rem, a, b); }},
      {"power", [](Expr a, Expr b) { return apply(Op::pow, a, b); }},
      {"min", smaller},
      {"max", larger},
      {"mtimes", product},
      {"dot", [](Expr a, Expr b) { return sum(a * b); }}};
  return table;
}

std::optional<Expr> one_argument(const std::string& name, Expr a) {
  Graph& g = *a.graph();
  const auto smooth = smooth_functions().find(name);
  if (smooth != smooth_functions().end()) return apply(smooth->second, number_like(a));
  const Expr zero{&g, g.constant(0)};
  if (name == "abs" && a.scalar_type() != Scalar::c128) return choose(a >= zero, a, -a);
  if (name == "abs") return apply(Op::abs, a);
  if (name == "sign") return choose(a > zero, zero + 1.0, choose(a < zero, zero - 1.0, zero));
  if (name == "sum") return by_columns(number_like(a), [](Expr x, Expr y) { return x + y; });
  if (name == "prod") return by_columns(number_like(a), [](Expr x, Expr y) { return x * y; });
  if (name == "min") return by_columns(a, smaller);
  if (name == "max") return by_columns(a, larger);
  if (name == "norm" && (a.rows() == 1 || a.cols() == 1)) return apply(Op::sqrt, sum(a * a));
  if (name == "transpose" || name == "ctranspose") return transpose(a);
  if (name == "inv") return Expr{&g, g.unary(Op::inverse, a.id())};
  if (name == "det") return Expr{&g, g.unary(Op::determinant, a.id())};
  if (name == "expm") return Expr{&g, g.unary(Op::expm, a.id())};
  if (name == "double") return a.as(Scalar::f64);
  if (name == "logical") return to_boolean(a);
  return std::nullopt;
}

// Questions about sizes have plain numbers as answers.
std::optional<Values> size_question(const std::string& name, Expr a, const Values& arguments, int nargout) {
  const double rows = a.rows(), cols = a.cols();
  if (name == "size" && arguments.size() == 2) {
    const double dimension = oml::to_double(arguments[1]);
    return Values{Value(dimension == 1 ? rows : dimension == 2 ? cols : 1.0)};
  }
  if (name == "size" && nargout >= 2) return Values{Value(rows), Value(cols)};
  if (name == "size") return Values{Value::row({rows, cols})};
  if (name == "rows") return Values{Value(rows)};
  if (name == "columns") return Values{Value(cols)};
  if (name == "length") return Values{Value(rows * cols == 0 ? 0.0 : std::max(rows, cols))};
  if (name == "numel") return Values{Value(rows * cols)};
  if (name == "ndims") return Values{Value(2.0)};
  if (name == "isscalar") return Values{Value(a.type().is_scalar())};
  if (name == "isvector") return Values{Value(a.rows() == 1 || a.cols() == 1)};
  if (name == "isrow") return Values{Value(a.rows() == 1)};
  if (name == "iscolumn") return Values{Value(a.cols() == 1)};
  if (name == "issquare") return Values{Value(a.rows() == a.cols())};
  if (name == "isempty") return Values{Value(a.size() == 0)};
  if (name == "isreal") return Values{Value(a.scalar_type() != Scalar::c128)};
  if (name == "isnumeric") return Values{Value(a.scalar_type() != Scalar::boolean)};
  return std::nullopt;
}

// Numbers 1, 2, … in the shape of a matrix: OML's own indexing of them says which elements go where.
Value positions(oml::Index rows, oml::Index cols, double first) {
  Value numbers = Value::zeros(oml::Dims(rows, cols));
  for (oml::Index k = 0; k < rows * cols; ++k) numbers.edit_real()[k] = first + static_cast<double>(k);
  return numbers;
}

// The matrix whose element k is elements[map(k) - 1]; position 0 stands for a zero.
Value gather(const Value& map, const std::vector<Expr>& elements) {
  const Value numbers = oml::boxed(oml::to_real(map));
  Scalar scalar = elements[0].scalar_type();
  for (const Expr& e : elements) scalar = promote(scalar, e.scalar_type());
  std::vector<Expr> picked;
  for (double at : numbers.real().data) {
    Graph& g = *elements[0].graph();
    picked.push_back(at == 0 ? Expr{&g, g.constant(0, scalar)} : elements[static_cast<std::size_t>(at) - 1].as(scalar));
  }
  if (picked.empty()) oml::fail("an empty part of a signal");
  const Type type{scalar, static_cast<std::int32_t>(numbers.dims().rows()),
                  static_cast<std::int32_t>(numbers.dims().cols())};
  return SignalValue::wrap(type.is_scalar() ? picked[0] : stack(type, picked));
}

void append_elements(Expr a, std::vector<Expr>& out) {
  for (std::int64_t k = 0; k < a.size(); ++k) out.push_back(a.type().is_scalar() ? a : a[k]);
}

}  // namespace

Expr to_expr(const Value& value, Graph& graph) {
  if (value.kind() == oml::Kind::symbolic) return static_cast<const SignalValue&>(value.symbolic()).expr();
  if (!value.is_arithmetic() || value.dims().count() > 2 || value.is_empty()) {
    oml::fail(fmt::format("a {} cannot be combined with a signal", value.class_name()));
  }
  const bool logical = value.is_logical();
  const Value numbers = oml::boxed(oml::full(oml::to_numeric(value)));
  Type type{logical ? Scalar::boolean : Scalar::f64, static_cast<std::int32_t>(numbers.dims().rows()),
            static_cast<std::int32_t>(numbers.dims().cols())};
  std::vector<double> data;
  if (numbers.kind() == oml::Kind::complex) {
    type.scalar = Scalar::c128;
    for (const auto& z : numbers.complex().data) data.insert(data.end(), {z.real(), z.imag()});
  } else {
    data.assign(numbers.real().data.begin(), numbers.real().data.end());
  }
  return {&graph, graph.constant(type, data)};
}

Value SignalValue::binary(oml::BinaryOp op, const Value& left, const Value& right) const {
  const Expr a = to_expr(left, *expr_.graph()), b = to_expr(right, *expr_.graph());
  using oml::BinaryOp;
  switch (op) {
    case BinaryOp::matrix_times: return wrap(product(a, b));
    case BinaryOp::matrix_left_divide: return wrap(solve_left(a, b));
    case BinaryOp::matrix_divide:
      return wrap(b.type().is_scalar() ? number_like(a) / number_like(b)
                                       : transpose(solve_left(transpose(b), transpose(a))));
    case BinaryOp::matrix_power: return wrap(matrix_power(a, b));
    default: return wrap(elementwise(op, a, b));
  }
}

Value SignalValue::unary(oml::UnaryOp op, const Value& operand) const {
  const Expr a = to_expr(operand, *expr_.graph());
  switch (op) {
    case oml::UnaryOp::plus: return wrap(a);
    case oml::UnaryOp::minus: return wrap(-number_like(a));
    case oml::UnaryOp::logical_not: return wrap(!a);
    case oml::UnaryOp::transpose: return wrap(transpose(a));
    case oml::UnaryOp::conjugate_transpose:
      return wrap(transpose(a.scalar_type() == Scalar::c128 ? apply(Op::conj, a) : a));
  }
  return wrap(a);
}

Values SignalValue::call(const std::string& builtin, const Values& arguments, int nargout) const {
  Graph& g = *expr_.graph();
  if (!arguments.empty() && arguments[0].kind() == oml::Kind::symbolic) {
    if (auto answer = size_question(builtin, to_expr(arguments[0], g), arguments, nargout)) return *answer;
  }
  if (builtin == "horzcat" || builtin == "vertcat") return {concatenate(arguments, builtin == "vertcat")};
  if (builtin == "If_exp" && arguments.size() == 3) {
    return {wrap(choose(to_expr(arguments[0], g), to_expr(arguments[1], g), to_expr(arguments[2], g)))};
  }
  if (builtin == "reshape" && arguments.size() == 3) {
    const Expr a = to_expr(arguments[0], g);
    const oml::Index rows = oml::to_integer(arguments[1]), cols = oml::to_integer(arguments[2]);
    if (rows * cols != a.size()) oml::fail("reshape must keep the number of elements");
    return {wrap({&g, g.reshape(a.id(), static_cast<std::int32_t>(rows), static_cast<std::int32_t>(cols))})};
  }
  if (arguments.size() == 1) {
    if (auto result = one_argument(builtin, to_expr(arguments[0], g))) return {wrap(*result)};
  }
  const auto two = two_argument_functions().find(builtin);
  if (arguments.size() == 2 && two != two_argument_functions().end()) {
    const Expr a = number_like(to_expr(arguments[0], g)), b = number_like(to_expr(arguments[1], g));
    if (builtin != "mtimes") check_sizes(a, b, builtin.c_str());
    return {wrap(two->second(a, b))};
  }
  oml::fail(fmt::format("{} cannot be applied to a signal, whose value is not known before the simulation", builtin));
}

Value SignalValue::index(const Value& self, const Values& subscripts) const {
  for (const Value& s : subscripts) {
    if (s.kind() == oml::Kind::symbolic)
      oml::fail("an index depends on a signal; the size of the result would not be known");
  }
  const Expr a = to_expr(self, *expr_.graph());
  std::vector<Expr> elements;
  append_elements(a, elements);
  return gather(oml::index_value(positions(a.rows(), a.cols(), 1), subscripts), elements);
}

Value SignalValue::assign(const Value& target, const Values& subscripts, const Value& value) const {
  for (const Value& s : subscripts) {
    if (s.kind() == oml::Kind::symbolic)
      oml::fail("an index depends on a signal; the size of the result would not be known");
  }
  Graph& g = *expr_.graph();
  std::vector<Expr> elements;
  Value map = Value::empty();
  if (!target.is_none() && !target.is_empty()) {
    const Expr a = to_expr(target, g);
    append_elements(a, elements);
    map = positions(a.rows(), a.cols(), 1);
  }
  const Expr b = to_expr(value, g);
  const double first = static_cast<double>(elements.size()) + 1;
  append_elements(b, elements);
  oml::assign_index(map, subscripts, b.type().is_scalar() ? Value(first) : positions(b.rows(), b.cols(), first));
  return gather(map, elements);
}

Value SignalValue::concatenate(const Values& parts, bool vertically) const {
  std::vector<Expr> elements;
  Values maps;
  for (const Value& part : parts) {
    if (part.is_empty()) continue;
    const Expr a = to_expr(part, *expr_.graph());
    maps.push_back(positions(a.rows(), a.cols(), static_cast<double>(elements.size()) + 1));
    append_elements(a, elements);
  }
  return gather(oml::concatenate(maps, vertically ? 0 : 1), elements);
}

}  // namespace orrery::api
