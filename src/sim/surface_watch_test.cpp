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
  SurfaceWatch watch(w.program, 0, 1e-14);
  const auto sine = [](double t, double* g) { *g = std::sin(t); };
  const double start = std::sin(-1.0);
  const std::uint8_t none = 0;
  watch.begin(-1, {&start, nullptr}, &none);
  Found found;
  EXPECT_FALSE(watch.look(1, sine, 1e-14, found)) << "rising is not wanted";
  ASSERT_TRUE(watch.look(4, sine, 1e-14, found));
  EXPECT_NEAR(found.time, M_PI, 1e-13);
  EXPECT_EQ(found.crossings[0].direction, -1);
  EXPECT_GT(found.crossings[0].left, 0);
  EXPECT_LE(found.crossings[0].right, 0);
}

TEST(SurfaceWatch, ZeroIsNoCrossingUntilTheOtherSideIsReached) {
  Watch w(event(program::Crossing::both));
  SurfaceWatch watch(w.program, 0, 1e-14);
  const auto line = [](double t, double* g) { *g = 1 - t; };
  const double start = 1;
  const std::uint8_t none = 0;
  watch.begin(0, {&start, nullptr}, &none);
  Found found;
  EXPECT_FALSE(watch.look(1, line, 1e-14, found)) << "it may be a touch";
  ASSERT_TRUE(watch.look(2, line, 1e-14, found));
  EXPECT_NEAR(found.time, 1, 2e-14);
  watch.settle(found);
  EXPECT_FALSE(watch.look(3, line, 1e-14, found));
}

// Where a step is stopped anyway, values and slope at its end decide.
TEST(SurfaceWatch, WhatGoesOnThroughZeroAtOnceArrives) {
  Watch w(event(program::Crossing::both));
  SurfaceWatch watch(w.program, 0, 1e-14);
  const std::uint8_t none = 0;
  const auto arrives = [&](double v0, double v1, double v2, double v3, double v4) {
    watch.begin(0, {&v0, nullptr}, &none);
    Found found;
    return watch.arrives(1, {&v0, &v1, &v2, &v3, &v4}, 1, {&v4, nullptr}, found);
  };
  EXPECT_TRUE(arrives(1, 0.75, 0.5, 0.25, 0));
  EXPECT_TRUE(arrives(1, 0.75, 0.5, 0.25, 5e-15)) << "within the coincidence";
  EXPECT_FALSE(arrives(1, 0.75, 0.5, 0.25, 5e-14));
  EXPECT_FALSE(arrives(1, 0.5625, 0.25, 0.0625, 0)) << "(1 - t)^2 only touches";
}

TEST(SurfaceWatch, SidesComeFromRatesAtZero) {
  Watch w(event(program::Crossing::both));
  const SurfaceWatch watch(w.program, 0, 1e-14);
  const auto side = [&](double g, double rate, double second) {
    const double rates[3] = {rate, second, 0};
    return watch.side_after(0, {&g, rates});
  };
  EXPECT_EQ(side(1, -5, 0), 1);
  EXPECT_EQ(side(1e-15, -1, 0), -1) << "it is through zero within the coincidence";
  EXPECT_EQ(side(0, 2, -9), 1);
  EXPECT_EQ(side(0, 0, -9), -1);
  EXPECT_EQ(side(0, 0, 0), 0);
  EXPECT_EQ(side(0, NAN, NAN), 0);
}

TEST(SurfaceWatch, ThresholdMasksUntilItIsLeft) {
  Watch w(event(program::Crossing::both));
  SurfaceWatch watch(w.program, 0.1, 1e-14);
  const auto wiggle = [](double t, double* g) { *g = t < 2 ? 0.05 * std::sin(20 * t) : -1 + 0.0 * t; };
  const double start = 0.05;
  const std::uint8_t none = 0;
  watch.begin(0.1, {&start, nullptr}, &none);
  Found found;
  ASSERT_TRUE(watch.look(0.2, wiggle, 1e-12, found)) << "it has not fired yet";
  EXPECT_NEAR(found.time, M_PI / 20, 1e-11);
  watch.settle(found);
  for (double t = 0.2; t < 1; t += 0.05) EXPECT_FALSE(watch.look(t, wiggle, 1e-12, found));
  const double inside = 0.02;
  watch.begin(1, {&inside, nullptr}, &none);
  for (double t = 1; t < 2; t += 0.05) EXPECT_FALSE(watch.look(t, wiggle, 1e-12, found)) << "a restart changes nothing";
}

TEST(SurfaceWatch, AModeCrossesWhenItsConditionIsContradicted) {
  // value >= 0 and the mode is true; exactly zero still agrees, below does not.
  Watch w(mode(false));
  SurfaceWatch watch(w.program, 0, 1e-14);
  const auto line = [](double t, double* g) { *g = 1 - t; };
  const double start = 1;
  const std::uint8_t on = 1;
  watch.begin(0, {&start, nullptr}, &on);
  Found found;
  EXPECT_FALSE(watch.look(1, line, 1e-14, found));
  ASSERT_TRUE(watch.look(2, line, 1e-14, found));
  EXPECT_NEAR(found.time, 1, 1e-13);
  EXPECT_GT(found.time, 1);
}

TEST(SurfaceWatch, AModeThatStartsAtZeroIsRightAtOnce) {
  Watch w(mode(false));
  SurfaceWatch watch(w.program, 0, 1e-14);
  const auto falling = [](double t, double* g) { *g = -t; };
  const double start = 0;
  const std::uint8_t on = 1;
  watch.begin(0, {&start, nullptr}, &on);
  Found found;
  ASSERT_TRUE(watch.look(1, falling, 1e-14, found));
  EXPECT_LE(found.time, 1e-13);
}

}  // namespace
}  // namespace orrery::sim
