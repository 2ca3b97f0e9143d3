// SPDX-License-Identifier: Apache-2.0
// Coefficients by differentiation, then elimination on numbers or on expressions.
#include "equations/solve_linear_loop.h"

#include <algorithm>
#include <cmath>

#include "passes/differentiate.h"
#include "passes/find_dependencies.h"
#include "passes/slice.h"
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

// Of affine residuals, row by row.
std::vector<ExprId> coefficients(program::Graph& graph, const std::vector<program::SlotId>& unknowns,
                                 const std::vector<ExprId>& residuals) {
  const std::size_t n = unknowns.size();
  std::vector<passes::Variable> variables;
  for (program::SlotId unknown : unknowns) variables.push_back({unknown});
  passes::Gradients gradients(graph, variables);
  std::vector<ExprId> a(n * n, graph.constant(0));
  for (std::size_t r = 0; r < n; ++r) {
    for (const passes::Partial& partial : gradients.of(residuals[r])) a[r * n + partial.column] = partial.value;
  }
  return a;
}

bool all_constant(const program::Graph& graph, const std::vector<ExprId>& a) {
  return std::all_of(a.begin(), a.end(), [&](ExprId id) { return graph.is_constant(id); });
}

std::vector<double> as_numbers(const program::Graph& graph, const std::vector<ExprId>& a) {
  std::vector<double> numbers;
  numbers.reserve(a.size());
  for (ExprId id : a) numbers.push_back(graph.constant_data(id)[0]);
  return numbers;
}

}  // namespace

bool may_be_singular(program::Program& program, const std::vector<program::SlotId>& unknowns,
                     const std::vector<ExprId>& residuals) {
  constexpr std::size_t most_conditions = 10, most_entries = 100'000;
  program::Graph& graph = program.graph;
  const std::vector<ExprId> a = coefficients(graph, unknowns, residuals);
  std::vector<program::SlotId> modes = passes::slots_read(graph, a);
  std::erase_if(modes, [&](program::SlotId slot) {
    return program.slots[slot].kind != program::SlotKind::mode ||
           program.slots[slot].type.scalar != program::Scalar::boolean;
  });
  if (modes.empty()) return false;
  passes::Dependencies dependencies(graph, modes);
  std::vector<passes::Leaf> conditions;
  for (const ExprId entry : a) {
    const auto found = dependencies.of(entry);
    conditions.insert(conditions.end(), found.begin(), found.end());
  }
  std::ranges::sort(conditions);
  conditions.erase(std::unique(conditions.begin(), conditions.end()), conditions.end());
  if (conditions.size() > most_conditions || (a.size() << conditions.size()) > most_entries) return true;
  const std::vector<ExprId> zeros(unknowns.size(), graph.constant(0));
  for (std::size_t choice = 0; choice < std::size_t{1} << conditions.size(); ++choice) {
    passes::Substitution chosen(graph);
    for (std::size_t k = 0; k < conditions.size(); ++k) {
      const ExprId value = graph.constant(static_cast<double>(choice >> k & 1), program::Scalar::boolean);
      const auto [slot, element] = conditions[k];
      if (program.slots[slot].type.is_scalar()) {
        chosen.set(slot, value);
      } else {
        chosen.set_element(slot, element, value);
      }
    }
    std::vector<ExprId> entries;
    for (const ExprId entry : a) entries.push_back(chosen.apply(entry));
    if (all_constant(graph, entries) && eliminate(graph, as_numbers(graph, entries), zeros).singular) return true;
  }
  return false;
}

LinearSolution solve_linear_loop(program::Graph& graph, const std::vector<program::SlotId>& unknowns,
                                 const std::vector<ExprId>& residuals) {
  const std::size_t n = unknowns.size();
  passes::Substitution at_zero(graph);
  for (program::SlotId unknown : unknowns) at_zero.set(unknown, graph.constant(0));
  const std::vector<ExprId> a = coefficients(graph, unknowns, residuals);
  std::vector<ExprId> b;
  for (std::size_t r = 0; r < n; ++r) b.push_back(graph.unary(Op::neg, at_zero.apply(residuals[r])));
  constexpr std::size_t most_on_numbers = 64;  // the formula grows with the square of this
  if (all_constant(graph, a) && n <= most_on_numbers) return eliminate(graph, as_numbers(graph, a), std::move(b));
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
