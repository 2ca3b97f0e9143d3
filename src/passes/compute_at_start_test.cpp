// SPDX-License-Identifier: Apache-2.0
// What follows from parameters leaves the loop, and nothing else does.
#include "passes/compute_at_start.h"

#include <gtest/gtest.h>

#include "passes/slice.h"
#include "program/expr.h"
#include "program/parameter_space.h"
#include "program/verify.h"

namespace orrery::passes {
namespace {

using namespace program;

struct Growth {
  Program program;
  SlotId k, x;

  Growth() {
    program.add_origin({"growth", "model", 0});
    program.sources.emplace_back().kind = SourceKind::initial;
    k = program.add_slot({"k", Type{}, SlotKind::parameter, 0, program.graph.constant(3)});
    program.parameters.push_back({"k", k});
    x = program.add_slot({"x", Type{}, SlotKind::state, 0});
    program.states = {x};
  }
  Expr read(SlotId slot) { return {&program.graph, program.read(slot)}; }
};

TEST(ComputeAtStart, MovesTheLargestExpressions) {
  Growth g;
  g.program.derivatives = {((2.0 * g.read(g.k) + 1.0) * g.read(g.x) + g.read(g.k)).id()};
  compute_at_start(g.program);
  ASSERT_EQ(g.program.start.size(), 1u);
  const auto read = slots_read(g.program.graph, g.program.derivatives);
  EXPECT_EQ(read, (std::vector<SlotId>{g.k, g.x, g.program.start[0].slot}));
  EXPECT_TRUE(verify(g.program).empty());
  compute_at_start(g.program);
  EXPECT_EQ(g.program.start.size(), 1u);
}

TEST(ComputeAtStart, KeepsZerosKnownAndDropsWhatNobodyReads) {
  Growth g;
  const Expr k = g.read(g.k), zero{&g.program.graph, g.program.graph.constant(0)};
  const Expr column = stack(std::vector<Expr>{k * k, zero});
  g.program.derivatives = {(column[1] * g.read(g.x) + column[0]).id()};
  const SlotId unread = g.program.add_slot({"unread", Type{}, SlotKind::parameter, 0});
  g.program.start.push_back({unread, (k + 1.0).id()});
  compute_at_start(g.program);
  ASSERT_EQ(g.program.start.size(), 1u);
  EXPECT_NE(g.program.start[0].slot, unread);
}

}  // namespace
}  // namespace orrery::passes
