// SPDX-License-Identifier: Apache-2.0
// What the operations mean, at the corners; complex functions against the standard library; whole matrices.
#include "program/evaluate.h"

#include <cmath>
#include <complex>

#include <gtest/gtest.h>

#include "program/expr.h"

namespace orrery::program {
namespace {

TEST(Evaluate, IntegersSaturateAndDivisionByZeroIsZero) {
  EXPECT_EQ(evaluate_binary(Op::add, Scalar::i8, 127, 1), 127);
  EXPECT_EQ(evaluate_binary(Op::sub, Scalar::u8, 0, 1), 0);
  EXPECT_EQ(evaluate_binary(Op::mul, Scalar::u32, 4294967295.0, 4294967295.0), 4294967295.0);
  EXPECT_EQ(evaluate_binary(Op::mul, Scalar::i32, -2147483648.0, 2), -2147483648.0);
  EXPECT_EQ(evaluate_binary(Op::div, Scalar::i32, -2147483648.0, -1), 2147483647.0);
  EXPECT_EQ(evaluate_binary(Op::div, Scalar::i32, -7, 2), -3);
  for (Op op : {Op::div, Op::mod, Op::rem}) EXPECT_EQ(evaluate_binary(op, Scalar::i16, 5, 0), 0);
  EXPECT_EQ(evaluate_binary(Op::mod, Scalar::i8, -7, 3), 2);
  EXPECT_EQ(evaluate_binary(Op::rem, Scalar::i8, -7, 3), -1);
  EXPECT_EQ(evaluate_binary(Op::pow, Scalar::i8, 3, 5), 127);
  EXPECT_EQ(evaluate_binary(Op::pow, Scalar::i8, -3, 5), -128);
  EXPECT_EQ(evaluate_binary(Op::pow, Scalar::i8, -3, 4), 81);
  EXPECT_EQ(evaluate_binary(Op::pow, Scalar::i8, -1, -3), -1);
  EXPECT_EQ(evaluate_binary(Op::pow, Scalar::i8, 2, -1), 0);
  EXPECT_EQ(evaluate_unary(Op::abs, Scalar::i8, -128), 127);
  EXPECT_EQ(evaluate_unary(Op::neg, Scalar::i8, -128), 127);
  EXPECT_EQ(evaluate_unary(Op::neg, Scalar::u8, 3), 0);
  EXPECT_EQ(evaluate_binary(Op::shift_left, Scalar::u8, 1, 8), 0);
  EXPECT_EQ(evaluate_binary(Op::shift_right, Scalar::i8, -5, 1), -3);
  EXPECT_EQ(evaluate_binary(Op::shift_right, Scalar::i8, -5, 9), -1);
}

TEST(Evaluate, Casts) {
  EXPECT_EQ(evaluate_cast(Scalar::f64, Scalar::i8, 1e9), 127);
  EXPECT_EQ(evaluate_cast(Scalar::f64, Scalar::i8, -2.9), -2);
  EXPECT_EQ(evaluate_cast(Scalar::f64, Scalar::u8, NAN), 0);
  EXPECT_EQ(evaluate_cast(Scalar::i32, Scalar::i8, 200), 127);
  EXPECT_EQ(evaluate_cast(Scalar::i8, Scalar::u32, -1), 0);
  EXPECT_EQ(evaluate_cast(Scalar::f64, Scalar::boolean, 0.1), 1);
}

TEST(Evaluate, Doubles) {
  EXPECT_EQ(evaluate_unary(Op::round, Scalar::f64, -2.5), -3);
  EXPECT_TRUE(std::isnan(evaluate_unary(Op::sign, Scalar::f64, NAN)));
  EXPECT_EQ(evaluate_binary(Op::mod, Scalar::f64, -1, 3), 2);
  EXPECT_EQ(evaluate_binary(Op::mod, Scalar::f64, 5, 0), 5);
  EXPECT_EQ(evaluate_binary(Op::mod, Scalar::f64, 5, -3), -1);
  EXPECT_EQ(evaluate_binary(Op::rem, Scalar::f64, -5, 3), -2);
  EXPECT_EQ(evaluate_binary(Op::min, Scalar::f64, NAN, 1), 1);
  EXPECT_TRUE(std::isnan(evaluate_binary(Op::min, Scalar::f64, 1, NAN)));
}

TEST(Evaluate, ComplexFunctionsAgreeWithTheStandardLibrary) {
  using Z = std::complex<double>;
  struct Case {
    Op op;
    Z (*reference)(const Z&);
  };
  const Case cases[] = {
      {Op::sqrt, std::sqrt}, {Op::exp, std::exp},     {Op::log, std::log},     {Op::log10, std::log10},
      {Op::sin, std::sin},   {Op::cos, std::cos},     {Op::tan, std::tan},     {Op::sinh, std::sinh},
      {Op::cosh, std::cosh}, {Op::tanh, std::tanh},   {Op::asin, std::asin},   {Op::acos, std::acos},
      {Op::atan, std::atan}, {Op::asinh, std::asinh}, {Op::acosh, std::acosh}, {Op::atanh, std::atanh},
  };
  Type type{Scalar::c128, 1, 1};
  for (Z z : {Z{0.3, 0.4}, Z{-1.2, 0.5}, Z{0.7, -2}, Z{-0.2, -0.1}, Z{2, 3}, Z{0.5, 0.25}}) {
    double data[2] = {z.real(), z.imag()};
    double result[2];
    Operand operand{type, data};
    for (const Case& c : cases) {
      evaluate_operation(c.op, type, 0, {&operand, 1}, result);
      Z expected = c.reference(z);
      EXPECT_NEAR(std::abs(Z{result[0], result[1]} - expected), 0, 1e-13 * (1 + std::abs(expected)))
          << name_of(c.op) << " of " << z;
    }
    double other[2] = {1.5, -0.5};
    Operand two[2] = {operand, {type, other}};
    evaluate_operation(Op::div, type, 0, two, result);
    EXPECT_NEAR(std::abs(Z{result[0], result[1]} - z / Z{1.5, -0.5}), 0, 1e-14);
    evaluate_operation(Op::pow, type, 0, two, result);
    EXPECT_NEAR(std::abs(Z{result[0], result[1]} - std::pow(z, Z{1.5, -0.5})), 0, 1e-12);
  }
}

TEST(Evaluate, WholeMatrices) {
  Graph g;
  Type square{Scalar::f64, 3, 3};
  Expr a{&g, g.constant(square, std::vector<double>{0, 2, 1, 3, 1, 0, 1, 1, 4})};
  Expr b{&g, g.read(0, {Scalar::f64, 3, 1})};
  Environment e;
  e.slots = {{1, 2, 3}};
  auto residual = evaluate(g, (matmul(a, apply(Op::solve, a, b)) - b).id(), e);
  for (double r : residual) EXPECT_NEAR(r, 0, 1e-15);
  EXPECT_NEAR(evaluate(g, apply(Op::determinant, a).id(), e)[0], -22, 1e-13);
  auto unit = evaluate(g, matmul(a, apply(Op::inverse, a)).id(), e);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(unit[i], i % 4 == 0, 1e-15);
  // exp of a rotation generator is the rotation.
  Expr turn{&g, g.constant(Type{Scalar::f64, 2, 2}, std::vector<double>{0, 2, -2, 0})};
  auto rotation = evaluate(g, apply(Op::expm, turn).id(), e);
  EXPECT_NEAR(rotation[0], std::cos(2), 1e-14);
  EXPECT_NEAR(rotation[1], std::sin(2), 1e-14);
}

TEST(Evaluate, SingularMatrices) {
  Graph g;
  Expr a{&g, g.constant(Type{Scalar::f64, 3, 3}, std::vector<double>(9, 1))};
  EXPECT_EQ(evaluate(g, apply(Op::determinant, a).id(), {})[0], 0);
  EXPECT_FALSE(std::isfinite(evaluate(g, apply(Op::inverse, a).id(), {})[0]));
}

}  // namespace
}  // namespace orrery::program
