// SPDX-License-Identifier: Apache-2.0
// Units against factors that are defined, and inference against what can be seen at once.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "units/annotation.h"
#include "units/infer.h"

namespace orrery::units {
namespace {

Unit unit(const std::string& text, bool any_case = false) {
  UnitError error;
  const auto found = parse_unit(text, any_case, error);
  EXPECT_TRUE(found) << text << ": " << error.message;
  return found ? found->unit : Unit{};
}

void expect_same(const std::string& a, const std::string& b, double factor = 1) {
  EXPECT_TRUE(same_dimension(unit(a), unit(b))) << a << " and " << b;
  EXPECT_NEAR(factor_between(unit(a), unit(b)) / factor, 1, 1e-12) << a << " and " << b;
}

TEST(Units, AreProductsOfPowers) {
  expect_same("N", "kg m/s^2");
  expect_same("kg*m*s-2", "kg m s**-2");
  expect_same("m3/s2", "m^3 s^-2");
  expect_same("J", "N m");
  expect_same("W", "V A");
  expect_same("V/Ohm", "A");
  expect_same("1/s", "Hz");
  expect_same("(m/s)/s", "m/s/s");
  expect_same("m²", "m m");
  expect_same("m^(1/2) m^(1/2)", "m");
  expect_same("Pa", "kg/(m s2)");
  expect_same("1", "rad");
}

// Factors by definition (NIST SP 811, appendix B).
TEST(Units, HaveTheirSizes) {
  expect_same("km", "m", 1000);
  expect_same("ft", "m", 0.3048);
  expect_same("mi", "ft", 5280);
  expect_same("km/h", "m/s", 1 / 3.6);
  expect_same("lbf", "N", 4.4482216152605);
  expect_same("slug", "lb", 32.17404855643045);
  expect_same("psi", "Pa", 6894.757293168361);
  expect_same("hp", "W", 745.6998715822702);
  expect_same("kWh", "J", 3.6e6);
  expect_same("mbar", "hPa");
  expect_same("gal", "l", 3.785411784);
  expect_same("deg", "rad", std::numbers::pi / 180);
  expect_same("rpm", "rad/s", 2 * std::numbers::pi / 60);
  expect_same("µs", "ns", 1000);
  expect_same("min", "s", 60);  // and no milli-inch
}

TEST(Units, OfDecksInCapitals) {
  EXPECT_TRUE(same_dimension(unit("M/S**2", true), unit("m/s2")));
  EXPECT_TRUE(same_dimension(unit("KG", true), unit("kg")));
  EXPECT_TRUE(same_dimension(unit("N", true), unit("N")));
  UnitError error;
  EXPECT_FALSE(parse_unit("KG", false, error));
}

TEST(Units, MistakesAreTold) {
  for (const char* text : {"", "furlong", "m/", "m^^2", "(m", "m)", "0 m", "kg$"}) {
    UnitError error;
    EXPECT_FALSE(parse_unit(text, false, error)) << text;
    EXPECT_FALSE(error.message.empty()) << text;
  }
}

TEST(Units, AsTexts) {
  EXPECT_EQ(to_text(unit("m/s2")), "m s^-2");
  EXPECT_EQ(to_text(unit("N")), "kg m s^-2 (N)");
  EXPECT_EQ(to_text(unit("rad")), "1");
  EXPECT_EQ(to_text(unit("1/s")), "s^-1");
  EXPECT_EQ(to_text(unit("km")), "1000 m");
  EXPECT_EQ(to_text(unit("m^(1/2)")), "m^(1/2)");
}

TEST(Annotations, AreBracketsBehindNames) {
  const auto found = find_annotations("r [m], c2 [m3/s2]; see [3] and h[km]");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].name, "r");
  EXPECT_EQ(found[1].unit, "m3/s2");
  EXPECT_EQ(found[2].name, "h");
  const auto alone = find_annotations("  [N]  thrust");
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone[0].name, "");
  EXPECT_TRUE(find_annotations("as in [12]").empty());
}

struct Case {
  Inference all;
  QuantityId x = all.add("x"), v = all.add("v"), t = all.add("t");
  Case() { all.declare(t, {second(), 0}, "line 1"); }
};

TEST(Inference, UnitsFollow) {
  Case c;
  c.all.declare(c.x, {unit("m"), 0}, "line 2");
  c.all.equate(Product::of(c.v), Product::of(c.x) - Product::of(c.t), "line 3");
  EXPECT_TRUE(c.all.solve().empty());
  ASSERT_TRUE(c.all.known(c.v));
  EXPECT_EQ(to_text(c.all.unit(c.v)), "m s^-1");
}

TEST(Inference, DisagreementsNameBothSidesAndThePath) {
  Case c;
  const QuantityId a = c.all.add("a");
  c.all.declare(c.x, {unit("m"), 0}, "declared in line 2");
  c.all.equate(Product::of(c.v), Product::of(c.x) - Product::of(c.t), "line 3");
  c.all.equate(Product::of(a), Product::of(c.v), "line 4");
  c.all.equate(Product::of(a), Product::of(c.x), "line 5");
  const auto conflicts = c.all.solve();
  ASSERT_EQ(conflicts.size(), 1U);
  EXPECT_EQ(conflicts[0].kind, Conflict::Kind::dimension);
  EXPECT_EQ(conflicts[0].left, "m");  // a follows from line 5, where x alone was needed
  EXPECT_EQ(conflicts[0].right, "m s^-1");
  EXPECT_EQ(conflicts[0].path, (std::vector<std::string>{"a is m: follows from line 5", "x is m: declared in line 2",
                                                         "v is m s^-1: follows from line 3", "t is s: line 1"}));
}

// x' = -x has no solution whatever the unit of x is.
TEST(Inference, UnknownsThatCancelAreNoExcuse) {
  Case c;
  c.all.equate(Product::of(c.x) - Product::of(c.t), Product::of(c.x), "line 3");
  const auto conflicts = c.all.solve();
  ASSERT_EQ(conflicts.size(), 1U);
  EXPECT_EQ(conflicts[0].left, "unit of x s^-1");
  EXPECT_EQ(conflicts[0].right, "unit of x");
}

TEST(Inference, SizesAndZeroPoints) {
  Case c;
  c.all.declare(c.x, {unit("m"), 0}, "line 2");
  c.all.declare(c.v, {unit("km"), 0}, "line 3");
  c.all.equate(Product::of(c.x), Product::of(c.v), "line 4");
  const auto sizes = c.all.solve();
  ASSERT_EQ(sizes.size(), 1U);
  EXPECT_EQ(sizes[0].kind, Conflict::Kind::size);
  EXPECT_NEAR(sizes[0].factor, 1000, 1e-9);  // km times 1000 are m
  Inference warm;
  const QuantityId k = warm.add("k"), celsius = warm.add("c");
  UnitError error;
  warm.declare(k, *parse_unit("K", false, error), "line 1");
  warm.declare(celsius, *parse_unit("degC", false, error), "line 2");
  warm.equate(Product::of(k), Product::of(celsius), "line 3");
  const auto zeros = warm.solve();
  ASSERT_EQ(zeros.size(), 1U);
  EXPECT_EQ(zeros[0].kind, Conflict::Kind::zero);
  EXPECT_NEAR(zeros[0].offset, 273.15, 1e-9);
}

}  // namespace
}  // namespace orrery::units
