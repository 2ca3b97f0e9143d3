// SPDX-License-Identifier: Apache-2.0
// A handle with operators, so that blocks read like formulas: y = k * u + select(u > 0, a, b).
//
// Mixed element types promote (boolean < integers < double < complex); sizes must agree or one operand be a scalar.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "program/graph.h"

namespace orrery::program {

class Expr {
 public:
  Expr() = default;
  Expr(Graph* graph, ExprId id) : graph_(graph), id_(id) {}

  ExprId id() const { return id_; }
  Graph* graph() const { return graph_; }
  explicit operator bool() const { return graph_ != nullptr; }
  Type type() const { return graph_->type(id_); }
  Scalar scalar_type() const { return type().scalar; }
  std::int32_t rows() const { return type().rows; }
  std::int32_t cols() const { return type().cols; }
  std::int64_t size() const { return type().size(); }
  Expr operator[](std::int64_t k) const { return {graph_, graph_->element(id_, k)}; }  // 0-based, column by column
  Expr at(std::int32_t row, std::int32_t col) const { return {graph_, graph_->element(id_, row, col)}; }
  Expr as(Scalar scalar) const { return {graph_, graph_->cast(scalar, id_)}; }

 private:
  Graph* graph_ = nullptr;
  ExprId id_ = no_expr;
};

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);  // element by element; matmul() is the matrix product
Expr operator/(Expr a, Expr b);
Expr operator-(Expr a);
Expr operator<(Expr a, Expr b);
Expr operator<=(Expr a, Expr b);
Expr operator>(Expr a, Expr b);
Expr operator>=(Expr a, Expr b);
Expr operator==(Expr a, Expr b);
Expr operator!=(Expr a, Expr b);
Expr operator&&(Expr a, Expr b);  // operands become boolean (not equal to 0)
Expr operator||(Expr a, Expr b);
Expr operator!(Expr a);
Expr operator&(Expr a, Expr b);
Expr operator|(Expr a, Expr b);
Expr operator^(Expr a, Expr b);
Expr operator<<(Expr a, int bits);
Expr operator>>(Expr a, int bits);

// With a plain number on one side: it takes the element type of the expression where it can.
Expr operator+(Expr a, double b);
Expr operator+(double a, Expr b);
Expr operator-(Expr a, double b);
Expr operator-(double a, Expr b);
Expr operator*(Expr a, double b);
Expr operator*(double a, Expr b);
Expr operator/(Expr a, double b);
Expr operator/(double a, Expr b);
Expr operator<(Expr a, double b);
Expr operator<=(Expr a, double b);
Expr operator>(Expr a, double b);
Expr operator>=(Expr a, double b);
Expr operator==(Expr a, double b);
Expr operator!=(Expr a, double b);

Expr apply(Op op, Expr a);          // any element-wise unary
Expr apply(Op op, Expr a, Expr b);  // any element-wise binary
Expr select(Expr condition, Expr if_true, Expr if_false);
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);
Expr matmul(Expr a, Expr b);
Expr transpose(Expr a);
Expr sum(Expr a);
Expr to_boolean(Expr a);  // a != 0
// A column (or a given shape) from scalars, column by column.
Expr stack(std::span<const Expr> scalars);
Expr stack(Type type, std::span<const Expr> scalars);
// Arrays by computed index (graph.h). Positions count from 0, column by column; of doubles the whole part is taken.
// What lies outside is NaN (0 of whole numbers), and an error of the run where a site says whom to blame.
Expr gather(Expr a, Expr index, std::uint32_t site = 0);
Expr gather_at(Expr a, Expr row, Expr col, std::uint32_t site = 0);
Expr update(Expr a, Expr index, Expr value, std::uint32_t site = 0);  // `a` with other elements
Expr concat(Type type, std::span<const Expr> parts);                  // all elements, one after the other
// How many of the knots, which ascend, are not above x: 0 below the first, all of them from the last on; int32.
Expr search(Expr knots, Expr x);
// The piece of a table in which x lies, from 0 to the number of knots - 2; beyond the ends it is the first or last.
Expr piece_of(Expr knots, Expr x);
// The element type both operands promote to.
Scalar promote(Scalar a, Scalar b);

}  // namespace orrery::program
