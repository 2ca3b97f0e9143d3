// SPDX-License-Identifier: Apache-2.0
// Searching, interpolating and extrapolating tables over one variable.
#include "blocks/lookup_tables/table_formulas.h"

#include <fmt/format.h>

#include <cmath>

#include "blocks/lookup_tables/piecewise.h"

namespace orrery::blocks {

ParameterSpec method_spec(std::string default_text) {
  return {"method",
          std::move(default_text),
          "floor, ceil, nearest: the value of one of the points; linear; splines not_a_knot, natural, clamped; akima, "
          "fritsch_butland, steffen: smooth and local",
          {"floor", "ceil", "nearest", "linear", "not_a_knot", "natural", "clamped", "akima", "fritsch_butland",
           "steffen"}};
}

ParameterSpec outside_spec(std::string name, std::string about, std::string default_text) {
  return {std::move(name), std::move(default_text), std::move(about), {"zero", "hold", "extrapolate", "repeat"}};
}

bool is_zero_order(const std::string& method) { return method == "floor" || method == "ceil" || method == "nearest"; }

Knots knots_of(Block& b, const std::string& name) {
  Knots knots;
  const Value& value = b.parameters().matrix(name);
  knots.numbers = b.parameters().now_reals(name);
  if (!b.parameters().has_formula(name)) return knots;
  const Expr whole = b.parameter(name, {Scalar::f64, value.rows, value.cols});
  for (std::int64_t k = 0; k < whole.size(); ++k) knots.formulas.push_back(whole[k]);
  return knots;
}

void check_ascending(const Parameters& p, const std::string& name, const std::vector<double>& numbers, bool strictly) {
  if (numbers.size() < 2) p.fail(name, "must have two numbers or more");
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (!std::isfinite(numbers[k])) p.fail(name, fmt::format("must be finite, but has {}", numbers[k]));
    if (k == 0 || numbers[k] > numbers[k - 1]) continue;
    if (numbers[k] < numbers[k - 1] || strictly) {
      p.fail(name, fmt::format("must ascend, but {} comes after {}", numbers[k], numbers[k - 1]),
             strictly ? "a number that comes twice is a jump, which only zero-order and linear tables can have" : "");
    }
  }
}

namespace {

Expr constant_column(Block& b, const std::vector<double>& numbers) {
  return b.constant({Scalar::f64, static_cast<std::int32_t>(numbers.size()), 1}, numbers);
}

Expr any_column(Block& b, const std::vector<double>& numbers) { return constant_column(b, numbers); }
Expr any_column(Block&, const std::vector<Expr>& formulas) { return program::stack(formulas); }

std::vector<Expr> formulas_of(Block& b, const Knots& knots) {
  if (!knots.formulas.empty()) return knots.formulas;
  std::vector<Expr> result;
  for (const double x : knots.numbers) result.push_back(b.constant(x));
  return result;
}

template <class T>
void coefficient_columns(Block& b, const piecewise::Cubics<T>& pieces, Expr (&columns)[4]) {
  columns[0] = any_column(b, pieces.a);
  columns[1] = any_column(b, pieces.b);
  if (pieces.c.empty()) return;
  columns[2] = any_column(b, pieces.c);
  columns[3] = any_column(b, pieces.d);
}

template <class T>
std::vector<T> midpoints(const std::vector<T>& x) {
  std::vector<T> result;
  for (std::size_t k = 0; k + 1 < x.size(); ++k) result.push_back((x[k] + x[k + 1]) / 2.0);
  return result;
}

template <class T>
std::vector<T> negated_backwards(const std::vector<T>& x) {
  std::vector<T> result;
  for (std::size_t k = x.size(); k-- > 0;) result.push_back(-x[k]);
  return result;
}

}  // namespace

Expr column_of(Block& b, const Knots& knots) {
  return knots.formulas.empty() ? constant_column(b, knots.numbers) : program::stack(knots.formulas);
}

TableFormula::TableFormula(Block& b, const std::string& method, const Knots& x, const Knots& y)
    : b_(b), method_(method), x_(x), y_(y) {
  const bool known = x.formulas.empty() && y.formulas.empty();
  if (is_zero_order(method)) {
    a_ = column_of(b, y);
    if (method == "floor") points_ = column_of(b, x);
    if (method == "nearest") {
      points_ = x.formulas.empty() ? any_column(b, midpoints(x.numbers)) : any_column(b, midpoints(x.formulas));
    }
    if (method == "ceil") {
      points_ = x.formulas.empty() ? any_column(b, negated_backwards(x.numbers))
                                   : any_column(b, negated_backwards(x.formulas));
    }
    return;
  }
  points_ = column_of(b, x);
  Expr columns[4];
  if (known) {
    coefficient_columns(b, piecewise::cubics(method, x.numbers, y.numbers), columns);
  } else {
    coefficient_columns(b, piecewise::cubics(method, formulas_of(b, x), formulas_of(b, y)), columns);
  }
  a_ = columns[0];
  slope_ = columns[1];
  c_ = columns[2];
  d_ = columns[3];
}

Expr TableFormula::knot(const Knots& knots, std::size_t k) {
  return knots.formulas.empty() ? b_.constant(knots.numbers[k]) : knots.formulas[k];
}

Expr TableFormula::looked_up(const Expr& column, Expr index) {
  return {&b_.graph(), b_.graph().gather(column.id(), index.id())};
}

Expr TableFormula::within(Expr number, int last) {
  const Type type = number.type();
  const Expr low = b_.fill(type, 0), high = b_.fill(type, last);
  return select(number < low, low, select(number > high, high, number));
}

Expr TableFormula::index(Expr x) {
  const auto count = static_cast<int>(x_.size());
  const auto searched = [&](Expr at) { return Expr{&b_.graph(), b_.graph().search(points_.id(), at.id())}; };
  if (method_ == "ceil") return within(static_cast<double>(count) - searched(-x), count - 1);
  if (method_ == "nearest") return searched(x);
  return within(searched(x) - 1.0, method_ == "floor" ? count - 1 : count - 2);
}

Expr TableFormula::inside(Expr x, Expr index) {
  if (is_zero_order(method_)) return looked_up(a_, index);
  const Expr t = x - looked_up(points_, index);
  const Expr b = looked_up(slope_, index);
  if (c_.graph() == nullptr) return looked_up(a_, index) + t * b;
  return looked_up(a_, index) + t * (b + t * (looked_up(c_, index) + t * looked_up(d_, index)));
}

Expr TableFormula::left_of(Expr x, const std::string& rule) {
  if (rule == "zero") return b_.fill(x.type(), 0);
  const Expr hold = knot(y_, 0);
  if (rule == "hold") return hold + b_.fill(x.type(), 0);
  const Expr slope = (knot(y_, 1) - knot(y_, 0)) / (knot(x_, 1) - knot(x_, 0));
  return hold + (x - knot(x_, 0)) * slope;
}

Expr TableFormula::right_of(Expr x, const std::string& rule) {
  if (rule == "zero") return b_.fill(x.type(), 0);
  const std::size_t n = x_.size();
  if (rule == "hold") return knot(y_, n - 1) + b_.fill(x.type(), 0);
  const Expr slope = (knot(y_, n - 1) - knot(y_, n - 2)) / (knot(x_, n - 1) - knot(x_, n - 2));
  return knot(y_, n - 2) + (x - knot(x_, n - 2)) * slope;
}

Expr TableFormula::at(Expr x, const std::string& left, const std::string& right) {
  const Expr below = x<first(), above = x> last();
  Expr at = x;
  if (left == "repeat" || right == "repeat") {
    const Expr length = last() - first();
    const Expr moved = x - apply(Op::floor, (x - first()) / length) * length;
    if (left == "repeat") at = select(below, moved, at);
    if (right == "repeat") at = select(above, moved, at);
  }
  Expr y = inside(at);
  if (right != "repeat") y = select(above, right_of(x, right), y);
  if (left != "repeat") y = select(below, left_of(x, left), y);
  return y;
}

}  // namespace orrery::blocks
