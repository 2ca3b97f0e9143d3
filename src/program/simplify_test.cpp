// SPDX-License-Identifier: Apache-2.0
// Simplification keeps every bit, removes what it promises to remove, and leaves what would change a bit.
#include <gtest/gtest.h>

#include "program/random_expression.h"

namespace orrery::program {
namespace {

class Simplify : public testing::Test {
 protected:
  Expr read(SlotId slot, Type type = {}) { return {&g, g.read(slot, type)}; }
  Expr number(double value) { return {&g, g.constant(value)}; }
  Graph g;
};

TEST_F(Simplify, RemovesExactIdentitiesOfDoubles) {
  Expr x = read(0);
  EXPECT_EQ((x * 1).id(), x.id());
  EXPECT_EQ((1 * x).id(), x.id());
  EXPECT_EQ((x / 1).id(), x.id());
  EXPECT_EQ((x - 0).id(), x.id());
  EXPECT_EQ((-(-x)).id(), x.id());
  EXPECT_EQ((x + -0.0).id(), x.id());
  EXPECT_EQ((x - (-read(1))).id(), (x + read(1)).id());
}

TEST_F(Simplify, KeepsWhatCouldChangeABit) {
  Expr x = read(0);
  EXPECT_NE((x + 0).id(), x.id());
  EXPECT_NE((x - -0.0).id(), x.id());
  EXPECT_FALSE(g.is_constant((x * 0).id()));
  EXPECT_FALSE(g.is_constant((x - x).id()));
  EXPECT_FALSE(g.is_constant((x == x).id()));
}

TEST_F(Simplify, FoldsConstants) {
  EXPECT_TRUE(g.is_constant((number(2) + number(3)).id(), 5));
  EXPECT_TRUE(g.is_constant(apply(Op::sin, number(0)).id(), 0));
  Expr i{&g, g.constant(100, Scalar::i8)};
  EXPECT_TRUE(g.is_constant((i + i).id(), 127));
  Expr m{&g, g.constant(Type{Scalar::f64, 2, 2}, std::vector<double>{2, 0, 0, 2})};
  EXPECT_TRUE(g.is_constant(apply(Op::determinant, m).id(), 4));
}

TEST_F(Simplify, Logic) {
  Expr a = read(0, {Scalar::boolean, 1, 1}), b = read(1, {Scalar::boolean, 1, 1});
  EXPECT_EQ((a && a).id(), a.id());
  EXPECT_EQ((!!a).id(), a.id());
  EXPECT_TRUE(g.is_constant((a && !a).id(), 0));
  EXPECT_TRUE(g.is_constant((a || !a).id(), 1));
  EXPECT_EQ((a && (a && b)).id(), (a && b).id());
  EXPECT_EQ((a && (a || b)).id(), a.id());
  EXPECT_EQ((a.as(Scalar::f64) > 0).id(), a.id());
  EXPECT_EQ((a == 0).id(), (!a).id());
  EXPECT_EQ(g.both(no_expr, a.id()), a.id());
  EXPECT_EQ(g.either(no_expr, a.id()), no_expr);
  EXPECT_TRUE(g.is_constant(g.negate(no_expr), 0));
}

TEST_F(Simplify, SelectAndElement) {
  Expr c = read(0, {Scalar::boolean, 1, 1}), x = read(1), y = read(2), v = read(3, {Scalar::f64, 3, 1});
  EXPECT_EQ(select(c, x, x).id(), x.id());
  EXPECT_EQ(select(!c, x, y).id(), select(c, y, x).id());
  EXPECT_EQ(select(c, select(c, x, y), y).id(), select(c, x, y).id());
  Expr parts[] = {x, y};
  EXPECT_EQ(stack(parts)[1].id(), y.id());
  EXPECT_EQ((v * 2)[2].id(), (v[2] * 2).id());
  EXPECT_EQ(transpose(transpose(v)).id(), v.id());
  EXPECT_EQ(transpose(v)[1].id(), v[1].id());
  Expr elements[] = {v[0], v[1], v[2]};
  EXPECT_EQ(stack(elements).id(), v.id());
}

// Folding and sharing never change a result: the same random expressions in graphs with all options.
TEST(SimplifyProperty, AnyOptionsGiveTheSameBits) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    Graph graphs[4] = {Graph({true, true}), Graph({true, false}), Graph({false, true}), Graph({false, false})};
    std::vector<std::vector<double>> values[4];
    for (int i = 0; i < 4; ++i) {
      RandomExpressions expressions(graphs[i], seed);
      std::vector<ExprId> ids;
      for (Expr e : expressions.grow(150)) ids.push_back(e.id());
      values[i] = evaluate(graphs[i], ids, random_environment(seed));
    }
    for (int i = 1; i < 4; ++i) {
      for (std::size_t k = 0; k < values[0].size(); ++k) {
        ASSERT_TRUE(identical(values[0][k], values[i][k])) << "seed " << seed << ", options " << i << ", member " << k;
      }
    }
  }
}

}  // namespace
}  // namespace orrery::program
