// SPDX-License-Identifier: Apache-2.0
// Largest matchings against a plain search, over- and under-determined parts, and the work as systems grow.
#include "equations/match.h"

#include <gtest/gtest.h>

#include <functional>

#include "equations/graphs_for_tests.h"

namespace orrery::equations {
namespace {

struct Random {
  std::mt19937 engine;
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine()); }
};

Adjacency random_rows(Random& random, std::uint32_t equations, std::uint32_t unknowns, int most) {
  Adjacency rows;
  std::uniform_int_distribution<std::uint32_t> any(0, unknowns - 1);
  std::uniform_int_distribution<int> size(0, most);
  for (std::uint32_t e = 0; e < equations; ++e) {
    std::vector<std::uint32_t> row;
    for (int k = size(random); k > 0; --k) row.push_back(any(random));
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    rows.add_row(row);
  }
  return rows;
}

// Augmenting paths by recursion, one equation after the other.
std::uint32_t plain_size(const Adjacency& rows, std::uint32_t unknowns) {
  std::vector<std::uint32_t> owner(unknowns, none);
  std::vector<bool> seen;
  const std::function<bool(std::uint32_t)> place = [&](std::uint32_t e) {
    for (const std::uint32_t u : rows[e]) {
      if (seen[u]) continue;
      seen[u] = true;
      if (owner[u] == none || place(owner[u])) {
        owner[u] = e;
        return true;
      }
    }
    return false;
  };
  std::uint32_t size = 0;
  for (std::uint32_t e = 0; e < rows.rows(); ++e) {
    seen.assign(unknowns, false);
    size += place(e) ? 1 : 0;
  }
  return size;
}

TEST(Match, IsAsLargeAsAPlainSearchFinds) {
  Random random{std::mt19937(3)};
  for (int round = 0; round < 2000; ++round) {
    const std::uint32_t equations = 1 + random() % 14, unknowns = 1 + random() % 14;
    const Adjacency rows = random_rows(random, equations, unknowns, 4);
    const Matching matching = match(rows, unknowns);
    ASSERT_EQ(matching.size(), plain_size(rows, unknowns)) << "round " << round;
    for (std::uint32_t e = 0; e < equations; ++e) {
      const std::uint32_t u = matching.unknown_of[e];
      if (u == none) continue;
      EXPECT_EQ(matching.equation_of[u], e);
      EXPECT_TRUE(std::find(rows[e].begin(), rows[e].end(), u) != rows[e].end());
    }
  }
}

// Over-determined parts have more equations than unknowns, under-determined ones fewer, and which these are does not
// depend on the matching that was found first.
TEST(Match, MisfitsDoNotDependOnTheMatching) {
  Random random{std::mt19937(4)};
  for (int round = 0; round < 500; ++round) {
    const std::uint32_t equations = 2 + random() % 10, unknowns = 2 + random() % 10;
    const Adjacency rows = random_rows(random, equations, unknowns, 3);
    const Misfits misfits = find_misfits(rows, match(rows, unknowns));
    Matching begin = empty_matching(equations, unknowns);
    for (int tries = 0; tries < 5; ++tries) {
      const std::uint32_t e = random() % equations;
      if (rows[e].empty() || begin.unknown_of[e] != none) continue;
      const std::uint32_t u = rows[e][random() % rows[e].size()];
      if (begin.equation_of[u] == none) begin.pair(e, u);
    }
    const Misfits other = find_misfits(rows, match(rows, begin));
    ASSERT_EQ(misfits.over.size(), other.over.size());
    for (std::size_t k = 0; k < misfits.over.size(); ++k) {
      EXPECT_EQ(misfits.over[k].equations, other.over[k].equations);
      EXPECT_EQ(misfits.over[k].unknowns, other.over[k].unknowns);
      EXPECT_GT(misfits.over[k].equations.size(), misfits.over[k].unknowns.size());
    }
    ASSERT_EQ(misfits.under.size(), other.under.size());
    for (std::size_t k = 0; k < misfits.under.size(); ++k) {
      EXPECT_EQ(misfits.under[k].unknowns, other.under[k].unknowns);
      EXPECT_LT(misfits.under[k].equations.size(), misfits.under[k].unknowns.size());
    }
  }
}

// Work counted in entries read, so that the answer does not depend on the machine.
TEST(Match, WorkGrowsWithTheSize) {
  const std::pair<const char*, std::function<Adjacency(std::uint32_t)>> kinds[] = {
      {"chain", chain}, {"mesh", mesh}, {"random", [](std::uint32_t n) { return random_system(n); }}};
  for (const auto& [name, make] : kinds) {
    Analysis before;
    for (std::uint32_t n = 16384; n <= 131072; n *= 2) {
      const Analysis now = analyse(make(n));
      ASSERT_TRUE(now.complete) << name;
      if (before.groups > 0) {
        const auto ratio = [](std::uint64_t a, std::uint64_t b) {
          return static_cast<double>(b) / static_cast<double>(a + 1);
        };
        EXPECT_LT(ratio(before.matching_work, now.matching_work), 2.4) << name << " " << n;
        EXPECT_LT(ratio(before.tearing_work, now.tearing_work), 2.4) << name << " " << n;
      }
      before = now;
    }
  }
}

// A hidden block triangular form, permuted, comes out again.
TEST(Match, FindsTheBlocksASystemWasMadeOf) {
  Random random{std::mt19937(5)};
  for (int round = 0; round < 200; ++round) {
    std::vector<std::vector<std::uint32_t>> rows;
    std::vector<std::size_t> sizes;
    std::uint32_t first = 0;
    for (int block = 0; block < 8; ++block) {
      const std::uint32_t size = 1 + random() % 5;
      sizes.push_back(size);
      for (std::uint32_t k = 0; k < size; ++k) {  // a ring, so the block does not fall apart
        std::vector<std::uint32_t> row{first + k, first + (k + 1) % size};
        if (first > 0) row.push_back(random() % first);
        rows.push_back(row);
      }
      first += size;
    }
    std::vector<std::uint32_t> unknown(first), equation(first);
    std::iota(unknown.begin(), unknown.end(), 0u);
    std::iota(equation.begin(), equation.end(), 0u);
    std::shuffle(unknown.begin(), unknown.end(), random);
    std::shuffle(equation.begin(), equation.end(), random);
    std::vector<std::vector<std::uint32_t>> mixed(first);
    for (std::uint32_t e = 0; e < first; ++e) {
      for (const std::uint32_t u : rows[e]) mixed[equation[e]].push_back(unknown[u]);
    }
    const EquationGroups groups = group_equations(mixed);
    ASSERT_TRUE(groups.unmatched_equations.empty());
    std::vector<std::size_t> found;
    std::vector<bool> known(first, false);
    for (const EquationGroup& group : groups.groups) {
      found.push_back(group.unknowns.size());
      for (const std::uint32_t u : group.unknowns) known[u] = true;
      for (const std::uint32_t e : group.equations) {
        for (const std::uint32_t u : mixed[e]) EXPECT_TRUE(known[u]);
      }
    }
    std::sort(found.begin(), found.end());
    std::sort(sizes.begin(), sizes.end());
    EXPECT_EQ(found, sizes);
  }
}

}  // namespace
}  // namespace orrery::equations
