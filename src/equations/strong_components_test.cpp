// SPDX-License-Identifier: Apache-2.0
// Components in evaluation order.
#include "equations/adjacency.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace orrery::equations {
namespace {

TEST(StrongComponents, DependenciesComeFirst) {
  // 0 needs 1, 1 needs 2; 3 and 4 need each other and 0.
  const auto parts = strong_components(std::vector<std::vector<std::uint32_t>>{{1}, {2}, {}, {4, 0}, {3}});
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[0], std::vector<std::uint32_t>{2});
  EXPECT_EQ(parts[1], std::vector<std::uint32_t>{1});
  EXPECT_EQ(parts[2], std::vector<std::uint32_t>{0});
  EXPECT_EQ(parts[3].size(), 2u);
}

TEST(StrongComponents, ALongChainNeedsNoStack) {
  constexpr std::uint32_t count = 500000;
  std::vector<std::vector<std::uint32_t>> needs(count);
  for (std::uint32_t v = 0; v + 1 < count; ++v) needs[v] = {v + 1};
  const auto parts = strong_components(needs);
  ASSERT_EQ(parts.size(), count);
  EXPECT_EQ(parts.front()[0], count - 1);
}

}  // namespace
}  // namespace orrery::equations
