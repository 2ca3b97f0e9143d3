// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic of blocks where a result does not fit: the nearest number, modulo 2^n, or an error of the run.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

// The parameter `overflow` of arithmetic blocks; doubles and complex numbers ignore it.
ParameterSpec overflow_spec();

enum class Overflow : std::uint8_t { saturate, wrap, error };

// Sums, products and conversions by the rule of the block's parameter `overflow`. Operands have one element type. One
// operation brings its result into range once: a sum of many terms may leave it in between.
class Arithmetic {
 public:
  explicit Arithmetic(Block& block);
  Arithmetic(Block& block, Overflow rule) : block_(block), rule_(rule) {}

  Expr add(Expr a, Expr b);
  Expr subtract(Expr a, Expr b);
  Expr multiply(Expr a, Expr b);  // element by element
  Expr negate(Expr a);
  Expr convert(Expr a, Scalar to);
  Expr matrix_product(Expr a, Expr b);
  Expr sum(const std::vector<Expr>& terms, const std::string& signs);        // '+' or '-' for each
  Expr product(const std::vector<Expr>& factors, const std::string& signs);  // '*' or '/', which cuts towards zero
  Expr total(const std::vector<Expr>& scalars) { return sum(scalars, std::string(scalars.size(), '+')); }

 private:
  Expr fit(Expr exact, Scalar to);  // a double that is a whole number
  bool is_wide(Scalar type) const { return is_integer(type) && rule_ != Overflow::wrap; }

  Block& block_;
  Overflow rule_;
};

}  // namespace orrery::blocks
