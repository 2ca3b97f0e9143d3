// SPDX-License-Identifier: Apache-2.0
// Sums taken apart and put together.
#include "equations/linear_terms.h"

#include <algorithm>
#include <cmath>

#include "program/parameter_space.h"

namespace orrery::equations {

using program::ExprId;
using program::Graph;
using program::no_expr;
using program::Op;

namespace {

// A factor that a run does not change: a number, or a formula of parameters.
bool is_factor(const program::Program& program, ExprId id) {
  return program.graph.type(id).is_scalar() && (program.graph.is_constant(id) || program::is_start_value(program, id));
}

LinearTerm times(Graph& graph, LinearTerm term, ExprId factor, bool divide) {
  if (graph.is_constant(factor)) {
    const double number = graph.constant_data(factor)[0];
    term.factor = divide ? term.factor / number : term.factor * number;
  } else if (divide) {
    term.scale = graph.binary(Op::div, term.scale == no_expr ? graph.constant(1) : term.scale, factor);
  } else {
    term.scale = term.scale == no_expr ? factor : graph.binary(Op::mul, term.scale, factor);
  }
  return term;
}

ExprId value_of(Graph& graph, double factor, ExprId scale, ExprId value) {
  ExprId result = scale == no_expr ? value : graph.binary(Op::mul, scale, value);
  if (factor == -1) return graph.unary(Op::neg, result);
  return factor == 1 ? result : graph.binary(Op::mul, graph.constant(factor), result);
}

}  // namespace

std::vector<LinearTerm> linear_terms(const program::Program& program, ExprId expression) {
  auto& graph = const_cast<Graph&>(program.graph);  // factors are new nodes
  std::vector<LinearTerm> terms, stack{{expression, 1, no_expr}};
  while (!stack.empty()) {
    LinearTerm term = stack.back();
    stack.pop_back();
    const Op op = graph[term.value].op;
    const bool splits = op == Op::neg || op == Op::add || op == Op::sub || op == Op::mul || op == Op::div;
    if (!splits || graph.type(term.value) != program::Type{}) {
      terms.push_back(term);
      continue;
    }
    const ExprId a = graph.arguments(term.value)[0];
    const ExprId b = op == Op::neg ? a : graph.arguments(term.value)[1];
    if (op == Op::neg) {
      stack.push_back({a, -term.factor, term.scale});
    } else if (op == Op::add || op == Op::sub) {
      stack.push_back({b, op == Op::add ? term.factor : -term.factor, term.scale});
      stack.push_back({a, term.factor, term.scale});
    } else if (is_factor(program, b)) {
      term.value = a;
      stack.push_back(times(graph, term, b, op == Op::div));
    } else if (op == Op::mul && is_factor(program, a)) {
      term.value = b;
      stack.push_back(times(graph, term, a, false));
    } else {
      terms.push_back(term);
    }
  }
  return terms;
}

ExprId solve_for(const System& system, VariableIndex& index, const std::vector<LinearTerm>& residual,
                 VariableId variable) {
  Graph& graph = system.program->graph;
  const ExprId read = system.read(variable);
  double number = 0;
  ExprId formula = no_expr;
  std::vector<const LinearTerm*> others;
  for (const LinearTerm& term : residual) {
    if (term.value != read) {
      const auto reads = index.read_by(term.value);
      if (std::binary_search(reads.begin(), reads.end(), variable)) return no_expr;
      others.push_back(&term);
    } else if (term.scale == no_expr) {
      number += term.factor;
    } else {
      const ExprId scaled = graph.binary(Op::mul, graph.constant(term.factor), term.scale);
      formula = formula == no_expr ? scaled : graph.binary(Op::add, formula, scaled);
    }
  }
  if (formula == no_expr && (number == 0 || !std::isfinite(number))) return no_expr;
  const double divisor = formula == no_expr ? -number : -1;
  ExprId sum = no_expr;
  for (const LinearTerm* term : others) {
    const double factor = term->factor / divisor;
    if (sum == no_expr) {
      sum = value_of(graph, factor, term->scale, term->value);
    } else if (factor < 0) {
      sum = graph.binary(Op::sub, sum, value_of(graph, -factor, term->scale, term->value));
    } else {
      sum = graph.binary(Op::add, sum, value_of(graph, factor, term->scale, term->value));
    }
  }
  if (sum == no_expr) sum = graph.constant(0);
  if (formula == no_expr) return sum;
  if (number != 0) formula = graph.binary(Op::add, formula, graph.constant(number));
  return graph.is_constant(formula, 0) ? no_expr : graph.binary(Op::div, sum, formula);
}

}  // namespace orrery::equations
