// SPDX-License-Identifier: Apache-2.0
// Structural dependencies, slices and dead signals.
#include "passes/find_dependencies.h"

#include <gtest/gtest.h>

#include "passes/remove_dead.h"
#include "passes/slice.h"
#include "program/expr.h"

namespace orrery::passes {
namespace {

using namespace program;
using Leaves = std::vector<Leaf>;

TEST(FindDependencies, ElementByElement) {
  Graph g;
  Expr v{&g, g.read(0, {Scalar::f64, 40, 1})}, x{&g, g.read(1, {})};
  Dependencies d(g);
  ExprId y = (v * 2 + x).id();
  EXPECT_EQ(d.of(y, 3), (Leaves{{0, 3}, {1, 0}}));
  EXPECT_EQ(d.of_whole(sum(v).id()).size(), 40u);
  EXPECT_EQ(d.of(transpose(v).id(), 7), (Leaves{{0, 7}}));
}

TEST(FindDependencies, ConstantZerosCut) {
  Graph g;
  Expr x{&g, g.read(0, {Scalar::f64, 2, 1})};
  Expr a{&g, g.constant(Type{Scalar::f64, 2, 2}, std::vector<double>{1, 0, 0, 1})};
  Dependencies d(g);
  EXPECT_EQ(d.of(matmul(a, x).id(), 0), (Leaves{{0, 0}}));
  EXPECT_EQ(d.of(matmul(a, x).id(), 1), (Leaves{{0, 1}}));
  EXPECT_TRUE(d.of((x[0] * 0).id()).empty());
}

TEST(FindDependencies, SelectDependsOnAll) {
  Graph g;
  Expr c{&g, g.read(0, {Scalar::boolean, 1, 1})}, x{&g, g.read(1, {})}, y{&g, g.read(2, {})};
  Dependencies d(g);
  EXPECT_EQ(d.of(select(c, x, y).id()).size(), 3u);
  SlotId only[] = {2};
  Dependencies restricted(g, only);
  EXPECT_EQ(restricted.of(select(c, x, y).id()), (Leaves{{2, 0}}));
}

TEST(FindDependencies, LongChainsOverManyLeavesAreLinear) {
  Graph g;
  constexpr SlotId n = 100000;
  Expr total{&g, g.read(0, {})};
  for (SlotId s = 1; s < n; ++s) total = total + Expr{&g, g.read(s, {})};
  Dependencies d(g);
  EXPECT_EQ(d.of(total.id()).size(), n);
}

TEST(Slice, FindsLeaves) {
  Graph g;
  Expr x{&g, g.read(4, {})}, t{&g, g.time()}, c{&g, g.clock_active(2)};
  ExprId e[] = {(x * t).id(), no_expr, c.id()};
  Needs needs = slice(g, e);
  EXPECT_EQ(needs.slots, std::vector<SlotId>{4});
  EXPECT_EQ(needs.clocks, std::vector<std::uint32_t>{2});
  EXPECT_TRUE(needs.time);
}

TEST(RemoveDead, KeepsOnlyWhatIsRead) {
  Program p;
  for (const char* name : {"x", "a", "b", "c", "loop"}) p.add_slot({name, {}, SlotKind::signal});
  p.slots[0].kind = SlotKind::state;
  p.states = {0};
  Expr x{&p.graph, p.read(0)}, a{&p.graph, p.read(1)}, b{&p.graph, p.read(2)}, loop{&p.graph, p.read(4)};
  p.derivatives = {(a * 2).id()};
  p.always = {{1, (x + 1).id()}, {2, (a + 1).id()}, {3, (b + 1).id()}, {4, (loop + 1).id()}};
  Program kept = p;
  SlotId keep[] = {2};
  EXPECT_EQ(remove_dead(kept, keep), 2u);
  EXPECT_EQ(remove_dead(p), 3u);
  ASSERT_EQ(p.always.size(), 1u);
  EXPECT_EQ(p.always[0].slot, 1u);
}

}  // namespace
}  // namespace orrery::passes
