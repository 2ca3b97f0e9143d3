// SPDX-License-Identifier: Apache-2.0
#include "base/large_pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

namespace orrery {
namespace {

// Across the size from which pages are large, there and back.
TEST(LargePages, HoldWhatVectorsHold) {
  LargeArray<std::uint32_t> array;
  constexpr std::uint32_t count = 3 * worth_large_pages / sizeof(std::uint32_t);
  for (std::uint32_t k = 0; k < count; ++k) array.push_back(k);
  std::uint64_t sum = std::accumulate(array.begin(), array.end(), std::uint64_t{0});
  EXPECT_EQ(sum, std::uint64_t{count} * (count - 1) / 2);
  const LargeArray<std::uint32_t> copy = array;
  array.resize(10);
  array.shrink_to_fit();
  EXPECT_EQ(array.capacity(), 10u);
  EXPECT_EQ(array[9], 9u);
  EXPECT_EQ(copy.back(), count - 1);
}

struct alignas(64) Line {
  std::uint32_t item[16] = {};
};

TEST(LargePages, AreAligned) {
  const std::size_t large = worth_large_pages / sizeof(Line);
  for (const std::size_t count : {std::size_t{1}, std::size_t{3}, large - 1, large, large + 1}) {
    const LargeArray<Line> array(count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % 64, 0u) << count;
    EXPECT_EQ(array.back().item[15], 0u);
  }
  EXPECT_THROW(LargeArray<Line>(std::size_t{1} << 55), std::bad_alloc);
}

}  // namespace
}  // namespace orrery
