// SPDX-License-Identifier: Apache-2.0
// Element selection on expressions.
#include "trace/signal_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "oml/convert.h"
#include "oml/error.h"
#include "oml/indexing.h"
#include "trace/signal_operations.h"
#include "trace/signal_value.h"

namespace orrery::trace {
namespace {

using oml::Index;
using oml::Value;
using oml::Values;
using program::Expr;
using program::Graph;
using program::Scalar;
using program::Type;

// Selections in one expression; beyond this the code would be longer than any use of it.
constexpr std::size_t most_selections = 50000;

Expr not_a_number(Graph& graph) { return {&graph, graph.constant(std::numeric_limits<double>::quiet_NaN())}; }

// One subscript: known positions (from 1), or signals that hold them.
struct Positions {
  std::vector<Index> known;
  std::vector<Expr> signals;
  std::int32_t rows = 1, cols = 1;
  bool is_colon = false;

  bool is_known() const { return signals.empty(); }
  std::size_t count() const { return is_known() ? known.size() : signals.size(); }
};

Positions positions_of(const Value& subscript, Index length, Graph& graph) {
  Positions result;
  if (is_signal(subscript)) {
    const Expr a = to_expr(subscript, graph);
    if (a.scalar_type() == Scalar::boolean) {
      oml::fail(
          "an index that is true or false depends on a signal, so the size of the result is not known; write .if "
          "condition .then a .else b .end");
    }
    // Integers: a choice by them needs no crossing to be located.
    for (std::int64_t k = 0; k < a.size(); ++k) {
      result.signals.push_back((a.type().is_scalar() ? a : a[k]).as(Scalar::i32));
    }
    result.rows = a.rows();
    result.cols = a.cols();
    return result;
  }
  result.is_colon = subscript.kind() == oml::Kind::colon;
  const Value all = positions(length, 1, 1);
  const Values one{subscript};
  const Value chosen = oml::boxed(oml::to_real(oml::index_value(all, one)));
  for (const double at : chosen.real().data) result.known.push_back(static_cast<Index>(at));
  const oml::Dims shape = result.is_colon ? oml::Dims(length, 1) : subscript.dims();
  result.rows = static_cast<std::int32_t>(shape.rows());
  result.cols = static_cast<std::int32_t>(shape.cols());
  return result;
}

// candidates[at - 1], found by halving; NaN when there is none.
Expr pick(const std::vector<Expr>& candidates, Expr at, Graph& graph) {
  const auto between = [&](const auto& self, std::size_t low, std::size_t high) -> Expr {
    if (high - low == 1) return candidates[low];
    const std::size_t middle = (low + high) / 2;
    return select(at <= static_cast<double>(middle), self(self, low, middle), self(self, middle, high));
  };
  const Expr found = between(between, 0, candidates.size());
  const Expr inside = at >= 1.0 && at <= static_cast<double>(candidates.size());
  return select(inside, found, not_a_number(graph));
}

void check_selections(std::size_t candidates, std::size_t chosen) {
  if (candidates * chosen <= most_selections) return;
  oml::fail(fmt::format("choosing {} of {} elements by a signal makes too long a formula", chosen, candidates));
}

std::vector<Expr> double_elements(Expr a) {
  std::vector<Expr> elements;
  append_elements(a, elements);
  for (Expr& e : elements) {
    if (e.scalar_type() == Scalar::c128) oml::fail("complex elements cannot be chosen by a signal");
    e = e.as(Scalar::f64);
  }
  return elements;
}

Value stacked(std::vector<Expr> elements, std::int32_t rows, std::int32_t cols) {
  if (elements.empty()) oml::fail("an empty part of a signal");
  if (elements.size() == 1) return SignalValue::wrap(elements[0]);
  return SignalValue::wrap(stack(Type{elements[0].scalar_type(), rows, cols}, elements));
}

Value index_vector(Expr a, const Positions& at, Graph& graph) {
  const std::vector<Expr> elements = double_elements(a);
  check_selections(elements.size(), at.count());
  std::vector<Expr> result;
  for (const Expr& signal : at.signals) result.push_back(pick(elements, signal, graph));
  // A vector indexed by a vector keeps its own direction (OML's rule for known indices).
  const bool turn = (a.rows() == 1 && at.cols == 1) || (a.cols() == 1 && at.rows == 1);
  const auto count = static_cast<std::int32_t>(result.size());
  if (turn && !a.type().is_scalar())
    return stacked(std::move(result), a.rows() == 1 ? 1 : count, a.rows() == 1 ? count : 1);
  return stacked(std::move(result), at.rows, at.cols);
}

Value index_matrix(Expr a, const Positions& rows, const Positions& cols, Graph& graph) {
  const std::vector<Expr> elements = double_elements(a);
  check_selections(elements.size(), rows.count() * cols.count());
  const auto height = static_cast<std::size_t>(a.rows()), width = static_cast<std::size_t>(a.cols());
  const auto in_column = [&](std::size_t column, std::size_t r) {
    if (rows.is_known()) return elements[column * height + static_cast<std::size_t>(rows.known[r] - 1)];
    const auto first = elements.begin() + static_cast<std::ptrdiff_t>(column * height);
    return pick(std::vector<Expr>(first, first + static_cast<std::ptrdiff_t>(height)), rows.signals[r], graph);
  };
  std::vector<Expr> result;
  for (std::size_t c = 0; c < cols.count(); ++c) {
    for (std::size_t r = 0; r < rows.count(); ++r) {
      if (cols.is_known()) {
        result.push_back(in_column(static_cast<std::size_t>(cols.known[c] - 1), r));
        continue;
      }
      std::vector<Expr> row;
      for (std::size_t column = 0; column < width; ++column) row.push_back(in_column(column, r));
      result.push_back(pick(row, cols.signals[c], graph));
    }
  }
  return stacked(std::move(result), static_cast<std::int32_t>(rows.count()), static_cast<std::int32_t>(cols.count()));
}

// Whether position `at` is the known position k: an expression, or true/false at once.
Expr is_at(const Positions& p, std::size_t i, Index k, Graph& graph) {
  if (p.is_known()) return {&graph, graph.boolean(p.known[i] == k)};
  return p.signals[i] == static_cast<double>(k);
}

Expr outside(const Positions& p, Index length, Expr so_far) {
  for (const Expr& signal : p.signals) so_far = so_far || signal < 1.0 || signal > static_cast<double>(length);
  return so_far;
}

// Later positions win, as if the elements were assigned one after the other.
Value assign_by_signal(Expr a, const Values& subscripts, Expr value, Graph& graph) {
  const bool matrix = subscripts.size() == 2;
  const Positions rows = positions_of(subscripts[0], matrix ? a.rows() : a.size(), graph);
  const Positions cols = matrix ? positions_of(subscripts[1], a.cols(), graph) : Positions{{1}, {}, 1, 1, false};
  const std::size_t count = rows.count() * cols.count();
  if (!value.type().is_scalar() && value.size() != static_cast<std::int64_t>(count)) {
    oml::fail(fmt::format("{} values for {} places", value.size(), count));
  }
  std::vector<Expr> elements = double_elements(a);
  check_selections(elements.size(), count);
  Expr bad{&graph, graph.boolean(false)};
  bad = outside(rows, matrix ? a.rows() : a.size(), bad);
  bad = outside(cols, matrix ? a.cols() : 1, bad);
  const Index height = matrix ? a.rows() : a.size();
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const Index row = static_cast<Index>(k) % height + 1, col = static_cast<Index>(k) / height + 1;
    for (std::size_t c = 0; c < cols.count(); ++c) {
      for (std::size_t r = 0; r < rows.count(); ++r) {
        const Expr here = is_at(rows, r, row, graph) && is_at(cols, c, col, graph);
        const auto n = static_cast<std::int64_t>(r + c * rows.count());
        elements[k] = select(here, (value.type().is_scalar() ? value : value[n]).as(Scalar::f64), elements[k]);
      }
    }
    elements[k] = select(bad, not_a_number(graph), elements[k]);
  }
  return stacked(std::move(elements), a.rows(), a.cols());
}

}  // namespace

Value positions(Index rows, Index cols, double first) {
  Value numbers = Value::zeros(oml::Dims(rows, cols));
  for (Index k = 0; k < rows * cols; ++k) numbers.edit_real()[k] = first + static_cast<double>(k);
  return numbers;
}

void append_elements(Expr a, std::vector<Expr>& elements) {
  for (std::int64_t k = 0; k < a.size(); ++k) elements.push_back(a.type().is_scalar() ? a : a[k]);
}

Value gather(const Value& map, const std::vector<Expr>& elements) {
  const Value numbers = oml::boxed(oml::to_real(map));
  if (numbers.dims().count() > 2) oml::fail("signals are matrices: arrays of more dimensions are not possible");
  Scalar scalar = elements[0].scalar_type();
  for (const Expr& e : elements) scalar = promote(scalar, e.scalar_type());
  std::vector<Expr> picked;
  for (double at : numbers.real().data) {
    Graph& g = *elements[0].graph();
    picked.push_back(at == 0 ? Expr{&g, g.constant(0, scalar)} : elements[static_cast<std::size_t>(at) - 1].as(scalar));
  }
  return stacked(std::move(picked), static_cast<std::int32_t>(numbers.dims().rows()),
                 static_cast<std::int32_t>(numbers.dims().cols()));
}

Value index_elements(Expr a, const Values& subscripts, Graph& graph) {
  if (!any_signal(subscripts)) {
    std::vector<Expr> elements;
    append_elements(a, elements);
    return gather(oml::index_value(positions(a.rows(), a.cols(), 1), subscripts), elements);
  }
  if (subscripts.size() == 1) return index_vector(a, positions_of(subscripts[0], a.size(), graph), graph);
  if (subscripts.size() != 2) oml::fail("signals are matrices: they have one or two indices");
  return index_matrix(a, positions_of(subscripts[0], a.rows(), graph), positions_of(subscripts[1], a.cols(), graph),
                      graph);
}

Value assign_elements(const Value& target, const Values& subscripts, const Value& value, Graph& graph) {
  const bool is_new = target.is_none() || target.is_empty();
  if (any_signal(subscripts)) {
    if (is_new) oml::fail("a place given by a signal must lie in a matrix whose size is known");
    if (subscripts.size() > 2) oml::fail("signals are matrices: they have one or two indices");
    return assign_by_signal(to_expr(target, graph), subscripts, to_expr(value, graph), graph);
  }
  std::vector<Expr> elements;
  Value map = Value::empty();
  if (!is_new) {
    const Expr a = to_expr(target, graph);
    append_elements(a, elements);
    map = positions(a.rows(), a.cols(), 1);
  }
  const Expr b = to_expr(value, graph);
  const double first = static_cast<double>(elements.size()) + 1;
  append_elements(b, elements);
  oml::assign_index(map, subscripts, b.type().is_scalar() ? Value(first) : positions(b.rows(), b.cols(), first));
  return gather(map, elements);
}

Value remove_elements(const Value& target, const Values& subscripts, Graph& graph) {
  const Expr a = to_expr(target, graph);
  std::vector<Expr> elements;
  append_elements(a, elements);
  Value map = positions(a.rows(), a.cols(), 1);
  oml::delete_elements(map, subscripts);
  return gather(map, elements);
}

Value concatenate_elements(const Values& parts, bool vertically, Graph& graph) {
  std::vector<Expr> elements;
  Values maps;
  for (const Value& part : parts) {
    if (part.is_empty()) continue;
    const Expr a = to_expr(part, graph);
    maps.push_back(positions(a.rows(), a.cols(), static_cast<double>(elements.size()) + 1));
    append_elements(a, elements);
  }
  return gather(oml::concatenate(maps, vertically ? 0 : 1), elements);
}

}  // namespace orrery::trace
