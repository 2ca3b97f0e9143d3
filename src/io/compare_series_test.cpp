// SPDX-License-Identifier: Apache-2.0
// Comparing curves: the tolerance, the share of points, jumps, tubes, what is missing.
#include "io/compare_series.h"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery::io {
namespace {

struct Curve100 {
  std::vector<double> time, value;
};

Curve100 sine(double shift, double scale) {
  Curve100 curve;
  for (int k = 0; k <= 1000; ++k) {
    curve.time.push_back(0.01 * k);
    curve.value.push_back(scale * std::sin(0.01 * k - shift));
  }
  return curve;
}

TEST(CompareSeries, TheToleranceIsAShareOfTheRange) {
  const Curve100 reference = sine(0, 5);
  // The range is 10; the largest difference of amplitude 5.19 is 0.19 of it in percent.
  for (const auto& [scale, agrees] : {std::pair{5.19, true}, {5.22, false}}) {
    const Curve100 other = sine(0, scale);
    const auto result = compare_column(reference.time, reference.value, other.time, other.value, {0.02, 1, 0});
    EXPECT_EQ(result.agrees, agrees);
    EXPECT_NEAR(result.worst, (scale - 5) / 10, 1e-5);
    EXPECT_NEAR(result.worst_time, 1.5 * M_PI, 3.2);
  }
}

TEST(CompareSeries, AFewPointsMayBeOff) {
  const Curve100 reference = sine(0, 1);
  for (const auto& [spoilt, agrees] : {std::pair{10, true}, {11, false}}) {
    Curve100 other = reference;
    for (int k = 0; k < spoilt; ++k) other.value[static_cast<std::size_t>(37 * k)] += 1;
    const auto result = compare_column(reference.time, reference.value, other.time, other.value, {});
    EXPECT_EQ(result.within, 1001u - static_cast<unsigned>(spoilt));
    EXPECT_EQ(result.agrees, agrees) << spoilt;
  }
}

// A curve that is late by 0.1 is off by 0.1 where it is steep, and within a tube of that width everywhere.
TEST(CompareSeries, ATubeForgivesShiftsInTime) {
  const Curve100 reference = sine(0, 1), late = sine(0.1, 1);
  EXPECT_FALSE(compare_column(reference.time, reference.value, late.time, late.value, {0.02, 0.99, 0}).agrees);
  EXPECT_TRUE(compare_column(reference.time, reference.value, late.time, late.value, {0.02, 0.99, 0.11}).agrees);
  EXPECT_FALSE(compare_column(reference.time, reference.value, late.time, late.value, {0.02, 0.99, 0.03}).agrees);
}

TEST(CompareSeries, AtJumpsTheBetterSideCounts) {
  const std::vector<double> time{0, 1, 1, 2}, value{0, 0, 1, 1};
  for (const double side : {0.0, 1.0}) {
    const std::vector<double> reference_time{0, 1, 2}, reference{0, side, 1};
    EXPECT_EQ(compare_column(reference_time, reference, time, value, {0.02, 1, 0}).within, 3u);
  }
  EXPECT_EQ(value_at(time, value, 0.5).right, 0);
  EXPECT_EQ(value_at(time, value, 1).left, 0);
  EXPECT_EQ(value_at(time, value, 1).right, 1);
}

TEST(CompareSeries, MissingColumnsRowsAndNumbersAreMisses) {
  const double nan = std::nan("");
  const TimeSeries reference{{"x", "y", "c"}, {0, 1, 2}, {{0, 1, 2}, {0, 0, 0}, {3, 3, nan}}};
  const auto early = compare_series(reference, {{"x", "c"}, {0, 1}, {{0, 1}, {3, 3}}}, {});
  EXPECT_FALSE(early[0].agrees);
  EXPECT_EQ(early[0].within, 2u);
  EXPECT_FALSE(early[1].found);
  EXPECT_FALSE(early[1].agrees);
  EXPECT_TRUE(early[2].agrees);
  const auto not_numbers = compare_series(reference, {{"x"}, {0, 2}, {{nan, nan}}}, {});
  EXPECT_EQ(not_numbers[0].within, 0u);
}

// A constant reference has no range: its size is the unit then.
TEST(CompareSeries, ConstantsAreComparedByTheirSize) {
  const std::vector<double> time{0, 1}, hundred{100, 100}, zero{0, 0};
  EXPECT_TRUE(compare_column(time, hundred, time, std::vector{101.0, 99.0}, {}).agrees);
  EXPECT_FALSE(compare_column(time, hundred, time, std::vector{103.0, 103.0}, {}).agrees);
  EXPECT_TRUE(compare_column(time, zero, time, std::vector{1e-6, -1e-6}, {}).agrees);
  EXPECT_FALSE(compare_column(time, zero, time, std::vector{1e-3, 1e-3}, {}).agrees);
}

}  // namespace
}  // namespace orrery::io
