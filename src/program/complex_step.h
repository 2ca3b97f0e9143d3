// SPDX-License-Identifier: Apache-2.0
// For tests: exact derivatives by complex steps (Squire and Trapp, SIAM Review 40, 1998), functions with statements
// included.
//
// Doubles are complex numbers x + ih d with h so small that h^2 vanishes: d is then the derivative, without the error
// of differences. Every operation is continued analytically; no rule of differentiation is used. Conditions, integers
// and whatever rounds see the real part.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "program/evaluate.h"
#include "program/function.h"

namespace orrery::program {

class ComplexStep {
 public:
  using Number = std::complex<double>;
  using Numbers = std::vector<Number>;
  static constexpr double h = 1e-100;

  // slots: by SlotId, doubles with their steps.
  ComplexStep(const Graph& graph, std::vector<Numbers> slots, double time = 0, PastValues past = {})
      : graph_(graph), slots_(std::move(slots)), time_(time), past_(past) {}

  // All elements; not a number where the function has no value.
  Numbers value(ExprId root) {
    std::map<ExprId, Numbers> known;
    for (const ExprId id : reachable(graph_, {&root, 1})) known[id] = node(id, known);
    return known.at(root);
  }
  // The largest real part and slope met on the way: what was rounded is a 1e-16th of it.
  double largest() const { return largest_; }

 private:
  static Number none() { return {std::numeric_limits<double>::quiet_NaN(), 0}; }

  Numbers node(ExprId id, const std::map<ExprId, Numbers>& known) {
    const Node& n = graph_[id];
    std::vector<const Numbers*> a;
    for (const ExprId argument : graph_.arguments(id)) a.push_back(&known.at(argument));
    Numbers result;
    if (n.op == Op::read)
      result = slots_[n.payload];
    else if (n.op == Op::constant)
      result = from_real(graph_.constant_data(id));
    else if (n.op == Op::time)
      result = {time_};
    else if (n.op == Op::call)
      result = call(id, a)[n.payload & 255];
    else if (n.op == Op::past)
      result = look_back(n, a);
    else if (!operation(id, a, result))
      result = by_judge(id, a);
    for (const Number& z : result) {
      if (std::isfinite(z.real())) largest_ = std::max(largest_, std::fabs(z.real()));
      if (std::isfinite(z.imag())) largest_ = std::max(largest_, std::fabs(z.imag() / h));
    }
    return result;
  }

  static Numbers from_real(std::span<const double> data) { return {data.begin(), data.end()}; }

  // What does not change smoothly.
  Numbers by_judge(ExprId id, const std::vector<const Numbers*>& a) {
    const auto arguments = graph_.arguments(id);
    std::vector<std::vector<double>> data(a.size());
    std::vector<Operand> operands;
    // Complex numbers of the Program have two parts; the second is left out here, as nobody compares them.
    const auto width = [this](ExprId of) { return graph_.type(of).scalar == Scalar::c128 ? 2u : 1u; };
    for (std::size_t k = 0; k < a.size(); ++k) {
      for (const Number& z : *a[k]) {
        data[k].push_back(z.real());
        if (width(arguments[k]) == 2) data[k].push_back(0);
      }
      operands.push_back({graph_.type(arguments[k]), data[k]});
    }
    std::vector<double> result(width(id) * static_cast<std::size_t>(graph_.type(id).size()));
    evaluate_operation(graph_[id].op, graph_.type(id), graph_[id].payload, operands, result);
    Numbers numbers;
    for (std::size_t k = 0; k < result.size(); k += width(id)) numbers.emplace_back(result[k]);
    return numbers;
  }

  Numbers look_back(const Node& n, const std::vector<const Numbers*>& a) {
    std::vector<double> arguments;
    for (const Numbers* z : a) arguments.push_back((*z)[0].real());
    return {past_(PastOf::from(n.payload), arguments)};
  }

  bool operation(ExprId id, const std::vector<const Numbers*>& a, Numbers& result) {
    const Node& n = graph_[id];
    const auto size = static_cast<std::size_t>(n.type.size());
    if (n.type.scalar != Scalar::f64) return false;
    const auto at = [&](std::size_t argument, std::size_t k) {
      return (*a[argument])[a[argument]->size() == 1 ? 0 : k];
    };
    if (n.op == Op::select) {
      for (std::size_t k = 0; k < size; ++k) result.push_back(at(at(0, k).real() != 0 ? 1 : 2, k));
      return true;
    }
    if (n.op == Op::concat) {
      for (const Numbers* part : a) result.insert(result.end(), part->begin(), part->end());
      return true;
    }
    if (n.op == Op::gather || n.op == Op::update || (n.op >= Op::element && n.op <= Op::reshape)) {
      result = moved(id, a);
      return true;
    }
    if (graph_.type(graph_.arguments(id)[0]).scalar != Scalar::f64) return false;
    if (n.op == Op::cast) {
      result = *a[0];
      return true;
    }
    if (is_elementwise_unary(n.op)) {
      for (std::size_t k = 0; k < size; ++k) result.push_back(unary(n.op, at(0, k)));
      return true;
    }
    if (is_elementwise_binary(n.op)) {
      for (std::size_t k = 0; k < size; ++k) result.push_back(binary(n.op, at(0, k), at(1, k)));
      return true;
    }
    if (is_reduction(n.op)) {
      const Op step = n.op == Op::sum       ? Op::add
                      : n.op == Op::product ? Op::mul
                      : n.op == Op::minimum ? Op::min
                                            : Op::max;
      if (a[0]->empty()) return false;
      result = {(*a[0])[0]};
      for (std::size_t k = 1; k < a[0]->size(); ++k) result[0] = binary(step, result[0], (*a[0])[k]);
      return true;
    }
    return whole(id, a, result);
  }

  // Elements that only change their places: real and imaginary parts go the same way.
  Numbers moved(ExprId id, const std::vector<const Numbers*>& a) {
    Numbers result = by_judge(id, a), steps;
    std::vector<Numbers> imaginary(a.size());
    std::vector<const Numbers*> parts = a;
    const bool indexed = graph_[id].op == Op::gather || graph_[id].op == Op::update;
    const std::size_t value = graph_[id].op == Op::update ? a.size() - 1 : 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (indexed && k > 0 && k != value) continue;  // positions
      for (const Number& z : *a[k]) imaginary[k].push_back(z.imag());
      parts[k] = &imaginary[k];
    }
    steps = by_judge(id, parts);
    for (std::size_t k = 0; k < result.size(); ++k) result[k] = {result[k].real(), steps[k].real()};
    return result;
  }

  static Number unary(Op op, Number z) {
    const double x = z.real();
    switch (op) {
      case Op::neg: return -z;
      case Op::abs: return x < 0 ? -z : z;
      case Op::sqrt: return x < 0 ? none() : std::sqrt(z);
      case Op::exp: return std::exp(z);
      case Op::log: return x < 0 ? none() : std::log(z);
      case Op::log10: return x < 0 ? none() : std::log(z) / std::log(10.0);
      case Op::sin: return std::sin(z);
      case Op::cos: return std::cos(z);
      case Op::tan: return std::sin(z) / std::cos(z);
      case Op::asin: return std::fabs(x) > 1 ? none() : std::asin(z);
      case Op::acos: return std::fabs(x) > 1 ? none() : std::acos(z);
      case Op::atan: return std::atan(z);
      case Op::sinh: return std::sinh(z);
      case Op::cosh: return std::cosh(z);
      case Op::tanh: return std::tanh(z);
      case Op::asinh: return std::asinh(z);
      case Op::acosh: return x < 1 ? none() : std::acosh(z);
      case Op::atanh: return std::fabs(x) > 1 ? none() : std::atanh(z);
      default: return evaluate_unary(op, Scalar::f64, x);  // rounding, signs
    }
  }

  static Number power(Number a, Number b) {
    const double n = b.real();
    if (b.imag() == 0 && n == std::floor(n) && std::fabs(n) <= 64) {
      Number result = 1;
      for (int k = 0; k < static_cast<int>(std::fabs(n)); ++k) result *= a;
      return n < 0 ? 1.0 / result : result;
    }
    return a.real() > 0 ? std::exp(b * std::log(a)) : none();
  }

  static Number binary(Op op, Number a, Number b) {
    const double x = a.real(), y = b.real();
    switch (op) {
      case Op::add: return a + b;
      case Op::sub: return a - b;
      case Op::mul: return a * b;
      case Op::div: return a / b;
      case Op::pow: return power(a, b);
      case Op::hypot: return std::sqrt(a * a + b * b);
      case Op::atan2: {
        const Number turn = std::fabs(y) >= std::fabs(x) ? std::atan(a / b) : -std::atan(b / a);
        return {std::atan2(x, y), turn.imag()};
      }
      case Op::mod:
      case Op::rem: {
        const double left = evaluate_binary(op, Scalar::f64, x, y);
        return {left, a.imag() - (y == 0 ? 0 : std::round((x - left) / y) * b.imag())};
      }
      case Op::min: return x < y ? a : b;
      case Op::max: return x > y ? a : b;
      default: return evaluate_binary(op, Scalar::f64, x, y);
    }
  }

  bool whole(ExprId id, const std::vector<const Numbers*>& a, Numbers& result) {
    const Type left = graph_.type(graph_.arguments(id)[0]);
    const auto n = static_cast<std::size_t>(left.rows);
    switch (graph_[id].op) {
      case Op::matmul: {
        const auto inner = static_cast<std::size_t>(left.cols);
        result.assign(static_cast<std::size_t>(graph_.type(id).size()), 0.0);
        for (std::size_t k = 0; k < result.size(); ++k) {
          for (std::size_t i = 0; i < inner; ++i)
            result[k] += binary(Op::mul, (*a[0])[k % n + i * n], (*a[1])[k / n * inner + i]);
        }
        return true;
      }
      case Op::solve: eliminate(n, *a[0], result = *a[1]); return true;
      case Op::inverse:
        result.assign(n * n, 0.0);
        for (std::size_t k = 0; k < n; ++k) result[k * n + k] = 1;
        eliminate(n, *a[0], result);
        return true;
      case Op::determinant: {
        Numbers none_right;
        result = {eliminate(n, *a[0], none_right)};
        return true;
      }
      default: return false;
    }
  }

  // Gauss with pivots by the real part; the determinant, and m \ right in its place.
  static Number eliminate(std::size_t n, Numbers m, Numbers& right) {
    Number determinant = 1;
    for (std::size_t c = 0; c < n; ++c) {
      std::size_t pivot = c;
      for (std::size_t r = c; r < n; ++r) {
        if (std::fabs(m[r + c * n].real()) > std::fabs(m[pivot + c * n].real())) pivot = r;
      }
      if (pivot != c) {
        determinant = -determinant;
        for (std::size_t k = 0; k < n; ++k) std::swap(m[c + k * n], m[pivot + k * n]);
        for (std::size_t k = 0; k * n < right.size(); ++k) std::swap(right[c + k * n], right[pivot + k * n]);
      }
      determinant *= m[c + c * n];
      for (std::size_t r = 0; r < n; ++r) {
        if (r == c) continue;
        const Number factor = m[r + c * n] / m[c + c * n];
        for (std::size_t k = 0; k < n; ++k) m[r + k * n] -= factor * m[c + k * n];
        for (std::size_t k = 0; k * n < right.size(); ++k) right[r + k * n] -= factor * right[c + k * n];
      }
    }
    for (std::size_t k = 0; k < right.size(); ++k) right[k] /= m[k % n + k % n * n];
    return determinant;
  }

  // Statements, one after the other.
  enum class Flow { on, left, next, returned, failed };

  std::vector<Numbers> call(ExprId id, const std::vector<const Numbers*>& a) {
    const Function& function = graph_.function_of(id);
    std::vector<Numbers> locals;
    for (const Local& local : function.locals) locals.emplace_back(static_cast<std::size_t>(local.type.size()));
    for (std::size_t k = 0; k < a.size(); ++k) locals[k] = *a[k];
    ComplexStep inside(function.graph, std::move(locals));
    inside.locals_ = &function.locals;
    std::int64_t own = most_turns;
    inside.turns_ = turns_ == nullptr ? &own : turns_;
    const bool failed = inside.block(function.body) == Flow::failed;
    largest_ = std::max(largest_, inside.largest_);
    std::vector<Numbers> results;
    for (const std::uint32_t local : function.results) {
      results.push_back(inside.slots_[local]);
      const bool floating = function.locals[local].type.scalar == Scalar::f64;
      if (failed) std::ranges::fill(results.back(), floating ? none() : Number{});
    }
    return results;
  }

  Flow block(const std::vector<Statement>& statements) {
    for (const Statement& s : statements) {
      const Flow flow = statement(s);
      if (flow != Flow::on) return flow;
    }
    return Flow::on;
  }

  Flow statement(const Statement& s) {
    using Kind = Statement::Kind;
    switch (s.kind) {
      case Kind::assign: slots_[s.local] = value(s.value); return Flow::on;
      case Kind::assign_element: {
        const Numbers assigned = value(s.value);
        const auto rows = static_cast<double>(rows_of(s));
        const double first = value(s.indices[0])[0].real();
        const double second = s.indices.size() == 2 ? value(s.indices[1])[0].real() : 0;
        const double length = static_cast<double>(slots_[s.local].size());
        const bool inside = first >= 0 && second >= 0 &&
                            (s.indices.size() == 2 ? first < rows && second * rows < length : first < length);
        if (inside) slots_[s.local][static_cast<std::size_t>(first + second * rows)] = assigned[0];
        return Flow::on;
      }
      case Kind::branch: return block(value(s.value)[0].real() != 0 ? s.body : s.otherwise);
      case Kind::check: return value(s.value)[0].real() != 0 ? Flow::on : Flow::failed;
      case Kind::leave: return Flow::left;
      case Kind::go_on: return Flow::next;
      case Kind::give_back: return Flow::returned;
      case Kind::count_loop:
      case Kind::while_loop: return loop(s);
    }
    return Flow::on;
  }

  Flow loop(const Statement& s) {
    const bool counts = s.kind == Statement::Kind::count_loop;
    const double count = counts ? value(s.value)[0].real() : 0;
    for (double k = 0;; ++k) {
      if (counts && !(k < count)) return Flow::on;
      if (--*turns_ < 0) return Flow::failed;
      if (!counts && value(s.value)[0].real() == 0) return Flow::on;
      if (counts) slots_[s.local] = {k};
      const Flow flow = block(s.body);
      if (flow == Flow::left) return Flow::on;
      if (flow == Flow::returned || flow == Flow::failed) return flow;
    }
  }

  // Of the local that a statement changes.
  std::int32_t rows_of(const Statement& s) const { return locals_ == nullptr ? 1 : (*locals_)[s.local].type.rows; }

  const Graph& graph_;
  std::vector<Numbers> slots_;
  double time_;
  PastValues past_;
  const std::vector<Local>* locals_ = nullptr;
  std::int64_t* turns_ = nullptr;
  double largest_ = 0;
};

}  // namespace orrery::program
