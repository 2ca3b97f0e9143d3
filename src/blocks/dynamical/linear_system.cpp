// SPDX-License-Identifier: Apache-2.0
// Reading, checking and applying the matrices of linear systems.
#include "blocks/dynamical/linear_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace orrery::blocks {
namespace {

Expr as_expr(const Entry& a, program::Graph& graph) {
  return a.is_formula() ? a.formula : Expr{&graph, graph.constant(a.value)};
}

template <class Operation>
Entry combined(const Entry& a, const Entry& b, Operation operation) {
  Entry result{operation(a.value, b.value)};
  if (!a.is_formula() && !b.is_formula()) return result;
  program::Graph& graph = *(a.is_formula() ? a.formula : b.formula).graph();
  result.formula = operation(as_expr(a, graph), as_expr(b, graph));
  return result;
}

Entry operator*(const Entry& a, const Entry& b) {
  return combined(a, b, [](auto x, auto y) { return x * y; });
}
Entry operator/(const Entry& a, const Entry& b) {
  return combined(a, b, [](auto x, auto y) { return x / y; });
}
Entry operator-(const Entry& a, const Entry& b) {
  return combined(a, b, [](auto x, auto y) { return x - y; });
}
Entry operator-(const Entry& a) { return {-a.value, a.is_formula() ? -a.formula : Expr{}}; }

// block: nullptr where only sizes matter.
std::vector<Entry> entries_of(const Parameters& parameters, const char* name, Block* block) {
  std::vector<Entry> entries;
  for (const double x : parameters.now_reals(name)) entries.push_back({x});
  if (block == nullptr || !parameters.has_formula(name)) return entries;
  const Value& value = parameters.value(name);
  const Expr whole = block->parameter(name, {Scalar::f64, value.rows, value.cols});
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const Expr entry = whole[static_cast<std::int64_t>(k)];
    if (!block->graph().is_constant(entry.id())) entries[k].formula = entry;
  }
  return entries;
}

Matrix matrix_of(const Parameters& parameters, const char* name, Block* block) {
  Matrix m;
  m.data = entries_of(parameters, name, block);
  m.rows = parameters.value(name).rows;
  m.cols = parameters.value(name).cols;
  return m;
}

void check_shape(const Parameters& parameters, const char* name, const Matrix& m, int rows, int cols) {
  if (m.rows == rows && m.cols == cols) return;
  parameters.fail(name, fmt::format("must be {}x{} to fit the others, but is {}x{}", rows, cols, m.rows, m.cols),
                  "A is n x n, B n x inputs, C outputs x n, D outputs x inputs");
}

// Coefficients without leading zeros.
std::vector<Entry> polynomial(const Parameters& parameters, const char* name, Block* block) {
  const std::vector<Entry> given = entries_of(parameters, name, block);
  const Value& value = parameters.value(name);
  const bool finite = std::all_of(given.begin(), given.end(), [](const Entry& c) { return std::isfinite(c.value); });
  if (given.empty() || (value.rows != 1 && value.cols != 1) || !finite) {
    parameters.fail(name, "must be a row or a column of finite numbers", "the coefficient of the highest power first");
  }
  const auto first = std::find_if(given.begin(), given.end(), [](const Entry& c) { return c.value != 0; });
  if (std::any_of(given.begin(), first, [](const Entry& c) { return c.is_formula(); })) {
    parameters.settle(name, "its leading coefficient is 0, which decides the order of the system");
  }
  return {first, given.end()};
}

LinearSystem state_space(const Parameters& parameters, Block* block) {
  LinearSystem s{matrix_of(parameters, "A", block), matrix_of(parameters, "B", block),
                 matrix_of(parameters, "C", block), matrix_of(parameters, "D", block)};
  if (s.a.rows == 0) parameters.fail("A", "must not be empty", "a system without states is a MatrixGain");
  check_shape(parameters, "A", s.a, s.a.rows, s.a.rows);
  check_shape(parameters, "B", s.b, s.a.rows, std::max(s.b.cols, 1));
  check_shape(parameters, "C", s.c, std::max(s.c.rows, 1), s.a.rows);
  const bool single = s.c.rows == 1 && s.b.cols == 1;
  if (s.d.data.empty() || (s.d.data.size() == 1 && s.d.data[0].value == 0 && !(single && s.d.data[0].is_formula()))) {
    if (!single) parameters.settle("D", "0 stands for a matrix of zeros");
    s.d = Matrix(s.c.rows, s.b.cols);
  }
  check_shape(parameters, "D", s.d, s.c.rows, s.b.cols);
  return s;
}

LinearSystem transfer_function(const Parameters& parameters, Block* block) {
  return canonical_form(parameters, polynomial(parameters, "num", block), polynomial(parameters, "den", block));
}

Expr scaled(const Entry& factor, Expr x) {
  if (factor.is_formula()) return factor.formula * x;
  if (factor.value == 1) return x;
  return factor.value == -1 ? -x : factor.value * x;
}

bool is_zero(const Entry& entry) { return entry.is(0); }

Expr whole(Block& block, const Matrix& m) {
  const Type type{Scalar::f64, m.rows, m.cols};
  if (std::any_of(m.data.begin(), m.data.end(), [](const Entry& e) { return e.is_formula(); })) {
    std::vector<Expr> all;
    for (const Entry& entry : m.data) all.push_back(as_expr(entry, block.graph()));
    return stack(type, all);
  }
  std::vector<double> numbers;
  for (const Entry& entry : m.data) numbers.push_back(entry.value);
  return block.constant(type, numbers);
}

}  // namespace

LinearSystem canonical_form(const Parameters& parameters, std::vector<Entry> num, const std::vector<Entry>& den,
                            const char* num_name, const char* den_name) {
  if (den.empty()) parameters.fail(den_name, "must have a coefficient other than 0");
  if (num.size() > den.size()) {
    parameters.fail(num_name, "has a higher degree than the denominator",
                    "such a system would differentiate its input");
  }
  num.insert(num.begin(), den.size() - num.size(), Entry{});
  const int n = static_cast<int>(den.size()) - 1;
  LinearSystem s{Matrix(n, n), Matrix(n, 1), Matrix(1, n), Matrix(1, 1)};
  s.d.at(0, 0) = num[0].is(0) ? Entry{} : num[0] / den[0];
  if (n > 0) s.b.at(n - 1, 0) = {1};
  for (int k = 0; k < n; ++k) {  // coefficients of the power k
    const auto from_end = static_cast<std::size_t>(n - k);
    if (k + 1 < n) s.a.at(k, k + 1) = {1};
    s.a.at(n - 1, k) = den[from_end].is(0) ? Entry{} : -(den[from_end] / den[0]);
    const Entry rest = s.d.at(0, 0).is(0) ? num[from_end] : num[from_end] - den[from_end] * s.d.at(0, 0);
    s.c.at(0, k) = rest.is(0) ? Entry{} : rest / den[0];
  }
  return s;
}

LinearSystem state_space(const Parameters& parameters) { return state_space(parameters, nullptr); }
LinearSystem state_space(Block& block) { return state_space(block.parameters(), &block); }
LinearSystem transfer_function(const Parameters& parameters) { return transfer_function(parameters, nullptr); }
LinearSystem transfer_function(Block& block) { return transfer_function(block.parameters(), &block); }

void declare_ports(Ports& ports, const LinearSystem& system) {
  ports.input("u", {system.d.cols, 1}, Scalar::f64);
  ports.output("y", {system.d.rows, 1}, Scalar::f64);
}

Expr times(Block& block, const Matrix& m, Expr x) {
  const auto entries = std::ssize(m.data) - std::count_if(m.data.begin(), m.data.end(), is_zero);
  constexpr std::ptrdiff_t few = 64;
  if (entries > few && 4 * entries > std::ssize(m.data)) {
    return matmul(whole(block, m), x);
  }
  std::vector<Expr> rows;
  for (int i = 0; i < m.rows; ++i) {
    Expr row;
    for (int j = 0; j < m.cols; ++j) {
      if (m.at(i, j).is(0)) continue;
      const Expr term = scaled(m.at(i, j), x[j]);
      row = row ? row + term : term;
    }
    rows.push_back(row ? row : block.constant(0));
  }
  return stack(rows);
}

namespace {

Expr combination(Block& block, const Matrix& left, Expr x, const Matrix& right, Expr u) {
  const bool no_right = std::all_of(right.data.begin(), right.data.end(), is_zero);
  if (left.data.empty()) return times(block, right, u);
  return no_right ? times(block, left, x) : times(block, left, x) + times(block, right, u);
}

}  // namespace

Expr change(Block& block, const LinearSystem& system, Expr x, Expr u) {
  return combination(block, system.a, x, system.b, u);
}

Expr output(Block& block, const LinearSystem& system, Expr x, Expr u) {
  return combination(block, system.c, x, system.d, u);
}

}  // namespace orrery::blocks
