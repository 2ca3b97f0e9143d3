// SPDX-License-Identifier: Apache-2.0
// Choices of sides with known answers, and random systems for which there is exactly one.
#include "sim/relay_sides.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace orrery::sim {
namespace {

using Verdict = RelaySides::Verdict;

TEST(RelaySides, OneSwitch) {
  const RelaySides slides = choose_sides({1, {1}, {-2}});
  EXPECT_EQ(slides.verdict, Verdict::one);
  EXPECT_TRUE(slides.slides[0]);
  EXPECT_DOUBLE_EQ(slides.share[0], 0.5);
  const RelaySides passes = choose_sides({1, {1}, {-0.5}});
  EXPECT_EQ(passes.verdict, Verdict::one);
  EXPECT_FALSE(passes.slides[0]);
  EXPECT_EQ(passes.share[0], 1);
  EXPECT_EQ(choose_sides({1, {-1}, {2}}).verdict, Verdict::several);  // it repels
}

// rate = -s1 + c s2, -c s1 - s2 with s in [-1, 1]: attracts in a spiral.
TEST(RelaySides, ASpiral) {
  const double c = 2;
  const RelaySides sides = choose_sides({2, {1 - c, c + 1}, {-2, 2 * c, -2 * c, -2}});
  EXPECT_EQ(sides.verdict, Verdict::one);
  EXPECT_TRUE(sides.slides[0] && sides.slides[1]);
  EXPECT_NEAR(sides.share[0], 0.5, 1e-15);
  EXPECT_NEAR(sides.share[1], 0.5, 1e-15);
}

TEST(RelaySides, RowsOfDifferentUnits) {
  const RelaySides sides = choose_sides({2, {1e9, 1e-9}, {-2e9, 1e8, -1e-10, -4e-9}});
  EXPECT_EQ(sides.verdict, Verdict::one);
  EXPECT_TRUE(sides.slides[0] && sides.slides[1]);
}

// Equal rows: any mixture of the two with the same sum will do.
TEST(RelaySides, DependentOnesAreNotUnique) {
  EXPECT_EQ(choose_sides({2, {1, 1}, {-1, -1, -1, -1}}).verdict, Verdict::several);
}

TEST(RelaySides, SwitchesThatActTogether) {
  RelaySystem system{2, {1, 1}, {-2, 0, 0, -2}, {0, 0}};
  EXPECT_EQ(choose_sides(system).verdict, Verdict::several);
  system.rate = {1, 3};  // the second one is passed through
  const RelaySides sides = choose_sides(system);
  EXPECT_EQ(sides.verdict, Verdict::one);
  EXPECT_TRUE(sides.slides[0] && !sides.slides[1]);
  EXPECT_EQ(sides.share[1], 1);
}

// The negative of the gain is diagonally dominant, so there is one choice for every rate.
TEST(RelaySides, ExactlyOneOfRandomDominantSystems) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  int sliding = 0;
  for (int trial = 0; trial < 300; ++trial) {
    RelaySystem system;
    system.n = trial % 10 == 0 ? 20 : static_cast<std::size_t>(1 + trial % 5);
    for (std::size_t i = 0; i < system.n; ++i) {
      for (std::size_t j = 0; j < system.n; ++j)
        system.gain.push_back(i == j ? -2.0 : 1.9 * unit(random) / static_cast<double>(system.n));
      system.rate.push_back(3 * unit(random));
    }
    const RelaySides sides = choose_sides(system);
    ASSERT_EQ(sides.verdict, Verdict::one);
    for (std::size_t i = 0; i < system.n; ++i) {
      double rate = system.rate[i];
      for (std::size_t j = 0; j < system.n; ++j) rate += system.gain[i * system.n + j] * sides.share[j];
      if (sides.slides[i]) {
        ++sliding;
        EXPECT_NEAR(rate, 0, 1e-12);
      } else {
        EXPECT_GE((sides.share[i] > 0.5 ? rate : -rate), 0);
      }
    }
  }
  EXPECT_GT(sliding, 100);
}

}  // namespace
}  // namespace orrery::sim
