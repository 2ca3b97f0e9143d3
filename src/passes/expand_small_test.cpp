// SPDX-License-Identifier: Apache-2.0
// Expansion of small matrices and splitting of complex numbers: structure, and bits on random expressions.
#include "passes/expand_small.h"

#include <gtest/gtest.h>

#include "passes/split_complex.h"
#include "program/random_expression.h"

namespace orrery::passes {
namespace {

using namespace program;

TEST(ExpandSmall, MatrixProductBecomesScalars) {
  Graph g;
  Expr a{&g, g.read(0, {Scalar::f64, 2, 2})}, x{&g, g.read(1, {Scalar::f64, 2, 1})};
  SmallExpansion expansion(g);
  ExprId y = expansion.apply(matmul(a, x).id());
  ASSERT_EQ(g[y].op, Op::stack);
  EXPECT_EQ(g.arguments(y)[0], (a[0] * x[0] + a[2] * x[1]).id());
  EXPECT_EQ(expansion.apply(sum(x).id()), (x[0] + x[1]).id());
}

TEST(ExpandSmall, LargeStaysWhole) {
  Graph g;
  Expr x{&g, g.read(0, {Scalar::f64, 100, 1})};
  SmallExpansion expansion(g);
  ExprId y = (x * 2 + 1).id();
  EXPECT_EQ(expansion.apply(y), y);
}

// No complex arithmetic is left: only leaves under real and imag, and the pair at the top.
void expect_split(const Graph& g, ExprId root) {
  for (ExprId id : reachable(g, std::span(&root, 1))) {
    if (id == root && (g[id].op == Op::complex_pair || g[id].op == Op::constant)) continue;
    if (g.type(id).scalar == Scalar::c128) {
      ASSERT_TRUE(g[id].op == Op::read || g[id].op == Op::element) << name_of(g[id].op);
    }
    for (ExprId a : g.arguments(id)) {
      if (g.type(a).scalar == Scalar::c128 && g[id].op != Op::element) {
        ASSERT_TRUE(g[id].op == Op::real || g[id].op == Op::imag) << name_of(g[id].op);
      }
    }
  }
}

TEST(ExpandSmallProperty, TheSameBits) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Graph g({seed % 2 == 0, true});
    RandomExpressions expressions(g, seed);
    std::vector<ExprId> ids, expanded, split, both;
    for (Expr e : expressions.grow(120)) ids.push_back(e.id());
    SmallExpansion expansion(g);
    ComplexSplit first(g), second(g);
    for (ExprId id : ids) {
      expanded.push_back(expansion.apply(id));
      split.push_back(first.apply(id));
      both.push_back(second.apply(expanded.back()));
      expect_split(g, split.back());
      expect_split(g, both.back());
    }
    Environment environment = random_environment(seed);
    auto values = evaluate(g, ids, environment);
    std::vector<ExprId>* variants[] = {&expanded, &split, &both};
    for (int v = 0; v < 3; ++v) {
      auto others = evaluate(g, *variants[v], environment);
      for (std::size_t k = 0; k < ids.size(); ++k) {
        ASSERT_EQ(g.type(ids[k]), g.type((*variants[v])[k]));
        ASSERT_TRUE(identical(values[k], others[k])) << "seed " << seed << ", variant " << v << ", member " << k;
      }
    }
  }
}

}  // namespace
}  // namespace orrery::passes
