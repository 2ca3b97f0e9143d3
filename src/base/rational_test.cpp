// SPDX-License-Identifier: Apache-2.0
// Tests of exact rationals: reading, approximating, common divisors, and overflow that is reported, not wrapped.
#include "base/rational.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace orrery {
namespace {

using Maybe = std::optional<Rational>;
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

Maybe ratio(std::int64_t numerator, std::int64_t denominator) { return Rational{numerator, denominator}; }

TEST(Rational, IsInLowestTermsWithPositiveDenominator) {
  EXPECT_EQ(make_rational(6, 4), ratio(3, 2));
  EXPECT_EQ(make_rational(6, -4), ratio(-3, 2));
  EXPECT_EQ(make_rational(-6, -4), ratio(3, 2));
  EXPECT_EQ(make_rational(0, -7), ratio(0, 1));
  EXPECT_EQ(make_rational(1, 0), std::nullopt);
  EXPECT_EQ(make_rational(3, 2)->value(), 1.5);
}

TEST(Rational, ExtremesOverflowToNothing) {
  EXPECT_EQ(make_rational(most, 1), ratio(most, 1));
  EXPECT_EQ(make_rational(least, 1), std::nullopt);
  EXPECT_EQ(make_rational(least, 2), ratio(least / 2, 1));
  EXPECT_EQ(make_rational(1, least), std::nullopt);
}

TEST(Rational, ParsesDecimalsExactly) {
  EXPECT_EQ(parse_decimal("0.1"), ratio(1, 10));
  EXPECT_EQ(parse_decimal("2.5e-3"), ratio(1, 400));
  EXPECT_EQ(parse_decimal("-12.50"), ratio(-25, 2));
  EXPECT_EQ(parse_decimal("+3E2"), ratio(300, 1));
  EXPECT_EQ(parse_decimal(".5"), ratio(1, 2));
  EXPECT_EQ(parse_decimal("5."), ratio(5, 1));
  EXPECT_EQ(parse_decimal("9223372036854775807"), ratio(most, 1));
  EXPECT_EQ(parse_decimal("1e-18"), ratio(1, 1'000'000'000'000'000'000));
}

TEST(Rational, RefusesWhatIsNoDecimal) {
  for (const char* text : {"", "-", ".", "e5", "1e", "1e+", "1.2.3", "0x10", "1 ", " 1", "1e5x", "nan", "inf", "1/3"})
    EXPECT_EQ(parse_decimal(text), std::nullopt) << text;
}

TEST(Rational, RefusesDecimalsBeyond64Bits) {
  EXPECT_EQ(parse_decimal("9223372036854775808"), std::nullopt);
  EXPECT_EQ(parse_decimal("1e19"), std::nullopt);
  EXPECT_EQ(parse_decimal("1e-19"), std::nullopt);
  EXPECT_EQ(parse_decimal("1e999999999999"), std::nullopt);
  EXPECT_EQ(parse_decimal("1e-999999999999"), std::nullopt);
  EXPECT_EQ(parse_decimal("123456789012345678901234567890123456789012345678901234567890"), std::nullopt);
}

TEST(Rational, ApproximatesToTheSimplestNeighbour) {
  EXPECT_EQ(approximate(0.1, 1e-12), ratio(1, 10));
  EXPECT_EQ(approximate(-0.1, 1e-12), ratio(-1, 10));
  EXPECT_EQ(approximate(1.0 / 3.0, 1e-12), ratio(1, 3));
  EXPECT_EQ(approximate(0.0, 1e-12), ratio(0, 1));
  EXPECT_EQ(approximate(3.0, 1e-12), ratio(3, 1));
  EXPECT_EQ(approximate(1e-3, 1e-12), ratio(1, 1000));
  EXPECT_EQ(approximate(std::acos(-1.0), 1e-2), ratio(22, 7));
}

TEST(Rational, ApproximationRefusesWhatHasNone) {
  EXPECT_EQ(approximate(std::nan(""), 1e-12), std::nullopt);
  EXPECT_EQ(approximate(std::numeric_limits<double>::infinity(), 1e-12), std::nullopt);
  EXPECT_EQ(approximate(1e300, 1e-12), std::nullopt);
  EXPECT_EQ(approximate(1e-300, 1e-12), std::nullopt);
}

TEST(Rational, EveryShortDecimalIsFoundAgainFromItsDouble) {
  for (std::int64_t denominator = 1; denominator <= 1000; ++denominator) {
    for (std::int64_t numerator : {1, 7, 13, 999}) {
      const Maybe exact = make_rational(numerator, denominator);
      EXPECT_EQ(approximate(exact->value(), 1e-12), exact) << numerator << '/' << denominator;
    }
  }
}

TEST(Rational, CommonDivisor) {
  EXPECT_EQ(common_divisor({1, 10}, {3, 20}), ratio(1, 20));
  EXPECT_EQ(common_divisor({3, 20}, {1, 10}), ratio(1, 20));
  EXPECT_EQ(common_divisor({2, 1}, {3, 1}), ratio(1, 1));
  EXPECT_EQ(common_divisor({1, 3}, {1, 3}), ratio(1, 3));
  EXPECT_EQ(common_divisor({0, 1}, {2, 5}), ratio(2, 5));
  EXPECT_EQ(common_divisor({1, most}, {1, most - 1}), std::nullopt);
}

TEST(Rational, CommonDivisorMeasuresBoth) {
  for (std::int64_t p = 1; p <= 12; ++p) {
    for (std::int64_t q = 1; q <= 12; ++q) {
      const Rational a = *make_rational(p, q), b = *make_rational(q + 1, p + 2);
      const Rational g = *common_divisor(a, b);
      EXPECT_TRUE(whole_quotient(a, g).has_value());
      EXPECT_TRUE(whole_quotient(b, g).has_value());
    }
  }
}

TEST(Rational, Subtract) {
  EXPECT_EQ(subtract({1, 2}, {1, 3}), ratio(1, 6));
  EXPECT_EQ(subtract({1, 3}, {1, 3}), ratio(0, 1));
  EXPECT_EQ(subtract({most, 1}, {-1, 1}), std::nullopt);
}

TEST(Rational, WholeQuotient) {
  EXPECT_EQ(whole_quotient({3, 10}, {1, 10}), 3);
  EXPECT_EQ(whole_quotient({-3, 10}, {1, 10}), -3);
  EXPECT_EQ(whole_quotient({0, 1}, {1, 10}), 0);
  EXPECT_EQ(whole_quotient({1, 10}, {3, 10}), std::nullopt);
  EXPECT_EQ(whole_quotient({1, 10}, {0, 1}), std::nullopt);
  EXPECT_EQ(whole_quotient({most, 1}, {1, 2}), std::nullopt);
}

}  // namespace
}  // namespace orrery
