// SPDX-License-Identifier: Apache-2.0
// Matching and ordering of equations on systems whose structure is known.
#include "equations/group_equations.h"

#include <gtest/gtest.h>

namespace orrery::equations {
namespace {

using Occurs = std::vector<std::vector<std::uint32_t>>;

TEST(GroupEquations, TriangularSystemsAreSolvedOneByOne) {
  // 0: f(a, b), 1: f(b), 2: f(a, c)
  const auto result = group_equations(Occurs{{0, 1}, {1}, {0, 2}});
  ASSERT_EQ(result.groups.size(), 3u);
  EXPECT_EQ(result.groups[0].unknowns, std::vector<std::uint32_t>{1});
  EXPECT_EQ(result.groups[1].unknowns, std::vector<std::uint32_t>{0});
  EXPECT_EQ(result.groups[2].unknowns, std::vector<std::uint32_t>{2});
}

TEST(GroupEquations, CyclesStayTogether) {
  const auto result = group_equations(Occurs{{0, 1}, {0, 1}, {2, 0}});
  ASSERT_EQ(result.groups.size(), 2u);
  EXPECT_EQ(result.groups[0].equations.size(), 2u);
}

TEST(GroupEquations, EquationsFindOtherUnknownsThanTheirOwn) {
  // Each equation holds the unknown of the other only.
  const auto result = group_equations(Occurs{{1}, {0}});
  ASSERT_EQ(result.groups.size(), 2u);
  EXPECT_EQ(result.groups[0].unknowns[0], 1 - result.groups[0].equations[0]);
  // A longer detour: 0 must give up its own unknown for 2.
  const auto chain = group_equations(Occurs{{0, 1}, {1, 2}, {0}});
  EXPECT_TRUE(chain.unmatched_equations.empty());
  EXPECT_EQ(chain.groups.size(), 3u);
}

TEST(GroupEquations, SingularStructureNamesBothSides) {
  const auto result = group_equations(Occurs{{0}, {0}, {2}});
  EXPECT_EQ(result.unmatched_equations.size(), 1u);
  EXPECT_EQ(result.unmatched_unknowns, std::vector<std::uint32_t>{1});
  EXPECT_TRUE(group_equations(Occurs{}).groups.empty());
}

}  // namespace
}  // namespace orrery::equations
