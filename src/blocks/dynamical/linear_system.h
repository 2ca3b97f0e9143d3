// SPDX-License-Identifier: Apache-2.0
// Linear systems x+ = A x + B u, y = C x + D u, from the parameters of a block.
#pragma once

#include <vector>

#include "blocks/block.h"

namespace orrery::blocks {

// An entry of a matrix: a number, or a formula of the model's parameters and the number it has now.
struct Entry {
  double value = 0;
  Expr formula = {};

  bool is_formula() const { return formula.graph() != nullptr; }
  bool is(double number) const { return !is_formula() && value == number; }
};

struct Matrix {
  int rows = 0;
  int cols = 0;
  std::vector<Entry> data = {};  // column by column

  Matrix() = default;
  Matrix(int row_count, int col_count) : rows(row_count), cols(col_count) {
    data.assign(static_cast<std::size_t>(row_count) * static_cast<std::size_t>(col_count), Entry{});
  }
  Entry& at(int row, int col) { return data[static_cast<std::size_t>(col * rows + row)]; }
  const Entry& at(int row, int col) const { return data[static_cast<std::size_t>(col * rows + row)]; }
};

struct LinearSystem {
  Matrix a, b, c, d;
  int order() const { return a.rows; }
};

// Parameters A, B, C, D. D may be empty or 0: nothing feeds through. For sizes, or with the formulas of a block.
LinearSystem state_space(const Parameters& parameters);
LinearSystem state_space(Block& block);
// Parameters num, den (descending powers), in controllable canonical form.
LinearSystem transfer_function(const Parameters& parameters);
LinearSystem transfer_function(Block& block);

// From polynomials (descending powers); `num` and `den` name the parameters that are blamed.
LinearSystem canonical_form(const Parameters& parameters, std::vector<Entry> num, const std::vector<Entry>& den,
                            const char* num_name = "num", const char* den_name = "den");

void declare_ports(Ports& ports, const LinearSystem& system);

// M * x. Few entries are written out, without those that are zero, so that nothing depends on what it does not use.
Expr times(Block& block, const Matrix& m, Expr x);
// A x + B u.
Expr change(Block& block, const LinearSystem& system, Expr x, Expr u);
// C x + D u.
Expr output(Block& block, const LinearSystem& system, Expr x, Expr u);

}  // namespace orrery::blocks
