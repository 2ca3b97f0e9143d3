// SPDX-License-Identifier: Apache-2.0
// Interning, type rules and promotion.
#include "program/graph.h"

#include <cmath>

#include <gtest/gtest.h>

#include "program/expr.h"

namespace orrery::program {
namespace {

TEST(Graph, EqualNodesAreOneNode) {
  Graph g;
  Expr x{&g, g.read(0, {})}, y{&g, g.read(1, {})};
  EXPECT_EQ((x + y).id(), (x + y).id());
  EXPECT_NE((x + y).id(), (x - y).id());
  EXPECT_EQ(g.constant(1.5), g.constant(1.5));
  EXPECT_NE(g.constant(0.0), g.constant(-0.0));
  EXPECT_EQ(g.constant(NAN), g.constant(NAN));
  EXPECT_NE(g.constant(1), g.constant(1, Scalar::i8));
}

TEST(Graph, WithoutSharingEveryNodeIsNew) {
  Graph g({true, false});
  EXPECT_NE(g.constant(1.5), g.constant(1.5));
}

TEST(Graph, ConstantsTakeTheValueOfTheirType) {
  Graph g;
  EXPECT_TRUE(g.is_constant(g.constant(300, Scalar::u8), 255));
  EXPECT_TRUE(g.is_constant(g.constant(-2.7, Scalar::i16), -2));
  EXPECT_TRUE(g.is_constant(g.constant(3, Scalar::boolean), 1));
  EXPECT_TRUE(g.is_constant(g.constant(NAN, Scalar::i32), 0));
}

TEST(Graph, ArgumentsMayAliasTheGraph) {
  Graph g;
  std::vector<ExprId> scalars;
  for (SlotId s = 0; s < 100; ++s) scalars.push_back(g.read(s, {}));
  ExprId stack = g.stack({Scalar::f64, 100, 1}, scalars);
  for (int rows : {1, 2, 4, 5, 10, 20, 25, 50}) {
    ExprId other = g.stack({Scalar::f64, rows, 100 / rows}, g.arguments(stack));
    ASSERT_TRUE(std::ranges::equal(g.arguments(other), scalars));
  }
}

TEST(Graph, TypesAreDerived) {
  Graph g;
  ExprId a = g.read(0, {Scalar::f64, 2, 3}), b = g.read(1, {Scalar::f64, 3, 4}), s = g.read(2, {});
  EXPECT_EQ(g.type(g.matmul(a, b)), (Type{Scalar::f64, 2, 4}));
  EXPECT_EQ(g.type(g.binary(Op::mul, s, a)), (Type{Scalar::f64, 2, 3}));
  EXPECT_EQ(g.type(g.binary(Op::less, a, s)), (Type{Scalar::boolean, 2, 3}));
  EXPECT_EQ(g.type(g.transpose(a)), (Type{Scalar::f64, 3, 2}));
  EXPECT_EQ(g.type(g.reduce(Op::sum, a)), (Type{Scalar::f64, 1, 1}));
  EXPECT_EQ(g.type(g.unary(Op::abs, g.read(3, {Scalar::c128, 2, 1}))), (Type{Scalar::f64, 2, 1}));
  EXPECT_EQ(g.type(g.element(a, 1, 2)), (Type{Scalar::f64, 1, 1}));
}

TEST(Graph, WrongTypesStop) {
  Graph g;
  ExprId a = g.read(0, {Scalar::f64, 2, 3}), b = g.read(1, {Scalar::f64, 3, 2}), i = g.read(2, {Scalar::i8, 1, 1});
  EXPECT_DEATH(g.binary(Op::add, a, b), "");
  EXPECT_DEATH(g.binary(Op::add, a, i), "");
  EXPECT_DEATH(g.element(a, 6), "");
}

TEST(Expr, Promotion) {
  EXPECT_EQ(promote(Scalar::boolean, Scalar::i8), Scalar::i8);
  EXPECT_EQ(promote(Scalar::i8, Scalar::i32), Scalar::i32);
  EXPECT_EQ(promote(Scalar::i32, Scalar::u32), Scalar::u32);
  EXPECT_EQ(promote(Scalar::u8, Scalar::i16), Scalar::i16);
  EXPECT_EQ(promote(Scalar::u32, Scalar::f64), Scalar::f64);
  EXPECT_EQ(promote(Scalar::f64, Scalar::c128), Scalar::c128);
  Graph g;
  Expr i{&g, g.read(0, {Scalar::i8, 1, 1})}, b{&g, g.read(1, {Scalar::boolean, 1, 1})};
  EXPECT_EQ((i + 1).scalar_type(), Scalar::i8);
  EXPECT_EQ((i + 1.5).scalar_type(), Scalar::f64);
  EXPECT_EQ((i + 1000).scalar_type(), Scalar::f64);
  EXPECT_EQ((b + b).scalar_type(), Scalar::f64);
  EXPECT_EQ((i && b).scalar_type(), Scalar::boolean);
  EXPECT_EQ(apply(Op::sin, i).scalar_type(), Scalar::f64);
  EXPECT_EQ((b & b).id(), b.id());
}

TEST(Expr, PiecesOfATable) {
  Graph g;
  const double knots[] = {0, 1, 3, 3, 4}, points[] = {-1, 0, 0.5, 1, 2.9, 3, 3.5, 4, 9};
  const Expr x{&g, g.constant({Scalar::f64, 5, 1}, knots)}, u{&g, g.constant({Scalar::f64, 9, 1}, points)};
  const auto numbers = [&](Expr e) {
    const auto data = g.constant_data(e.id());
    return std::vector<double>(data.begin(), data.end());
  };
  EXPECT_EQ(numbers(search(x, u)), (std::vector<double>{0, 1, 1, 2, 2, 4, 4, 5, 5}));
  EXPECT_EQ(numbers(piece_of(x, u)), (std::vector<double>{0, 0, 0, 1, 1, 3, 3, 3, 3}));
  EXPECT_EQ(piece_of(x, u).scalar_type(), Scalar::i32);
  EXPECT_EQ(numbers(gather(x, piece_of(x, u) + 1.0)), (std::vector<double>{1, 1, 1, 3, 3, 4, 4, 4, 4}));
  EXPECT_EQ(numbers(update(x, x[1], x[4])), (std::vector<double>{0, 4, 3, 3, 4})) << "a double as a position";
  const Expr both[] = {x, x[1]};
  EXPECT_EQ(numbers(concat({Scalar::f64, 6, 1}, both)).back(), 1);
}

}  // namespace
}  // namespace orrery::program
