// SPDX-License-Identifier: Apache-2.0
// Tearing: known minimal sets, vertices that must stay, and the order of what is left.
#include "equations/tear.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace orrery::equations {
namespace {

using Needs = std::vector<std::vector<std::uint32_t>>;

// Every vertex of the order comes after what it needs, torn vertices apart.
void expect_order(const Needs& needs, const Tearing& tearing) {
  std::vector<bool> known(needs.size(), false);
  for (std::uint32_t v : tearing.torn) known[v] = true;
  for (std::uint32_t v : tearing.order) {
    for (std::uint32_t w : needs[v]) EXPECT_TRUE(known[w]) << v << " needs " << w;
    known[v] = true;
  }
  EXPECT_TRUE(std::all_of(known.begin(), known.end(), [](bool k) { return k; }));
}

TEST(Tear, OneVertexCutsARing) {
  const Needs ring{{3}, {0}, {1}, {2}};
  const Tearing tearing = tear(ring, std::vector<bool>(4, true));
  EXPECT_EQ(tearing.torn.size(), 1u);
  expect_order(ring, tearing);
}

TEST(Tear, RingsThroughOneVertexAreCutThere) {
  const Needs flower{{1, 2, 3}, {0}, {0}, {0}};
  EXPECT_EQ(tear(flower, std::vector<bool>(4, true)).torn, std::vector<std::uint32_t>{0});
}

TEST(Tear, AVertexThatNeedsItselfIsTorn) {
  EXPECT_EQ(tear(Needs{{0}, {0}}, {true, true}).torn, std::vector<std::uint32_t>{0});
}

TEST(Tear, VerticesThatMustStayAreCutElsewhere) {
  const Needs ring{{2}, {0}, {1}};
  const Tearing tearing = tear(ring, {false, false, true});
  ASSERT_TRUE(tearing.possible);
  EXPECT_EQ(tearing.torn, std::vector<std::uint32_t>{2});
  EXPECT_FALSE(tear(ring, {false, false, false}).possible);
}

TEST(Tear, LeavesNoCycleInRandomGraphs) {
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    Needs needs(20);
    std::uniform_int_distribution<std::uint32_t> vertex(0, 19);
    for (int edge = 0; edge < 50; ++edge) needs[vertex(random)].push_back(vertex(random));
    const Tearing tearing = tear(needs, std::vector<bool>(20, true));
    ASSERT_TRUE(tearing.possible);
    expect_order(needs, tearing);
  }
}

}  // namespace
}  // namespace orrery::equations
