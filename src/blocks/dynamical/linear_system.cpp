// SPDX-License-Identifier: Apache-2.0
// Reading, checking and applying the matrices of linear systems.
#include "blocks/dynamical/linear_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace orrery::blocks {
namespace {

Matrix matrix_of(const Parameters& parameters, const char* name) {
  Matrix m;
  m.data = parameters.reals(name);
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
std::vector<double> polynomial(const Parameters& parameters, const char* name) {
  const std::vector<double>& given = parameters.reals(name);
  const Value& value = parameters.value(name);
  const bool finite = std::all_of(given.begin(), given.end(), [](double c) { return std::isfinite(c); });
  if (given.empty() || (value.rows != 1 && value.cols != 1) || !finite) {
    parameters.fail(name, "must be a row or a column of finite numbers", "the coefficient of the highest power first");
  }
  const auto first = std::find_if(given.begin(), given.end(), [](double c) { return c != 0; });
  return {first, given.end()};
}

Expr scaled(double factor, Expr x) {
  if (factor == 1) return x;
  return factor == -1 ? -x : factor * x;
}

}  // namespace

LinearSystem state_space(const Parameters& parameters) {
  LinearSystem s{matrix_of(parameters, "A"), matrix_of(parameters, "B"), matrix_of(parameters, "C"),
                 matrix_of(parameters, "D")};
  if (s.a.rows == 0) parameters.fail("A", "must not be empty", "a system without states is a MatrixGain");
  check_shape(parameters, "A", s.a, s.a.rows, s.a.rows);
  check_shape(parameters, "B", s.b, s.a.rows, std::max(s.b.cols, 1));
  check_shape(parameters, "C", s.c, std::max(s.c.rows, 1), s.a.rows);
  if (s.d.data.empty() || (s.d.data.size() == 1 && s.d.data[0] == 0)) s.d = Matrix(s.c.rows, s.b.cols);
  check_shape(parameters, "D", s.d, s.c.rows, s.b.cols);
  return s;
}

LinearSystem transfer_function(const Parameters& parameters) {
  std::vector<double> num = polynomial(parameters, "num");
  const std::vector<double> den = polynomial(parameters, "den");
  if (den.empty()) parameters.fail("den", "must have a coefficient other than 0");
  if (num.size() > den.size()) {
    parameters.fail("num", "has a higher degree than the denominator", "such a system would differentiate its input");
  }
  num.insert(num.begin(), den.size() - num.size(), 0.0);
  const int n = static_cast<int>(den.size()) - 1;
  LinearSystem s{Matrix(n, n), Matrix(n, 1), Matrix(1, n), Matrix(1, 1)};
  s.d.at(0, 0) = num[0] / den[0];
  if (n > 0) s.b.at(n - 1, 0) = 1;
  for (int k = 0; k < n; ++k) {  // coefficients of the power k
    const auto from_end = static_cast<std::size_t>(n - k);
    if (k + 1 < n) s.a.at(k, k + 1) = 1;
    s.a.at(n - 1, k) = -(den[from_end] / den[0]);
    s.c.at(0, k) = (num[from_end] - den[from_end] * s.d.at(0, 0)) / den[0];
  }
  return s;
}

void declare_ports(Ports& ports, const LinearSystem& system) {
  ports.input("u", {system.d.cols, 1}, Scalar::f64);
  ports.output("y", {system.d.rows, 1}, Scalar::f64);
}

Expr times(Block& block, const Matrix& m, Expr x) {
  const auto entries = std::count_if(m.data.begin(), m.data.end(), [](double c) { return c != 0; });
  constexpr std::ptrdiff_t few = 64;
  if (entries > few && 4 * entries > std::ssize(m.data)) {
    return matmul(block.constant(Type{Scalar::f64, m.rows, m.cols}, m.data), x);
  }
  std::vector<Expr> rows;
  for (int i = 0; i < m.rows; ++i) {
    Expr row;
    for (int j = 0; j < m.cols; ++j) {
      if (m.at(i, j) == 0) continue;
      const Expr term = scaled(m.at(i, j), x[j]);
      row = row ? row + term : term;
    }
    rows.push_back(row ? row : block.constant(0));
  }
  return stack(rows);
}

namespace {

Expr combination(Block& block, const Matrix& left, Expr x, const Matrix& right, Expr u) {
  const bool no_right = std::all_of(right.data.begin(), right.data.end(), [](double c) { return c == 0; });
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
