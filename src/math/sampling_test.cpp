// SPDX-License-Identifier: Apache-2.0
// Points of experiments: layers, discrepancy, seeds.
#include "math/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace orrery::math {
namespace {

TEST(Sampling, ALatinHypercubeHasOnePointInEachLayer) {
  constexpr std::size_t count = 97, dimensions = 3;
  const UnitPoints points(Sampling::latin, count, dimensions, 5);
  for (std::size_t d = 0; d < dimensions; ++d) {
    std::set<int> layers;
    for (std::size_t k = 0; k < count; ++k) layers.insert(static_cast<int>(points.at(k, d) * count));
    EXPECT_EQ(layers.size(), count);
  }
}

TEST(Sampling, SobolPointsFillTheCubeMoreEvenlyThanRandomOnes) {
  // The integral of a smooth product over the unit cube is 1; errors of 4096 points, by kind.
  const auto error = [](Sampling sampling) {
    const UnitPoints points(sampling, 4096, 4, 11);
    double sum = 0;
    for (std::size_t k = 0; k < 4096; ++k) {
      double product = 1;
      for (std::size_t d = 0; d < 4; ++d) product *= 1 + 0.8 * std::sin(2 * M_PI * points.at(k, d));
      sum += product;
    }
    return std::fabs(sum / 4096 - 1);
  };
  EXPECT_LT(error(Sampling::sobol), 2e-4);
  EXPECT_LT(error(Sampling::sobol), 0.1 * error(Sampling::random));
}

TEST(Sampling, EveryBlockOfPowersOfTwoOfASobolSequenceIsBalanced) {
  const UnitPoints points(Sampling::sobol, 256, 8, 3);
  for (std::size_t d = 0; d < 8; ++d) {
    int below = 0;
    for (std::size_t k = 0; k < 256; ++k) below += points.at(k, d) < 0.25 ? 1 : 0;
    EXPECT_EQ(below, 64) << d;
  }
}

TEST(Sampling, RandomPointsHaveTheMomentsOfUniformOnes) {
  constexpr std::size_t count = 200000;
  const UnitPoints points(Sampling::random, count, 2, 1);
  double mean = 0, square = 0, mixed = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double x = points.at(k, 0) - 0.5, y = points.at(k, 1) - 0.5;
    EXPECT_TRUE(x > -0.5 && x < 0.5);
    mean += x, square += x * x, mixed += x * y;
  }
  // Five standard deviations of each mean.
  EXPECT_NEAR(mean / count, 0, 5 * std::sqrt(1.0 / 12 / count));
  EXPECT_NEAR(square / count, 1.0 / 12, 5 * std::sqrt(1.0 / 180 / count));
  EXPECT_NEAR(mixed / count, 0, 5.0 / 12 / std::sqrt(count));
}

TEST(Sampling, SeedsMatterAndRepeat) {
  for (const Sampling sampling : {Sampling::random, Sampling::latin, Sampling::sobol}) {
    const UnitPoints a(sampling, 10, 2, 1), b(sampling, 10, 2, 1), c(sampling, 10, 2, 2);
    EXPECT_EQ(a.at(7, 1), b.at(7, 1));
    EXPECT_NE(a.at(7, 1), c.at(7, 1));
  }
}

}  // namespace
}  // namespace orrery::math
