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
// The element type both operands promote to.
Scalar promote(Scalar a, Scalar b);

}  // namespace orrery::program
