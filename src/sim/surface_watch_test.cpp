// SPDX-License-Identifier: Apache-2.0
// Crossing rules of surfaces, on functions of time.
#include "sim/surface_watch.h"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery::sim {
namespace {

program::Surface event(program::Crossing crossing) {
  program::Surface surface;
  surface.crossing = crossing;
  return surface;
}

program::Surface mode(bool strict) {
  program::Surface surface;
  surface.mode = 0;
  surface.strict = strict;
  return surface;
}

struct Watch {
  program::Program program;
  explicit Watch(program::Surface surface) { program.surfaces.push_back(std::move(surface)); }
};

TEST(SurfaceWatch, LocatesTheFirstCrossingInTheWantedDirection) {
  Watch w(event(program::Crossing::falling));
  SurfaceWatch watch(w.program, 0);
  const auto sine = [](double t, double* g) { *g = std::sin(t); };
  const double start = std::sin(-1.0);
  const std::uint8_t none = 0;
  watch.begin(-1, &start, &none);
  Found found;
  EXPECT_FALSE(watch.look(1, sine, 1e-14, found)) << "rising is not wanted";
  ASSERT_TRUE(watch.look(4, sine, 1e-14, found));
  EXPECT_NEAR(found.time, M_PI, 1e-13);
  EXPECT_EQ(found.crossings[0].direction, -1);
  EXPECT_GT(found.crossings[0].left, 0);
  EXPECT_LE(found.crossings[0].right, 0);
}

TEST(SurfaceWatch, ReachingExactlyZeroFiresAndLeavingItDoesNot) {
  Watch w(event(program::Crossing::both));
  SurfaceWatch watch(w.program, 0);
  const auto line = [](double t, double* g) { *g = 1 - t; };
  const double start = 1;
  const std::uint8_t none = 0;
  watch.begin(0, &start, &none);
  Found found;
  ASSERT_TRUE(watch.look(1, line, 1e-14, found));
  EXPECT_EQ(found.time, 1);
  watch.settle(found);
  EXPECT_FALSE(watch.look(2, line, 1e-14, found));
}

TEST(SurfaceWatch, ThresholdMasksUntilItIsLeft) {
  Watch w(event(program::Crossing::both));
  SurfaceWatch watch(w.program, 0.1);
  const auto wiggle = [](double t, double* g) { *g = t < 2 ? 0.05 * std::sin(20 * t) : -1 + 0.0 * t; };
  const double start = 0.05;
  const std::uint8_t none = 0;
  watch.begin(0.1, &start, &none);
  Found found;
  ASSERT_TRUE(watch.look(0.2, wiggle, 1e-12, found)) << "it has not fired yet";
  EXPECT_NEAR(found.time, M_PI / 20, 1e-11);
  watch.settle(found);
  for (double t = 0.2; t < 1; t += 0.05) EXPECT_FALSE(watch.look(t, wiggle, 1e-12, found));
  const double inside = 0.02;
  watch.begin(1, &inside, &none);
  for (double t = 1; t < 2; t += 0.05) EXPECT_FALSE(watch.look(t, wiggle, 1e-12, found)) << "a restart changes nothing";
}

TEST(SurfaceWatch, AModeCrossesWhenItsConditionIsContradicted) {
  // value >= 0 and the mode is true; exactly zero still agrees, below does not.
  Watch w(mode(false));
  SurfaceWatch watch(w.program, 0);
  const auto line = [](double t, double* g) { *g = 1 - t; };
  const double start = 1;
  const std::uint8_t on = 1;
  watch.begin(0, &start, &on);
  Found found;
  EXPECT_FALSE(watch.look(1, line, 1e-14, found));
  ASSERT_TRUE(watch.look(2, line, 1e-14, found));
  EXPECT_NEAR(found.time, 1, 1e-13);
  EXPECT_GT(found.time, 1);
}

TEST(SurfaceWatch, AModeThatStartsAtZeroIsRightAtOnce) {
  Watch w(mode(false));
  SurfaceWatch watch(w.program, 0);
  const auto falling = [](double t, double* g) { *g = -t; };
  const double start = 0;
  const std::uint8_t on = 1;
  watch.begin(0, &start, &on);
  Found found;
  ASSERT_TRUE(watch.look(1, falling, 1e-14, found));
  EXPECT_LE(found.time, 1e-13);
}

}  // namespace
}  // namespace orrery::sim
