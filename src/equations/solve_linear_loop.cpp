// SPDX-License-Identifier: Apache-2.0
// Coefficients by differentiation, then elimination on numbers or on expressions.
#include "equations/solve_linear_loop.h"

#include <algorithm>
#include <cmath>

#include "passes/differentiate.h"
#include "passes/substitute.h"

namespace orrery::equations {
namespace {

using program::ExprId;
using program::Op;

// Gaussian elimination of A x = b with rows exchanged for the largest pivot; A holds numbers, b expressions.
LinearSolution eliminate(program::Graph& graph, std::vector<double> a, std::vector<ExprId> b) {
  const std::size_t n = b.size();
  double scale = 0;
  for (double entry : a) scale = std::max(scale, std::fabs(entry));
  const auto subtract = [&](ExprId from, double factor, ExprId what) {
    if (factor == 0) return from;
    return graph.binary(Op::sub, from, graph.binary(Op::mul, graph.constant(factor), what));
  };
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r) {
      if (std::fabs(a[r * n + c]) > std::fabs(a[pivot * n + c])) pivot = r;
    }
    if (!(std::fabs(a[pivot * n + c]) > 1e-14 * scale)) return {true, {}};
    if (pivot != c) {
      std::swap_ranges(a.begin() + static_cast<std::ptrdiff_t>(c * n),
                       a.begin() + static_cast<std::ptrdiff_t>(c * n + n),
                       a.begin() + static_cast<std::ptrdiff_t>(pivot * n));
      std::swap(b[c], b[pivot]);
    }
    for (std::size_t r = c + 1; r < n; ++r) {
      const double factor = a[r * n + c] / a[c * n + c];
      if (factor == 0) continue;
      for (std::size_t k = c; k < n; ++k) a[r * n + k] -= factor * a[c * n + k];
      b[r] = subtract(b[r], factor, b[c]);
    }
  }
  LinearSolution solution;
  solution.values = b;
  for (std::size_t r = n; r-- > 0;) {
    ExprId value = b[r];
    for (std::size_t k = r + 1; k < n; ++k) value = subtract(value, a[r * n + k], solution.values[k]);
    solution.values[r] = graph.binary(Op::div, value, graph.constant(a[r * n + r]));
  }
  return solution;
}

}  // namespace

LinearSolution solve_linear_loop(program::Graph& graph, const std::vector<program::SlotId>& unknowns,
                                 const std::vector<ExprId>& residuals) {
  const std::size_t n = unknowns.size();
  std::vector<passes::Variable> variables;
  passes::Substitution at_zero(graph);
  for (program::SlotId unknown : unknowns) {
    variables.push_back({unknown});
    at_zero.set(unknown, graph.constant(0));
  }
  passes::Gradients gradients(graph, variables);
  std::vector<ExprId> a(n * n, graph.constant(0));  // row by row
  std::vector<ExprId> b;
  for (std::size_t r = 0; r < n; ++r) {
    for (const passes::Partial& partial : gradients.of(residuals[r])) a[r * n + partial.column] = partial.value;
    b.push_back(graph.unary(Op::neg, at_zero.apply(residuals[r])));
  }
  constexpr std::size_t most_on_numbers = 64;  // the formula grows with the square of this
  const bool constant = std::all_of(a.begin(), a.end(), [&](ExprId id) { return graph.is_constant(id); });
  if (constant && n <= most_on_numbers) {
    std::vector<double> numbers;
    numbers.reserve(a.size());
    for (ExprId id : a) numbers.push_back(graph.constant_data(id)[0]);
    return eliminate(graph, std::move(numbers), std::move(b));
  }
  if (n == 1) return {false, {graph.binary(Op::div, b[0], a[0])}};
  std::vector<ExprId> columns;
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t r = 0; r < n; ++r) columns.push_back(a[r * n + c]);
  }
  const auto size = static_cast<std::int32_t>(n);
  const ExprId all = graph.solve(graph.stack({program::Scalar::f64, size, size}, columns),
                                 graph.stack({program::Scalar::f64, size, 1}, b));
  LinearSolution solution;
  for (std::size_t r = 0; r < n; ++r) solution.values.push_back(graph.element(all, static_cast<std::int64_t>(r)));
  return solution;
}

}  // namespace orrery::equations
