// SPDX-License-Identifier: Apache-2.0
// Element selection on expressions.
#include "trace/signal_elements.h"

#include <fmt/format.h>

#include <algorithm>

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

std::uint32_t index_site(Graph& graph) {
  program::Site site;
  if (graph.where) site.place = graph.where();
  return graph.add_site(std::move(site));
}

// Position k of one of two subscripts, from 0.
program::ExprId position(const Positions& p, std::size_t k, Graph& graph) {
  if (p.is_known()) return graph.constant(static_cast<double>(p.known[k] - 1), Scalar::i32);
  return graph.binary(program::Op::sub, p.signals[k].id(), graph.constant(1, Scalar::i32));
}

// Rows and columns of all pairs of two subscripts.
struct Pairs {
  Expr rows, cols;
};

Pairs pairs_of(const Positions& rows, const Positions& cols, Graph& graph) {
  std::vector<program::ExprId> r, c;
  for (std::size_t j = 0; j < cols.count(); ++j) {
    for (std::size_t i = 0; i < rows.count(); ++i) {
      r.push_back(position(rows, i, graph));
      c.push_back(position(cols, j, graph));
    }
  }
  if (r.empty()) oml::fail("an empty part of a signal");
  const Type type{Scalar::i32, static_cast<std::int32_t>(rows.count()), static_cast<std::int32_t>(cols.count())};
  return {{&graph, graph.stack(type, r)}, {&graph, graph.stack(type, c)}};
}

// The positions that one subscript gives, from 0, in its own shape.
Expr linear(const Positions& p, Graph& graph) {
  std::vector<program::ExprId> all;
  for (std::size_t k = 0; k < p.count(); ++k) all.push_back(position(p, k, graph));
  if (all.empty()) oml::fail("an empty part of a signal");
  return {&graph, graph.stack(Type{Scalar::i32, p.rows, p.cols}, all)};
}

Value stacked(std::vector<Expr> elements, std::int32_t rows, std::int32_t cols) {
  if (elements.empty()) oml::fail("an empty part of a signal");
  if (elements.size() == 1) return SignalValue::wrap(elements[0]);
  return SignalValue::wrap(stack(Type{elements[0].scalar_type(), rows, cols}, elements));
}

Value index_vector(Expr a, const Positions& at, Graph& graph) {
  const Expr picked{&graph, graph.gather(a.id(), linear(at, graph).id(), index_site(graph))};
  // A vector indexed by a vector keeps its own direction (OML's rule for known indices).
  const bool turn = (a.rows() == 1 && at.cols == 1) || (a.cols() == 1 && at.rows == 1);
  if (!turn || a.type().is_scalar()) return SignalValue::wrap(picked);
  const auto count = static_cast<std::int32_t>(picked.size());
  return SignalValue::wrap({&graph, graph.reshape(picked.id(), a.rows() == 1 ? 1 : count, a.rows() == 1 ? count : 1)});
}

Value index_matrix(Expr a, const Positions& rows, const Positions& cols, Graph& graph) {
  const Pairs at = pairs_of(rows, cols, graph);
  return SignalValue::wrap({&graph, graph.gather_at(a.id(), at.rows.id(), at.cols.id(), index_site(graph))});
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
  const Scalar common = promote(a.scalar_type(), value.scalar_type());
  const program::ExprId target = a.as(common).id();
  program::ExprId given = value.as(common).id();
  const std::uint32_t site = index_site(graph);
  if (matrix) {
    const Pairs at = pairs_of(rows, cols, graph);
    if (!value.type().is_scalar()) given = graph.reshape(given, at.rows.rows(), at.rows.cols());
    return SignalValue::wrap({&graph, graph.update_at(target, at.rows.id(), at.cols.id(), given, site)});
  }
  const Expr at = linear(rows, graph);
  if (!value.type().is_scalar()) given = graph.reshape(given, at.rows(), at.cols());
  return SignalValue::wrap({&graph, graph.update(target, at.id(), given, site)});
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
