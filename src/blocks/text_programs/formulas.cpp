// SPDX-License-Identifier: Apache-2.0
// Operators and functions, one line each.
#include "blocks/text_programs/formulas.h"

#include <fmt/format.h>

#include <numeric>

#include "blocks/parameters.h"

namespace orrery::blocks::text_programs {

using cssl::Declared;
using cssl::Node;
using cssl::NodeId;
using program::Expr;
using program::Op;
using program::Scalar;

namespace {

Expr as_double(Expr value) { return value.scalar_type() == Scalar::f64 ? value : value.as(Scalar::f64); }

// The sign of one number at the size of another, as Fortran has it.
Expr with_sign(Expr size, Expr sign) {
  const Expr positive = apply(Op::abs, size);
  return select(sign >= 0.0, positive, -positive);
}

// The value between two or three neighbours of a table of one variable.
Expr interpolate(Expr knots, Expr values, Expr x, bool quadratic) {
  const std::int64_t count = knots.size();
  const Expr inside = min(max(x, knots[0]), knots[count - 1]);
  const Expr k = piece_of(knots, inside);
  const Expr x0 = gather(knots, k), x1 = gather(knots, k + 1.0), y0 = gather(values, k), y1 = gather(values, k + 1.0);
  if (!quadratic || count < 3) return y0 + (y1 - y0) * ((inside - x0) / (x1 - x0));
  // Through the two neighbours and the one behind them, or before them at the end.
  const Expr m = min(k, Expr(knots.graph(), knots.graph()->constant(static_cast<double>(count - 3), k.scalar_type())));
  const Expr a = gather(knots, m), b = gather(knots, m + 1.0), c = gather(knots, m + 2.0);
  const Expr fa = gather(values, m), fb = gather(values, m + 1.0), fc = gather(values, m + 2.0);
  return fa * ((inside - b) * (inside - c) / ((a - b) * (a - c))) +
         fb * ((inside - a) * (inside - c) / ((b - a) * (b - c))) +
         fc * ((inside - a) * (inside - b) / ((c - a) * (c - b)));
}

}  // namespace

Expr Formulas::number(NodeId id) { return as_double(evaluate(id)); }
Expr Formulas::truth(NodeId id) { return to_boolean(evaluate(id)); }

Expr Formulas::converted(Expr value, const Declared* declared) {
  if (declared == nullptr) return value.scalar_type() == Scalar::boolean ? value : as_double(value);
  switch (declared->type) {
    case cssl::Type::integer: return program::apply(Op::trunc, as_double(value));
    case cssl::Type::logical: return to_boolean(value);
    default: return as_double(value);
  }
}

bool Formulas::is_whole(NodeId id) const {
  const Node& node = program_[id];
  switch (node.kind) {
    case Node::Kind::number: return node.whole;
    case Node::Kind::name: {
      const Declared* declared = context_.declared(node.name);
      return declared != nullptr && declared->type == cssl::Type::integer;
    }
    case Node::Kind::unary: return is_whole(node.arguments[0]);
    case Node::Kind::binary:
      return !node.name.starts_with('.') && is_whole(node.arguments[0]) && is_whole(node.arguments[1]);
    case Node::Kind::call: {
      if (const Declared* declared = context_.declared(node.name); declared != nullptr && declared->array)
        return declared->type == cssl::Type::integer;
      for (const char* name : {"int", "nint", "ifix", "max0", "min0"}) {
        if (node.name == name) return true;
      }
      return false;
    }
    default: return false;
  }
}

Expr Formulas::evaluate(NodeId id) {
  const Node& node = program_[id];
  switch (node.kind) {
    case Node::Kind::number: return constant(node.value);
    case Node::Kind::logical: return {&graph_, graph_.boolean(node.whole)};
    case Node::Kind::text:
      throw ParameterError{"program", fmt::format("line {}: a text is no value", node.at.line), ""};
    case Node::Kind::name: return context_.read(node.name, node.at);
    case Node::Kind::unary: return node.name == "-" ? -number(node.arguments[0]) : !truth(node.arguments[0]);
    case Node::Kind::binary: return binary(node);
    case Node::Kind::call: return call(node);
  }
  return constant(0);
}

Expr Formulas::power(Expr base, const Node& node) {
  const Node& exponent = program_[node.arguments[1]];
  if (exponent.kind == Node::Kind::number && exponent.value == 2) return base * base;
  return program::apply(Op::pow, base, number(node.arguments[1]));
}

Expr Formulas::binary(const Node& node) {
  const std::string& sign = node.name;
  const NodeId left = node.arguments[0], right = node.arguments[1];
  if (sign == ".and.") return truth(left) && truth(right);
  if (sign == ".or.") return truth(left) || truth(right);
  if (sign == ".xor.") return truth(left) != truth(right);
  if (sign == ".eqv.") return truth(left) == truth(right);
  const Expr a = number(left);
  if (sign == "**") return power(a, node);
  const Expr b = number(right);
  if (!a.type().is_scalar() && !b.type().is_scalar() && (a.rows() != b.rows() || a.cols() != b.cols())) {
    const bool product = sign == "*" && program_.language == "desire" && a.cols() == b.rows();
    if (product) return program::matmul(a, b);
    throw ParameterError{"program",
                         fmt::format("line {}: arrays of {} by {} and {} by {} elements cannot be joined by {}",
                                     node.at.line, a.rows(), a.cols(), b.rows(), b.cols(), sign),
                         "both need the same size, or one of them is a single number"};
  }
  if (sign == "+") return a + b;
  if (sign == "-") return a - b;
  if (sign == "*") return a * b;
  if (sign == "/") return is_whole(left) && is_whole(right) ? program::apply(Op::trunc, a / b) : a / b;
  if (sign == ".lt.") return a < b;
  if (sign == ".le.") return a <= b;
  if (sign == ".gt.") return a > b;
  if (sign == ".ge.") return a >= b;
  if (sign == ".eq.") return a == b;
  return a != b;
}

Expr Formulas::position(const Node& node, const Declared& declared) {
  const Expr row = number(node.arguments[0]) - static_cast<double>(declared.first_row);
  if (node.arguments.size() == 1) return row.as(Scalar::i32);
  const Expr col = number(node.arguments[1]) - static_cast<double>(declared.first_col);
  return (row + col * static_cast<double>(declared.rows)).as(Scalar::i32);
}

Expr Formulas::element(const Node& node, const Declared& declared) {
  const Expr array = context_.read(node.name, node.at);
  program::Site site;
  site.place = program_.source->place(node.at);
  return gather(array, position(node, declared), graph_.add_site(std::move(site)));
}

Expr Formulas::call(const Node& node) {
  if (const Declared* declared = context_.declared(node.name); declared != nullptr && declared->array)
    return element(node, *declared);
  if (const cssl::Table* table = program_.find_table(node.name)) {
    std::vector<Expr> arguments;
    for (const NodeId argument : node.arguments) arguments.push_back(number(argument));
    return look_up(*table, arguments);
  }
  if (const cssl::Subprogram* subprogram = program_.find_subprogram(node.name)) {
    std::vector<Expr> arguments;
    for (const NodeId argument : node.arguments) arguments.push_back(evaluate(argument));
    return context_.call(*subprogram, arguments);
  }
  const cssl::Operator* known = cssl::find_operator(node.name);
  if (known != nullptr && known->kind != cssl::OperatorKind::function) return context_.remember(node);
  std::vector<Expr> arguments;
  for (const NodeId argument : node.arguments) arguments.push_back(evaluate(argument));
  return apply(node.name, arguments, node);
}

// Linear in each variable; outside the ends are held.
Expr Formulas::look_up(const cssl::Table& table, const std::vector<Expr>& arguments) {
  const auto column = [&](const std::vector<double>& numbers) {
    const program::Type type{Scalar::f64, static_cast<std::int32_t>(numbers.size()), 1};
    return Expr(&graph_, graph_.constant(type, numbers));
  };
  const Expr knots = column(table.first);
  if (table.second.empty()) return interpolate(knots, column(table.values), arguments[0], table.quadratic);
  const Expr second = column(table.second);
  const auto rows = static_cast<double>(table.first.size());
  const Expr values = column(table.values);
  const Expr x = min(max(arguments[0], knots[0]), knots[knots.size() - 1]);
  const Expr y = min(max(arguments[1], second[0]), second[second.size() - 1]);
  const Expr i = piece_of(knots, x), j = piece_of(second, y);
  const Expr u = (x - gather(knots, i)) / (gather(knots, i + 1.0) - gather(knots, i));
  const Expr v = (y - gather(second, j)) / (gather(second, j + 1.0) - gather(second, j));
  const auto corner = [&](double di, double dj) { return gather(values, i + di + (j + dj) * rows); };
  const Expr low = corner(0, 0) + (corner(1, 0) - corner(0, 0)) * u;
  const Expr high = corner(0, 1) + (corner(1, 1) - corner(0, 1)) * u;
  return low + (high - low) * v;
}

Expr Formulas::apply(const std::string& name, const std::vector<Expr>& given, const Node& node) {
  std::vector<Expr> x;
  for (const Expr& argument : given) x.push_back(as_double(argument));
  const auto unary = [&](Op op) { return program::apply(op, x[0]); };
  const Expr zero = constant(0), one = constant(1);
  if (name == "sin") return unary(Op::sin);
  if (name == "cos") return unary(Op::cos);
  if (name == "tan") return unary(Op::tan);
  if (name == "asin") return unary(Op::asin);
  if (name == "acos") return unary(Op::acos);
  if (name == "atan") return x.size() == 1 ? unary(Op::atan) : program::apply(Op::atan2, x[0], x[1]);
  if (name == "atan2") return program::apply(Op::atan2, x[0], x[1]);
  if (name == "sinh") return unary(Op::sinh);
  if (name == "cosh") return unary(Op::cosh);
  if (name == "tanh") return unary(Op::tanh);
  if (name == "exp") return unary(Op::exp);
  if (name == "log" || name == "alog" || name == "ln") return unary(Op::log);
  if (name == "log10" || name == "alog10") return unary(Op::log10);
  if (name == "sqrt") return unary(Op::sqrt);
  if (name == "abs") return unary(Op::abs);
  if (name == "sgn") return unary(Op::sign);
  if (name == "sign") return with_sign(x[0], x[1]);
  if (name == "mod" || name == "amod") return program::apply(Op::rem, x[0], x[1]);
  if (name == "int" || name == "ifix" || name == "aint") return unary(Op::trunc);
  if (name == "nint" || name == "anint") return unary(Op::round);
  if (name == "float" || name == "real" || name == "dble") return x[0];
  if (name == "dim") return max(x[0] - x[1], zero);
  if (name == "max" || name == "amax1" || name == "max0") {
    return std::accumulate(x.begin() + 1, x.end(), x[0], [](Expr a, Expr b) { return max(a, b); });
  }
  if (name == "min" || name == "amin1" || name == "min0") {
    return std::accumulate(x.begin() + 1, x.end(), x[0], [](Expr a, Expr b) { return min(a, b); });
  }
  if (name == "bound") return min(max(x[2], x[0]), x[1]);
  if (name == "dead") return select(x[2] < x[0], x[2] - x[0], select(x[2] > x[1], x[2] - x[1], zero));
  if (name == "qntzr") return x[0] * program::apply(Op::round, x[1] / x[0]);
  if (name == "rsw" || name == "isw") return select(to_boolean(given[0]), x[1], x[2]);
  if (name == "lsw") return select(to_boolean(given[0]), to_boolean(given[1]), to_boolean(given[2]));
  if (name == "fcnsw") return select(x[0] < 0.0, x[1], select(x[0] > 0.0, x[3], x[2]));
  if (name == "compar") return select(x[0] >= x[1], one, zero);
  if (name == "swtch") return select(x[0] > 0.0, one, zero);
  if (name == "lim") return max(x[0], zero);
  if (name == "sat") return min(max(x[0], -one), one);
  if (name == "sat01") return min(max(x[0], zero), one);
  if (name == "deadz") return select(x[0] > 1.0, x[0] - one, select(x[0] < -1.0, x[0] + one, zero));
  if (name == "deadc") return select(x[0] > 1.0, one, select(x[0] < -1.0, -one, zero));
  if (name == "comp") return select(x[0] > 0.0, x[1], x[2]);
  const Expr t = context_.time();
  if (name == "step") return select(t >= x[0], one, zero);
  if (name == "ramp") return max(t - x[0], zero);
  if (name == "harm") return select(t >= x[0], program::apply(Op::sin, x[1] * (t - x[0]) + x[2]), zero);
  if (name == "pulse") {
    const Expr since = program::apply(Op::mod, t - x[0], x[1]);
    return select(t >= x[0] && since < x[2], one, zero);
  }
  throw ParameterError{"program", fmt::format("line {}: there is no function {}", node.at.line, name), ""};
}

}  // namespace orrery::blocks::text_programs
