// SPDX-License-Identifier: Apache-2.0
// Rules of differentiation, one operation each.
#include "passes/local_partials.h"

#include <algorithm>

#include "passes/differentiate_function.h"
#include "passes/function_dependencies.h"
#include "program/expr.h"
#include "program/function.h"

namespace orrery::passes {

using namespace program;

namespace {

class Rules {
 public:
  Rules(Graph& graph, ExprId id, std::int64_t k, const std::function<bool(ExprId, std::int64_t)>& active)
      : graph_(graph),
        id_(id),
        k_(k),
        node_(graph[id]),
        active_(active),
        arguments_(graph.arguments(id).begin(), graph.arguments(id).end()) {}

  LocalPartials run() {
    if (is_elementwise_unary(node_.op))
      unary();
    else if (is_elementwise_binary(node_.op))
      binary();
    else if (is_reduction(node_.op))
      reduction();
    else
      structure();
    return std::move(result_);
  }

 private:
  Expr element_of(ExprId a, std::int64_t k) {
    return {&graph_, k < 0 || graph_.type(a).is_scalar() ? a : graph_.element(a, k)};
  }
  Expr value() { return element_of(id_, k_); }
  std::int64_t index_in(std::size_t i) const { return graph_.type(arguments_[i]).is_scalar() ? 0 : k_; }
  Expr argument(std::size_t i) { return element_of(arguments_[i], index_in(i)); }
  bool is_active(std::size_t i) const { return active_(arguments_[i], index_in(i)); }
  Expr number(double x) { return {&graph_, graph_.constant(x)}; }

  void add(std::size_t i, std::int64_t element, ExprId factor = no_expr, ExprId condition = no_expr, bool when = true) {
    result_.list.push_back({arguments_[i], element, factor, condition, when});
  }
  void add(std::size_t i, Expr factor) { add(i, index_in(i), factor.id()); }
  void add_if(std::size_t i, Expr condition, bool when) { add(i, index_in(i), no_expr, condition.id(), when); }

  void unary() {
    if (!is_active(0)) return;
    if (node_.type.scalar == Scalar::c128 || graph_.type(arguments_[0]).scalar == Scalar::c128) {
      result_.known = node_.type.scalar != Scalar::c128 && node_.type.scalar != Scalar::f64;
      return;
    }
    if (node_.type.scalar != Scalar::f64) return;
    Expr x = argument(0);
    switch (node_.op) {
      case Op::neg: return add(0, number(-1));
      case Op::abs: return add(0, select(x < 0, number(-1), number(1)));
      case Op::sqrt: return add(0, 0.5 / value());
      case Op::exp: return add(0, value());
      case Op::log: return add(0, 1 / x);
      case Op::log10: return add(0, 0.43429448190325182765 / x);
      case Op::sin: return add(0, apply(Op::cos, x));
      case Op::cos: return add(0, -apply(Op::sin, x));
      case Op::tan: return add(0, 1 + value() * value());
      case Op::asin: return add(0, 1 / apply(Op::sqrt, 1 - x * x));
      case Op::acos: return add(0, -1 / apply(Op::sqrt, 1 - x * x));
      case Op::atan: return add(0, 1 / (1 + x * x));
      case Op::sinh: return add(0, apply(Op::cosh, x));
      case Op::cosh: return add(0, apply(Op::sinh, x));
      case Op::tanh: return add(0, 1 - value() * value());
      case Op::asinh: return add(0, 1 / apply(Op::sqrt, x * x + 1));
      case Op::acosh: return add(0, 1 / (apply(Op::sqrt, x - 1) * apply(Op::sqrt, x + 1)));
      case Op::atanh: return add(0, 1 / (1 - x * x));
      default: return;  // rounding and sign are constant in pieces
    }
  }

  void binary() {
    bool first = is_active(0);
    bool second = is_active(1);
    if ((!first && !second) || node_.type.scalar == Scalar::boolean) return;
    if (node_.type.scalar != Scalar::f64) {
      result_.known = node_.type.scalar != Scalar::c128;
      return;
    }
    Expr a = argument(0);
    Expr b = argument(1);
    switch (node_.op) {
      case Op::add: return both(first, number(1), second, number(1));
      case Op::sub: return both(first, number(1), second, number(-1));
      case Op::mul: return both(first, b, second, a);
      case Op::min: return one_of(first, second, a < b);
      case Op::max: return one_of(first, second, a > b);
      case Op::pow: return power(first, second, a, b);
      default: break;
    }
    if (first) add(0, quotient_factor(true, a, b));
    if (second) add(1, quotient_factor(false, a, b));
  }

  // div, atan2, hypot, mod, rem: the factor of the first or second argument.
  Expr quotient_factor(bool first, Expr a, Expr b) {
    switch (node_.op) {
      case Op::div: return first ? 1 / b : -(value() / b);
      case Op::atan2: return first ? b / (a * a + b * b) : -(a / (a * a + b * b));
      case Op::hypot: return (first ? a : b) / value();
      case Op::mod: return first ? number(1) : -apply(Op::floor, a / b);
      case Op::rem: return first ? number(1) : -apply(Op::trunc, a / b);
      default: result_.known = false; return number(0);
    }
  }

  void both(bool first, Expr factor_a, bool second, Expr factor_b) {
    if (first) add(0, factor_a);
    if (second) add(1, factor_b);
  }

  void one_of(bool first, bool second, Expr takes_first) {
    if (first) add_if(0, takes_first, true);
    if (second) add_if(1, takes_first, false);
  }

  void power(bool first, bool second, Expr a, Expr b) {
    if (first) {
      Expr factor = b * apply(Op::pow, a, b - 1);
      // With an exponent that may pass zero, 0 * 0^-1 is to be 0.
      ExprId condition = graph_.is_constant(b.id()) ? no_expr : (b != 0).id();
      add(0, index_in(0), factor.id(), condition, true);
    }
    if (second) add(1, index_in(1), (apply(Op::log, a) * value()).id(), (a > 0).id(), true);
  }

  void reduction() {
    if (node_.type.scalar != Scalar::f64) {
      result_.known = node_.type.scalar != Scalar::c128;
      return;
    }
    std::int64_t n = graph_.type(arguments_[0]).size();
    auto e = [&](std::int64_t j) { return element_of(arguments_[0], j); };
    if (node_.op == Op::sum) {
      for (std::int64_t j = 0; j < n; ++j) {
        if (active_(arguments_[0], j)) add(0, j);
      }
    } else if (node_.op == Op::product) {
      // Products of everything before and everything after.
      std::vector<Expr> after(static_cast<std::size_t>(n) + 1, number(1));
      for (std::int64_t j = n - 1; j > 0; --j) after[j] = e(j) * after[j + 1];
      Expr before = number(1);
      for (std::int64_t j = 0; j < n; ++j) {
        if (active_(arguments_[0], j)) add(0, j, (before * after[j + 1]).id());
        before = before * e(j);
      }
    } else {
      extreme(n);
    }
  }

  // minimum, maximum: element j is the result when it replaced what came before and nothing replaced it.
  void extreme(std::int64_t n) {
    auto e = [&](std::int64_t j) { return element_of(arguments_[0], j); };
    std::vector<Expr> keeps;  // keeps[j]: step j keeps what came before
    Expr best = e(0);
    keeps.push_back({&graph_, graph_.boolean(false)});
    for (std::int64_t j = 1; j < n; ++j) {
      keeps.push_back(node_.op == Op::minimum ? best < e(j) : best > e(j));
      best = select(keeps.back(), best, e(j));
    }
    Expr kept_after{&graph_, graph_.boolean(true)};
    for (std::int64_t j = n - 1; j >= 0; --j) {
      if (active_(arguments_[0], j)) add(0, j, no_expr, (!keeps[j] && kept_after).id(), true);
      kept_after = kept_after && keeps[j];
    }
  }

  void structure() {
    switch (node_.op) {
      case Op::select:
        if (node_.type.scalar != Scalar::f64) return unknown_if_active();
        if (is_active(1)) add(1, index_in(1), no_expr, argument(0).id(), true);
        if (is_active(2)) add(2, index_in(2), no_expr, argument(0).id(), false);
        return;
      case Op::element: return pass(0, static_cast<std::int64_t>(node_.payload));
      case Op::stack: return pass(static_cast<std::size_t>(k_), 0);
      case Op::transpose: return pass(0, k_ % node_.type.rows * node_.type.cols + k_ / node_.type.rows);
      case Op::reshape: return pass(0, k_);
      case Op::matmul: return matmul();
      case Op::solve: return solve();
      case Op::inverse: return inverse();
      case Op::determinant: return determinant();
      case Op::expm: return exponential();
      case Op::past: return past();
      case Op::gather: return gather();
      case Op::update: return update();
      case Op::concat: return concat();
      case Op::search: return;
      case Op::call: return call();
      case Op::foreign: return foreign();
      default: return unknown_if_active();
    }
  }

  void pass(std::size_t i, std::int64_t element) {
    if (active_(arguments_[i], element)) add(i, element);
  }

  void unknown_if_active() {
    for (ExprId a : arguments_) {
      if (graph_.type(a).scalar != Scalar::f64 && graph_.type(a).scalar != Scalar::c128) continue;
      for (std::int64_t k = 0; k < graph_.type(a).size(); ++k) {
        if (active_(a, k)) result_.known = false;
      }
    }
  }

  // By the time that is looked at, and by the present value as far as a look reaches beyond the last accepted point.
  // How that changes while now goes on is not asked: the history is fitted anew with every step.
  void past() {
    const PastOf of = PastOf::from(node_.payload);
    if (of.what == PastWhat::weight) return unknown_if_active();
    if (of.what != PastWhat::value) return;  // constant in pieces
    if (is_active(0)) {
      const auto order = static_cast<std::uint8_t>(of.order + 1);
      add(0, 0, graph_.past({of.history, of.what, order, of.element}, arguments_));
    }
    if (arguments_.size() < 4 || !is_active(2)) return;
    result_.known = result_.known && of.order == 0;
    const ExprId looked[] = {arguments_[0], arguments_[1], arguments_[3]};
    add(2, 0, graph_.past({of.history, PastWhat::weight}, looked));
  }

  // Whether position m of the indices is element k of the array.
  Expr is_at(std::int64_t m, std::int64_t k) {
    const auto number = [&](std::int64_t n) {
      return Expr{&graph_, graph_.constant(static_cast<double>(n), Scalar::i32)};
    };
    if (index_count(node_) == 1) return element_of(arguments_[1], m) == number(k);
    const std::int64_t rows = graph_.type(arguments_[0]).rows;
    return element_of(arguments_[1], m) == number(k % rows) && element_of(arguments_[2], m) == number(k / rows);
  }

  void gather() {
    if (node_.type.scalar != Scalar::f64) return unknown_if_active();
    const auto indices = std::span(arguments_).subspan(1);
    const std::int64_t only = graph_.constant_position(arguments_[0], indices, k_);
    if (only >= 0) return pass(0, only);
    for (std::int64_t j = 0; j < graph_.type(arguments_[0]).size(); ++j) {
      if (active_(arguments_[0], j)) add(0, j, no_expr, is_at(k_, j).id(), true);
    }
  }

  // The last position that is this element gives it.
  void update() {
    if (node_.type.scalar != Scalar::f64) return unknown_if_active();
    const std::size_t last = arguments_.size() - 1;
    std::int64_t count = 1;
    for (std::size_t i = 1; i < last; ++i) count = std::max(count, graph_.type(arguments_[i]).size());
    Expr free{&graph_, graph_.boolean(true)};
    for (std::int64_t m = count - 1; m >= 0; --m) {
      const Expr here = is_at(m, k_);
      const std::int64_t from = graph_.type(arguments_[last]).is_scalar() ? 0 : m;
      if (active_(arguments_[last], from)) add(last, from, no_expr, (free && here).id(), true);
      free = free && !here;
    }
    if (active_(arguments_[0], k_)) add(0, k_, no_expr, free.id(), true);
  }

  void concat() {
    if (node_.type.scalar != Scalar::f64) return unknown_if_active();
    std::int64_t k = k_;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      const std::int64_t size = graph_.type(arguments_[i]).size();
      if (k >= 0 && k < size) return pass(i, k);
      k -= size;
    }
  }

  // One call of the derivative function for each element of an argument that moves.
  void call() {
    if (node_.type.scalar != Scalar::f64) return;
    const Function& function = graph_.function_of(id_);
    std::size_t row = static_cast<std::size_t>(k_);
    for (std::size_t r = 0; r < (node_.payload & 255); ++r)
      row += static_cast<std::size_t>(function.result_type(r).size());
    const std::vector<std::uint32_t> columns = function_dependencies(function)[row];
    std::size_t argument = 0;
    std::int64_t first = 0;
    for (const std::uint32_t column : columns) {
      while (column >= first + graph_.type(arguments_[argument]).size()) {
        first += graph_.type(arguments_[argument++]).size();
      }
      const std::int64_t element = column - first;
      if (graph_.type(arguments_[argument]).scalar != Scalar::f64 || !active_(arguments_[argument], element)) continue;
      const ExprId moved = call_along(argument, element);
      if (moved == no_expr) {
        result_.known = false;
        return;
      }
      add(argument, element, element_of(moved, k_).id());
    }
  }

  ExprId call_along(std::size_t argument, std::int64_t element) {
    const std::uint32_t derivative = derivative_function(graph_, static_cast<std::uint32_t>(node_.payload >> 8));
    if (derivative == no_function) return no_expr;
    std::vector<ExprId> all = arguments_;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      const Type type = graph_.type(arguments_[i]);
      if (type.scalar != Scalar::f64) continue;
      std::vector<double> unit(static_cast<std::size_t>(type.size()));
      if (i == argument) unit[static_cast<std::size_t>(element)] = 1;
      all.push_back(graph_.constant(type, unit));
    }
    return graph_.call(derivative, static_cast<std::uint32_t>(node_.payload & 255), all);
  }

  // By the function that gives all declared partials in one column; without one only their places are known.
  void foreign() {
    const ForeignFunction function = graph_.foreign_functions()[node_.payload >> 8];
    if (function.depends_on.empty()) return unknown_if_active();
    auto row = static_cast<std::size_t>(k_);
    for (std::size_t r = 0; r < (node_.payload & 255); ++r) row += static_cast<std::size_t>(function.results[r].size());
    std::int64_t position = 0;
    for (std::size_t r = 0; r < row; ++r) position += static_cast<std::int64_t>(function.depends_on[r].size());
    std::size_t argument = 0;
    std::int64_t first = 0;  // element of all arguments with which this argument begins
    for (std::uint32_t column : function.depends_on[row]) {
      while (column >= first + graph_.type(arguments_[argument]).size()) {
        first += graph_.type(arguments_[argument++]).size();
      }
      if (active_(arguments_[argument], column - first)) {
        if (function.partials < 0) {
          result_.known = false;
          add(argument, column - first, number(0).id());
        } else {
          ExprId partials = graph_.foreign(function.partials, 0, arguments_);
          add(argument, column - first, element_of(partials, position).id());
        }
      }
      ++position;
    }
  }

  void matmul() {
    if (node_.type.scalar != Scalar::f64) return unknown_if_active();
    std::int64_t rows = graph_.type(arguments_[0]).rows;
    std::int64_t inner = graph_.type(arguments_[0]).cols;
    std::int64_t row = k_ % rows;
    std::int64_t col = k_ / rows;
    for (std::int64_t l = 0; l < inner; ++l) {
      std::int64_t left = row + l * rows;
      std::int64_t right = l + col * inner;
      if (active_(arguments_[0], left)) add_product(0, left, element_of(arguments_[1], right));
      if (active_(arguments_[1], right)) add_product(1, right, element_of(arguments_[0], left));
    }
  }

  // A constant zero factor is no dependency at all.
  void add_product(std::size_t i, std::int64_t element, Expr factor) {
    if (!graph_.is_constant(factor.id(), 0)) add(i, element, factor.id());
  }

  // X = A \ B: dX = A \ (dB - dA X), so dX(i,c)/dB(j,c) = Y(i,j) and dX(i,c)/dA(j,l) = -Y(i,j) X(l,c) with Y = inv(A).
  void solve() {
    std::int64_t n = graph_.type(arguments_[0]).rows;
    std::int64_t i = k_ % n;
    std::int64_t c = k_ / n;
    ExprId y = no_expr;
    auto inverse_entry = [&](std::int64_t j) {
      if (y == no_expr) y = graph_.unary(Op::inverse, arguments_[0]);
      return element_of(y, i + j * n);
    };
    for (std::int64_t j = 0; j < n; ++j) {
      if (active_(arguments_[1], j + c * n)) add(1, j + c * n, inverse_entry(j).id());
      for (std::int64_t l = 0; l < n; ++l) {
        if (!active_(arguments_[0], j + l * n)) continue;
        add(0, j + l * n, (-(inverse_entry(j) * element_of(id_, l + c * n))).id());
      }
    }
  }

  // Y = inv(A): dY = -Y dA Y.
  void inverse() {
    std::int64_t n = node_.type.rows;
    for (std::int64_t m = 0; m < n * n; ++m) {
      if (!active_(arguments_[0], m)) continue;
      Expr left = element_of(id_, k_ % n + m % n * n);
      Expr right = element_of(id_, m / n + k_ / n * n);
      add(0, m, (-(left * right)).id());
    }
  }

  // Jacobi's formula: d det(A) = det(A) trace(inv(A) dA).
  void determinant() {
    std::int64_t n = graph_.type(arguments_[0]).rows;
    for (std::int64_t m = 0; m < n * n; ++m) {
      if (!active_(arguments_[0], m)) continue;
      ExprId y = graph_.unary(Op::inverse, arguments_[0]);
      add(0, m, (value() * element_of(y, m / n + m % n * n)).id());
    }
  }

  // The derivative of expm at A in the direction E is the upper right block of expm([A E; 0 A]) (Higham, Functions of
  // Matrices, 3.2).
  void exponential() {
    const auto n = static_cast<std::int64_t>(node_.type.rows);
    for (std::int64_t m = 0; m < n * n; ++m) {
      if (!active_(arguments_[0], m)) continue;
      std::vector<ExprId> elements(static_cast<std::size_t>(4 * n * n), number(0).id());
      const auto at = [&](std::int64_t row, std::int64_t col) -> ExprId& {
        return elements[static_cast<std::size_t>(row + 2 * n * col)];
      };
      for (std::int64_t j = 0; j < n * n; ++j) {
        const ExprId entry = element_of(arguments_[0], j).id();
        at(j % n, j / n) = entry;
        at(n + j % n, n + j / n) = entry;
      }
      at(m % n, n + m / n) = number(1).id();
      const auto size = static_cast<std::int32_t>(2 * n);
      const ExprId both = graph_.unary(Op::expm, graph_.stack({Scalar::f64, size, size}, elements));
      add(0, m, element_of(both, k_ % n + 2 * n * (n + k_ / n)).id());
    }
  }

  Graph& graph_;
  ExprId id_;
  std::int64_t k_;
  Node node_;
  const std::function<bool(ExprId, std::int64_t)>& active_;
  std::vector<ExprId> arguments_;
  LocalPartials result_;
};

}  // namespace

ExprId times(Graph& graph, ExprId a, ExprId b) {
  if (a == no_expr || graph.is_constant(a, 1)) return b;
  if (b == no_expr || graph.is_constant(b, 1)) return a;
  // What a choice keeps out stays out, also where the factor has no value: the slope of sqrt(max(u, 0)) below zero.
  if (graph[b].op == Op::select && (graph.type(a).is_scalar() || graph.type(a) == graph.type(b))) {
    const ExprId condition = graph.arguments(b)[0], yes = graph.arguments(b)[1], no = graph.arguments(b)[2];
    if (graph.is_constant(no, 0)) return graph.select(condition, times(graph, a, yes), no);
    if (graph.is_constant(yes, 0)) return graph.select(condition, yes, times(graph, a, no));
  }
  return graph.binary(Op::mul, a, b);
}

ExprId contribution(Graph& graph, const LocalPartial& partial, ExprId tangent) {
  ExprId value = partial.factor == no_expr ? tangent : times(graph, partial.factor, tangent);
  if (value == no_expr) value = graph.constant(1);
  if (partial.condition == no_expr) return value;
  const ExprId zero = graph.constant(0);
  return partial.when ? graph.select(partial.condition, value, zero) : graph.select(partial.condition, zero, value);
}

LocalPartials local_partials(Graph& graph, ExprId id, std::int64_t k,
                             const std::function<bool(ExprId, std::int64_t)>& active) {
  return Rules(graph, id, k, active).run();
}

}  // namespace orrery::passes
