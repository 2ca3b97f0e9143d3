// SPDX-License-Identifier: Apache-2.0
// Functions on signals. Non-smooth ones become relations and choices, so that a block can make modes of them.
#include "trace/signal_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "oml/convert.h"
#include "oml/error.h"
#include "oml/interpreter.h"
#include "program/continuation.h"
#include "trace/signal_elements.h"
#include "trace/signal_interpolation.h"
#include "trace/signal_operations.h"
#include "trace/signal_value.h"

namespace orrery::trace {
namespace {

using oml::BinaryOp;
using oml::Value;
using oml::Values;
using program::Expr;
using program::Graph;
using program::Op;
using program::Scalar;
using program::Type;

Expr floating(Expr a) { return a.scalar_type() == Scalar::c128 ? a : a.as(Scalar::f64); }

// As OML has it: NaN never wins, and of equal numbers the first is taken.
Expr preferred(Expr second_wins, Expr a, Expr b) {
  const Expr first = is_floating(a.scalar_type()) ? choose(apply(Op::is_nan, a), b, a) : a;
  return choose(second_wins, b, first);
}
Expr smaller(Expr a, Expr b) { return preferred(b < a, a, b); }
Expr larger(Expr a, Expr b) { return preferred(b > a, a, b); }

Expr absolute(Expr a) {
  if (a.scalar_type() == Scalar::c128) return apply(Op::abs, a);
  // Adding zero makes +0 of -0, as the absolute value does.
  const Expr zero{a.graph(), a.graph()->constant(0)};
  return convert(choose(a >= zero, floating(a) + zero, -floating(a)), number_like(a).scalar_type());
}

Expr sign_of(Expr a) {
  const Expr zero{a.graph(), a.graph()->constant(0)}, one = zero + 1.0;
  return choose(a > zero, one, choose(a < zero, -one, a));  // a zero keeps its sign
}

const std::unordered_map<std::string, Op>& smooth_functions() {
  static const std::unordered_map<std::string, Op> table = {
      {"sqrt", Op::sqrt},   {"exp", Op::exp},     {"log", Op::log},   {"log10", Op::log10}, {"sin", Op::sin},
      {"cos", Op::cos},     {"tan", Op::tan},     {"asin", Op::asin}, {"acos", Op::acos},   {"atan", Op::atan},
      {"sinh", Op::sinh},   {"cosh", Op::cosh},   {"tanh", Op::tanh}, {"asinh", Op::asinh}, {"acosh", Op::acosh},
      {"atanh", Op::atanh}, {"floor", Op::floor}, {"ceil", Op::ceil}, {"round", Op::round}, {"fix", Op::trunc},
      {"int", Op::trunc},   {"real", Op::real},   {"imag", Op::imag}, {"conj", Op::conj},   {"isnan", Op::is_nan},
      {"arg", Op::arg},     {"angle", Op::arg}};
  return table;
}

const std::unordered_map<std::string, BinaryOp>& operator_functions() {
  static const std::unordered_map<std::string, BinaryOp> table = {{"plus", BinaryOp::add},
                                                                  {"minus", BinaryOp::subtract},
                                                                  {"times", BinaryOp::times},
                                                                  {"rdivide", BinaryOp::divide},
                                                                  {"ldivide", BinaryOp::left_divide},
                                                                  {"power", BinaryOp::power},
                                                                  {"mtimes", BinaryOp::matrix_times},
                                                                  {"mrdivide", BinaryOp::matrix_divide},
                                                                  {"mldivide", BinaryOp::matrix_left_divide},
                                                                  {"mpower", BinaryOp::matrix_power},
                                                                  {"lt", BinaryOp::less},
                                                                  {"le", BinaryOp::less_equal},
                                                                  {"gt", BinaryOp::greater},
                                                                  {"ge", BinaryOp::greater_equal},
                                                                  {"eq", BinaryOp::equal},
                                                                  {"ne", BinaryOp::not_equal},
                                                                  {"and", BinaryOp::logical_and},
                                                                  {"or", BinaryOp::logical_or}};
  return table;
}

using Binary = Expr (*)(Expr, Expr);
const std::unordered_map<std::string, Binary>& two_argument_functions() {
  static const std::unordered_map<std::string, Binary> table = {
      {"atan2", [](Expr a, Expr b) { return apply(Op::atan2, a, b); }},
      {"hypot", [](Expr a, Expr b) { return apply(Op::hypot, a, b); }},
      {"mod", [](Expr a, Expr b) { return apply(Op::mod, a, b) + 0.0; }},  // never -0
      {"rem", [](Expr a, Expr b) { return apply(Op::rem, a, b); }},
      {"complex", [](Expr a, Expr b) { return apply(Op::complex_pair, floating(a), floating(b)); }},
      {"xor", [](Expr a, Expr b) { return apply(Op::logical_xor, to_boolean(a), to_boolean(b)); }},
      {"min", smaller},
      {"max", larger},
      {"dot", [](Expr a, Expr b) { return sum(a * b); }}};
  return table;
}

const std::unordered_map<std::string, Scalar>& conversions() {
  static const std::unordered_map<std::string, Scalar> table = {
      {"double", Scalar::f64}, {"logical", Scalar::boolean}, {"int8", Scalar::i8},    {"int16", Scalar::i16},
      {"int32", Scalar::i32},  {"uint8", Scalar::u8},        {"uint16", Scalar::u16}, {"uint32", Scalar::u32}};
  return table;
}

// Functions that only rearrange their first argument: they run on positions instead of elements.
const std::unordered_set<std::string>& rearranging() {
  static const std::unordered_set<std::string> names = {"repmat", "diag", "fliplr", "flipud",  "flip", "circshift",
                                                        "triu",   "tril", "rot90",  "permute", "vec",  "reshape"};
  return names;
}

// Functions that never look at the value of a number.
const std::unordered_set<std::string>& indifferent() {
  static const std::unordered_set<std::string> names = {
      "feval",    "deal",    "struct", "setfield", "isfield",  "strcmp", "strcmpi",   "strncmp",
      "cellfun",  "disp",    "ischar", "iscell",   "isstruct", "exist",  "iscellstr", "is_function_handle",
      "isobject", "assignin"};
  return names;
}

// The elements that are combined into each element of the result, and its shape.
struct Slices {
  std::vector<std::vector<Expr>> elements;
  std::int32_t rows, cols;
};

// dimension 0: the first that is not 1, as OML's reductions choose it.
Slices slices_of(Expr a, int dimension) {
  if (dimension == 0) dimension = a.rows() == 1 ? 2 : 1;
  Slices result{{}, dimension == 1 ? 1 : a.rows(), dimension == 1 ? a.cols() : 1};
  const std::int32_t count = dimension == 1 ? a.cols() : a.rows(), length = dimension == 1 ? a.rows() : a.cols();
  for (std::int32_t k = 0; k < count; ++k) {
    std::vector<Expr>& slice = result.elements.emplace_back();
    for (std::int32_t i = 0; i < length; ++i) slice.push_back(dimension == 1 ? a.at(i, k) : a.at(k, i));
  }
  return result;
}

using Combine = std::function<Expr(Expr, Expr)>;

Expr reduced(Expr a, int dimension, const Combine& combine) {
  if (a.type().is_scalar() || dimension > 2) return a;
  const Slices slices = slices_of(a, dimension);
  std::vector<Expr> results;
  for (const std::vector<Expr>& slice : slices.elements) {
    Expr result = slice[0];
    for (std::size_t i = 1; i < slice.size(); ++i) result = combine(result, slice[i]);
    results.push_back(result);
  }
  if (results.size() == 1) return results[0];
  return stack(Type{results[0].scalar_type(), slices.rows, slices.cols}, results);
}

Expr running(Expr a, int dimension, const Combine& combine) {
  if (a.type().is_scalar() || dimension > 2) return a;
  if (dimension == 0) dimension = a.rows() == 1 ? 2 : 1;
  const Slices slices = slices_of(a, dimension);
  std::vector<Expr> results(static_cast<std::size_t>(a.size()));
  for (std::size_t k = 0; k < slices.elements.size(); ++k) {
    Expr result;
    for (std::size_t i = 0; i < slices.elements[k].size(); ++i) {
      const Expr x = slices.elements[k][i];
      result = i == 0 ? x : combine(result, x);
      const std::size_t row = dimension == 1 ? i : k, col = dimension == 1 ? k : i;
      results[row + col * static_cast<std::size_t>(a.rows())] = result;
    }
  }
  return stack(a.type(), results);
}

// The dimension argument of a reduction; 0 when there is none.
int dimension_of(const Values& arguments, std::size_t at) {
  if (arguments.size() <= at) return 0;
  const double d = oml::to_double(arguments[at]);
  if (d < 1 || d != std::floor(d) || d > 8) oml::fail("the dimension must be a whole number from 1");
  return static_cast<int>(d);
}

std::optional<Expr> reduction(const std::string& name, const Values& arguments, Expr a) {
  static const std::unordered_set<std::string> names = {"min", "max", "sum",  "prod", "cumsum", "cumprod",
                                                        "all", "any", "mean", "and",  "or"};
  if (!names.contains(name)) return std::nullopt;
  const auto add = [](Expr x, Expr y) { return x + y; };
  const auto multiply = [](Expr x, Expr y) { return x * y; };
  const bool is_extreme = name == "min" || name == "max";
  if (is_extreme && (arguments.size() == 1 || (arguments.size() == 3 && arguments[1].is_empty()))) {
    return reduced(number_like(a), dimension_of(arguments, 2), name == "min" ? smaller : larger);
  }
  if (arguments.size() > 2) return std::nullopt;
  if ((name == "and" || name == "or") && arguments.size() == 2) return std::nullopt;
  const int dimension = is_extreme ? 0 : dimension_of(arguments, 1);
  const Expr x = floating(a);
  // Sums and products of many are one operation: integers are brought into range once, as in OML; running ones are
  // many.
  const auto like_a = [&](Expr y) { return program::is_integer(a.scalar_type()) ? y.as(a.scalar_type()) : y; };
  if (name == "sum") return like_a(reduced(x, dimension, add));
  if (name == "prod") return like_a(reduced(x, dimension, multiply));
  if (name == "cumsum") return running(number_like(a), dimension, add);
  if (name == "cumprod") return running(number_like(a), dimension, multiply);
  if (name == "all") return reduced(to_boolean(a), dimension, [](Expr p, Expr q) { return p && q; });
  if (name == "any") return reduced(to_boolean(a), dimension, [](Expr p, Expr q) { return p || q; });
  if (name == "mean") {
    const Expr total = reduced(x, dimension, add);
    return total / (static_cast<double>(a.size()) / static_cast<double>(total.size()));
  }
  if (name == "and" || name == "or") {  // of all elements (Activate, 2.6.3)
    std::vector<Expr> elements;
    append_elements(to_boolean(a), elements);
    Expr result = elements[0];
    for (const Expr& e : elements) result = name == "and" ? result && e : result || e;
    return result;
  }
  return std::nullopt;
}

Expr norm(const Values& arguments, Expr a) {
  const Expr x = floating(a);
  const bool is_vector = a.rows() == 1 || a.cols() == 1;
  std::string kind = "2";
  if (arguments.size() == 2) {
    const Value& given = arguments[1];
    kind = given.is_text()                     ? oml::to_string(given)
           : std::isinf(oml::to_double(given)) ? "inf"
                                               : fmt::format("{:g}", oml::to_double(given));
  }
  std::transform(kind.begin(), kind.end(), kind.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
  const Expr flat{a.graph(), a.graph()->reshape(x.id(), static_cast<std::int32_t>(a.size()), 1)};
  if (kind == "fro" || (kind == "2" && is_vector)) return apply(Op::sqrt, sum(flat * flat));
  const Combine add = [](Expr p, Expr q) { return p + q; };
  if (is_vector && kind == "1") return reduced(absolute(flat), 1, add);
  if (is_vector && kind == "inf") return reduced(absolute(flat), 1, larger);
  if (kind == "1") return reduced(reduced(absolute(x), 1, add), 2, larger);
  if (kind == "inf") return reduced(reduced(absolute(x), 2, add), 1, larger);
  oml::fail("this norm of a matrix of signals is not available; there are 1, inf and 'fro'");
}

void check_square(Expr a, const std::string& name) {
  if (a.rows() == a.cols()) return;
  oml::fail(fmt::format("{} needs a square matrix, not one of {}x{}", name, a.rows(), a.cols()));
}

std::optional<Expr> one_argument(const std::string& name, Expr a) {
  Graph& g = *a.graph();
  const auto smooth = smooth_functions().find(name);
  if (smooth != smooth_functions().end()) return apply(smooth->second, floating(a));
  const auto conversion = conversions().find(name);
  if (conversion != conversions().end()) return convert(a, conversion->second);
  if (name == "abs") return absolute(a);
  if (name == "sign") return sign_of(a);
  if (name == "not") return !a;
  if (name == "uminus") return apply_operator(oml::UnaryOp::minus, a);
  if (name == "uplus" || name == "full") return a;
  if (name == "transpose") return transpose(a);
  if (name == "ctranspose") return apply_operator(oml::UnaryOp::conjugate_transpose, a);
  if (name == "trace") {
    Expr total = floating(a.at(0, 0));
    for (std::int32_t k = 1; k < std::min(a.rows(), a.cols()); ++k) total = total + floating(a.at(k, k));
    return total;
  }
  static const std::unordered_map<std::string, Op> whole = {
      {"inv", Op::inverse}, {"det", Op::determinant}, {"expm", Op::expm}};
  const auto found = whole.find(name);
  if (found == whole.end()) return std::nullopt;
  check_square(a, name);
  return Expr{&g, g.unary(found->second, a.as(Scalar::f64).id())};
}

Expr cross(Expr a, Expr b) {
  if (a.size() != 3 || b.size() != 3) oml::fail("cross needs two vectors of three elements");
  const auto part = [&](int i, int j) { return a[i] * b[j] - a[j] * b[i]; };
  return stack(a.type(), std::array{part(1, 2), part(2, 0), part(0, 1)});
}

Expr kron(Expr a, Expr b) {
  std::vector<Expr> elements;
  for (std::int32_t j = 0; j < a.cols() * b.cols(); ++j) {
    for (std::int32_t i = 0; i < a.rows() * b.rows(); ++i) {
      elements.push_back(a.at(i / b.rows(), j / b.cols()) * b.at(i % b.rows(), j % b.cols()));
    }
  }
  return stack(Type{elements[0].scalar_type(), a.rows() * b.rows(), a.cols() * b.cols()}, elements);
}

// Horner's scheme; the coefficients may be signals too.
Expr polyval(Expr p, Expr x) {
  Expr y = filled(p.type().is_scalar() ? p : p[0], x.type());
  for (std::int64_t k = 1; k < p.size(); ++k) y = y * x + p[k];
  return y;
}

std::optional<Expr> two_arguments(const std::string& name, Expr left, Expr right) {
  const auto named = operator_functions().find(name);
  if (named != operator_functions().end()) return apply_operator(named->second, left, right);
  const Expr a = number_like(left), b = number_like(right);
  if (name == "cross") return cross(floating(a), floating(b));
  if (name == "kron") return kron(floating(a), floating(b));
  if (name == "polyval") return polyval(floating(a), floating(b));
  const auto two = two_argument_functions().find(name);
  if (two == two_argument_functions().end()) return std::nullopt;
  check_sizes(a, b, name);
  return two->second(a, b);
}

// Questions about size and type have plain numbers as answers.
std::optional<Values> question(const std::string& name, Expr a, const Values& arguments, int nargout) {
  const double rows = a.rows(), cols = a.cols();
  const Scalar scalar = a.scalar_type();
  if (name == "size" && arguments.size() == 2) {
    const double dimension = oml::to_double(arguments[1]);
    return Values{Value(dimension == 1 ? rows : dimension == 2 ? cols : 1.0)};
  }
  if (name == "size" && nargout >= 2) {
    Values sizes(static_cast<std::size_t>(nargout), Value(1.0));
    sizes[0] = Value(rows);
    sizes[1] = Value(cols);
    return sizes;
  }
  if (name == "class" || name == "datatype") {
    return Values{Value::text(scalar == Scalar::c128 || scalar == Scalar::f64 ? "double"
                              : scalar == Scalar::boolean                     ? "logical"
                                                                              : name_of(scalar))};
  }
  static const std::unordered_map<std::string, Value (*)(Expr)> table = {
      {"size",
       [](Expr e) {
         return Value::row({static_cast<double>(e.rows()), static_cast<double>(e.cols())});
       }},
      {"rows", [](Expr e) { return Value(e.rows()); }},
      {"columns", [](Expr e) { return Value(e.cols()); }},
      {"length", [](Expr e) { return Value(std::max(e.rows(), e.cols())); }},
      {"numel", [](Expr e) { return Value(e.size()); }},
      {"ndims", [](Expr) { return Value(2.0); }},
      {"isscalar", [](Expr e) { return Value(e.type().is_scalar()); }},
      {"isvector", [](Expr e) { return Value(e.rows() == 1 || e.cols() == 1); }},
      {"isrow", [](Expr e) { return Value(e.rows() == 1); }},
      {"iscolumn", [](Expr e) { return Value(e.cols() == 1); }},
      {"issquare", [](Expr e) { return Value(e.rows() == e.cols()); }},
      {"ismatrix", [](Expr) { return Value(true); }},
      {"isempty", [](Expr) { return Value(false); }},
      {"isreal", [](Expr e) { return Value(e.scalar_type() != Scalar::c128); }},
      {"iscomplex", [](Expr e) { return Value(e.scalar_type() == Scalar::c128); }},
      {"islogical", [](Expr e) { return Value(e.scalar_type() == Scalar::boolean); }},
      {"isinteger", [](Expr e) { return Value(is_integer(e.scalar_type())); }},
      {"isfloat", [](Expr e) { return Value(is_floating(e.scalar_type())); }},
      {"isnumeric", [](Expr e) { return Value(e.scalar_type() != Scalar::boolean); }}};
  const auto found = table.find(name);
  if (found == table.end()) return std::nullopt;
  return Values{found->second(a)};
}

// What a start is continued to, and from where. Parameters are computed before there is anything to continue.
Expr homotopy(oml::Interpreter& interpreter, Expr actual, Expr simplified) {
  check_sizes(actual, simplified, "homotopy");
  if (actual.scalar_type() == Scalar::c128 || simplified.scalar_type() == Scalar::c128)
    oml::fail("homotopy works on real signals");
  Graph& g = *actual.graph();
  const Type type = (actual.type().is_scalar() ? simplified : actual).type().with(Scalar::f64);
  const Expr a = filled(actual.as(Scalar::f64), type), s = filled(simplified.as(Scalar::f64), type);
  program::Program* program = interpreter.extension<TracedProgram>().program;
  if (program == nullptr || &program->graph != &g) return a;
  const program::ExprId share = program->read(program::continuation_slot(*program));
  return {&g, program::continued(g, share, a.id(), s.id())};
}

Value rearranged(oml::Interpreter& interpreter, const std::string& name, Values arguments, Graph& graph) {
  const Expr a = to_expr(arguments[0], graph);
  std::vector<Expr> elements;
  append_elements(a, elements);
  arguments[0] = positions(a.rows(), a.cols(), 1);
  oml::CallSite site;
  site.builtin = interpreter.builtin(name);
  const Values result = interpreter.call_callee(name, site, arguments, 1);
  return gather(result.at(0), elements);
}

Scalar named_type(const Value& name) {
  const std::string text = oml::to_string(name);
  const auto found = conversions().find(text);
  if (found == conversions().end()) oml::fail("there is no data type " + text);
  return found->second;
}

}  // namespace

bool moves_values_only(const std::string& name) { return indifferent().contains(name); }

std::optional<Values> call_on_signals(oml::Interpreter& interpreter, const std::string& name, const Values& arguments,
                                      int nargout, Graph& graph) {
  if (moves_values_only(name)) return std::nullopt;
  const bool first_is_signal = is_signal(arguments[0]);
  if (first_is_signal) {
    if (auto answer = question(name, to_expr(arguments[0], graph), arguments, nargout)) return answer;
    if (name == "isa") return Values{Value(named_type(arguments.at(1)) == to_expr(arguments[0], graph).scalar_type())};
    if (name == "convert" && arguments.size() == 2) {
      return Values{SignalValue::wrap(convert(to_expr(arguments[0], graph), named_type(arguments[1])))};
    }
    if (rearranging().contains(name)) return Values{rearranged(interpreter, name, arguments, graph)};
    if (auto result = reduction(name, arguments, to_expr(arguments[0], graph)))
      return Values{SignalValue::wrap(*result)};
    if (name == "norm" && arguments.size() <= 2) {
      return Values{SignalValue::wrap(norm(arguments, to_expr(arguments[0], graph)))};
    }
  }
  if (name == "homotopy" && arguments.size() == 2) {
    return Values{SignalValue::wrap(homotopy(interpreter, to_expr(arguments[0], graph), to_expr(arguments[1], graph)))};
  }
  if (name == "interp1") return Values{SignalValue::wrap(interpolate_at_signal(arguments, graph))};
  if (name == "If_exp" && arguments.size() == 3) {
    return Values{SignalValue::wrap(
        choose(to_expr(arguments[0], graph), to_expr(arguments[1], graph), to_expr(arguments[2], graph)))};
  }
  if (arguments.size() == 1) {
    if (auto result = one_argument(name, to_expr(arguments[0], graph))) return Values{SignalValue::wrap(*result)};
  }
  if (arguments.size() == 2) {
    const auto result = two_arguments(name, to_expr(arguments[0], graph), to_expr(arguments[1], graph));
    if (result) return Values{SignalValue::wrap(*result)};
  }
  oml::fail(fmt::format("{} cannot be applied to a signal, whose value is not known before the simulation", name));
}

}  // namespace orrery::trace
