// SPDX-License-Identifier: Apache-2.0
// Tables against exact fractions, all extrapolations, and tables over several variables.
#include <gtest/gtest.h>

#include "blocks/block_bench.h"
#include "blocks/lookup_reference.h"

namespace orrery::blocks {
namespace {

BlockBench table_of(const std::string& method, const std::string& left = "'zero'",
                    const std::string& right = "'zero'") {
  return {"LookupTable",
          {{"x", "[0 1 2 4]"}, {"y", "[4 7 6 5]"}, {"method", "'" + method + "'"}, {"left", left}, {"right", right}},
          {real_type}};
}

double at(BlockBench& bench, double x) { return bench({{x}})[0]; }

TEST(LookupTables, AllMethodsAgreeWithExactFractions) {
  for (const LookupReference& reference : lookup_references) {
    BlockBench table = table_of(reference.method);
    BlockBench by_port("LookupTable_port", {{"method", std::string("'") + reference.method + "'"}},
                       {real_type, column(4), column(4)});
    for (std::size_t k = 0; k < reference.values.size(); ++k) {
      const double x = static_cast<double>(k) * 4 / 49.0;
      EXPECT_NEAR(at(table, x), reference.values[k], 1e-12) << reference.method << " at " << x;
      EXPECT_NEAR(by_port({{x}, {0, 1, 2, 4}, {4, 7, 6, 5}})[0], reference.values[k], 1e-12) << reference.method;
    }
  }
}

TEST(LookupTables, OutsideEachSideFollowsItsOwnRule) {
  BlockBench zero = table_of("linear");
  EXPECT_EQ(at(zero, -0.5), 0);
  EXPECT_EQ(at(zero, 4), 5);
  EXPECT_EQ(at(zero, 4.5), 0);
  BlockBench hold = table_of("natural", "'hold'", "'hold'");
  EXPECT_EQ(at(hold, -3), 4);
  EXPECT_EQ(at(hold, 9), 5);
  for (const char* method : {"linear", "not_a_knot", "steffen"}) {
    BlockBench straight = table_of(method, "'extrapolate'", "'extrapolate'");
    EXPECT_DOUBLE_EQ(at(straight, -1), 1);  // slope 3 through the first two points
    EXPECT_DOUBLE_EQ(at(straight, 6), 4);   // slope -1/2 through the last two
  }
  BlockBench repeated = table_of("linear", "'repeat'", "'repeat'");
  EXPECT_DOUBLE_EQ(at(repeated, 4.5), 5.5);
  EXPECT_DOUBLE_EQ(at(repeated, -1), 5.5);
  EXPECT_DOUBLE_EQ(at(repeated, 13.5), 6.5);
  EXPECT_EQ(at(repeated, 4), 5);
  BlockBench mixed = table_of("floor", "'repeat'", "'hold'");
  EXPECT_EQ(at(mixed, -0.5), 6);
  EXPECT_EQ(at(mixed, 7), 5);
}

TEST(LookupTables, JumpsRowsAndVectors) {
  BlockBench jump("LookupTable", {{"x", "[0 1 1 2]"}, {"y", "[0 1 5 6]"}}, {column(3)});
  EXPECT_EQ(jump({{0.5, 1, 1.5}}), (std::vector<double>{0.5, 5, 5.5}));
  BlockBench rows("LookupTable", {{"x", "[0 1 2]"}, {"y", "[0 1 2; 5 6 8]"}}, {real_type});
  EXPECT_EQ(rows({{1.5}}), (std::vector<double>{1.5, 7}));
  EXPECT_EQ(BlockBench("LookupTable", {{"x", "[0 2]"}, {"y", "[1 5]"}, {"method", "'natural'"}}, {real_type})({{1}})[0],
            3);
  EXPECT_NEAR(BlockBench("LookupTable", {{"x", "[0 1 3]"}, {"y", "[0 1 9]"}, {"method", "'not_a_knot'"}},
                         {real_type})({{2}})[0],
              4, 1e-14);  // a parabola
}

TEST(LookupTables, GridsAreLinearAlongEachAxis) {
  // f = (1 + x)(2 + 3y)(1 - z) is linear in each variable: the interpolation is exact.
  const auto f = [](double x, double y, double z) { return (1 + x) * (2 + 3 * y) * (1 - z); };
  BlockBench two("LookupTable2D", {{"x", "[0 1 3]"}, {"y", "[0 2]"}, {"z", "[2 8; 4 16; 8 32]"}},
                 {real_type, real_type});
  EXPECT_NEAR(two({{2.5}, {0.5}})[0], f(2.5, 0.5, 0), 1e-14);
  EXPECT_EQ(two({{3.5}, {0.5}})[0], 0);
  BlockBench beyond("LookupTable2D",
                    {{"x", "[0 1 3]"}, {"y", "[0 2]"}, {"z", "[2 8; 4 16; 8 32]"}, {"outside", "'extrapolate'"}},
                    {real_type, real_type});
  EXPECT_NEAR(beyond({{4}, {-1}})[0], f(4, -1, 0), 1e-13);
  BlockBench held("LookupTable2D",
                  {{"x", "[0 1 3]"}, {"y", "[0 2]"}, {"z", "[2 8; 4 16; 8 32]"}, {"outside", "'hold'"}},
                  {real_type, real_type});
  EXPECT_NEAR(held({{4}, {-1}})[0], f(3, 0, 0), 1e-14);
  BlockBench by_port("LookupTable2D_port", {}, {real_type, real_type, column(3), column(2), {Scalar::f64, 3, 2}});
  EXPECT_NEAR(by_port({{2.5}, {0.5}, {0, 1, 3}, {0, 2}, {2, 4, 8, 8, 16, 32}})[0], f(2.5, 0.5, 0), 1e-14);
  BlockBench three("LookupTable3D", {{"x", "[0 1]"}, {"y", "[0 2]"}, {"z", "[0 1]"}, {"f", "[2 4 8 16 0 0 0 0]"}},
                   {real_type, real_type, real_type});
  EXPECT_NEAR(three({{0.25}, {1.5}, {0.75}})[0], f(0.25, 1.5, 0.75), 1e-14);
  for (const auto& [method, expected] : {std::pair{"'floor'", 4.0}, {"'ceil'", 32.0}, {"'nearest'", 8.0}}) {
    BlockBench one("LookupTable2D", {{"x", "[0 1 3]"}, {"y", "[0 2]"}, {"z", "[2 8; 4 16; 8 32]"}, {"method", method}},
                   {real_type, real_type});
    EXPECT_EQ(one({{2.5}, {0.5}})[0], expected) << method;
  }
}

TEST(LookupTables, OneAxisOfManyIsTheTableOfOneVariable) {
  for (const char* method : {"akima", "fritsch_butland", "steffen", "linear"}) {
    BlockBench many("LookupTableND",
                    {{"x", "[0 1 2 4]"}, {"f", "[4 7 6 5]"}, {"method", std::string("'") + method + "'"}}, {real_type});
    BlockBench one = table_of(method);
    for (const double x : {0.0, 0.3, 1.0, 1.7, 3.9, 4.0}) EXPECT_NEAR(at(many, x), at(one, x), 1e-13) << method;
    EXPECT_EQ(at(many, 5), 5);
  }
}

}  // namespace
}  // namespace orrery::blocks
