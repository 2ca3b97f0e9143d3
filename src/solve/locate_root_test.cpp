// SPDX-License-Identifier: Apache-2.0
// Root location: brackets keep their promise for simple, flat, steep, infinite and degenerate functions.
#include "solve/locate_root.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace orrery::solve {
namespace {

struct Outcome {
  Bracket bracket;
  int evaluations = 0;
};

Outcome locate(const std::function<double(double)>& g, double lo, double hi, double tolerance) {
  Outcome outcome;
  const Bracket start{lo, hi, g(lo), g(hi)};
  outcome.bracket = locate_root(
      [&](double t) {
        ++outcome.evaluations;
        EXPECT_GT(t, lo);
        EXPECT_LT(t, hi);
        return g(t);
      },
      start, tolerance);
  EXPECT_TRUE(changes_sign(outcome.bracket.g_lo, outcome.bracket.g_hi));
  EXPECT_EQ(start.g_lo > 0, outcome.bracket.g_lo > 0);
  const bool close = outcome.bracket.hi - outcome.bracket.lo <= tolerance;
  const bool neighbours = std::nextafter(outcome.bracket.lo, outcome.bracket.hi) >= outcome.bracket.hi;
  EXPECT_TRUE(close || neighbours);
  return outcome;
}

TEST(LocateRoot, SimpleRootsTakeFewPoints) {
  const Outcome cosine = locate([](double t) { return std::cos(t); }, 0, 3, 1e-12);
  EXPECT_LE(cosine.bracket.lo, M_PI_2);
  EXPECT_GE(cosine.bracket.hi, M_PI_2 - 1e-15);
  EXPECT_LE(cosine.evaluations, 9);
  const Outcome line = locate([](double t) { return 3 * t - 1; }, 0, 1, 1e-9);
  EXPECT_NEAR(line.bracket.hi, 1.0 / 3, 1e-9);
  EXPECT_LE(line.evaluations, 3);
}

// A ball thrown up, looked at long after it has fallen.
TEST(LocateRoot, ParabolasTakeFewPoints) {
  const Outcome ball = locate([](double t) { return 7 * t - 4.905 * t * t; }, 0.7, 95, 1e-11);
  EXPECT_NEAR(ball.bracket.hi, 7 / 4.905, 1e-11);
  EXPECT_LE(ball.evaluations, 6);
}

TEST(LocateRoot, FlatRoot) {
  const Outcome flat = locate([](double t) { return std::pow(t - 0.3, 9); }, 0, 1, 1e-10);
  EXPECT_NEAR(flat.bracket.hi, 0.3, 1e-10);
  EXPECT_LE(flat.evaluations, 34 + 13);
}

TEST(LocateRoot, HugeSlopeAndJump) {
  const Outcome steep = locate([](double t) { return std::tanh(1e12 * (t - 0.7)); }, 0, 1, 1e-12);
  EXPECT_NEAR(steep.bracket.hi, 0.7, 2e-12);
  const Outcome jump = locate([](double t) { return t < 0.123 ? -1e-300 : 1e300; }, 0, 1, 1e-12);
  EXPECT_LT(jump.bracket.lo, 0.123);
  EXPECT_GE(jump.bracket.hi, 0.123);
  EXPECT_LE(jump.evaluations, 40 + 13);
}

TEST(LocateRoot, ZeroAtTheEnd) {
  const Outcome end = locate([](double t) { return 1 - t; }, 0, 1, 1e-9);
  EXPECT_EQ(end.bracket.hi, 1.0);
  EXPECT_LE(end.evaluations, 2);
  const Outcome plateau = locate([](double t) { return t < 0.25 ? t - 0.25 : 0.0; }, 0, 1, 1e-9);
  EXPECT_NEAR(plateau.bracket.hi, 0.25, 1e-9);
}

TEST(LocateRoot, InfiniteValues) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Outcome pole = locate([=](double t) { return t < 0.6 ? -infinity : infinity; }, 0, 1, 1e-9);
  EXPECT_NEAR(pole.bracket.hi, 0.6, 1e-9);
  const Outcome half = locate([=](double t) { return t < 0.6 ? t - 0.6 : infinity; }, 0, 1, 1e-9);
  EXPECT_NEAR(half.bracket.hi, 0.6, 1e-9);
}

// The function is not defined from 0.4 on until the very end: the bracket closes on the edge of what is known.
TEST(LocateRoot, NaNCountsAsChanged) {
  const auto g = [](double t) { return t < 0.4 ? -1.0 : t < 1 ? std::nan("") : 1.0; };
  const Bracket bracket = locate_root(g, Bracket{0, 1, g(0), g(1)}, 1e-9);
  EXPECT_NEAR(bracket.hi, 0.4, 1e-9);
  EXPECT_LT(bracket.lo, 0.4);
}

TEST(LocateRoot, ToleranceBelowOneUlpStopsAtNeighbours) {
  const Outcome root = locate([](double t) { return t * t - 2; }, 1, 2, 0);
  EXPECT_EQ(std::nextafter(root.bracket.lo, 2.0), root.bracket.hi);
  EXPECT_NEAR(root.bracket.hi, std::sqrt(2.0), 5e-16);
  const double lo = 1e6, hi = std::nextafter(lo, 2e6);
  const Outcome ulp = locate([=](double t) { return t <= lo ? -1.0 : 1.0; }, lo, hi, 1e-12);
  EXPECT_EQ(ulp.evaluations, 0);
  EXPECT_EQ(ulp.bracket.lo, lo);
  EXPECT_EQ(ulp.bracket.hi, hi);
}

TEST(LocateRoot, SignChangeRule) {
  EXPECT_TRUE(changes_sign(1, -1));
  EXPECT_TRUE(changes_sign(-1, 0));
  EXPECT_FALSE(changes_sign(0, 1));
  EXPECT_FALSE(changes_sign(1, 2));
  EXPECT_FALSE(changes_sign(1, std::nan("")));
}

}  // namespace
}  // namespace orrery::solve
