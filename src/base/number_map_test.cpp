// SPDX-License-Identifier: Apache-2.0
// The map of numbers against the one of the standard library.
#include "base/number_map.h"

#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

namespace orrery {
namespace {

TEST(NumberMap, AgreesWithTheStandardOne) {
  std::mt19937 random(7);
  for (const std::uint32_t range : {20U, 5000U, 4000000000U}) {
    NumberMap map;
    std::unordered_map<std::uint32_t, std::uint32_t> judge;
    EXPECT_FALSE(map.contains(0));
    for (std::uint32_t k = 0; k < 3000; ++k) {
      const auto key = static_cast<std::uint32_t>(random() % range);
      map.add(key, k);
      judge.emplace(key, k);
      const auto asked = static_cast<std::uint32_t>(random() % range);
      const auto found = judge.find(asked);
      ASSERT_EQ(map.find(asked), found == judge.end() ? NumberMap::none : found->second);
    }
    for (const auto& [key, value] : judge) ASSERT_EQ(map.find(key), value);
  }
}

// Multiples of a power of two, as numbers of slots in a row of equal blocks are, must not fall on each other.
TEST(NumberMap, TakesNumbersInSteps) {
  NumberMap map;
  for (std::uint32_t k = 0; k < 10000; ++k) map.add(k << 16, k);
  for (std::uint32_t k = 0; k < 10000; ++k) ASSERT_EQ(map.find(k << 16), k);
}

}  // namespace
}  // namespace orrery
