// SPDX-License-Identifier: Apache-2.0
// Substitution: whole slots, elements, shared parts, very deep expressions.
#include "passes/substitute.h"

#include <gtest/gtest.h>

#include "program/evaluate.h"
#include "program/expr.h"

namespace orrery::passes {
namespace {

using namespace program;

TEST(Substitute, ReplacesSlotsAtTheSameTime) {
  Graph g;
  Expr x{&g, g.read(0, {})}, y{&g, g.read(1, {})};
  Substitution swap(g);
  swap.set(0, y.id());
  swap.set(1, x.id());
  EXPECT_EQ(swap.apply((x - y * 2).id()), (y - x * 2).id());
  EXPECT_EQ(swap.apply(no_expr), no_expr);
}

TEST(Substitute, ReplacesElements) {
  for (bool fold : {true, false}) {
    Graph g({fold, true});
    Expr v{&g, g.read(0, {Scalar::f64, 3, 1})}, x{&g, g.read(1, {})};
    Substitution s(g);
    s.set_element(0, 1, x.id());
    Environment environment;
    environment.slots = {{1, 2, 3}, {20}};
    EXPECT_EQ(evaluate(g, s.apply(sum(v).id()), environment)[0], 24);
    EXPECT_EQ(s.apply(v[1].id()), x.id());
    EXPECT_EQ(s.apply(v[2].id()), v[2].id());
  }
}

TEST(Substitute, ReplacesTime) {
  Graph g;
  Expr t{&g, g.time()}, x{&g, g.read(0, {})};
  Substitution s(g);
  s.set_node(t.id(), x.id());
  EXPECT_EQ(s.apply((t * 2).id()), (x * 2).id());
}

TEST(Substitute, AMillionNodesDeep) {
  Graph g;
  Expr x{&g, g.read(0, {})}, y{&g, g.read(1, {})}, e = x;
  for (int i = 0; i < 1000000; ++i) e = e + 1;
  Substitution s(g);
  s.set(0, y.id());
  ExprId replaced = s.apply(e.id());
  Environment environment;
  environment.slots = {{0}, {5}};
  EXPECT_EQ(evaluate(g, replaced, environment)[0], 1000005);
}

}  // namespace
}  // namespace orrery::passes
